// What output_rows.hpp says, for whatever the including file is compiled for.

inline void add_output_row(std::size_t n, const double* __restrict base, double factor,
                           const double* __restrict row, double* __restrict out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = base[j] + factor * row[j];
}

inline void scale_row_onto(std::size_t n, const double* __restrict base, double factor,
                           double* __restrict row) {
  for (std::size_t j = 0; j < n; ++j) row[j] = base[j] + factor * row[j];
}

inline void mix_output_rows(std::size_t n, double a, const double* __restrict x, double b,
                            const double* __restrict y, double* __restrict out) {
  for (std::size_t j = 0; j < n; ++j) out[j] = a * x[j] + b * y[j];
}

inline void add_row_to_each(const StrengthRows& size, const double* __restrict base,
                            const double* __restrict factor, const double* __restrict row,
                            double* __restrict out) {
  const std::size_t n = size.n_outputs;
  for (std::size_t s = 0; s < size.n_strengths; ++s) {
    const double by = factor[s];
    for (std::size_t j = 0; j < n; ++j) out[s * n + j] = base[s * n + j] + by * row[j];
  }
}

inline void add_rows_apart(const StrengthRows& size, const double* __restrict rows,
                           std::size_t stride, double* __restrict sums) {
  const std::size_t n = size.n_outputs;
  for (std::size_t s = 0; s < size.n_strengths; ++s) {
    for (std::size_t j = 0; j < n; ++j) sums[s * stride + j] += rows[s * n + j];
  }
}

// Leaves and sums are fetched from memory before it is their turn: leaves are met in no order, and
// those of a tree with many classes are more than a cache.
inline void add_full_leaves(const FullLeaves& leaves, double* sums) {
  constexpr std::size_t AHEAD = 8, LINE = 8;
  const std::size_t n = leaves.n_outputs, n_rows = leaves.place.size();
  const double weight = leaves.weight;
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (i + AHEAD < n_rows) {
      const double* next = leaves.value + leaves.number[leaves.node[i + AHEAD]] * n;
      const double* to = sums + leaves.place[i + AHEAD] * n;
      for (std::size_t j = 0; j < n; j += LINE) {
        prefetch(next + j);
        prefetch(to + j);
      }
    }
    const double* __restrict value = leaves.value + leaves.number[leaves.node[i]] * n;
    double* __restrict out = sums + leaves.place[i] * n;
    for (std::size_t j = 0; j < n; ++j) out[j] += weight * value[j];
  }
}

constexpr OutputKernels KERNELS{add_output_row,  scale_row_onto, mix_output_rows,
                                add_row_to_each, add_rows_apart, add_full_leaves};
