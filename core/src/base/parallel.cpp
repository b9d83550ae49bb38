#include "bayeswood/base/parallel.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bayeswood {
namespace {

// What the workers and the watching thread share.
struct Loop {
  const std::size_t n_tasks;
  const Task& task;
  StopFlag stop{false};
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  std::condition_variable finished;
  unsigned running;
  std::exception_ptr error;

  Loop(std::size_t n, const Task& t, unsigned workers) : n_tasks(n), task(t), running(workers) {}

  void fail(std::exception_ptr cause) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!error) error = cause;
    stop = true;
  }

  void work(unsigned worker) noexcept {
    try {
      for (std::size_t i = next++; i < n_tasks && !stop; i = next++) {
        task(i, worker, stop);
        ++done;
      }
    } catch (...) {
      fail(std::current_exception());
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0) finished.notify_all();
  }

  void watch(const Poll& poll) {
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      if (!stop && !poll(done, n_tasks)) fail(std::make_exception_ptr(Interrupted()));
      lock.lock();
    }
  }
};

void run_threads(Loop& loop, unsigned workers, const Poll& poll) {
  std::vector<std::thread> threads;
  threads.reserve(workers);
  try {
    for (unsigned k = 0; k < workers; ++k) threads.emplace_back([&loop, k] { loop.work(k); });
  } catch (...) {  // the system gave fewer threads than asked: go on with those we have
    std::lock_guard<std::mutex> lock(loop.mutex);
    loop.running -= workers - static_cast<unsigned>(threads.size());
    if (threads.empty()) throw;
  }
  try {
    if (poll) loop.watch(poll);
  } catch (...) {
    loop.fail(std::current_exception());
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace

void parallel_for(std::size_t n_tasks, unsigned n_threads, const Task& task, const Poll& poll) {
  if (n_tasks == 0) return;
  const unsigned workers = worker_count(n_tasks, n_threads);
  Loop loop(n_tasks, task, workers);
  if (workers == 1 && !poll) {
    loop.work(0);
  } else {
    run_threads(loop, workers, poll);
  }
  if (loop.error) std::rethrow_exception(loop.error);
  if (poll && !poll(n_tasks, n_tasks)) throw Interrupted();
}

}  // namespace bayeswood
