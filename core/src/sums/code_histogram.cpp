#include "bayeswood/sums/code_histogram.hpp"

#include <algorithm>

namespace bayeswood {
namespace {

template <class Code>
void add_rows(const Code* codes, std::size_t missing, const RowRun& rows, CodeBin* bins,
              std::uint32_t* counts) {
  const std::size_t n = rows.row.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Code code = codes[rows.row[i]];
    const std::size_t at = code == MISSING_OF<Code> ? missing : code;
    if (rows.weight == nullptr) {
      bins[at].rest += static_cast<double>(rows.rest[i]);
      bins[at].mass += 1.0;
      continue;
    }
    const auto mass = static_cast<double>(rows.weight[i]);
    bins[at].rest += mass * static_cast<double>(rows.rest[i]);
    bins[at].mass += mass;
    ++counts[at];
  }
}

}  // namespace

CodeHistogram::CodeHistogram(const CodeTable& table, bool weighted) : table_(&table), first_{0} {
  for (std::size_t j = 0; j < table.n_features(); ++j)
    first_.push_back(first_.back() + table.n_codes(j) + 1);
  bins_.resize(first_.back());
  if (weighted) counts_.resize(first_.back());
}

void CodeHistogram::fill(std::size_t feature, const RowRun& rows) {
  const std::size_t first = first_[feature], n_bins = first_[feature + 1] - first;
  CodeBin* bins = bins_.data() + first;
  std::uint32_t* counts = counts_.empty() ? nullptr : counts_.data() + first;
  std::fill_n(bins, n_bins, CodeBin{});
  if (counts != nullptr) std::fill_n(counts, n_bins, 0U);
  table_->with_column(feature,
                      [&](const auto* codes) { add_rows(codes, n_bins - 1, rows, bins, counts); });
}

void CodeHistogram::subtract(std::size_t feature, const CodeHistogram& part) {
  for (std::size_t at = first_[feature]; at < first_[feature + 1]; ++at) {
    bins_[at].rest -= part.bins_[at].rest;
    bins_[at].mass -= part.bins_[at].mass;
  }
  if (counts_.empty()) return;
  for (std::size_t at = first_[feature]; at < first_[feature + 1]; ++at)
    counts_[at] -= part.counts_[at];
}

CodeBin CodeHistogram::total(std::size_t feature) const {
  CodeBin sum;
  for (const CodeBin& bin : bins(feature)) sum.add(bin);
  return sum;
}

}  // namespace bayeswood
