// The classes that a node's rows have, four to a vector: deep down only a few are left of many. The
// class weights of a set of rows are then one vector or a few, and cuts are scored from them by the
// kernels, see ClassCuts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "bayeswood/base/line_vector.hpp"
#include "bayeswood/grow/impurity/class_impurity.hpp"
#include "bayeswood/grow/search/scan.hpp"

namespace bayeswood {

// So many zeros: bins of a node are many, and memory is cleared faster than numbers are filled in.
inline void clear_sums(LineVector<double>& sums, std::size_t n) {
  if (sums.size() < n) sums.resize(n);
  std::memset(sums.data(), 0, n * sizeof(double));
}

// Whether sums of weights, which are not negative, are all 0; without a branch for each.
inline bool are_zero(const double* sums, std::size_t n) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < n; ++k) bits |= std::bit_cast<std::uint64_t>(sums[k]);
  return bits == 0;
}

class ClassLanes {
 public:
  static constexpr std::uint32_t MAX_CLASSES = MAX_CLASS_VECTORS * LANES;

  ClassLanes(const RowData& rows, const Target& target)
      : rows_(rows), lane_(target.n_outputs), class_w_(target.n_outputs, 0.0) {}

  // The node to be searched, its class weights summed up; or as pushed last.
  void set_node(std::span<const std::uint16_t> ids, const Kernels& kernels) {
    present_.clear();
    for (const auto id : ids) {
      const std::int32_t label = rows_.label[id];
      if (class_w_[label] == 0) present_.push_back({label, 0});
      class_w_[label] += rows_.w[id];
    }
    std::sort(present_.begin(), present_.end(),
              [](const ClassWeight& a, const ClassWeight& b) { return a.label < b.label; });
    for (auto& one : present_) one.w = std::exchange(class_w_[one.label], 0.0);
    set_lanes(present_, kernels);
  }
  void set_pushed(std::uint32_t n_classes, const Kernels& kernels) {
    present_.assign(pushed_.end() - n_classes, pushed_.end());
    pushed_.resize(pushed_.size() - n_classes);
    set_lanes(present_, kernels);
  }

  // Of a node that is not to be searched.
  void drop(std::uint32_t n_classes) { pushed_.resize(pushed_.size() - n_classes); }

  struct ClassWeight {
    std::int32_t label;
    double w;
  };
  // The node's, labels ascending.
  std::span<const ClassWeight> classes() const { return present_; }

  // Nothing below may be called if there are more than MAX_CLASSES.
  std::uint32_t width() const { return n_vectors_ * LANES; }
  std::uint32_t lane(std::int32_t label) const { return lane_[label]; }

  // Where the node's ids go: by side, or by code.
  struct Parting {
    const std::uint8_t* side;
    const std::uint16_t* column;
    std::uint32_t cut_code;
  };
  struct Children {
    double left[MAX_CLASS_VECTORS * LANES];
    double right[MAX_CLASS_VECTORS * LANES];
  };
  // Partitions them stably and sums up the class weights of both children; how many go left.
  std::uint32_t partition(std::span<std::uint16_t> order, std::uint16_t* scratch,
                          const Parting& parting, Children& children) const {
    return kernels_->part_classes({order.data(), scratch, static_cast<std::uint32_t>(order.size()),
                                   parting.side, parting.column, parting.cut_code, rows_.w,
                                   rows_.label, lane_.data(), n_vectors_, children.left,
                                   children.right});
  }

  // What class_totals gives for a child of as many rows as there are classes at least.
  NodeTotals totals(const double* class_w, std::uint32_t n) const {
    NodeTotals t;
    t.n = n;
    double sum = 0;
    std::uint32_t n_present = 0;
    for (std::uint32_t k = 0; k < n_classes_; ++k) {
      t.w += class_w[k];
      sum += Gini::term(class_w[k]);
      n_present += class_w[k] > 0 ? 1 : 0;
    }
    t.pure = n_present == 1;
    t.score = Gini::score(sum, t.w);
    t.impurity = std::max(0.0, t.w - t.score);
    return t;
  }

  // Keeps a child's class weights until it is searched: the last one pushed comes first. Returns
  // how many classes it has.
  std::uint32_t push(const double* class_w) {
    return push_present({class_w, n_classes_}, [this](std::size_t k) { return label_[k]; });
  }

  // The same of weights by label.
  std::uint32_t push_labels(std::span<const double> class_w) {
    return push_present(class_w, [](std::size_t k) { return static_cast<std::int32_t>(k); });
  }

  // Cuts must score more than this to be found.
  void set_floor(double floor) { floor_ = floor; }

  // Best of some cuts of a sorted list; the lowest wins a tie.
  Cut scan(const SmallEntry* list, const CutRange& range, const Limits& limits) {
    if (range.empty()) return {};
    if (score_.size() < range.end) resize_cuts(range.end);
    const std::uint32_t n_cuts = kernels_->scan_class_list(
        {cuts(limits), list, range.first, range.end, rows_.w, rows_.label, lane_.data()});
    return best(n_cuts, limits, [](std::uint32_t) { return true; });
  }

  // Best cut after one of the bins that passes `allowed(bin)`; `start`: what is left of them all.
  template <class Allowed>
  Cut scan_bins(const double* bins, std::uint32_t n_bins, const double* start, const Limits& limits,
                Allowed allowed) {
    if (score_.size() < n_bins + 1) resize_cuts(n_bins + 1);
    return best(kernels_->scan_class_bins({cuts(limits), bins, start, n_bins}), limits, allowed);
  }

 private:
  // Without a branch: whether a class is left cannot be foreseen.
  template <class LabelOf>
  std::uint32_t push_present(std::span<const double> class_w, LabelOf label_of) {
    const std::size_t before = pushed_.size();
    pushed_.resize(before + class_w.size());
    ClassWeight* to = pushed_.data() + before;
    std::uint32_t n_present = 0;
    for (std::size_t k = 0; k < class_w.size(); ++k) {
      to[n_present] = {label_of(k), class_w[k]};
      n_present += class_w[k] > 0 ? 1 : 0;
    }
    pushed_.resize(before + n_present);
    return n_present;
  }

  // Labels ascend.
  void set_lanes(std::span<const ClassWeight> present, const Kernels& kernels) {
    kernels_ = &kernels;
    n_classes_ = static_cast<std::uint32_t>(present.size());
    n_vectors_ = (n_classes_ + LANES - 1) / LANES;
    if (n_classes_ > MAX_CLASSES) return;
    std::fill_n(total_, MAX_CLASSES, 0.0);
    for (std::uint32_t k = 0; k < n_classes_; ++k) {
      label_[k] = present[k].label;
      total_[k] = present[k].w;
      lane_[label_[k]] = static_cast<std::uint8_t>(k);
    }
  }

  void resize_cuts(std::size_t n) {
    score_.resize(n);
    place_.resize(n);
  }

  ClassCuts cuts(const Limits& limits) {
    return {total_, n_vectors_, limits.min_weight, score_.data(), place_.data()};
  }

  template <class Allowed>
  Cut best(std::uint32_t n_cuts, const Limits& limits, Allowed allowed) const {
    Cut best;
    double to_beat = floor_;
    for (std::uint32_t k = 0; k < n_cuts; ++k) {
      if (!(score_[k] > to_beat) || !allowed(place_[k])) continue;
      best = {score_[k], place_[k]};
      to_beat = score_[k] + limits.tolerance;
    }
    return best;
  }

  const RowData& rows_;
  const Kernels* kernels_ = nullptr;
  double floor_ = NO_SCORE;
  std::uint32_t n_classes_ = 0;
  std::uint32_t n_vectors_ = 0;
  double total_[MAX_CLASSES] = {};  // by lane
  std::int32_t label_[MAX_CLASSES] = {};
  std::vector<std::uint8_t> lane_;  // by label
  std::vector<double> class_w_;     // by label, zero between nodes
  std::vector<ClassWeight> present_, pushed_;
  std::vector<double> score_;
  std::vector<std::uint32_t> place_;
};

}  // namespace bayeswood
