// Threads that share out many short pieces of work, one call after another: they are started once
// and wait in between, where parallel_for would start them anew each time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace bayeswood {

class Team {
 public:
  // The caller is one of them: a team of one has no threads of its own.
  explicit Team(unsigned n_members);
  ~Team();  // joins them
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Runs task(0), ..., task(n_tasks - 1), in any order and on any member; returns when all are
  // done. Tasks must not throw.
  void run(std::size_t n_tasks, const std::function<void(std::size_t)>& task);

 private:
  void serve();
  void work();

  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t n_tasks_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> call_{0};  // counts the calls
  std::atomic<std::uint32_t> busy_{0};  // members that may still work at this call
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace bayeswood
