// Compiled once for the baseline and once for AVX2: bounds, which need not have the same bits.

namespace bayeswood {
namespace {

// One end of a list, added up towards its middle.
struct ListEnd {
  const ClassScreenTask& t;
  ScreenCell* cells;
  double squares = 0, products = 0, w = 0;

  // `place`: after which the cut lies that the row is the last to be added for.
  void add(std::uint32_t row, std::uint32_t place) {
    static constexpr double NO_CUT[2] = {0, -1e200};
    const double row_w = t.tagged[id_of(t.list[row])];
    ScreenCell& cell = cells[std::bit_cast<std::uint64_t>(row_w) & 0xffff];
    const double before = cell.sum;
    const double after = before + row_w;
    squares += row_w * (before + after);
    products += row_w * cell.total;
    w += row_w;
    cell.sum = after;
    const bool same = code_of(t.list[place]) == code_of(t.list[place + 1]);
    t.end_squares[place] = squares + NO_CUT[same];
    t.end_products[place] = products;
    t.end_w[place] = w;
  }
};

// The first `n_near` cuts from the left, the others from the right.
void add_ends(const ClassScreenTask& t, std::uint32_t n_near) {
  ListEnd left{t, t.left};
  ListEnd right{t, t.right};
  for (std::uint32_t k = 0; k < n_near; ++k) {
    left.add(k, k);
    right.add(t.n - 1 - k, t.n - 2 - k);
  }
  if (2 * n_near + 1 < t.n) right.add(n_near + 1, n_near);
}

// Adds up the list; returns the bound below which a cut is ruled out.
template <class BoundCuts>
double screen_list(const ClassScreenTask& t, BoundCuts bound_cuts) {
  add_ends(t, (t.n - 1) / 2);
  return std::max(bound_cuts(t) - t.below, t.floor);
}

// The bound of one cut; `reached` becomes what some cut scores at least.
inline void bound_cut(const ClassScreenTask& t, std::uint32_t i, double& reached) {
  const double near_w = t.end_w[i];
  const double far_w = t.w - near_w;
  const double near = t.end_squares[i];
  const double far = t.squares - 2 * t.end_products[i] + near;
  const double unit = 1 / (near_w * far_w);
  const double score = (near * far_w + far * near_w) * unit;
  const double error = std::abs(t.slack * near_w * unit);  // rounding may leave far_w below 0
  t.bound[i] = score + error;
  reached = score - error > reached ? score - error : reached;
}

}  // namespace
}  // namespace bayeswood
