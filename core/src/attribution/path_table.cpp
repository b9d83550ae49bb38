#include "bayeswood/attribution/path_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bayeswood {
namespace {

// Legendre polynomial of degree n and its derivative at x in (-1, 1).
std::pair<double, double> legendre(std::size_t n, double x) {
  double before = 1.0, here = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const double degree = static_cast<double>(k);
    const double next = ((2 * degree - 1) * x * here - (degree - 1) * before) / degree;
    before = here;
    here = next;
  }
  return {here, static_cast<double>(n) * (x * here - before) / (x * x - 1)};
}

}  // namespace

Quadrature::Quadrature(std::size_t n_points) : point(n_points), weight(n_points) {
  for (std::size_t i = 0; i < n_points; ++i) {
    const double n = static_cast<double>(n_points);
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    for (int step = 0; step < 100; ++step) {
      const auto [value, slope] = legendre(n_points, x);
      const double change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    const double slope = legendre(n_points, x).second;
    point[i] = (1 + x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

std::vector<double> node_cover(const Tree& tree) {
  std::vector<double> cover(tree.weight.begin(), tree.weight.end());
  for (std::size_t i = tree.n_nodes(); i-- > 0;) {
    if (tree.feature[i] != LEAF) cover[i] = cover[tree.child[i]] + cover[tree.child[i] + 1];
  }
  return cover;
}

PathTable::PathTable(const Tree& tree) : tree_(&tree) {
  order_nodes();
  const std::size_t needed = std::max<std::size_t>(1, (most_features_ + 1) / 2);
  n_points_ = (needed + LANE - 1) / LANE * LANE;
  factor_.assign(nodes_.size() * N_PATH_STATES * n_points_, 0.0);
  share_.assign(factor_.size(), 0.0);
  const Quadrature rule(n_points_);
  const std::vector<double> cover = node_cover(tree);
  std::vector<std::size_t> on_path(depth_ + 1, 0);
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    PathNode& node = nodes_[place];
    on_path[node.depth] = place;
    if (node.edge_feature == LEAF) continue;
    const double to_left = left_share(cover, tree, nodes_[on_path[node.depth - 1]].node);
    const double z_above = nodes_[on_path[node.same_feature]].z;
    node.z = z_above * (node.is_left ? to_left : 1 - to_left);
    fill(place, node.z, z_above, rule);
  }
}

void PathTable::order_nodes() {
  const Tree& tree = *tree_;
  nodes_.reserve(tree.n_nodes());
  std::vector<PathNode> open{{0, LEAF, 0, 0, false, 1}};
  std::vector<std::int32_t> by_feature;  // the path's features, depth by depth
  std::vector<std::uint32_t> n_distinct{0};
  while (!open.empty()) {
    PathNode node = open.back();
    open.pop_back();
    by_feature.resize(node.depth + 1);
    n_distinct.resize(node.depth + 1);
    by_feature[node.depth] = node.edge_feature;
    if (node.depth > 0) {
      for (std::uint32_t above = node.depth - 1; above > 0 && node.same_feature == 0; --above)
        if (by_feature[above] == node.edge_feature) node.same_feature = above;
      n_distinct[node.depth] = n_distinct[node.depth - 1] + (node.same_feature == 0 ? 1 : 0);
    }
    most_features_ = std::max<std::size_t>(most_features_, n_distinct[node.depth]);
    depth_ = std::max<std::size_t>(depth_, node.depth);
    nodes_.push_back(node);
    const std::int32_t feature = tree.feature[node.node];
    if (feature == LEAF) continue;
    const std::uint32_t left = tree.child[node.node];
    open.push_back({left + 1, feature, node.depth + 1, 0, false, 1});
    open.push_back({left, feature, node.depth + 1, 0, true, 1});
  }
}

void PathTable::fill(std::size_t place, double z, double z_above, const Quadrature& rule) {
  double* factor = factor_.data() + place * N_PATH_STATES * n_points_;
  double* share = share_.data() + place * N_PATH_STATES * n_points_;
  for (std::size_t q = 0; q < n_points_; ++q) {
    const double t = rule.point[q], w = rule.weight[q];
    const double kept = z + t * (1 - z), kept_above = z_above + t * (1 - z_above);
    const double taken_above = (1 - z_above) / kept_above;
    factor[KEPT * n_points_ + q] = kept / kept_above;
    factor[BROKEN * n_points_ + q] = z * (1 - t) / kept_above;
    factor[LONG_BROKEN * n_points_ + q] = z_above > 0 ? z / z_above : 0.0;
    share[KEPT * n_points_ + q] = w * ((1 - z) / kept - taken_above);
    share[BROKEN * n_points_ + q] = w * (-1 / (1 - t) - taken_above);
  }
}

std::size_t PathTable::nbytes() const {
  return nodes_.size() * (sizeof(PathNode) + 2 * N_PATH_STATES * n_points_ * sizeof(double));
}

}  // namespace bayeswood
