// What of a tree's Shapley values does not depend on the row: factors along its paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/forest/tree.hpp"

namespace bayeswood {

// Points and weights of Gauss and Legendre on [0, 1]: exact for polynomials of degree 2n - 1.
struct Quadrature {
  explicit Quadrature(std::size_t n_points);
  std::vector<double> point, weight;
};

// Training weight of every node as the sum over its leaves, in double precision.
std::vector<double> node_cover(const Tree& tree);
// Share of a node's weight that goes left; one half where there is none.
inline double left_share(const std::vector<double>& cover, const Tree& tree, std::size_t node) {
  return cover[node] > 0 ? cover[tree.child[node]] / cover[node] : 0.5;
}

// A row that comes to a node has kept all conditions on the feature that leads to it, has broken
// this one as the first, or has broken one before.
enum PathState : std::uint8_t { KEPT, BROKEN, LONG_BROKEN };
constexpr std::size_t N_PATH_STATES = 3;
// Points come in lanes of so many, which one instruction may take together.
constexpr std::size_t LANE = 4;

struct PathNode {
  std::uint32_t node;          // in the tree
  std::int32_t edge_feature;   // of the split above; LEAF at the root
  std::uint32_t depth;         // 0 at the root
  std::uint32_t same_feature;  // depth of the last node above that came by this feature; or 0
  bool is_left;
  double z = 1;  // share of the weight that keeps the conditions on the feature up to here
};

class PathTable {
 public:
  explicit PathTable(const Tree& tree);

  const Tree& tree() const { return *tree_; }
  // Parents first, a left child and all below it before its sibling.
  std::span<const PathNode> nodes() const { return nodes_; }
  std::size_t n_points() const { return n_points_; }  // a multiple of LANE
  std::size_t depth() const { return depth_; }
  // By which the product over the path changes, at each point; and by which sums below the node
  // are weighted for the feature that leads there, less what the node above it took.
  const double* factor(std::size_t place, std::size_t state) const {
    return factor_.data() + (place * N_PATH_STATES + state) * n_points_;
  }
  const double* share(std::size_t place, std::size_t state) const {
    return share_.data() + (place * N_PATH_STATES + state) * n_points_;
  }
  std::size_t nbytes() const;

 private:
  void order_nodes();
  void fill(std::size_t place, double z, double z_above, const Quadrature& rule);

  const Tree* tree_;
  std::vector<PathNode> nodes_;
  std::size_t n_points_ = LANE, depth_ = 0, most_features_ = 0;
  std::vector<double> factor_, share_;
};

}  // namespace bayeswood
