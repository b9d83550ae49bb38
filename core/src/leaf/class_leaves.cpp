#include "bayeswood/leaf/class_leaves.hpp"

#include <algorithm>
#include <cmath>

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
    const double alpha = total_alpha_ / static_cast<double>(n_classes_);
    cut_terms_.reset(new CutTerms{{alpha, copies_.total()}, {total_alpha_, copies_.total()}});
  });
  return *cut_terms_;
}

void ClassLeaves::Walk::start(const Stats& whole) {
  left_.assign(whole.counts.size(), 0);
  right_ = whole.counts;
  left_sum_ = right_sum_ = 0;
  for (const auto m : right_) right_sum_ += terms_.of_class(m);
  n_left_ = 0;
  n_right_ = whole.n;
}

}  // namespace bayeswood
