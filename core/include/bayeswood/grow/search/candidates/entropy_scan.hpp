// The cuts of a sorted list by entropy, those that may be among the k best.
//
// With phi(x) = x log x, class weights l_c and r_c on the two sides, and their sums L and R, the
// score of a cut is
//   S = sum_c h_c - g,  h_c = phi(l_c) + phi(r_c),  g = phi(L) + phi(R).
// A first pass counts the rows a block at a time. h_c is convex in l_c, so that within a block
// h_c - t l_c is largest at one of its ends, whatever t; g is convex in L, so that g - t L is least
// at m where t is its slope there, t = log(m / (W - m)). Hence no cut inside a block that begins
// with l_c and adds d_c scores more than
//   sum_c h_c(l_c) + t (m - L) - g(m) + sum_c max(0, h_c(l_c + d_c) - h_c(l_c) - t d_c).
// The cuts between blocks say what is to be beaten, and a second pass walks the blocks whose bound
// lies above that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bayeswood/grow/impurity/class_impurity.hpp"
#include "bayeswood/grow/search/candidates/top_splits.hpp"
#include "bayeswood/grow/search/scan.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

// Weights of rows that all weigh 1, as many as X_LOG_X has terms for.
struct UnitWeights {
  using Weight = std::uint32_t;
  static Weight of(const RowData&, std::uint32_t) { return 1; }
  static double term(Weight x) { return X_LOG_X[x]; }
  static double log_of(Weight x) { return X_LOG_X[x] / x; }
  static Weight half(Weight x) { return x / 2; }
};

struct AnyWeights {
  using Weight = double;
  static Weight of(const RowData& rows, std::uint32_t id) { return rows.w[id]; }
  static double term(Weight x) { return x_log_x(x); }
  static double log_of(Weight x) { return std::log(x); }
  static Weight half(Weight x) { return x / 2; }
};

// One side is what the other is not: a row that goes left costs two new terms, a cut two more.
template <class Weights>
class EntropyCuts {
 public:
  using Weight = typename Weights::Weight;

  template <class Id>
  void set_node(std::span<const Id> ids, const RowData& rows, std::size_t n_classes) {
    class_w_.assign(n_classes, Weight{0});
    added_.assign(2 * n_classes, Weight{0});
    for (const auto id : ids) class_w_[rows.label[id]] += Weights::of(rows, id);
    w_ = 0;
    sum_ = 0;
    for (const auto w : class_w_) {
      w_ += w;
      sum_ += Weights::term(w);
    }
  }

  template <class Entry, class Offer>
  void scan(const Entry* list, std::uint32_t n, std::uint32_t first_cut, const RowData& rows,
            const Limits& limits, const TopSplits& top, Offer offer) {
    if (n < 2 * limits.min_rows || n < 2) return;
    const std::uint32_t first = std::max(first_cut, limits.min_rows - 1);
    const std::uint32_t end = n - limits.min_rows;
    restart();
    if (n < FEWEST_ROWS || class_w_.size() > MOST_CLASSES) {
      return walk(list, 0, first, end, rows, limits, offer);
    }
    count_blocks(list, first, end, rows, limits);
    const double floor = find_floor(limits, top);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      if (block.bound > floor) {
        reopen(b);
        walk(list, block.begin, first, block.stop, rows, limits, offer);
      } else if (block.score > floor) {
        offer(block.score, block.stop - 1);
      }
    }
  }

 private:
  static constexpr std::uint32_t BLOCK = 16;        // rows, more where the last are equal
  static constexpr std::uint32_t FEWEST_ROWS = 64;  // below, most blocks would be opened
  static constexpr std::size_t MOST_CLASSES = 64;   // beyond, most of a block's would be empty
  // Share of the node's sum by which rounding may lower a bound.
  static constexpr double ROUNDING = 1e-12;

  struct ClassTerms {
    Weight left, right;
    double left_term, right_term;
  };
  struct Block {
    std::uint32_t begin, stop;
    double left, right;  // sums of terms at its beginning
    Weight w_left;
    double score;  // of the cut after it
    double bound;  // on those inside it
  };

  void restart() {
    classes_.resize(class_w_.size());
    for (std::size_t c = 0; c < classes_.size(); ++c) set_left(c, 0);
    left_ = w_left_ = 0;
    right_ = sum_;
  }

  void set_left(std::size_t c, Weight left) {
    const Weight right = class_w_[c] - left;
    classes_[c] = {left, right, Weights::term(left), Weights::term(right)};
  }

  template <class Entry, class Offer>
  void walk(const Entry* list, std::uint32_t begin, std::uint32_t first, std::uint32_t stop,
            const RowData& rows, const Limits& limits, Offer& offer) {
    double left = left_;
    double right = right_;
    Weight w_left = w_left_;
    ClassTerms* classes = classes_.data();
    for (std::uint32_t i = begin; i < stop; ++i) {
      const std::uint32_t id = id_of(list[i]);
      const Weight w = Weights::of(rows, id);
      ClassTerms& terms = classes[rows.label[id]];
      const double left_term = Weights::term(terms.left + w);
      const double right_term = Weights::term(terms.right - w);
      left += left_term - terms.left_term;
      right += right_term - terms.right_term;
      terms = {terms.left + w, terms.right - w, left_term, right_term};
      w_left += w;
      if (i < first || code_of(list[i]) == code_of(list[i + 1])) continue;
      const double score = cut_score(left, right, w_left, limits);
      if (score > NO_SCORE) offer(score, i);
    }
  }

  void move_left(ClassTerms& terms, Weight w) {
    terms.left += w;
    terms.right -= w;
    const double left_term = Weights::term(terms.left);
    const double right_term = Weights::term(terms.right);
    left_ += left_term - terms.left_term;
    right_ += right_term - terms.right_term;
    terms.left_term = left_term;
    terms.right_term = right_term;
  }

  double cut_score(double left, double right, Weight w_left, const Limits& limits) const {
    const Weight w_right = w_ - w_left;
    if (static_cast<double>(std::min(w_left, w_right)) < limits.min_weight) return NO_SCORE;
    return (left - Weights::term(w_left)) + (right - Weights::term(w_right));
  }

  template <class Entry>
  void count_blocks(const Entry* list, std::uint32_t first, std::uint32_t end, const RowData& rows,
                    const Limits& limits) {
    blocks_.clear();
    lefts_.clear();
    std::uint32_t begin = 0;
    while (begin < end) {
      std::uint32_t stop = std::min(begin + BLOCK, end);
      while (stop < end && code_of(list[stop - 1]) == code_of(list[stop])) ++stop;
      add_rows(list + begin, stop - begin, rows);
      for (const ClassTerms& terms : classes_) lefts_.push_back(terms.left);
      blocks_.push_back({begin, stop, left_, right_, w_left_, NO_SCORE, NO_SCORE});
      const bool cut_inside = code_of(list[begin]) != code_of(list[stop - 1]);
      const double bound = move_block();
      if (cut_inside) blocks_.back().bound = bound;
      if (stop > first && code_of(list[stop - 1]) != code_of(list[stop])) {
        blocks_.back().score = cut_score(left_, right_, w_left_, limits);
      }
      begin = stop;
    }
  }

  // Two counts take turns, so that rows of one class do not wait for each other.
  template <class Entry>
  void add_rows(const Entry* entries, std::uint32_t n, const RowData& rows) {
    Weight* even = added_.data();
    Weight* odd = even + class_w_.size();
    const auto add = [&](Weight* added, std::uint32_t id) {
      added[rows.label[id]] += Weights::of(rows, id);
    };
    std::uint32_t i = 0;
    for (; i + 1 < n; i += 2) {
      add(even, id_of(entries[i]));
      add(odd, id_of(entries[i + 1]));
    }
    if (i < n) add(even, id_of(entries[i]));
  }

  // Moves the rows in added_ to the left; the bound on the cuts on the way.
  double move_block() {
    Weight w = 0;
    for (const Weight added : added_) w += added;
    const Weight half = Weights::half(w);
    const Weight middle = w_left_ + half;
    const Weight rest = w_ - middle;
    const double slope = Weights::log_of(middle) - Weights::log_of(rest);
    double bound = left_ + right_ + slope * static_cast<double>(half) -
                   (Weights::term(middle) + Weights::term(rest));
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Weight added = added_[c] + added_[classes_.size() + c];
      if (added == 0) continue;
      added_[c] = added_[classes_.size() + c] = 0;
      const double before = classes_[c].left_term + classes_[c].right_term;
      move_left(classes_[c], added);
      const double change = classes_[c].left_term + classes_[c].right_term - before;
      bound += std::max(0.0, change - slope * static_cast<double>(added));
    }
    w_left_ += w;
    return bound + ROUNDING * (std::abs(sum_) + static_cast<double>(w_));
  }

  // What a cut must score more than to be among the best, those between the blocks counted in.
  double find_floor(const Limits& limits, const TopSplits& top) {
    const double reached = top.floor();
    scores_.assign(top.scores().begin(), top.scores().end());
    for (const Block& block : blocks_) {
      if (block.score > reached) scores_.push_back(block.score);
    }
    if (scores_.size() < top.size()) return NO_SCORE;
    const auto last = scores_.begin() + static_cast<std::ptrdiff_t>(top.size() - 1);
    std::nth_element(scores_.begin(), last, scores_.end(), std::greater<>());
    return *last - 4 * limits.tolerance;  // what counts as equal comes first, first served
  }

  void reopen(std::size_t b) {
    for (std::size_t c = 0; c < classes_.size(); ++c) set_left(c, lefts_[b * classes_.size() + c]);
    left_ = blocks_[b].left;
    right_ = blocks_[b].right;
    w_left_ = blocks_[b].w_left;
  }

  std::vector<Weight> class_w_;  // of the node
  Weight w_ = 0;
  double sum_ = 0;
  std::vector<ClassTerms> classes_;  // at the place that the scan has reached
  double left_ = 0;                  // sums of terms
  double right_ = 0;
  Weight w_left_ = 0;
  std::vector<Weight> added_;  // by the block in hand, in two parts
  std::vector<Block> blocks_;
  std::vector<Weight> lefts_;  // by block and class, at its beginning
  std::vector<double> scores_;
};

class EntropyScan {
 public:
  // The rows of the node, whatever list they will come in.
  template <class Id>
  void set_node(std::span<const Id> ids, const RowData& rows, std::size_t n_classes) {
    unit_ = ids.size() < X_LOG_X.size() &&
            std::all_of(ids.begin(), ids.end(), [&](Id id) { return rows.w[id] == 1; });
    unit_ ? unit_cuts_.set_node(ids, rows, n_classes) : cuts_.set_node(ids, rows, n_classes);
  }

  // offer(score, position) for every allowed cut after one of first_cut .. n - 2 that may be among
  // the best.
  template <class Entry, class Offer>
  void scan(const Entry* list, std::uint32_t n, std::uint32_t first_cut, const RowData& rows,
            const Limits& limits, const TopSplits& top, Offer offer) {
    unit_ ? unit_cuts_.scan(list, n, first_cut, rows, limits, top, offer)
          : cuts_.scan(list, n, first_cut, rows, limits, top, offer);
  }

 private:
  bool unit_ = false;
  EntropyCuts<UnitWeights> unit_cuts_;
  EntropyCuts<AnyWeights> cuts_;
};

}  // namespace bayeswood
