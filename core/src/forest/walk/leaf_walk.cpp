#include "bayeswood/forest/walk/leaf_walk.hpp"

namespace bayeswood {

BlockWalk::BlockWalk(const Forest& forest, const MatrixView& table)
    : forest_(forest), table_(table), compiled_(forest.compiled()) {}

BlockWalk::~BlockWalk() = default;

void BlockWalk::load(std::size_t begin, std::size_t end) {
  begin_ = begin;
  n_rows_ = end - begin;
  group_ = compiled_.n_groups();  // none
  if (compiled_.is_wide()) {
    values_.resize(compiled_.value_layout(n_rows_).n_cells());
    compiled_.encode(table_, begin, end, values_.data());
  }
}

void BlockWalk::find(std::size_t t, std::span<const std::uint32_t> places, std::uint32_t* leaf) {
  if (is_small(t) && places.size() == n_rows_) {
    together_.resize(n_rows_);
    find_together(t, together_.data());
    std::copy(together_.begin(), together_.end(), leaf);
    return;
  }
  if (compiled_.is_packed()) {
    place_rows(t);
    return compiled_.walk(t, rows_, places, leaf, going_);
  }
  if (compiled_.is_wide()) return compiled_.walk(t, values_.data(), n_rows_, places, leaf, going_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    leaf[i] = walk_tree(forest_.tree(t), forest_.shape(), table_, begin_ + places[i]);
  }
}

void BlockWalk::find_together(std::size_t t, std::uint8_t* leaf) {
  place_rows(t);
  compiled_.walk_together(t, columns_, leaf);
}

// Among the thresholds of the tree's group, unless they are there. Trees come in order as a rule.
void BlockWalk::place_rows(std::size_t t) {
  const std::size_t group = compiled_.group_of(t);
  if (group == group_) return;
  group_ = group;
  compiled_.encode(group, table_, begin_, begin_ + n_rows_, rows_);
  if (n_rows_ >= LEAST_TOGETHER) columns_.load(rows_);
}

std::size_t block_rows(std::size_t n_rows, unsigned n_threads, std::size_t most) {
  const std::size_t shared = std::max<std::size_t>(1, n_rows / std::max(1U, n_threads));
  const std::size_t n_blocks = (shared + most - 1) / most;
  return std::clamp<std::size_t>((shared / n_blocks + 16) / 16 * 16, 16, most);
}

std::size_t most_block_rows(const Forest& forest) {
  constexpr std::size_t CACHE = std::size_t{1} << 20, LEAST = 1024, MOST = 16384;
  const std::size_t row = 2 * forest.compiled().n_features() + 8 * forest.n_outputs() + 8;
  return std::clamp(CACHE / row / 16 * 16, LEAST, MOST);
}

void for_each_row_block(const Forest& forest, std::size_t n_rows, std::size_t block,
                        const Running& run, const BlockTask& task) {
  const bool tiny =
      n_rows * forest.n_trees() < 200000;  // below a few milliseconds: no thread, no poll
  parallel_for((n_rows + block - 1) / block, tiny ? 1 : run.n_threads,
               [&](std::size_t b, unsigned, const StopFlag& stop) {
                 task(b * block, std::min((b + 1) * block, n_rows), stop);
               },
               tiny ? Poll{} : run.poll);
}

void LeftOutPlaces::operator()(std::size_t t, std::size_t begin, std::size_t end,
                               std::vector<std::uint32_t>& places) const {
  const std::uint64_t draw = scheme_.draw_of(t);
  if (t > 0 && draw == scheme_.draw_of(t - 1)) return;
  const std::vector<bool>& is_out = left_out_[draw];
  places.resize(end - begin);
  std::size_t n = 0;
  for (std::size_t i = begin; i < end; ++i) {  // without a branch: nobody could foresee it
    places[n] = static_cast<std::uint32_t>(i - begin);
    n += is_out[first_ + i] ? 1 : 0;
  }
  places.resize(n);
}

}  // namespace bayeswood
