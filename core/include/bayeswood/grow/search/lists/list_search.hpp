// The best split of one feature from the node's rows sorted by that feature's code: any target, any
// kind of feature, with missing values. The lanes of scan.hpp are the fast way for the commonest
// case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "bayeswood/grow/category.hpp"
#include "bayeswood/grow/node.hpp"
#include "bayeswood/grow/search/candidates/entropy_scan.hpp"
#include "bayeswood/grow/search/candidates/top_splits.hpp"
#include "bayeswood/grow/search/classes/class_lanes.hpp"
#include "bayeswood/grow/search/classes/class_screen.hpp"

namespace bayeswood {

template <class Entry>
class ListSearch {
 public:
  ListSearch(const RowData& rows, const Target& target)
      : rows_(rows), target_(target), sides_(rows, target) {}

  SideSet& sides() { return sides_; }
  // What cuts of the next lists are scored by; null: row by row.
  void set_lanes(ClassLanes* lanes) { lanes_ = lanes; }
  // What rules out cuts of the next lists beforehand; null: nothing. Of cuts, only such are wanted
  // that score more than `floor`.
  void set_screen(ClassScreen* screen, const Kernels& kernels) {
    screen_ = screen;
    kernels_ = &kernels;
  }
  void set_floor(double floor) { floor_ = floor; }
  // By feature: how far the tree trusts a category, see level_trust.hpp.
  void set_trust(const double* trust) { trust_ = trust; }

  // CLASSES and MULTI: how the levels of a category differ.
  LevelSpread spread(const Entry* list, std::uint32_t n) {
    const auto weight = [this](std::uint32_t id) { return rows_.w[id]; };
    LevelSpread spread =
        sides_.visit([&](auto& side) { return run_spread(list, n, weight, side); });
    if (target_.kind == TargetKind::CLASSES) set_shares(list, n, spread);
    return spread;
  }

  Split search(const Entry* list, const FeatureCodes& codes, std::uint32_t feature,
               const NodeTotals& node, const Limits& limits) {
    Split best;
    if (code_of(list[0]) == code_of(list[node.n - 1])) return best;
    right_.resize(node.n);
    if (codes.is_category) {
      return search_category(list, feature, node, limits);
    }
    const Cut cut = scan(list, node.n, 0, limits);
    best = numeric_split(list, cut, feature, node.n);
    if (best.missing_seen || code_of(list[node.n - 1]) == MISSING_CODE) {
      keep_better(best, search_missing_left(list, feature, node, limits), limits.tolerance);
    }
    return best;
  }

  // The node whose cuts will be offered.
  template <class Id>
  void set_node(std::span<const Id> ids) {
    entropy_.set_node(ids, rows_, target_.n_outputs);
  }

  // Offers the cuts of a numeric feature that may be among the best, the best split of a category,
  // by entropy.
  void offer_all(const Entry* list, const FeatureCodes& codes, std::uint32_t feature,
                 const NodeTotals& node, const Limits& limits, TopSplits& top) {
    const std::uint32_t n = node.n;
    if (code_of(list[0]) == code_of(list[n - 1])) return;
    right_.resize(n);
    if (codes.is_category) {
      return top.offer(search_category(list, feature, node, limits));
    }
    offer_cuts(list, n, 0, feature, limits, top);
    if (code_of(list[n - 1]) != MISSING_CODE) return;
    const std::uint32_t n_missing = missing_first(list, n);
    if (n - n_missing >= 2) offer_cuts(scratch_.data(), n, n_missing, feature, limits, top);
  }

  // The split of a cut that sends missing values right.
  static Split numeric_split(const Entry* list, const Cut& cut, std::uint32_t feature,
                             std::uint32_t n) {
    Split split;
    split.score = cut.score;
    split.feature = feature;
    if (cut.found()) {
      split.cut_code = code_of(list[cut.position]);
      split.upper_code = code_of(list[cut.position + 1]);
    }
    split.missing_seen = code_of(list[n - 1]) == MISSING_CODE;
    return split;
  }

  // Missing values to the left: the same scan with their block moved to the front of the list.
  Split search_missing_left(const Entry* list, std::uint32_t feature, const NodeTotals& node,
                            const Limits& limits) {
    Split split;
    const std::uint32_t n = node.n;
    const std::uint32_t n_missing = missing_first(list, n);
    if (n - n_missing < 2) return split;
    right_.resize(n);
    const Cut cut = scan(scratch_.data(), n, n_missing, limits);
    if (!cut.found()) return split;
    split = numeric_split(scratch_.data(), cut, feature, n);
    split.missing_left = split.missing_seen = true;
    return split;
  }

 private:
  // Puts the list with the block of missing values at its front into the scratch; its length.
  std::uint32_t missing_first(const Entry* list, std::uint32_t n) {
    std::uint32_t present = n;
    while (present > 0 && code_of(list[present - 1]) == MISSING_CODE) --present;
    scratch_.assign(list + present, list + n);
    scratch_.insert(scratch_.end(), list, list + present);
    return n - present;
  }

  // Missing values, if any, are the first `n_missing` or the last entries.
  void offer_cuts(const Entry* list, std::uint32_t n, std::uint32_t n_missing,
                  std::uint32_t feature, const Limits& limits, TopSplits& top) {
    const auto offer = [&](double score, std::uint32_t at) {
      if (!(score > top.floor())) return;
      Split split = numeric_split(list, {score, at}, feature, n);
      split.missing_left = n_missing > 0;
      split.missing_seen |= split.missing_left;
      top.offer(std::move(split));
    };
    entropy_.scan(list, n, n_missing, rows_, limits, top, offer);
  }

  Cut scan(const Entry* list, std::uint32_t n, std::uint32_t first_cut, const Limits& limits) {
    if constexpr (std::is_same_v<Entry, SmallEntry>) {
      if (lanes_ != nullptr) return lanes_->scan(list, cuts_of(list, n, first_cut, limits), limits);
    }
    if (target_.kind == TargetKind::CLASSES && target_.criterion == Criterion::GINI &&
        target_.n_outputs <= n + 64) {
      return scan_classes(list, n, cuts_of(list, n, first_cut, limits), rows_, target_.n_outputs,
                          limits, left_run_, right_run_);
    }
    return sides_.visit(
        [&](auto& side) { return scan_list(list, n, first_cut, side, limits, right_.data()); });
  }

  CutRange cuts_of(const Entry* list, std::uint32_t n, std::uint32_t first_cut,
                   const Limits& limits) {
    const CutRange cuts = cuts_within(n, first_cut, limits);
    if constexpr (std::is_same_v<Entry, SmallEntry>) {
      if (screen_ != nullptr)
        return screen_->screen(list, n, cuts, floor_, limits.tolerance, *kernels_);
    }
    return cuts;
  }

  Split search_category(const Entry* list, std::uint32_t feature, const NodeTotals& node,
                        const Limits& limits) {
    if (target_.kind == TargetKind::SCALAR) {
      sum_levels(list, node.n);
      return best_paid_prefix(levels_, level_ww_, feature, trust_[feature], node, limits);
    }
    Split best = search_orders(list, node.n, limits);
    if (best.found() && LevelSpread::pays(best.levels->size(), node, trust_[feature])) {
      spread(list, node.n).charge(best, node, trust_[feature], limits.tolerance);
    }
    best.feature = feature;
    return best;
  }

  void sum_levels(const Entry* list, std::uint32_t n) {
    levels_.clear();
    level_ww_.clear();
    for (std::uint32_t i = 0; i < n;) {
      LevelSums level{code_of(list[i]), i, 0, 0};
      double ww = 0;
      for (; i < n && code_of(list[i]) == level.code; ++i) {
        const WeightedValue& row = rows_.pair[id_of(list[i])];
        level.w += row.w;
        level.wy += row.wy;
        ww += row.w * row.w;
      }
      level.n = i - level.n;
      levels_.push_back(level);
      level_ww_.push_back(ww);
    }
  }

  void set_shares(const Entry* list, std::uint32_t n, LevelSpread& spread) {
    class_w_.resize(target_.n_outputs, 0.0);
    double w = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      class_w_[rows_.label[id_of(list[i])]] += rows_.w[id_of(list[i])];
      w += rows_.w[id_of(list[i])];
    }
    double sum_p2 = 0;
    double sum_p3 = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      double& mine = class_w_[rows_.label[id_of(list[i])]];  // 0 where it was met before
      const double p = mine / w;
      sum_p2 += p * p;
      sum_p3 += p * p * p;
      mine = 0;
    }
    spread.set_classes(sum_p2, sum_p3);
  }

  // CLASSES and MULTI.
  Split search_orders(const Entry* list, std::uint32_t n, const Limits& limits) {
    const bool has_classes = target_.kind == TargetKind::CLASSES;
    std::vector<std::int32_t> classes;
    if (has_classes) classes = heavy_classes(list, n);
    const std::size_t n_orders =
        has_classes ? classes.size() : std::min<std::size_t>(target_.n_outputs, MAX_ORDERS);
    const auto share = [&](const Run& run, std::size_t k) {
      const auto is_class = [&](std::uint32_t id) {
        return rows_.label[id] == classes[k] ? 1.0 : 0.0;
      };
      const auto output = [&](std::uint32_t id) {
        return rows_.values[static_cast<std::size_t>(id) * target_.n_outputs + k];
      };
      return has_classes ? run_mean(list, run, is_class) : run_mean(list, run, output);
    };
    const auto scan_all = [&](const std::vector<Entry>& ordered) {
      return sides_.visit(
          [&](auto& side) { return scan_list(ordered.data(), n, 0, side, limits, right_.data()); });
    };
    return best_run_prefix(list, n, n_orders, limits, scratch_, share, scan_all);
  }

  // Mean over a run of what `value(id)` gives.
  template <class Value>
  double run_mean(const Entry* list, const Run& run, Value value) const {
    double w = 0;
    double sum = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t id = id_of(list[i]);
      w += rows_.w[id];
      sum += rows_.w[id] * value(id);
    }
    return sum / w;
  }

  // The heaviest classes of the node in label order.
  std::vector<std::int32_t> heavy_classes(const Entry* list, std::uint32_t n) {
    class_w_.resize(target_.n_outputs, 0.0);
    std::vector<std::int32_t> classes;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::int32_t label = rows_.label[id_of(list[i])];
      if (class_w_[label] == 0) classes.push_back(label);
      class_w_[label] += rows_.w[id_of(list[i])];
    }
    std::sort(classes.begin(), classes.end(), [&](std::int32_t a, std::int32_t b) {
      return class_w_[a] != class_w_[b] ? class_w_[a] > class_w_[b] : a < b;
    });
    for (const auto label : classes) class_w_[label] = 0;
    if (classes.size() > MAX_ORDERS) classes.resize(MAX_ORDERS);
    std::sort(classes.begin(), classes.end());
    return classes;
  }

  const RowData& rows_;
  const Target& target_;
  ClassLanes* lanes_ = nullptr;
  ClassScreen* screen_ = nullptr;
  const Kernels* kernels_ = nullptr;
  double floor_ = NO_SCORE;
  const double* trust_ = nullptr;
  SideSet sides_;
  EntropyScan entropy_;
  std::vector<Entry> scratch_;
  std::vector<double> right_;
  std::vector<LevelSums> levels_;
  std::vector<double> level_ww_;
  std::vector<double> class_w_;
  ClassRun<Gini> left_run_, right_run_;
};

}  // namespace bayeswood
