#include "bayeswood/grow/subtree.hpp"

#include <algorithm>
#include <numeric>

#include "bayeswood/grow/search/lists/entry_sort.hpp"

namespace bayeswood {

void Subtree::load_rows(std::span<const std::uint32_t> rows, const RowData& source,
                        const MovedNode& moved) {
  moved_ = moved;
  n_rows_ = static_cast<std::uint32_t>(rows.size());
  stride_ = n_rows_ + (picks_lists_ ? LIST_ROOM : 0);
  row_of_id_.assign(rows.begin(), rows.end());
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
  if (moved.exists()) return load_moved();
  source.counted.counts != nullptr ? load_counts(source) : load_values(source);
}

void Subtree::load_moved() {
  pair_.assign(moved_.pair, moved_.pair + n_rows_);
  y_.assign(moved_.y, moved_.y + n_rows_);
  rows_ = {pair_.data(), y_.data(), nullptr, nullptr, nullptr, {}};
}

void Subtree::load_counts(const RowData& source) {
  counts_.resize(n_rows_);
  tails_.resize(n_rows_);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    tails_[i] = source.counted.tails[row_of_id_[i]];
    counts_[i] = count_of(tails_[i]);
  }
  rows_ = {};
  rows_.counted = {counts_.data(), tails_.data()};
}

void Subtree::load_values(const RowData& source) {
  const std::size_t n = n_rows_;
  const std::size_t k = target_.n_outputs;
  const bool scalar = target_.kind == TargetKind::SCALAR;
  pair_.resize(scalar ? n : 0);
  y_.resize(scalar ? n : 0);
  w_.resize(scalar ? 0 : n);
  label_.resize(target_.kind == TargetKind::CLASSES ? n : 0);
  values_.resize(target_.kind == TargetKind::MULTI ? n * k : 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = row_of_id_[i];
    if (scalar) {
      pair_[i] = source.pair[row];
      y_[i] = source.y[row];
      continue;
    }
    w_[i] = source.w[row];
    if (target_.kind == TargetKind::CLASSES) {
      label_[i] = source.label[row];
    } else {
      std::copy_n(source.values + row * k, k, values_.data() + i * k);
    }
  }
  rows_ = {pair_.data(), y_.data(), w_.data(), label_.data(), values_.data(), {}};
}

double Subtree::weight(std::uint32_t id) const {
  if (is_counted()) return count_w(counts_[id]);
  return target_.kind == TargetKind::SCALAR ? pair_[id].w : w_[id];
}

// The codes of some columns, one after another. Columns are read together, so that their cache
// misses overlap.
void Subtree::gather_codes(std::size_t first, std::size_t n_columns) {
  const std::size_t n = n_rows_;
  const std::size_t stride = matrix_.n_rows();
  const std::uint32_t* rows = row_of_id_.data();
  std::uint16_t* codes = codes_.data();
  std::size_t j = 0;
  for (; j + GATHERED <= n_columns; j += GATHERED) {
    const std::uint16_t* column = matrix_.column(first + j);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = rows[i];
      for (std::size_t k = 0; k < GATHERED; ++k) {
        codes[(j + k) * n + i] = column[k * stride + row];
      }
    }
  }
  for (; j < n_columns; ++j) {
    const std::uint16_t* column = matrix_.column(first + j);
    for (std::size_t i = 0; i < n; ++i) codes[j * n + i] = column[rows[i]];
  }
}

void Subtree::load_features(const Kernels& kernels) {
  const std::size_t d = matrix_.n_features();
  const std::size_t n = n_rows_;
  if (!keeps_lists_) {
    codes_.resize(d * n);
    return gather_codes(0, d);
  }
  lists_.resize(d * stride_);
  if (picks_lists_) return pick_lists(kernels);
  scratch_.resize(n);
  if (moved_.exists()) {
    for (std::uint32_t j = 0; j < d; ++j) sort_list(j, moved_.column(j));
    return;
  }
  codes_.resize(GATHERED * n);
  for (std::size_t first = 0; first < d; first += GATHERED) {
    const std::size_t size = std::min(GATHERED, d - first);
    gather_codes(first, size);
    for (std::size_t k = 0; k < size; ++k)
      sort_list(static_cast<std::uint32_t>(first + k), codes_.data() + k * n);
  }
}

void Subtree::pick_lists(const Kernels& kernels) {
  const auto n = static_cast<std::uint32_t>(matrix_.n_rows());
  const auto d = static_cast<std::uint32_t>(matrix_.n_features());
  if (table_lists_.empty()) sort_table();
  number_of_.assign(n, NO_NUMBER);
  for (std::uint32_t i = 0; i < n_rows_; ++i)
    number_of_[row_of_id_[i]] = static_cast<std::uint16_t>(i);
  for (std::uint32_t j = 0; j < d; ++j) {
    const SmallEntry* from = table_lists_.data() + std::size_t{j} * n;
    if (n_rows_ == n) {
      std::copy_n(from, n, list(j));
    } else {
      kernels.pick_list(from, n, number_of_.data(), list(j));
    }
  }
}

void Subtree::sort_table() {
  const auto n = static_cast<std::uint32_t>(matrix_.n_rows());
  const auto d = static_cast<std::uint32_t>(matrix_.n_features());
  table_lists_.resize(std::size_t{d} * n);
  scratch_.resize(n);
  for (std::uint32_t j = 0; j < d; ++j) {
    SmallEntry* sorted = table_lists_.data() + std::size_t{j} * n;
    fill_sorted_codes(sorted, scratch_.data(), n, matrix_.column(j));
  }
}

void Subtree::load_twig(const Subtree& whole, std::uint32_t begin, std::uint32_t n,
                        const Kernels& kernels) {
  const auto ids = whole.ids(begin, n);
  n_rows_ = n;
  stride_ = n + LIST_ROOM;
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
  row_of_id_.resize(n);
  w_.resize(n);
  label_.resize(n);
  number_of_.resize(whole.n_rows_);
  for (std::uint32_t i = 0; i < n; ++i) {
    number_of_[ids[i]] = static_cast<std::uint16_t>(i);
    row_of_id_[i] = whole.row_of_id_[ids[i]];
    w_[i] = whole.w_[ids[i]];
    label_[i] = whole.label_[ids[i]];
  }
  rows_ = {nullptr, nullptr, w_.data(), label_.data(), nullptr, {}};
  lists_.resize(matrix_.n_features() * stride_);
  for (std::uint32_t j = 0; j < matrix_.n_features(); ++j)
    kernels.pick_list(whole.list(j) + begin, n, number_of_.data(), list(j));
}

void Subtree::sort_list(std::uint32_t feature, const std::uint16_t* codes) {
  if (n_rows_ > INSERTION_ROWS)
    return fill_sorted_codes(list(feature), scratch_.data(), n_rows_, codes);
  fill_sorted(list(feature), scratch_.data(), n_rows_,
              [&](std::uint32_t i) { return make_entry<SmallEntry>(codes[i], i); });
}

void Subtree::center(std::span<const std::uint16_t> ids, const NodeTotals& totals) {
  if (target_.kind == TargetKind::SCALAR)
    return bayeswood::center(ids, totals, y_.data(), pair_.data());
  const std::size_t k = target_.n_outputs;
  for (std::size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (const auto id : ids) sum += w_[id] * values_[id * k + j];
    for (const auto id : ids) values_[id * k + j] -= sum / totals.w;
  }
}

}  // namespace bayeswood
