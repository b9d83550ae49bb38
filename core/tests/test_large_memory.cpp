#include <cstring>
#include <thread>

#include "bayeswood/base/large_memory.hpp"
#include "check.hpp"

using namespace bayeswood;

namespace {

LargeVector<double> filled(std::size_t n, double value) {
  LargeVector<double> made;
  made.resize(n);
  for (double& one : made) one = value;
  return made;
}

bool all_are(const LargeVector<double>& values, double value) {
  for (const double one : values) {
    if (one != value) return false;
  }
  return true;
}

}  // namespace

TEST(large_arrays_keep_their_values_beside_each_other) {
  std::vector<LargeVector<double>> kept;
  for (std::size_t round = 0; round < 3; ++round) {
    // From those that lie in no piece to those that are too large for one: several pieces of them.
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t n = i % 20 == 19 ? 600000 : 1000 + 37000 * (i % 10);
      kept.push_back(filled(n, static_cast<double>(i)));
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      CHECK(all_are(kept[i], static_cast<double>(i % 60)));
    if (round == 1) kept.clear();  // their pieces are used again
  }
  LargeVector<double> moved = std::move(kept.back());
  const LargeVector<double> copied = moved;
  moved.assign(5000, 2.0);
  CHECK(all_are(copied, 59.0) && all_are(moved, 2.0));
}

TEST(large_arrays_outlive_the_thread_that_made_them) {
  std::vector<LargeVector<double>> kept(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kept.size(); ++i)
    threads.emplace_back([&kept, i] {
      for (int again = 0; again < 20; ++again) kept[i] = filled(40000, static_cast<double>(i));
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(all_are(kept[i], static_cast<double>(i)));
}
