#include "bayeswood/attribution/tree_shap.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "bayeswood/attribution/shap_block.hpp"

namespace bayeswood {
namespace {

// Tables of so many bytes are kept at a time.
constexpr std::size_t MOST_TABLE_BYTES = std::size_t{64} << 20;
// Sums along a path of so many bytes stay in the cache.
constexpr std::size_t MOST_PATH_BYTES = std::size_t{64} << 10;

struct Tables {
  explicit Tables(const Tree& tree, const ForestShape& shape)
      : paths(tree), outputs(paths, shape) {}
  PathTable paths;
  OutputsBelow outputs;
};

// A bound of what the tables of a tree take, before they are made.
std::size_t table_bytes(const Tree& tree, const ForestShape& shape) {
  const auto depth = static_cast<std::size_t>(tree.depth());
  const std::size_t features = std::min(depth, static_cast<std::size_t>(shape.n_features));
  const std::size_t points = ((features + 1) / 2 + LANE - 1) / LANE * LANE;
  return tree.n_nodes() * (sizeof(PathNode) + 2 * N_PATH_STATES * points * sizeof(double));
}

// Trees that follow one another and fit into memory together.
struct Chunk {
  std::size_t begin, end;
};

std::vector<Chunk> cut_chunks(const Forest& forest) {
  std::vector<Chunk> chunks{{0, 0}};
  std::size_t bytes = 0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const std::size_t own = table_bytes(forest.tree(t), forest.shape());
    if (bytes + own > MOST_TABLE_BYTES && chunks.back().end > chunks.back().begin) {
      chunks.push_back({t, t});
      bytes = 0;
    }
    bytes += own;
    chunks.back().end = t + 1;
  }
  return chunks;
}

// Tables of a chunk's trees, one for trees that are the same.
class ChunkTables {
 public:
  ChunkTables(const Forest& forest, const Chunk& chunk, unsigned n_threads) {
    std::unordered_map<const Tree*, std::size_t> numbers;
    std::vector<const Tree*> distinct;
    for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
      const auto [at, is_new] = numbers.try_emplace(&forest.tree(t), distinct.size());
      if (is_new) distinct.push_back(&forest.tree(t));
      number_.push_back(at->second);
    }
    made_.resize(distinct.size());
    parallel_for(distinct.size(), n_threads, [&](std::size_t i, unsigned, const StopFlag&) {
      made_[i] = std::make_unique<Tables>(*distinct[i], forest.shape());
    });
  }
  const Tables& of(std::size_t place) const { return *made_[number_[place]]; }

 private:
  std::vector<std::size_t> number_;
  std::vector<std::unique_ptr<Tables>> made_;
};

std::size_t rows_of_block(const Forest& forest) {
  std::size_t depth = 1;
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    depth = std::max(depth, static_cast<std::size_t>(forest.tree(t).depth()) + 1);
  const std::size_t points = std::min(depth, static_cast<std::size_t>(forest.shape().n_features));
  const std::size_t row = depth * (points / 2 + LANE) * (forest.n_outputs() + 1) * sizeof(double);
  return std::clamp<std::size_t>(MOST_PATH_BYTES / row, 1, 16);
}

// Tells how far all chunks together are.
Poll poll_of_chunk(const Poll& poll, std::size_t chunk, std::size_t n_chunks) {
  if (!poll) return {};
  return [&poll, chunk, n_chunks](std::size_t done, std::size_t total) {
    return poll(chunk * total + done, n_chunks * total);
  };
}

void add_chunk(const Forest& forest, const MatrixView& table, const ShapOptions& options,
               const Chunk& chunk, double* out, const Running& run) {
  const ChunkTables tables(forest, chunk, run.n_threads);
  const std::size_t n = table.n_rows(), block_rows = rows_of_block(forest);
  const std::size_t row_size = table.n_columns() * forest.n_outputs();
  const bool fast = options.instructions != InstructionSet::PORTABLE;
  parallel_for((n + block_rows - 1) / block_rows, run.n_threads,
               [&](std::size_t b, unsigned, const StopFlag& stop) {
                 ShapBlock block(forest.shape(), block_rows);
                 block.load(table, b * block_rows, std::min((b + 1) * block_rows, n));
                 for (std::size_t t = chunk.begin; t < chunk.end; ++t) {
                   check_stop(stop);
                   const Tables& own = tables.of(t - chunk.begin);
                   const ShapTree tree{own.paths, own.outputs, forest.shape(),
                                       forest.leaf_values(t), options.tree_weights[t]};
                   const std::size_t member = options.by_member ? t / options.trees_per_member : 0;
                   double* rows = out + (member * n + b * block_rows) * row_size;
                   fast ? add_shap_avx2(tree, block, rows) : add_shap(tree, block, rows);
                 }
               },
               run.poll);
}

}  // namespace

std::vector<double> shap_base(const Forest& forest) {
  const std::size_t n_outputs = forest.n_outputs();
  std::vector<double> base(forest.n_trees() * n_outputs, 0.0);
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Tree& tree = forest.tree(t);
    const std::vector<double> cover = node_cover(tree);
    const std::span<const double> value = forest.leaf_values(t);
    std::vector<double> share(tree.n_nodes(), 1.0);
    double* out = base.data() + t * n_outputs;
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      const std::uint32_t child = tree.child[i];
      if (tree.feature[i] != LEAF) {
        const double to_left = left_share(cover, tree, i);
        share[child] = share[i] * to_left;
        share[child + 1] = share[i] * (1 - to_left);
      } else if (forest.shape().is_classifier) {
        const double* own = value.data() + tree.leaf_offset[child];
        for (const std::int32_t label : tree.classes_of(child)) out[label] += share[i] * *own++;
      } else {
        for (std::size_t k = 0; k < n_outputs; ++k)
          out[k] += share[i] * value[child * n_outputs + k];
      }
    }
  }
  return base;
}

void shap_values(const Forest& forest, const MatrixView& table, const ShapOptions& options,
                 double* out, const Running& run) {
  const std::size_t n_members = options.by_member ? forest.n_trees() / options.trees_per_member : 1;
  std::fill_n(out, n_members * table.n_rows() * table.n_columns() * forest.n_outputs(), 0.0);
  const std::vector<Chunk> chunks = cut_chunks(forest);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const Running part{run.n_threads, poll_of_chunk(run.poll, c, chunks.size())};
    add_chunk(forest, table, options, chunks[c], out, part);
  }
}

}  // namespace bayeswood
