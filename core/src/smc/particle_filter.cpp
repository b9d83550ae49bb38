#include "bayeswood/smc/particle_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bayeswood/mcmc/tree_draws.hpp"
#include "bayeswood/smc/particle_tree.hpp"

namespace bayeswood {
namespace {

constexpr std::uint32_t MOVES_BETWEEN_LOOKS = 256;  // at the stop flag

// An island's part of `n` that all islands share.
std::uint32_t share_of(std::uint32_t n, const FilterSettings& settings, std::uint32_t island) {
  return n / settings.n_islands + (island < n % settings.n_islands ? 1 : 0);
}

template <CutLeafModel Model>
struct Particle {
  typename AgendaPool<Model>::Agenda agenda = nullptr;
  typename HistoryPool<Model>::History history = nullptr;
  std::uint32_t n_nodes = 1;
  std::uint32_t n_leaves = 1;
};

// One island's filter.
template <CutLeafModel Model>
class Filter {
 public:
  Filter(const RankedTable& table, const Model& model, std::span<const std::uint64_t> salts,
         const FilterSettings& settings, std::uint32_t island);
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { clear(particles_); }

  Island run(const StopFlag& stop);

 private:
  using Node = OpenNode<Model>;

  bool run_stage(const StopFlag& stop);
  void expand(std::size_t m);
  void decide(const Node& node, std::size_t m, std::vector<Node>& children);
  void push(const Node& node, Particle<Model>& particle);
  Particle<Model> copy(const Particle<Model>& particle);
  void resample(const WeightSummary& summary, std::size_t n);
  void clear(std::vector<Particle<Model>>& particles);
  bool any_open() const;
  void hand_over(Island& island);
  void hand_over_moved(Island& island, const StopFlag& stop);
  Metropolis<Model> chain_of(std::size_t m, const TreeLaw& law) const;

  const FilterSettings& settings_;
  std::uint32_t island_;
  std::uint64_t first_stream_;  // the island's particles are numbered from here
  BlockStore<Model> blocks_;
  AgendaPool<Model> agendas_;
  HistoryPool<Model> histories_;
  Proposer<Model> proposer_;
  std::vector<Particle<Model>> particles_;
  std::vector<double> log_weights_;
  std::vector<Stream> streams_;
  Stream resampling_;
  double log_evidence_ = 0;
  std::vector<Node> todo_, children_;
};

template <CutLeafModel Model>
Filter<Model>::Filter(const RankedTable& table, const Model& model,
                      std::span<const std::uint64_t> salts, const FilterSettings& settings,
                      std::uint32_t island)
    : settings_(settings),
      island_(island),
      first_stream_(std::uint64_t{island} << 32),
      blocks_(table, model, salts),
      agendas_(blocks_),
      histories_(blocks_),
      proposer_(blocks_, settings.proposal),
      particles_(share_of(settings.n_particles, settings, island)),
      log_weights_(particles_.size(), 0.0),
      resampling_(settings.seed, island, Purpose::RESAMPLING) {
  Block<Model>* root = blocks_.root();
  log_evidence_ = root->log_marginal;
  for (std::uint32_t m = 0; m < particles_.size(); ++m) {
    streams_.emplace_back(settings.seed, first_stream_ + m, Purpose::PARTICLES);
    push({0, 0, 0, root}, particles_[m]);
  }
  blocks_.drop(root);
}

template <CutLeafModel Model>
Island Filter<Model>::run(const StopFlag& stop) {
  Island out;
  out.n_filtered = static_cast<std::uint32_t>(particles_.size());
  WeightSummary summary = summarise_weights(log_weights_);
  for (std::uint32_t stage = 0; stage < settings_.max_stages && run_stage(stop); ++stage) {
    WeightSummary now = summarise_weights(log_weights_);
    if (now.weights.empty()) {  // every particle has weight 0: the last ones that had some stay
      log_evidence_ = -std::numeric_limits<double>::infinity();
      break;
    }
    summary = std::move(now);
    out.ess.push_back(summary.ess);
    const auto threshold = settings_.ess_threshold * static_cast<double>(particles_.size());
    if (summary.ess < threshold && any_open()) {
      resample(summary, particles_.size());
      summary = summarise_weights(log_weights_);
    }
  }
  const bool moves = settings_.moves.n_moves > 0 && std::isfinite(log_evidence_) && !any_open();
  if (moves) {
    resample(summary, share_of(settings_.moves.n_drawn, settings_, island_));
    summary = summarise_weights(log_weights_);
  }
  out.log_evidence = log_evidence_ + summary.log_mean;
  out.weights = std::move(summary.weights);
  if (moves) {
    hand_over_moved(out, stop);
  } else {
    hand_over(out);
  }
  return out;
}

// False if nothing was open.
template <CutLeafModel Model>
bool Filter<Model>::run_stage(const StopFlag& stop) {
  bool any = false;
  for (std::size_t m = 0; m < particles_.size(); ++m) {
    if (particles_[m].agenda == nullptr) continue;
    check_stop(stop);
    expand(m);
    any = true;
  }
  return any;
}

template <CutLeafModel Model>
void Filter<Model>::expand(std::size_t m) {
  Particle<Model>& particle = particles_[m];
  children_.clear();
  todo_.clear();
  do {
    todo_.push_back(agendas_.pop(particle.agenda));
  } while (settings_.expansion == Expansion::LAYER && particle.agenda != nullptr);
  for (const Node& node : todo_) {
    decide(node, m, children_);
    blocks_.close(node.block);
  }
  for (const Node& child : children_) {
    push(child, particle);
    blocks_.close(child.block);
  }
}

template <CutLeafModel Model>
void Filter<Model>::decide(const Node& node, std::size_t m, std::vector<Node>& children) {
  Particle<Model>& particle = particles_[m];
  blocks_.ready(node.block);
  const bool may_split = particle.n_leaves < settings_.max_leaves;
  Outcome<Model> outcome = proposer_.propose(node.block, node.depth, may_split, streams_[m]);
  log_weights_[m] += outcome.log_weight;
  if (!outcome.is_split) {
    histories_.add({node.number, 0, node.block, 0, {}}, particle.history);
    return;
  }
  const std::uint32_t first = particle.n_nodes;
  particle.n_nodes += 2;
  ++particle.n_leaves;
  histories_.add({node.number, first, nullptr, outcome.log_gain, std::move(outcome.rule)},
                 particle.history);
  children.push_back({0, first, node.depth + 1, outcome.children.first});
  children.push_back({0, first + 1, node.depth + 1, outcome.children.second});
}

template <CutLeafModel Model>
void Filter<Model>::push(const Node& node, Particle<Model>& particle) {
  Node open = node;
  if (settings_.expansion == Expansion::LEAST_LIKELY) open.priority = node.block->log_marginal;
  agendas_.push(open, particle.agenda);
}

template <CutLeafModel Model>
Particle<Model> Filter<Model>::copy(const Particle<Model>& particle) {
  return {agendas_.copy(particle.agenda), histories_.copy(particle.history), particle.n_nodes,
          particle.n_leaves};
}

template <CutLeafModel Model>
void Filter<Model>::resample(const WeightSummary& summary, std::size_t n) {
  std::vector<Particle<Model>> next;
  next.reserve(n);
  for (const auto m : draw_ancestors(settings_.resampling, summary.weights, n, resampling_))
    next.push_back(copy(particles_[m]));
  clear(particles_);
  particles_ = std::move(next);
  log_evidence_ += summary.log_mean;
  log_weights_.assign(n, 0.0);
}

template <CutLeafModel Model>
void Filter<Model>::clear(std::vector<Particle<Model>>& particles) {
  for (auto& particle : particles) {
    agendas_.clear(particle.agenda);
    histories_.clear(particle.history);
  }
}

template <CutLeafModel Model>
bool Filter<Model>::any_open() const {
  return std::any_of(particles_.begin(), particles_.end(),
                     [](const Particle<Model>& p) { return p.agenda != nullptr; });
}

// Particles that share their history and their open nodes are the same tree.
template <CutLeafModel Model>
void Filter<Model>::hand_over(Island& island) {
  std::map<std::pair<const void*, const void*>, std::size_t> known;
  const RankedTable& table = blocks_.table();
  for (const auto& particle : particles_) {
    island.n_open += particle.agenda != nullptr ? 1 : 0;
    const auto [at, is_new] =
        known.try_emplace({particle.history, particle.agenda}, island.trees.size());
    island.tree_of_particle.push_back(at->second);
    if (!is_new) continue;
    const auto pieces =
        collect_pieces<Model>(particle.history, particle.agenda, agendas_, particle.n_nodes);
    const std::size_t begin = island.importances.size();
    island.importances.resize(begin + table.n_features(), 0.0);
    island.trees.push_back(make_tree<Model>(
        pieces, blocks_.model(), table, island.importances.data() + begin, island.leaf_variance));
  }
}

template <CutLeafModel Model>
Metropolis<Model> Filter<Model>::chain_of(std::size_t m, const TreeLaw& law) const {
  const Particle<Model>& particle = particles_[m];
  ChainSettings settings = settings_.moves.chain;
  settings.min_leaf = settings_.proposal.min_samples_leaf;
  settings.max_leaves = settings_.max_leaves;
  return start_chain<Model>(
      collect_pieces<Model>(particle.history, particle.agenda, agendas_, particle.n_nodes), law,
      blocks_.model(), settings,
      Stream(settings_.seed, first_stream_ + m, Purpose::PARTICLE_LEVELS));
}

// Copies of a particle lie side by side, and start as copies of one chain.
template <CutLeafModel Model>
void Filter<Model>::hand_over_moved(Island& island, const StopFlag& stop) {
  const TreeLaw law(blocks_.table(), TreePriorKind::CHIPMAN, settings_.proposal.prior,
                    blocks_.model().copies());
  std::optional<Metropolis<Model>> start;
  TreeDraws moved;
  std::vector<typename Model::Stats> sums;
  for (std::size_t m = 0; m < particles_.size(); ++m) {
    if (m == 0 || particles_[m].history != particles_[m - 1].history)
      start.emplace(chain_of(m, law));
    Metropolis<Model> chain = *start;
    chain.draw_from(Stream(settings_.seed, first_stream_ + m, Purpose::PARTICLE_MOVES));
    for (std::uint32_t i = 0; i < settings_.moves.n_moves; ++i) {
      if (i % MOVES_BETWEEN_LOOKS == 0) check_stop(stop);
      chain.step(settings_.max_leaves);
    }
    island.tree_of_particle.push_back(moved.add(copy_tree(chain, sums)));
  }
  const double power = blocks_.model().power();
  for (DrawnTree& drawn : moved.trees()) {
    for (const float gain : drawn.importance) island.importances.push_back(power * gain);
    island.leaf_variance.insert(island.leaf_variance.end(), drawn.leaf_variance.begin(),
                                drawn.leaf_variance.end());
    island.trees.push_back(std::move(drawn.tree));
  }
}

std::vector<std::uint64_t> draw_salts(std::uint64_t seed, std::size_t n_rows) {
  const Stream stream(seed, 0, Purpose::SALTS);
  std::vector<std::uint64_t> salts(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) salts[i] = stream.at(i);
  return salts;
}

// The rules of a tree as bytes: equal for equal trees.
std::string tree_bytes(const Tree& tree) {
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  const std::array parts{bytes(tree.feature), bytes(tree.threshold), bytes(tree.missing_left),
                         bytes(tree.category_words)};
  std::string all;
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  all.reserve(size);
  for (const auto part : parts) all += part;
  return all;
}

}  // namespace

template <CutLeafModel Model>
std::vector<Island> run_islands(const RankedTable& table, const Model& model,
                                const FilterSettings& settings, const Running& run) {
  const auto salts = draw_salts(settings.seed, table.n_rows());
  std::vector<Island> islands(settings.n_islands);
  parallel_for(
      settings.n_islands, run.n_threads,
      [&](std::size_t i, unsigned, const StopFlag& stop) {
        islands[i] =
            Filter<Model>(table, model, salts, settings, static_cast<std::uint32_t>(i)).run(stop);
      },
      run.poll);
  return islands;
}

template std::vector<Island> run_islands<ClassLeaves>(const RankedTable&, const ClassLeaves&,
                                                      const FilterSettings&, const Running&);
template std::vector<Island> run_islands<NumberLeaves>(const RankedTable&, const NumberLeaves&,
                                                       const FilterSettings&, const Running&);

ParticleForest gather(std::vector<Island>& islands, std::size_t n_features) {
  ParticleForest out;
  std::unordered_map<std::string, std::int64_t> known;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    Island& island = islands[i];
    std::vector<std::int64_t> place;
    std::size_t leaf = 0;
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      const auto n_leaves = island.leaf_variance.empty() ? 0 : island.trees[t].n_leaves();
      const auto [at, is_new] = known.try_emplace(tree_bytes(island.trees[t]),
                                                  static_cast<std::int64_t>(out.trees.size()));
      place.push_back(at->second);
      if (is_new) {
        const auto importance =
            island.importances.begin() + static_cast<std::ptrdiff_t>(t * n_features);
        const auto variance = island.leaf_variance.begin() + static_cast<std::ptrdiff_t>(leaf);
        out.importances.insert(out.importances.end(), importance,
                               importance + static_cast<std::ptrdiff_t>(n_features));
        out.leaf_variance.insert(out.leaf_variance.end(), variance,
                                 variance + static_cast<std::ptrdiff_t>(n_leaves));
        out.trees.push_back(std::move(island.trees[t]));
      }
      leaf += n_leaves;
    }
    for (std::size_t m = 0; m < island.weights.size(); ++m) {
      out.island.push_back(static_cast<std::int32_t>(i));
      out.tree.push_back(place[island.tree_of_particle[m]]);
      out.weight.push_back(island.weights[m]);
    }
    island.trees.clear();
  }
  return out;
}

}  // namespace bayeswood
