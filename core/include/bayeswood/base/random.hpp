// Counter-based random numbers: value i of a stream is a function of (key, i) alone, so any worker
// can draw any part of any stream and the result never depends on the number of threads.
#pragma once

#include <cmath>
#include <cstdint>

namespace bayeswood {

enum class Purpose : std::uint64_t {
  WEIGHTS = 1,
  FEATURES = 2,
  THRESHOLDS = 3,
  GROUPS = 4,
  CHOICES = 5,
  SHAPES = 6,
  RULES = 7,
  LEVELS = 8,
  CHAIN_START = 9,
  CHAIN_MOVES = 10,
  PARTICLES = 13,
  RESAMPLING = 14,
  SALTS = 15,
  PARTICLE_MOVES = 16,
  PARTICLE_LEVELS = 17,
  SUMS = 18
};

inline std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// The seed of one part of the rows that has random numbers of its own; that of part 0 is `seed`.
inline std::uint64_t part_seed(std::uint64_t seed, std::uint64_t part) {
  return seed + part * 0x9fb21c651e98df25ULL;
}

class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t tree, Purpose purpose) {
    std::uint64_t key = mix64(seed + GOLDEN);
    key = mix64(key ^ mix64(tree + 2 * GOLDEN));
    key_ = mix64(key ^ mix64(static_cast<std::uint64_t>(purpose) + 3 * GOLDEN));
  }

  std::uint64_t at(std::uint64_t index) const { return mix64(key_ + (index + 1) * GOLDEN); }
  std::uint64_t next() { return at(counter_++); }
  double next_uniform() { return uniform_at(counter_++); }

  // Uniform integer in [0, bound); the bias is below bound / 2^64.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  // Uniform on (0, 1), both ends excluded: 52 bits and a half.
  double uniform_at(std::uint64_t index) const {
    return (static_cast<double>(at(index) >> 12) + 0.5) * 0x1.0p-52;
  }
  double exponential_at(std::uint64_t index) const { return -std::log(uniform_at(index)); }

 private:
  static constexpr std::uint64_t GOLDEN = 0x9e3779b97f4a7c15ULL;
  std::uint64_t key_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace bayeswood
