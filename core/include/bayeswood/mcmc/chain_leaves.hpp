// Leaves of the sampled trees: what a node counts of its rows, and what that is worth.
//
// Both models keep whole numbers, so that a row's place in a node never changes a bit. A row that
// stands for several copies counts so often.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/leaf/dirichlet_multinomial.hpp"
#include "bayeswood/leaf/normal_inverse_gamma.hpp"

namespace bayeswood {

// How often each row counts; empty: once.
using RowCopies = std::span<const std::int32_t>;

// Counts of classes; leaves predict (m_c + alpha / C) / (n + alpha).
class ClassCells {
 public:
  using Cell = std::int32_t;

  ClassCells(std::span<const std::int32_t> labels, RowCopies copies, std::int32_t n_classes,
             double total_alpha, std::int64_t n_in_all)
      : labels_(labels),
        copies_(copies),
        n_classes_(n_classes),
        model_(total_alpha / n_classes, static_cast<std::size_t>(n_classes), n_in_all) {}

  static constexpr bool IS_CLASSIFIER = true;
  std::int32_t n_outputs() const { return n_classes_; }
  std::size_t width() const { return static_cast<std::size_t>(n_classes_); }
  RowCopies copies() const { return copies_; }
  void add(std::uint32_t row, Cell* cells) const {
    cells[labels_[row]] += copies_.empty() ? 1 : copies_[row];
  }
  double log_marginal(const Cell* cells, std::int64_t n) const {
    return model_.log_marginal({cells, width()}, n);
  }
  void write(const Cell* cells, std::int64_t n, double* out, std::vector<double>& variance) const;

 private:
  std::span<const std::int32_t> labels_;
  RowCopies copies_;
  std::int32_t n_classes_;
  DirichletMultinomial model_;
};

inline LeafSums& operator+=(LeafSums& a, const LeafSums& b) {
  a.n += b.n;
  a.sum += b.sum;
  a.squares_high += b.squares_high;
  a.squares_low += b.squares_low;
  return a;
}

inline LeafSums operator-(const LeafSums& a, const LeafSums& b) {
  return {a.n - b.n, a.sum - b.sum, a.squares_high - b.squares_high, a.squares_low - b.squares_low};
}

// Sums of responses in units from `center`; leaves predict the Student distribution's mean.
class NumberCells {
 public:
  using Cell = LeafSums;

  NumberCells(std::span<const std::int32_t> units, RowCopies copies, const NumberPrior& prior,
              double center, std::int64_t n_in_all)
      : units_(units), copies_(copies), center_(center), model_(prior, n_in_all) {}

  static constexpr bool IS_CLASSIFIER = false;
  std::int32_t n_outputs() const { return 1; }
  std::size_t width() const { return 1; }
  RowCopies copies() const { return copies_; }
  void add(std::uint32_t row, Cell* cells) const {
    add_value(units_[row], copies_.empty() ? 1 : copies_[row], *cells);
  }
  double log_marginal(const Cell* cells, std::int64_t) const { return model_.log_marginal(*cells); }
  void write(const Cell* cells, std::int64_t n, double* out, std::vector<double>& variance) const;

 private:
  std::span<const std::int32_t> units_;
  RowCopies copies_;
  double center_;
  NormalInverseGamma model_;
};

}  // namespace bayeswood
