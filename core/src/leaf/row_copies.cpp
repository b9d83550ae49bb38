#include "bayeswood/leaf/row_copies.hpp"

#include <numeric>
#include <stdexcept>

namespace bayeswood {

RowCopies::RowCopies(std::span<const std::int32_t> copies, std::size_t n_rows)
    : copies_(copies), total_(static_cast<std::int64_t>(n_rows)) {
  if (copies.empty()) return;
  if (copies.size() != n_rows) throw std::invalid_argument("copies: one per row");
  total_ = std::accumulate(copies.begin(), copies.end(), std::int64_t{0});
  if (total_ > 0x7fffffff) throw std::invalid_argument("copies: at most 2,147,483,647 in all");
}

}  // namespace bayeswood
