// Collects nodes in the order they are grown and hands them over as a lawful, breadth-first Tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/base/prefetch.hpp"
#include "bayeswood/forest/tree_writer.hpp"
#include "bayeswood/grow/split.hpp"
#include "bayeswood/grow/target.hpp"

namespace bayeswood {

class TreeBuilder {
 public:
  TreeBuilder(const EncodedMatrix& matrix, const Target& target, bool keep_rows)
      : matrix_(matrix), target_(target), keep_rows_(keep_rows) {
    restart();
  }

  // Begins another tree; buffers keep their room.
  void restart();

  static constexpr std::uint32_t ROOT = 0;

  struct Children {
    std::uint32_t left, right;
  };
  // The missing direction is settled here: where the node saw missing values, the better side; else
  // the child with more rows. Levels absent from the node follow it.
  Children set_split(std::uint32_t node, const Split& split, std::uint32_t n_left,
                     std::uint32_t n_right);

  // Of the threshold that the last split came with; and another one there.
  std::uint32_t last_threshold() const {
    return static_cast<std::uint32_t>(thresholds_.size() - 1);
  }
  void set_threshold(std::uint32_t place, double threshold) { thresholds_[place] = threshold; }
  void ask_for_threshold(std::uint32_t place) const { prefetch(&thresholds_[place]); }

  // Ids index `rows`; `row_of_id` turns them into training rows (null: they are training rows).
  template <class Id>
  void set_leaf(std::uint32_t node, const NodeTotals& totals, std::span<const Id> ids,
                const RowData& rows, const std::uint32_t* row_of_id);

  // In place of the values of the leaf that was set last: its numbers, or of two classes the share
  // of the second.
  void set_values(std::span<const double> values);

  Tree finish();

 private:
  // What a node asks of its feature: codes of numbers, or a set of levels.
  struct Rule {
    std::uint32_t set_begin = 0;  // or the place of its threshold, where the split gave one
    std::uint16_t cut_code = 0;
    std::uint16_t upper_code = 0;
  };
  struct Node {
    std::int32_t feature = LEAF;
    std::uint32_t left = 0;  // or leaf number in growing order
    Rule rule;               // at last, of numbers, the bits of the threshold
    std::uint8_t missing_left = 0;
    bool has_threshold = false;
  };
  struct Leaf {
    std::int32_t n;
    float w;
    std::uint32_t value_begin, value_end;
    std::uint32_t rows_begin;
  };

  void add_set(Node& node, const Split& split);
  template <class Id>
  void add_class_values(std::span<const Id> ids, const RowData& rows, const NodeTotals& totals);
  template <class Id>
  void add_means(std::span<const Id> ids, const RowData& rows, const NodeTotals& totals,
                 const std::uint32_t* row_of_id);
  void add_binary(double share);
  void add_entry(std::int32_t label, double share);
  double threshold(const Node& node) const;
  void find_thresholds();
  std::span<const std::uint64_t> left_levels(const Node& node) const;
  void ask_for(std::span<const std::uint32_t> coming) const;
  void copy_leaf(const Leaf& leaf, TreeWriter& writer) const;

  const EncodedMatrix& matrix_;
  const Target& target_;
  bool keep_rows_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> splits_;  // which of them have children
  std::vector<Leaf> leaves_;
  std::vector<std::uint64_t> set_words_;
  std::vector<double> thresholds_;
  std::vector<std::int32_t> value_class_;
  std::vector<double> values_;
  std::vector<std::int32_t> rows_;
  std::vector<double> class_w_;  // zero between calls
  std::vector<std::int32_t> seen_;
};

}  // namespace bayeswood
