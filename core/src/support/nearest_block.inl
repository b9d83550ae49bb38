// Rows side by side, for whatever `Lanes` are. A row that is nearer than those found so far comes
// at random; a branch on it is mispredicted, and costs more than all else. So there is none: lists
// of K rows are kept in order by choosing, lane by lane.

static Lanes squared_difference(Lanes x, double r, bool is_category, Lanes apart) {
  const Lanes none = Lanes::all(0.0);
  const Lanes other = Lanes::all(r);
  if (r != r) return where_equal(x, x, apart, none);
  if (is_category) return where_equal(x, other, none, apart);
  const Lanes difference = x - other;
  return where_equal(x, x, difference * difference, apart);
}

static void square_differences(const NearestBlock& block, std::size_t j, std::size_t begin,
                               std::size_t n) {
  const SampleColumns& sample = *block.sample;
  const double* values = sample.values.data() + j * sample.n_rows + begin;
  const Lanes x = Lanes::load(block.rows + j * ROW_LANES);
  const Lanes apart = Lanes::all(sample.mismatch * sample.mismatch);
  const bool is_category = sample.is_category.data()[j] != 0;
  double* out = block.squares + j * TILE_SIZE;
  for (std::size_t i = 0; i < n; ++i)
    squared_difference(x, values[i], is_category, apart).store(out + i * ROW_LANES);
}

// The first two terms, which are all that most views have, at once.
static std::size_t begin_sums(const NearestBlock& block, std::size_t first, std::size_t last,
                              std::size_t n) {
  const Lanes zero = Lanes::all(0.0);
  const ViewTerm* terms = block.terms + first;
  const std::size_t n_terms = last - first < 2 ? last - first : 2;
  const double* one = block.squares + (n_terms > 0 ? terms[0].column * TILE_SIZE : 0);
  const double* two = block.squares + (n_terms > 1 ? terms[1].column * TILE_SIZE : 0);
  const Lanes weight_one = n_terms > 0 ? Lanes::all(terms[0].weight) : zero;
  const Lanes weight_two = n_terms > 1 ? Lanes::all(terms[1].weight) : zero;
  for (std::size_t i = 0; i < n * ROW_LANES; i += ROW_LANES) {
    Lanes sum = n_terms > 0 ? weight_one * Lanes::load(one + i) : zero;
    if (n_terms > 1) sum = sum + weight_two * Lanes::load(two + i);
    sum.store(block.sums + i);
  }
  return first + n_terms;
}

static void add_up(const NearestBlock& block, std::size_t first, std::size_t last, std::size_t n) {
  for (std::size_t t = begin_sums(block, first, last, n); t < last; ++t) {
    const double* squares = block.squares + block.terms[t].column * TILE_SIZE;
    const Lanes weight = Lanes::all(block.terms[t].weight);
    for (std::size_t i = 0; i < n * ROW_LANES; i += ROW_LANES)
      (Lanes::load(block.sums + i) + weight * Lanes::load(squares + i)).store(block.sums + i);
  }
}

static void leave_out(const NearestBlock& block, std::size_t begin, std::size_t n) {
  if (block.own_row >= begin + n || block.own_row + ROW_LANES <= begin) return;
  for (std::size_t lane = 0; lane < ROW_LANES; ++lane) {
    const std::size_t row = block.own_row + lane;
    if (row >= begin && row < begin + n) block.sums[(row - begin) * ROW_LANES + lane] = FAR_AWAY;
  }
}

template <std::size_t K>
static void keep_nearest(const NearestBlock& block, double* nearest, std::size_t n) {
  Lanes kept[K];
  for (std::size_t r = 0; r < K; ++r) kept[r] = Lanes::load(nearest + r * ROW_LANES);
  for (std::size_t i = 0; i < n; ++i) {
    Lanes found = Lanes::load(block.sums + i * ROW_LANES);
    for (std::size_t r = 0; r < K; ++r) {
      const Lanes old = kept[r];
      kept[r] = smaller(found, old);
      found = larger(old, found);
    }
  }
  for (std::size_t r = 0; r < K; ++r) kept[r].store(nearest + r * ROW_LANES);
}

// The same with the rows' numbers. Of equals the first stays before the others.
template <std::size_t K>
static void keep_numbered(const NearestBlock& block, double* nearest, double* numbers,
                          std::size_t begin, std::size_t n) {
  Lanes kept[K], number[K];
  for (std::size_t r = 0; r < K; ++r) {
    kept[r] = Lanes::load(nearest + r * ROW_LANES);
    number[r] = Lanes::load(numbers + r * ROW_LANES);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Lanes found = Lanes::load(block.sums + i * ROW_LANES);
    if (!any_less(found, kept[K - 1])) continue;
    const Lanes at = Lanes::all(static_cast<double>(begin + i));
    for (std::size_t r = K; r-- > 0;) {
      const Lanes before = r > 0 ? kept[r - 1] : found;
      const Lanes before_at = r > 0 ? number[r - 1] : at;
      const Lanes here = where_less(found, before, before, found);
      const Lanes here_at = where_less(found, before, before_at, at);
      number[r] = where_less(found, kept[r], here_at, number[r]);
      kept[r] = where_less(found, kept[r], here, kept[r]);
    }
  }
  for (std::size_t r = 0; r < K; ++r) {
    kept[r].store(nearest + r * ROW_LANES);
    number[r].store(numbers + r * ROW_LANES);
  }
}

template <std::size_t K>
static void search_tile(const NearestBlock& block, std::size_t begin, std::size_t n) {
  for (std::size_t j = 0; j < block.sample->is_category.size(); ++j)
    if (block.is_used[j] != 0) square_differences(block, j, begin, n);
  for (std::size_t v = 0; v < block.n_views; ++v) {
    add_up(block, v > 0 ? block.ends[v - 1] : 0, block.ends[v], n);
    leave_out(block, begin, n);
    double* nearest = block.nearest + v * K * ROW_LANES;
    if (v < block.n_numbered)
      keep_numbered<K>(block, nearest, block.numbers + v * K * ROW_LANES, begin, n);
    else
      keep_nearest<K>(block, nearest, n);
  }
}

template <std::size_t K>
static void search(const NearestBlock& block) {
  const std::size_t n_sample = block.sample->n_rows;
  for (std::size_t begin = 0; begin < n_sample; begin += SAMPLE_TILE)
    search_tile<K>(block, begin, n_sample - begin < SAMPLE_TILE ? n_sample - begin : SAMPLE_TILE);
}

static void search_any(const NearestBlock& block) {
  static_assert(MOST_NEIGHBOURS == 3);
  if (block.k == 1) return search<1>(block);
  return block.k == 2 ? search<2>(block) : search<3>(block);
}
