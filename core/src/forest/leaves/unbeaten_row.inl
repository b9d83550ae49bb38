// The tournament of one new row, for whatever `count_bits` is compiled to.

struct Leaders {
  std::int32_t first = 0;   // most votes
  std::int32_t second = 0;  // most votes of the other classes
  std::size_t best = SIZE_MAX;
};

// Votes among the trees that left one old row out.
static inline Leaders count_votes(const UnbeatenTask& task, std::size_t old_row) {
  const std::uint64_t* mask = task.trees + old_row * task.n_words;
  Leaders leaders;
  for (std::size_t d = 0; d < task.n_voted; ++d) {
    const std::uint64_t* voters = task.voters + d * task.n_words;
    std::int32_t votes = 0;
    for (std::size_t w = 0; w < task.n_words; ++w) votes += count_bits(mask[w] & voters[w]);
    task.counts[d] = votes;
    if (votes > leaders.first) {
      leaders.second = leaders.first;
      leaders.first = votes;
      leaders.best = d;
    } else if (votes > leaders.second) {
      leaders.second = votes;
    }
  }
  return leaders;
}

static void run_by_class(const UnbeatenTask& task) {
  for (std::size_t i = 0; i < task.n_old; ++i) {
    const std::int32_t place = task.place[task.label[i]];
    const std::size_t at = place < 0 ? task.n_voted : static_cast<std::size_t>(place);
    double& sum = task.out[task.label[i]];
    if (i >= task.end[at] || sum > task.enough[task.label[i]]) continue;
    const Leaders leaders = count_votes(task, i);
    const std::int32_t votes = place < 0 ? 0 : task.counts[place];
    const bool leads = place >= 0 && at == leaders.best;
    const std::int32_t rival = leads ? leaders.second : leaders.first;
    if (votes - rival >= task.margin[i]) sum += task.weight[i];
  }
}

// Whether some class still asks for old rows from this one on. Sums: of the classes that have
// votes, then of one without.
static bool is_asked(const UnbeatenTask& task, std::size_t old_row) {
  for (std::size_t d = 0; d <= task.n_voted; ++d)
    if (old_row < task.end[d] && !(task.sums[d] > task.enough_of[d])) return true;
  return false;
}

static void run_all(const UnbeatenTask& task) {
  constexpr std::size_t UNASKED = 16;  // old rows between two questions
  double& unvoted = task.sums[task.n_voted];
  for (std::size_t i = 0; i < task.n_old; ++i) {
    if (i % UNASKED == 0 && !is_asked(task, i)) break;
    const Leaders leaders = count_votes(task, i);
    const double weight = task.weight[i];
    const std::int32_t least = task.margin[i];
    for (std::size_t d = 0; d < task.n_voted; ++d) {
      const std::int32_t rival = d == leaders.best ? leaders.second : leaders.first;
      task.sums[d] += task.counts[d] - rival >= least ? weight : 0;
    }
    unvoted += -leaders.first >= least ? weight : 0;
  }
  for (std::size_t c = 0; c < task.n_classes; ++c) {
    task.out[c] = task.sums[task.place[c] < 0 ? task.n_voted : task.place[c]];
  }
}
