// What class_rows.hpp says, for whatever the including file is compiled for. N: the number of
// classes, if it is known beforehand.

constexpr std::size_t CLASS_LANES = 4;

inline double fold_max(const double* lanes) {
  const double first = lanes[0] > lanes[1] ? lanes[0] : lanes[1];
  const double second = lanes[2] > lanes[3] ? lanes[2] : lanes[3];
  return first > second ? first : second;
}

inline double score_row(const double* __restrict slope, const double* __restrict offset,
                        const double* __restrict log, double* __restrict share, std::size_t n) {
  double most[CLASS_LANES] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (std::size_t c = 0; c < n; ++c) share[c] = slope[c] * log[c] + offset[c];
  std::size_t c = 0;
  for (; c + CLASS_LANES <= n; c += CLASS_LANES) {
    for (std::size_t l = 0; l < CLASS_LANES; ++l)
      most[l] = share[c + l] > most[l] ? share[c + l] : most[l];
  }
  for (; c < n; ++c) most[0] = share[c] > most[0] ? share[c] : most[0];
  const double top = fold_max(most);
  for (c = 0; c < n; ++c) share[c] -= top;
  return top;
}

inline double row_total(const double* share, std::size_t n) {
  double sum[CLASS_LANES] = {0, 0, 0, 0};
  std::size_t c = 0;
  for (; c + CLASS_LANES <= n; c += CLASS_LANES) {
    for (std::size_t l = 0; l < CLASS_LANES; ++l) sum[l] += share[c + l];
  }
  for (; c < n; ++c) sum[0] += share[c];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline void add_row(double scale, const double* __restrict log, const double* __restrict share,
                    double* __restrict mass, double* __restrict moment, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) {
    const double own = scale * share[c];
    mass[c] += own;
    moment[c] += own * log[c];
  }
}

template <std::size_t N>
void score_all(const ClassRows& rows, double* top) {
  const std::size_t n = N > 0 ? N : rows.n_classes;
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    top[i] = score_row(rows.slope, rows.offset, rows.log + i * n, rows.share + i * n, n);
}

template <std::size_t N>
void sum_all(const ClassRows& rows, double* total) {
  const std::size_t n = N > 0 ? N : rows.n_classes;
  for (std::size_t i = 0; i < rows.n_rows; ++i) total[i] = row_total(rows.share + i * n, n);
}

template <std::size_t N>
void add_all(const ClassRows& rows, const double* scale, double* mass, double* moment) {
  const std::size_t n = N > 0 ? N : rows.n_classes;
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    add_row(scale[i], rows.log + i * n, rows.share + i * n, mass, moment, n);
}

inline void score_each(const ClassRows& rows, double* top) {
  rows.n_classes == 2 ? score_all<2>(rows, top) : score_all<0>(rows, top);
}

inline void sum_each(const ClassRows& rows, double* total) {
  rows.n_classes == 2 ? sum_all<2>(rows, total) : sum_all<0>(rows, total);
}

inline void add_each(const ClassRows& rows, const double* scale, double* mass, double* moment) {
  rows.n_classes == 2 ? add_all<2>(rows, scale, mass, moment)
                      : add_all<0>(rows, scale, mass, moment);
}

inline void subtract_each(std::size_t width, const double* __restrict by, double scale,
                          double* __restrict matrix) {
  for (std::size_t a = 0; a < width; ++a) {
    double* row = matrix + a * width;
    const double own = scale * by[a];
    for (std::size_t b = 0; b <= a; ++b) row[b] -= own * by[b];
  }
}
