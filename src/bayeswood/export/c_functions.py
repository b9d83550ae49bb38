"""The C text that exported files are made of; NAME stands for the name that the user gives."""

HEAD = """\
/* {model} of bayeswood {version}. Needs a C99 compiler and the standard library (-lm).

   void   NAME_predict(const double *row, double *out)
   void   NAME_predict_rows(const double *rows, size_t n_rows, double *out)
   size_t NAME_class(const double *row)                        classifiers only
   double NAME_level(size_t column, const char *level)         where levels are words

   A row has NAME_N_FEATURES numbers in the order of NAME_columns: numbers as they are, categories
   as the number of their level (NAME_level), NAN where missing or a level is unknown. out takes
   NAME_N_OUTPUTS numbers: probabilities in the order of NAME_classes, or mean responses. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
"""

_TREES = """
struct NAME_trees {
  size_t n_outputs;
  const int32_t *feature; /* -1 at leaves */
  const double *threshold;
  const uint8_t *missing_left;
  const uint32_t *child; /* the left one, the right one follows; at leaves the number of the leaf */
  const double *value;
%s};

static const double *NAME_leaf(const struct NAME_trees *trees, uint32_t node, const double *row) {
  while (trees->feature[node] >= 0) {
    const double x = row[trees->feature[node]];
    int left = trees->missing_left[node];
%s    node = trees->child[node] + (left ? 0 : 1);
  }
  return trees->value + (size_t)trees->child[node] * trees->n_outputs;
}
"""

#: By whether there are categories.
LEAF_OF = {
    False: _TREES % ("", "    if (x == x) left = x <= trees->threshold[node];\n"),
    True: _TREES
    % (
        "  const uint64_t *words; /* sets of levels that go left */\n"
        "  const int32_t *first_word;\n",
        """\
    if (trees->first_word[node] >= 0) {
      if (x >= 0 && x < NAME_n_levels[trees->feature[node]]) {
        const uint32_t level = (uint32_t)x;
        const uint64_t word = trees->words[(uint32_t)trees->first_word[node] + level / 64];
        left = (int)(word >> level % 64 & 1);
      }
    } else if (x == x) {
      left = x <= trees->threshold[node];
    }
""",
    ),
}

# In the order in which NumPy adds: by eights, in halves beyond 128.
SUM_OF = """
static double NAME_sum(const double *x, size_t n) {
  double part[8], sum = 0;
  size_t i, j, half;
  if (n < 8) {
    for (i = 0; i < n; ++i) sum += x[i];
    return sum;
  }
  if (n > 128) {
    half = n / 2 - n / 2 % 8;
    return NAME_sum(x, half) + NAME_sum(x + half, n - half);
  }
  for (j = 0; j < 8; ++j) part[j] = x[j];
  for (i = 8; i < n - n % 8; i += 8)
    for (j = 0; j < 8; ++j) part[j] += x[i + j];
  sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

static void NAME_normalise(double *x, size_t n) {
  const double sum = NAME_sum(x, n);
  size_t k;
  for (k = 0; k < n; ++k) x[k] /= sum;
}
"""

OPERATIONS = {
    "softmax": """
static void NAME_softmax(double *x, size_t n) {
  double most = x[0], sum = 0;
  size_t k;
  for (k = 1; k < n; ++k)
    if (x[k] > most) most = x[k];
  for (k = 0; k < n; ++k) sum += x[k] = exp(x[k] - most);
  for (k = 0; k < n; ++k) x[k] /= sum;
}
""",
    "prepend-zero": """
static void NAME_prepend_zero(double *x, size_t n) {
  for (; n > 0; --n) x[n] = x[n - 1];
  x[0] = 0;
}
""",
    "probit-pair": """
static void NAME_probit_pair(double *x) {
  const double z = x[1] * 0.70710678118654752440;
  x[0] = 0.5 * erfc(z);
  x[1] = 0.5 * erfc(-z);
}
""",
    "precision-mean": """
static void NAME_precision_mean(double *x, double mean, double plain, double sharpness,
                                double least, double offset) {
  const double sharp = plain + sharpness * (x[0] - plain);
  const double shift = mean * plain + sharpness * (x[1] - mean * plain);
  x[0] = (sharp > least * plain ? shift / sharp : x[1] / x[0]) + offset;
}
""",
}

LEVEL_OF = """
double NAME_level(size_t column, const char *level) {
  int32_t i;
  if (NAME_levels[column] != NULL)
    for (i = 0; i < NAME_n_levels[column]; ++i)
      if (strcmp(NAME_levels[column][i], level) == 0) return i;
  return NAN;
}
"""

ROWS_OF = """
void NAME_predict_rows(const double *rows, size_t n_rows, double *out) {
  size_t i;
  for (i = 0; i < n_rows; ++i)
    NAME_predict(rows + i * NAME_N_FEATURES, out + i * NAME_N_OUTPUTS);
}
"""

CLASS_OF = """
size_t NAME_class(const double *row) {
  double p[NAME_N_OUTPUTS];
  size_t k, best = 0;
  NAME_predict(row, p);
  for (k = 1; k < NAME_N_OUTPUTS; ++k)
    if (p[k] > p[best]) best = k;
  return best;
}
"""
