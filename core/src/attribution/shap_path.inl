// The way of some rows through one tree, for whatever the loops over points are compiled to.
//
// Nodes come parents first. Going down, the product over the path is kept for each depth; leaves
// add their values times the product to the sums above, and a node that is left gives its sums to
// the feature that led there and to the node above.

// POINTS: how many there are if known when compiled, else 0.
template <std::size_t POINTS>
class ShapPath {
 public:
  ShapPath(const ShapTree& tree, ShapBlock& block, double* out)
      : tree_(tree),
        block_(block),
        out_(out),
        n_rows_(block.n_rows()),
        n_known_(tree.paths.n_points()),
        n_outputs_(static_cast<std::size_t>(tree.shape.n_outputs)),
        n_features_(static_cast<std::size_t>(tree.shape.n_features)) {}

  void run() {
    const auto nodes = tree_.paths.nodes();
    enter_root();
    for (std::size_t place = 1; place < nodes.size(); ++place) {
      for (std::size_t depth = nodes[place - 1].depth; depth >= nodes[place].depth; --depth)
        leave(depth);
      enter(place);
    }
    for (std::size_t depth = nodes.back().depth; depth > 0; --depth) leave(depth);
  }

 private:
  std::size_t n_points() const { return POINTS > 0 ? POINTS : n_known_; }

  void enter_root() {
    std::fill_n(block_.product.data(), n_rows_ * n_points(), tree_.weight);
    std::fill_n(block_.kept.data(), n_rows_, std::uint8_t{1});
    block_.place[0] = 0;
    open(0, 0);
  }

  void enter(std::size_t place) {
    const PathNode& node = tree_.paths.nodes()[place];
    const std::size_t depth = node.depth;
    block_.place[depth] = static_cast<std::uint32_t>(place);
    find_states(node);
    for (std::size_t r = 0; r < n_rows_; ++r) {
      const double* factor = tree_.paths.factor(place, block_.state[depth * n_rows_ + r]);
      const double* above = product(depth - 1, r);
      double* here = product(depth, r);
      for (std::size_t q = 0; q < n_points(); q += LANE)
        lanes(here, q) = lanes(above, q) * lanes(factor, q);
    }
    if (tree_.paths.tree().feature[node.node] != LEAF) return open(place, depth);
    add_leaf(place, tree_.paths.tree().child[node.node], depth);
  }

  // Whether rows keep to the path at a node, and since when they do not.
  void find_states(const PathNode& node) {
    const std::uint8_t* went_left = block_.left.data() + (node.depth - 1) * n_rows_;
    const std::uint8_t* above = block_.kept.data() + node.same_feature * n_rows_;
    std::uint8_t* kept = block_.kept.data() + node.depth * n_rows_;
    std::uint8_t* state = block_.state.data() + node.depth * n_rows_;
    const std::uint8_t wanted = node.is_left ? 1 : 0;
    for (std::size_t r = 0; r < n_rows_; ++r) {
      kept[r] = above[r] & static_cast<std::uint8_t>(went_left[r] == wanted);
      state[r] = kept[r] != 0 ? KEPT : (above[r] != 0 ? BROKEN : LONG_BROKEN);
    }
  }

  // An inner node: which way its rows go, and nothing summed below it yet.
  void open(std::size_t place, std::size_t depth) {
    const Tree& tree = tree_.paths.tree();
    const std::uint32_t node = tree_.paths.nodes()[place].node;
    const std::int32_t feature = tree.feature[node];
    if (feature == LEAF) return;
    const double* x = block_.x.data() + static_cast<std::size_t>(feature) * n_rows_;
    std::uint8_t* left = block_.left.data() + depth * n_rows_;
    const std::uint8_t missing = tree.missing_left[node];
    const std::int32_t levels = tree_.shape.n_levels[feature];
    if (levels == 0) {
      const double cut = tree.threshold[node];
      for (std::size_t r = 0; r < n_rows_; ++r)
        left[r] = x[r] != x[r] ? missing : static_cast<std::uint8_t>(x[r] <= cut);
    } else {
      const std::uint64_t* words = tree.category_words.data() + tree.category_offset[node];
      for (std::size_t r = 0; r < n_rows_; ++r) {
        const bool known = x[r] >= 0 && x[r] < levels;
        left[r] = known ? in_set(words, static_cast<std::uint32_t>(x[r])) : missing;
      }
    }
    for (const std::int32_t k : tree_.outputs.of(place))
      for (std::size_t r = 0; r < n_rows_; ++r) std::fill_n(sum(depth, r, k), n_points(), 0.0);
  }

  void add_leaf(std::size_t place, std::uint32_t leaf, std::size_t depth) {
    const Tree& tree = tree_.paths.tree();
    const std::size_t feature = static_cast<std::size_t>(tree_.paths.nodes()[place].edge_feature);
    const bool classes = tree_.shape.is_classifier;
    const std::size_t begin = classes ? tree.leaf_offset[leaf] : leaf * n_outputs_;
    const std::size_t end = classes ? tree.leaf_offset[leaf + 1] : begin + n_outputs_;
    const std::int32_t* label = classes ? tree.classes_of(leaf).data() : nullptr;
    for (std::size_t r = 0; r < n_rows_; ++r) {
      const double* here = product(depth, r);
      const double part = dot(here, tree_.paths.share(place, block_.state[depth * n_rows_ + r]));
      double* out = out_ + (r * n_features_ + feature) * n_outputs_;
      for (std::size_t e = begin; e < end; ++e) {
        const std::size_t k = classes ? static_cast<std::size_t>(label[e - begin]) : e - begin;
        const double value = tree_.leaf_value[e];
        out[k] += value * part;
        double* above = sum(depth - 1, r, k);
        const Lanes every = {value, value, value, value};
        for (std::size_t q = 0; q < n_points(); q += LANE)
          lanes(above, q) = lanes(above, q) + every * lanes(here, q);
      }
    }
  }

  void leave(std::size_t depth) {
    const std::size_t place = block_.place[depth];
    const PathNode& node = tree_.paths.nodes()[place];
    if (tree_.paths.tree().feature[node.node] == LEAF) return;
    const auto feature = static_cast<std::size_t>(node.edge_feature);
    for (std::size_t r = 0; r < n_rows_; ++r) {
      const double* share = tree_.paths.share(place, block_.state[depth * n_rows_ + r]);
      double* out = out_ + (r * n_features_ + feature) * n_outputs_;
      for (const std::int32_t k : tree_.outputs.of(place)) {
        const double* here = sum(depth, r, k);
        double* above = sum(depth - 1, r, k);
        out[k] += dot(here, share);
        for (std::size_t q = 0; q < n_points(); q += LANE)
          lanes(above, q) = lanes(above, q) + lanes(here, q);
      }
    }
  }

  static Lanes& lanes(double* values, std::size_t at) {
    return *reinterpret_cast<Lanes*>(values + at);
  }
  static const Lanes& lanes(const double* values, std::size_t at) {
    return *reinterpret_cast<const Lanes*>(values + at);
  }
  double dot(const double* a, const double* b) const {
    Lanes sums = lanes(a, 0) * lanes(b, 0);
    for (std::size_t q = LANE; q < n_points(); q += LANE) sums = sums + lanes(a, q) * lanes(b, q);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  double* product(std::size_t depth, std::size_t row) {
    return block_.product.data() + (depth * n_rows_ + row) * n_points();
  }
  double* sum(std::size_t depth, std::size_t row, std::size_t output) {
    return block_.sum.data() + ((depth * n_rows_ + row) * n_outputs_ + output) * n_points();
  }

  const ShapTree& tree_;
  ShapBlock& block_;
  double* out_;
  const std::size_t n_rows_, n_known_, n_outputs_, n_features_;
};

inline void run_shap(const ShapTree& tree, ShapBlock& block, double* out) {
  switch (tree.paths.n_points()) {
    case LANE:
      return ShapPath<LANE>(tree, block, out).run();
    case 2 * LANE:
      return ShapPath<2 * LANE>(tree, block, out).run();
    default:
      return ShapPath<0>(tree, block, out).run();
  }
}
