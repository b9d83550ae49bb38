// Exact splits of large nodes from histograms of one-byte coarse codes (SCALAR targets); categories
// from sums by level. Cuts between bins are scored from the histogram. A bin inside which a better
// cut might still hide (see bound_bins) is opened: its rows are counted again by full code. The
// result is the best cut over all codes, and only a few bins of a few features are ever opened.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/histograms/level_search.hpp"
#include "bayeswood/grow/search/split_search.hpp"

namespace bayeswood {

constexpr std::uint32_t N_BINS = 256;

// Sums of the node's rows by coarse code, for some features.
class Histogram {
 public:
  void reset(std::size_t n_features) {
    sums_.assign(n_features * N_BINS, WeightedValue{0, 0});
    counts_.assign(n_features * N_BINS, 0);
  }
  WeightedValue* sums(std::size_t slot) { return sums_.data() + slot * N_BINS; }
  const WeightedValue* sums(std::size_t slot) const { return sums_.data() + slot * N_BINS; }
  std::uint32_t* counts(std::size_t slot) { return counts_.data() + slot * N_BINS; }
  const std::uint32_t* counts(std::size_t slot) const { return counts_.data() + slot * N_BINS; }
  // Turns a parent's histogram into that of the other child.
  void subtract(const Histogram& child);

 private:
  std::vector<WeightedValue> sums_;
  std::vector<std::uint32_t> counts_;
};

// All features, or those in `features` (slot k holds features[k]).
void fill_histogram(Histogram& histogram, const EncodedMatrix& matrix,
                    std::span<const std::uint32_t> rows, const WeightedValue* pair,
                    std::span<const std::uint32_t> features);

// All features of rows that stand together.
void fill_histogram(Histogram& histogram, const EncodedMatrix& matrix, const MovedNode& moved,
                    std::uint32_t n, const MoveKernels& moves);

class HistogramSearch {
 public:
  using Node = LargeNode;
  static constexpr std::size_t GROUP = ANY_NUMBER;

  explicit HistogramSearch(const EncodedMatrix& matrix) : matrix_(matrix), levels_(matrix) {}

  void set_trust(const double* trust) { trust_ = trust; }

  void prepare(const LargeNode& node) { node_ = &node; }
  std::uint32_t search(std::span<const std::uint32_t> features, Split& best);
  // The same from a histogram in which the features stand in this order.
  std::uint32_t search(const Histogram& histogram, std::span<const std::uint32_t> features,
                       Split& best);

 private:
  // One feature with its missing values on one side: running sums left of each bin.
  struct Pass {
    std::uint32_t slot, feature;
    bool missing_left;
    bool missing_seen;
    std::vector<double> w_before, wy_before, cut_score, inner_bound;
    std::vector<std::uint32_t> n_before;
  };

  Split search_numeric(const Node& node, const Histogram& histogram,
                       std::span<const std::uint32_t> features);
  void set_sums(Pass& pass, const Node& node, const Histogram& histogram);
  bool allowed(const Node& node, std::uint32_t n_left, double w_left) const;
  double best_between_bins(const Pass& pass, const Node& node) const;
  Split best_cut(const Pass& pass, const Node& node, double floor);
  template <class Offer>
  void offer_inside(const Pass& pass, const Node& node, std::uint32_t bin, Offer offer) const;
  void open_bins(const Pass& pass, const Node& node, double to_beat);
  void add_opened(const Node& node, std::uint32_t feature);
  void add_moved(const Node& node, std::uint32_t feature);
  void add_fine(std::uint32_t code, std::uint32_t shift, const WeightedValue& row);

  const EncodedMatrix& matrix_;
  const double* trust_ = nullptr;  // by feature, in categories
  const LargeNode* node_ = nullptr;
  LevelSearch levels_;
  Histogram histogram_;
  std::vector<Pass> passes_;
  std::vector<std::uint32_t> opened_;    // bins, ascending
  std::vector<std::int32_t> opened_at_;  // by bin: its place in opened_, or -1
  std::vector<std::uint32_t> inside_;    // rows in these bins
  std::vector<WeightedValue> fine_sums_;
  std::vector<std::uint32_t> fine_counts_;
};

static_assert(SplitSearch<HistogramSearch>);

}  // namespace bayeswood
