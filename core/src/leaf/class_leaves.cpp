#include "bayeswood/leaf/class_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bayeswood {

RisingTable::RisingTable(double shift, std::int64_t largest) : beyond_(shift, 0) {
  constexpr std::int64_t MOST = 1 << 20;
  const std::int64_t last = std::min(largest, MOST);
  for (std::int64_t n = 0; n <= last + 1; ++n) sums_.push_back(beyond_(n));
  for (std::int64_t n = 0; n <= last; ++n)
    steps_.push_back(std::log(static_cast<double>(n) + shift));
}

const ClassLeaves::CutTerms& ClassLeaves::cut_terms() const {
  std::call_once(cut_terms_once_, [this] {
    const DirichletPrior& prior = leaf_.prior();
    std::vector<std::int64_t> largest(prior.n_tables(), 0);
    for (std::size_t row = 0; row < labels_.size(); ++row)
      largest[prior.table(static_cast<std::size_t>(labels_[row]))] += copies_[row];
    auto terms =
        std::make_unique<CutTerms>(CutTerms{{}, RisingTable(prior.total(), copies_.total())});
    for (std::size_t i = 0; i < largest.size(); ++i)
      terms->of_class.emplace_back(prior[i], largest[i]);
    cut_terms_ = std::move(terms);
  });
  return *cut_terms_;
}

void ClassLeaves::Walk::start(const Stats& whole) {
  left_.assign(whole.counts.size(), 0);
  right_ = whole.counts;
  left_sum_ = right_sum_ = 0;
  for (std::size_t c = 0; c < right_.size(); ++c) right_sum_ += of_class(c)(right_[c]);
  n_left_ = 0;
  n_right_ = whole.n;
}

}  // namespace bayeswood
