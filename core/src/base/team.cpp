#include "bayeswood/base/team.hpp"

#include <system_error>

namespace bayeswood {
namespace {

// Looks so often before it goes to sleep: some 20 microseconds, the pause between two calls.
constexpr int LOOKS = 4000;

// Returns when the value is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int look = 0; look < LOOKS; ++look)
    if (value.load(std::memory_order_acquire) != old) return;
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(unsigned n_members) {
  try {
    for (unsigned k = 1; k < n_members; ++k) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {  // the system gave fewer than asked: go on with those
  }
}

Team::~Team() {
  ends_ = true;
  call_.fetch_add(1);
  call_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Team::work() {
  for (std::size_t i = next_++; i < n_tasks_; i = next_++) (*task_)(i);
}

void Team::serve() {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_for_change(call_, seen);
    if (ends_) return;
    work();
    if (busy_.fetch_sub(1) == 1) busy_.notify_all();
  }
}

void Team::run(std::size_t n_tasks, const std::function<void(std::size_t)>& task) {
  task_ = &task;
  n_tasks_ = n_tasks;
  next_ = 0;
  const auto n_others = static_cast<std::uint32_t>(threads_.size());
  if (n_others == 0 || n_tasks < 2) return work();
  busy_ = n_others;
  call_.fetch_add(1);
  call_.notify_all();
  work();
  for (std::uint32_t n = busy_; n != 0; n = busy_) wait_for_change(busy_, n);
}

}  // namespace bayeswood
