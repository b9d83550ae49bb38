#include "bayeswood/support/nearest_rows.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "nearest_block.hpp"

namespace bayeswood {
namespace {

constexpr std::size_t TASK_ROWS = 8 * ROW_LANES;

// The columns that each view has, and their weights.
struct ViewTerms {
  std::vector<ViewTerm> terms;
  std::vector<std::size_t> ends;
  std::vector<char> is_used;
  std::size_t n_numbered;

  ViewTerms(const ColumnViews& views, std::size_t n_columns)
      : is_used(n_columns, views.each_column), n_numbered(views.each_column ? n_columns : 0) {
    for (std::size_t j = 0; j < n_numbered; ++j) {
      terms.push_back({j, 1.0});
      ends.push_back(terms.size());
    }
    for (std::size_t first = 0; first < views.weights.size(); first += n_columns)
      add(views.weights.subspan(first, n_columns));
  }

  std::size_t n_views() const { return ends.size(); }

 private:
  void add(std::span<const double> weights) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (!(weights[j] > 0)) continue;
      terms.push_back({j, weights[j]});
      is_used[j] = 1;
    }
    ends.push_back(terms.size());
  }
};

// What one thread needs to search for a few rows together.
class Searcher {
 public:
  Searcher(const SampleColumns& sample, const ViewTerms& views, std::size_t k)
      : sample_(sample),
        views_(views),
        k_(k),
        rows_(sample.n_columns() * ROW_LANES),
        squares_(sample.n_columns() * SAMPLE_TILE * ROW_LANES),
        sums_(SAMPLE_TILE * ROW_LANES),
        nearest_(views.n_views() * k * ROW_LANES),
        numbers_(views.n_numbered * k * ROW_LANES) {}

  // Rows from `first` on, as many as there are lanes; lanes without a row of their own repeat one.
  void search(const MatrixView& table, std::size_t first, bool leave_out,
              InstructionSet instructions) {
    for (std::size_t j = 0; j < sample_.n_columns(); ++j)
      for (std::size_t lane = 0; lane < ROW_LANES; ++lane)
        rows_[j * ROW_LANES + lane] = table(std::min(first + lane, table.n_rows() - 1), j);
    std::fill(nearest_.begin(), nearest_.end(), FAR_AWAY);
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
    const NearestBlock block = this->block(leave_out ? first : sample_.n_rows);
    instructions == InstructionSet::PORTABLE ? search_block(block) : search_block_avx2(block);
  }

  void write(std::size_t first, std::size_t n_rows, const NearestRows& out) const {
    const std::size_t n_lanes = std::min(ROW_LANES, n_rows - first);
    for (std::size_t v = 0; v < views_.n_views(); ++v) {
      const std::size_t from = v * k_ * ROW_LANES, to = (v * n_rows + first) * k_;
      write_lanes(nearest_.data() + from, n_lanes, out.squared + to);
      if (v < views_.n_numbered) write_lanes(numbers_.data() + from, n_lanes, out.neighbour + to);
    }
  }

 private:
  template <class T>
  void write_lanes(const double* lanes, std::size_t n_lanes, T* out) const {
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      for (std::size_t r = 0; r < k_; ++r)
        out[lane * k_ + r] = static_cast<T>(lanes[r * ROW_LANES + lane]);
  }

  NearestBlock block(std::size_t own_row) {
    return {&sample_,          views_.is_used.data(), rows_.data(),       own_row, views_.n_views(),
            views_.n_numbered, views_.terms.data(),   views_.ends.data(), k_,      squares_.data(),
            sums_.data(),      nearest_.data(),       numbers_.data()};
  }

  const SampleColumns& sample_;
  const ViewTerms& views_;
  std::size_t k_;
  std::vector<double> rows_, squares_, sums_, nearest_, numbers_;
};

}  // namespace

void nearest_rows(const SampleColumns& sample, const ColumnViews& views, const MatrixView& table,
                  bool leave_out, InstructionSet instructions, const NearestRows& out,
                  unsigned n_threads, const Poll& poll) {
  assert(out.k >= 1 && out.k <= MOST_NEIGHBOURS);
  assert(out.k + (leave_out ? 1 : 0) <= sample.n_rows);
  const ViewTerms terms(views, sample.n_columns());
  const std::size_t n = table.n_rows();
  const std::size_t n_tasks = (n + TASK_ROWS - 1) / TASK_ROWS;
  std::vector<Searcher> searchers(worker_count(n_tasks, n_threads), Searcher(sample, terms, out.k));
  parallel_for(
      n_tasks, n_threads,
      [&](std::size_t task, unsigned worker, const StopFlag& stop) {
        check_stop(stop);
        const std::size_t last = std::min(n, (task + 1) * TASK_ROWS);
        for (std::size_t row = task * TASK_ROWS; row < last; row += ROW_LANES) {
          searchers[worker].search(table, row, leave_out, instructions);
          searchers[worker].write(row, n, out);
        }
      },
      poll);
}

}  // namespace bayeswood
