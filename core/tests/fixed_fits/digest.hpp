// 64 bits that stand for numbers in their order, and two of them for a fit.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "bayeswood/base/random.hpp"
#include "bayeswood/forest/tree.hpp"

class Digest {
 public:
  std::uint64_t value() const { return value_; }

  template <class Numbers>
  void add(const Numbers& numbers) {
    fold(numbers.size());
    for (const auto number : numbers) fold(bits_of(number));
  }

 private:
  static std::uint64_t bits_of(double number) {
    return number != number ? 1 : std::bit_cast<std::uint64_t>(number);  // NaNs are alike
  }
  static std::uint64_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }
  template <class T>
  static std::uint64_t bits_of(T number) {
    return static_cast<std::uint64_t>(number);
  }
  void fold(std::uint64_t bits) { value_ = bayeswood::mix64(value_ * 31 + bits); }

  std::uint64_t value_ = 1;
};

struct FitDigest {
  Digest rules;    // which feature is cut where, and which rows go to which side
  Digest numbers;  // leaf values, weights, predictions, log densities

  void add(const bayeswood::Tree& tree) {
    rules.add(tree.feature);
    rules.add(tree.threshold);
    rules.add(tree.missing_left);
    rules.add(tree.n_samples);
    rules.add(tree.category_words);
    rules.add(tree.leaf_rows);
    numbers.add(tree.weight);
    numbers.add(tree.leaf_value);
  }
};
