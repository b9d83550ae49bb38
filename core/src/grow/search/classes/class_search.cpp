#include "bayeswood/grow/search/classes/class_search.hpp"

namespace bayeswood {

void ClassSearch::load() {
  if (choice_.may_screen()) {
    const RowData& rows = subtree_.rows();
    screen_.load({rows.w, subtree_.n_rows()}, {rows.label, subtree_.n_rows()},
                 subtree_.target().n_outputs);
  }
}

void ClassSearch::prepare(const SmallNode& node) {
  node_ = &node;
  lists_.set_node(node);
  if (subtree_.target().criterion != Criterion::GINI) return;
  if (node.n_pushed > 0) {
    lanes_.set_pushed(node.n_pushed, node.kernels);
  } else {
    lanes_.set_node(lists_.rows(), node.kernels);
  }
  const auto scores = choice_.class_scores(node.totals, lanes_.classes().size());
  in_lanes_ = scores.in_lanes;
  may_wait_ = !in_lanes_;
  search_.set_lanes(in_lanes_ ? &lanes_ : nullptr);
  search_.set_screen(scores.screened ? &screen_ : nullptr, node.kernels);
  if (!scores.screened) return;
  screen_.restart();
  for (const auto& one : lanes_.classes()) screen_.add_class(one.label, one.w);
}

bool ClassSearch::any_by_code(std::span<const std::uint32_t> features) {
  const std::uint32_t width = in_lanes_ ? lanes_.width() : 0;
  bool any = false;
  for (std::size_t k = 0; k < features.size(); ++k) {
    by_code_[k] =
        choice_.sums_codes(subtree_.matrix().feature(features[k]), node_->totals.n, width);
    any |= by_code_[k];
  }
  return any;
}

std::uint32_t ClassSearch::search(std::span<const std::uint32_t> features, Split& best) {
  const bool sums = any_by_code(features);
  lists_.sort_group(sums ? std::span<const std::uint32_t>{} : features);
  if (sums) in_lanes_ ? fill_bins(features) : fill_histogram(features);
  std::uint32_t n_refused = 0;
  for (std::uint32_t k = 0; k < features.size(); ++k) {
    set_floor(features[k], best.score + node_->limits.tolerance);
    Split split = search_feature(features[k], k);
    n_refused += split.refused ? 1 : 0;
    keep_better(best, std::move(split), node_->limits.tolerance);
  }
  return n_refused;
}

// By id; where lists are kept, they say them.
const std::uint16_t* ClassSearch::codes_of(std::uint32_t feature, std::uint32_t slot) {
  if (!subtree_.keeps_lists()) return subtree_.column(feature);
  std::vector<std::uint16_t>& codes = codes_[slot];
  codes.resize(subtree_.n_rows());
  const SmallEntry* list = lists_.of(feature, slot);
  for (std::uint32_t i = 0; i < node_->totals.n; ++i)
    codes[id_of(list[i])] = static_cast<std::uint16_t>(code_of(list[i]));
  return codes.data();
}

void ClassSearch::fill_bins(std::span<const std::uint32_t> features) {
  bins_.restart(lists_.rows(), subtree_.rows(), node_->limits);
  for (std::uint32_t k = 0; k < features.size(); ++k) {
    if (!by_code_[k]) continue;
    bins_.add(k, codes_of(features[k], k), subtree_.matrix().feature(features[k]));
  }
  bins_.fill();
}

void ClassSearch::fill_histogram(std::span<const std::uint32_t> features) {
  histogram_.restart(node_->limits);
  for (std::uint32_t k = 0; k < features.size(); ++k) {
    if (!by_code_[k]) continue;
    histogram_.add(k, codes_of(features[k], k), subtree_.matrix().feature(features[k]));
  }
  histogram_.fill(lists_.rows(), subtree_.rows());
}

// Row by row, the better way for missing values is chosen before it is held against other features.
void ClassSearch::set_floor(std::uint32_t feature, double floor) {
  lanes_.set_floor(floor);
  const bool missing = subtree_.matrix().feature(feature).has_missing;
  search_.set_floor(in_lanes_ || !missing ? floor : NO_SCORE);
}

Split ClassSearch::search_feature(std::uint32_t feature, std::uint32_t slot) {
  const FeatureCodes& codes = subtree_.matrix().feature(feature);
  if (!by_code_[slot]) {
    const SmallEntry* list = lists_.of(feature, slot);
    return search_.search(list, codes, feature, node_->totals, node_->limits);
  }
  if (in_lanes_) return bins_.search(slot, feature, node_->limits);
  return histogram_.search(slot, feature, node_->totals, node_->limits);
}

}  // namespace bayeswood
