#include "bayeswood/safe_bayes/row_trees.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "bayeswood/base/random.hpp"

namespace bayeswood {
namespace {

// Pairs of rows drawn of a node before it is taken for one that cannot be cut.
constexpr int MOST_PAIRS = 16;
constexpr std::size_t CHUNK = 4096;

// Codes of some rows, row after row.
std::vector<std::uint16_t> encode_rows(const CutCodes& codes, const MatrixView& table,
                                       std::span<const std::size_t> rows) {
  const std::size_t d = codes.n_features();
  std::vector<std::uint16_t> cells(rows.size() * d);
  std::vector<double> values(rows.size());
  std::vector<std::uint16_t> column(rows.size());
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = table(rows[i], j);
    codes.encode(j, values, column.data());
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i * d + j] = column[i];
  }
  return cells;
}

std::uint64_t hash_row(const std::uint16_t* row, std::size_t d, std::uint64_t seed) {
  std::uint64_t hash = mix64(seed + 0x9e3779b97f4a7c15ULL);
  for (std::size_t j = 0; j < d; ++j) hash = mix64(hash ^ (row[j] + 0x10001ULL * (j + 1)));
  return hash;
}

struct OpenNode {
  std::uint32_t begin, end;
  std::uint32_t left = 0;  // 0: a leaf
  std::uint32_t rule = PriorTree::LEAF_RULE;
  std::size_t set_begin = 0;
};

class RowTreeDraw {
 public:
  RowTreeDraw(const CutCodes& codes, const RowCodes& rows, Stream stream)
      : codes_(codes), table_(rows), stream_(stream), rows_(rows.n_rows()) {
    std::iota(rows_.begin(), rows_.end(), 0);
    nodes_.push_back({0, static_cast<std::uint32_t>(rows_.size())});
  }

  PriorTree draw(std::uint32_t max_leaves) {
    // The largest first; of equals, the oldest.
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> open;
    const auto push = [&](std::uint32_t node) {
      const std::uint32_t n = nodes_[node].end - nodes_[node].begin;
      if (n > 1) open.push({n, ~node});
    };
    push(0);
    std::uint32_t n_leaves = 1;
    while (!open.empty() && n_leaves < max_leaves) {
      const std::uint32_t node = ~open.top().second;
      open.pop();
      if (!split(node)) continue;
      ++n_leaves;
      push(nodes_[node].left);
      push(nodes_[node].left + 1);
    }
    return written(n_leaves);
  }

 private:
  bool split(std::uint32_t node) {
    const std::uint32_t begin = nodes_[node].begin;
    const std::uint32_t n = nodes_[node].end - begin;
    for (int pair = 0; pair < MOST_PAIRS; ++pair) {
      const std::uint16_t* a = table_.row(rows_[begin + stream_.below(n)]);
      const std::uint16_t* b = table_.row(rows_[begin + stream_.below(n)]);
      const std::size_t n_apart = find_apart(a, b);
      if (n_apart == 0) continue;
      const std::uint32_t feature = apart_[stream_.below(static_cast<std::uint32_t>(n_apart))];
      cut(node, feature, a[feature], b[feature]);
      return true;
    }
    return false;
  }

  std::size_t find_apart(const std::uint16_t* a, const std::uint16_t* b) {
    apart_.clear();
    for (std::uint32_t j = 0; j < codes_.n_features(); ++j) {
      if (a[j] != b[j] && a[j] != CODE_MISSING && b[j] != CODE_MISSING) apart_.push_back(j);
    }
    return apart_.size();
  }

  void cut(std::uint32_t node, std::uint32_t feature, std::uint16_t one, std::uint16_t other) {
    const std::uint32_t missing_right = static_cast<std::uint32_t>(stream_.next() >> 63);
    std::uint32_t place = 0;
    const std::size_t set_begin = sets_.size();
    if (codes_.is_category(feature)) {
      draw_set(feature, one, other, missing_right);
    } else {
      const auto [low, high] = std::minmax(one, other);
      place = low + stream_.below(static_cast<std::uint32_t>(high - low));
    }
    const auto goes_left = [&](std::uint32_t row) {
      const std::uint16_t code = table_.row(row)[feature];
      if (code == CODE_MISSING) return missing_right == 0;
      return codes_.is_category(feature) ? in_set(sets_.data() + set_begin, code) : code <= place;
    };
    OpenNode& at = nodes_[node];
    at.rule = (2 * feature + missing_right) | place << 16;
    at.set_begin = set_begin;
    at.left = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t begin = at.begin;
    const std::uint32_t end = at.end;
    const auto middle =
        std::stable_partition(rows_.begin() + begin, rows_.begin() + end, goes_left);
    const auto half = static_cast<std::uint32_t>(middle - rows_.begin());
    nodes_.push_back({begin, half});
    nodes_.push_back({half, end});
  }

  void draw_set(std::uint32_t feature, std::uint16_t one, std::uint16_t other,
                std::uint32_t missing_right) {
    const std::size_t begin = sets_.size();
    const std::size_t n_words = set_words(codes_.feature(feature).n_levels + 1);
    for (std::size_t w = 0; w < n_words; ++w) sets_.push_back(stream_.next());
    const auto put = [&](std::uint16_t code, bool left) {
      std::uint64_t& word = sets_[begin + (code >> 6)];
      const std::uint64_t bit = 1ULL << (code & 63);
      word = left ? word | bit : word & ~bit;
    };
    put(one, true);
    put(other, false);
    put(CODE_MISSING, missing_right == 0);
  }

  // Breadth-first.
  PriorTree written(std::uint32_t n_leaves) const {
    PriorTree tree;
    tree.n_leaves = n_leaves;
    std::vector<std::uint32_t> order{0};
    std::uint32_t leaf = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const OpenNode& at = nodes_[order[i]];
      if (codes_.has_categories())
        tree.set_begin.push_back(static_cast<std::uint32_t>(tree.set_words.size()));
      tree.rule.push_back(at.rule);
      if (at.left == 0) {
        tree.child.push_back(leaf++);
        continue;
      }
      tree.child.push_back(static_cast<std::uint32_t>(order.size()));
      order.push_back(at.left);
      order.push_back(at.left + 1);
      const std::size_t feature = (at.rule & 0xffff) >> 1;
      if (!codes_.is_category(feature)) continue;
      const std::size_t n_words = set_words(codes_.feature(feature).n_levels + 1);
      tree.set_words.insert(tree.set_words.end(), sets_.begin() + at.set_begin,
                            sets_.begin() + at.set_begin + n_words);
    }
    return tree;
  }

  const CutCodes& codes_;
  const RowCodes& table_;
  Stream stream_;
  std::vector<std::uint32_t> rows_;
  std::vector<OpenNode> nodes_;
  std::vector<std::uint64_t> sets_;
  std::vector<std::uint32_t> apart_;
};

// One tree of those written down.
class RuleReader {
 public:
  RuleReader(const CutCodes& codes, std::span<const std::uint32_t> rules,
             std::span<const std::uint64_t> sets)
      : codes_(codes), rules_(rules), sets_(sets) {}

  PriorTree next(std::int64_t n_leaves) {
    if (n_leaves < 1 || static_cast<std::size_t>(2 * n_leaves - 1) > rules_.size() - rule_at_)
      throw std::invalid_argument("rules: too few");
    PriorTree tree;
    tree.n_leaves = static_cast<std::uint32_t>(n_leaves);
    std::uint32_t n_known = 1;  // nodes that some split above has
    std::uint32_t leaf = 0;
    for (std::uint32_t node = 0; node < tree.n_nodes(); ++node) {
      const std::uint32_t rule = rules_[rule_at_++];
      if (node >= n_known) throw std::invalid_argument("rules: not a tree");
      if (codes_.has_categories())
        tree.set_begin.push_back(static_cast<std::uint32_t>(tree.set_words.size()));
      tree.rule.push_back(rule);
      if (rule == PriorTree::LEAF_RULE) {
        tree.child.push_back(leaf++);
        continue;
      }
      check(rule);
      tree.child.push_back(n_known);
      n_known += 2;
      take_set((rule & 0xffff) >> 1, tree);
    }
    if (n_known != tree.n_nodes() || leaf != tree.n_leaves)
      throw std::invalid_argument("rules: not a tree");
    return tree;
  }
  bool at_end() const { return rule_at_ == rules_.size() && set_at_ == sets_.size(); }

 private:
  void check(std::uint32_t rule) const {
    const std::size_t feature = (rule & 0xffff) >> 1;
    if (feature >= codes_.n_features()) throw std::invalid_argument("rules: no such feature");
    const std::size_t most =
        codes_.is_category(feature) ? 0 : codes_.feature(feature).edges.size() + 1;
    if (rule >> 16 > most) throw std::invalid_argument("rules: no such cut");
  }
  void take_set(std::size_t feature, PriorTree& tree) {
    if (!codes_.is_category(feature)) return;
    const std::size_t n_words = set_words(codes_.feature(feature).n_levels + 1);
    if (n_words > sets_.size() - set_at_) throw std::invalid_argument("sets: too few");
    tree.set_words.insert(tree.set_words.end(), sets_.begin() + set_at_,
                          sets_.begin() + set_at_ + n_words);
    set_at_ += n_words;
  }

  const CutCodes& codes_;
  std::span<const std::uint32_t> rules_;
  std::span<const std::uint64_t> sets_;
  std::size_t rule_at_ = 0, set_at_ = 0;
};

}  // namespace

RowCodes::RowCodes(const CutCodes& codes, const MatrixView& table, std::uint64_t seed)
    : n_features_(codes.n_features()) {
  std::vector<std::pair<std::uint64_t, std::size_t>> hashes;
  hashes.reserve(table.n_rows());
  std::vector<std::size_t> chosen;
  for (std::size_t begin = 0; begin < table.n_rows(); begin += CHUNK) {
    chosen.resize(std::min(CHUNK, table.n_rows() - begin));
    std::iota(chosen.begin(), chosen.end(), begin);
    const auto cells = encode_rows(codes, table, chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      hashes.emplace_back(hash_row(cells.data() + i * n_features_, n_features_, seed), chosen[i]);
  }
  std::sort(hashes.begin(), hashes.end());
  chosen.clear();
  for (std::size_t i = 0; i < hashes.size() && chosen.size() < MOST_ROWS; ++i) {
    if (i == 0 || hashes[i].first != hashes[i - 1].first) chosen.push_back(hashes[i].second);
  }
  n_rows_ = chosen.size();
  cells_ = encode_rows(codes, table, chosen);
}

std::vector<PriorTree> draw_over_rows(const CutCodes& codes, const RowCodes& rows,
                                      std::uint64_t seed, std::size_t n_trees,
                                      std::uint32_t max_leaves, const Running& run) {
  if (max_leaves < 2) throw std::invalid_argument("max_leaves: at least 2");
  std::vector<PriorTree> trees(n_trees);
  parallel_for(
      n_trees, run.n_threads,
      [&](std::size_t t, unsigned, const StopFlag& stop) {
        check_stop(stop);
        trees[t] = RowTreeDraw(codes, rows, Stream(seed, t, Purpose::RULES)).draw(max_leaves);
      },
      run.poll);
  return trees;
}

std::vector<PriorTree> read_rules(const CutCodes& codes, std::span<const std::int64_t> n_leaves,
                                  std::span<const std::uint32_t> rules,
                                  std::span<const std::uint64_t> set_words) {
  RuleReader reader(codes, rules, set_words);
  std::vector<PriorTree> trees;
  for (const auto n : n_leaves) trees.push_back(reader.next(n));
  if (!reader.at_end()) throw std::invalid_argument("rules or sets: too many");
  return trees;
}

}  // namespace bayeswood
