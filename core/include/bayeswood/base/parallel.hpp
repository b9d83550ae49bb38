// A parallel loop over independent tasks that can be watched and stopped. Tasks never share sums,
// so the result is the same for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace bayeswood {

// Thrown out of a loop that was told to stop.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// Called about every 50 ms on the calling thread with (done, total); false stops the loop.
using Poll = std::function<bool(std::size_t, std::size_t)>;
using StopFlag = std::atomic<bool>;
using Task = std::function<void(std::size_t task, unsigned worker, const StopFlag& stop)>;

// Runs task 0 .. n_tasks - 1 on up to n_threads threads, which are joined before it returns.
// Without a poll and with one thread the loop runs on the calling thread.
void parallel_for(std::size_t n_tasks, unsigned n_threads, const Task& task, const Poll& poll = {});

inline unsigned worker_count(std::size_t n_tasks, unsigned n_threads) {
  const std::size_t wanted = n_threads < 1 ? 1 : n_threads;
  return static_cast<unsigned>(wanted < n_tasks ? wanted : (n_tasks < 1 ? 1 : n_tasks));
}

inline void check_stop(const StopFlag& stop) {
  if (stop.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace bayeswood
