// How often each row counts: a row that stands for several copies is counted so often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bayeswood {

class RowCopies {
 public:
  // An empty span: once. The numbers are looked at, not copied.
  RowCopies(std::span<const std::int32_t> copies, std::size_t n_rows);
  std::int32_t operator[](std::size_t row) const { return copies_.empty() ? 1 : copies_[row]; }
  bool all_once() const { return copies_.empty(); }
  std::int64_t total() const { return total_; }
  // Of some rows, by their numbers.
  std::int64_t total(std::span<const std::uint32_t> rows) const {
    if (all_once()) return static_cast<std::int64_t>(rows.size());
    std::int64_t n = 0;
    for (const auto row : rows) n += copies_[row];
    return n;
  }

 private:
  std::span<const std::int32_t> copies_;
  std::int64_t total_;
};

}  // namespace bayeswood
