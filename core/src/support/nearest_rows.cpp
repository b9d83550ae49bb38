#include "bayeswood/support/nearest_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace bayeswood {
namespace {

constexpr std::size_t BLOCK = 32;  // rows of a task
constexpr double INF = std::numeric_limits<double>::infinity();

struct Term {
  std::size_t column;
  double weight;
};
using View = std::vector<Term>;

std::vector<View> terms_of(const ColumnViews& views, std::size_t n_columns) {
  std::vector<View> terms;
  if (views.each_column)
    for (std::size_t j = 0; j < n_columns; ++j) terms.push_back({{j, 1.0}});
  for (std::size_t first = 0; first < views.weights.size(); first += n_columns) {
    View& view = terms.emplace_back();
    for (std::size_t j = 0; j < n_columns; ++j) {
      const double weight = views.weights[first + j];
      if (weight > 0) view.push_back({j, weight});
    }
  }
  return terms;
}

std::vector<char> columns_in(const std::vector<View>& views, std::size_t n_columns) {
  std::vector<char> used(n_columns, 0);
  for (const View& view : views)
    for (const Term& term : view) used[term.column] = 1;
  return used;
}

void square_differences(const SampleColumns& sample, std::size_t j, double x, double* out) {
  const double* values = sample.column(j).data();
  const double apart = sample.mismatch * sample.mismatch;
  const std::size_t n = sample.n_rows;
  if (std::isnan(x)) {
    for (std::size_t i = 0; i < n; ++i) out[i] = values[i] != values[i] ? 0.0 : apart;
  } else if (sample.is_category[j] != 0) {
    for (std::size_t i = 0; i < n; ++i) out[i] = values[i] == x ? 0.0 : apart;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = x - values[i];
      out[i] = values[i] != values[i] ? apart : difference * difference;
    }
  }
}

// What one thread needs: differences by column, and their sum in a view.
class Searcher {
 public:
  Searcher(const SampleColumns& sample, const std::vector<View>& views)
      : sample_(sample),
        views_(views),
        used_(columns_in(views, sample.n_columns())),
        squares_(sample.n_columns() * sample.n_rows),
        sum_(sample.n_rows) {}

  void set_row(const MatrixView& table, std::size_t row) {
    for (std::size_t j = 0; j < used_.size(); ++j) {
      if (used_[j] != 0) square_differences(sample_, j, table(row, j), squares(j));
    }
  }

  void search(std::size_t v, std::size_t left_out, std::size_t k, double* squared,
              std::int32_t* neighbour) {
    add_up(views_[v]);
    if (left_out < sum_.size()) sum_[left_out] = INF;
    std::fill_n(squared, k, INF);
    std::fill_n(neighbour, k, 0);
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      if (sum_[i] < squared[k - 1]) insert(i, k, squared, neighbour);
    }
  }

 private:
  double* squares(std::size_t j) { return squares_.data() + j * sample_.n_rows; }

  void add_up(const View& view) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (const Term& term : view) {
      const double* column = squares(term.column);
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += term.weight * column[i];
    }
  }

  void insert(std::size_t i, std::size_t k, double* squared, std::int32_t* neighbour) const {
    std::size_t at = k - 1;
    for (; at > 0 && squared[at - 1] > sum_[i]; --at) {
      squared[at] = squared[at - 1];
      neighbour[at] = neighbour[at - 1];
    }
    squared[at] = sum_[i];
    neighbour[at] = static_cast<std::int32_t>(i);
  }

  const SampleColumns& sample_;
  const std::vector<View>& views_;
  std::vector<char> used_;
  std::vector<double> squares_;
  std::vector<double> sum_;
};

}  // namespace

void nearest_rows(const SampleColumns& sample, const ColumnViews& views, const MatrixView& table,
                  bool leave_out, const NearestRows& out, unsigned n_threads, const Poll& poll) {
  assert(out.k >= 1 && out.k + (leave_out ? 1 : 0) <= sample.n_rows);
  const std::vector<View> terms = terms_of(views, sample.n_columns());
  const std::size_t n = table.n_rows();
  const std::size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  std::vector<Searcher> searchers(worker_count(n_blocks, n_threads), Searcher(sample, terms));
  parallel_for(
      n_blocks, n_threads,
      [&](std::size_t block, unsigned worker, const StopFlag& stop) {
        check_stop(stop);
        Searcher& searcher = searchers[worker];
        for (std::size_t row = block * BLOCK; row < n && row < (block + 1) * BLOCK; ++row) {
          searcher.set_row(table, row);
          for (std::size_t v = 0; v < terms.size(); ++v) {
            const std::size_t at = (v * n + row) * out.k;
            searcher.search(v, leave_out ? row : sample.n_rows, out.k, out.squared + at,
                            out.neighbour + at);
          }
        }
      },
      poll);
}

}  // namespace bayeswood
