"""Chains without data give back the prior, and each move by itself is in balance.

Under Chipman's prior every chain starts from a draw of it and must still be one after any number of
steps; chains are independent, so that tests of goodness of fit apply as they are. Every threshold
has a false-alarm rate of 1e-6, and every test has a negative control: a wrong ratio.
"""

import numpy as np
import pytest
import tree_posterior_twin as twin
from scipy import stats

from bayeswood import _core

ALARM = 1e-6
MOVES = ("birth", "death", "change_split", "change_rule", "swap", "shift_rule")
PRIORS = ("chipman", "denison", "denison-node")
SETS = {
    "schetinin": [0.1, 0.1, 0.1, 0.7, 0.0, 0.0],
    "chipman": [0.25, 0.25, 0.25, 0.0, 0.25, 0.0],
    "shifts": [0.2, 0.2, 0.1, 0.0, 0.0, 0.5],
    "all": [0.2, 0.2, 0.2, 0.2, 0.2, 0.2],
}
X = np.array([[0.0, 5, 0], [1, 2, 1], [2.5, 2, 2], [4, 0, 0], [6, 1, 1], [9, 3, 2]])
N_LEVELS = np.array([0, 0, 3], np.int32)


def sample(prior, moves, *, wrong=(), **options):
    """Chains; the ratios of the `wrong` moves are off by a factor of e."""
    settings = {
        "alpha_split": 0.9,
        "beta_split": 0.7,
        "seed": 17,
        "n_chains": 4000,
        "n_burn_in": 150,
        "n_draws": 1,
        **options,
    }
    table = settings.pop("X", X)
    y = settings.pop("y", np.zeros(len(table), np.int32))
    n_levels = settings.pop("n_levels", N_LEVELS)
    power = settings.pop("power", 0.0)
    return _core.sample_tree_chains(
        table,
        n_levels,
        _core.class_leaves(y, None, alpha=np.full(2, 0.5), power=power),
        prior=prior,
        move_probabilities=np.array(SETS[moves]),
        log_ratio_error=np.isin(MOVES, wrong).astype(float),
        **settings,
    )


def problem(prior):
    return twin.Problem(
        X, lambda rows: 0.0, tuple(N_LEVELS), prior, alpha_split=0.9, beta_split=0.7, power=0.0
    )


def last_trees(found):
    return np.array([chain["draw"][-1] for chain in found["chains"]])


def leaves_pvalue(found, exact):
    n_leaves = found["forest"].n_leaves[last_trees(found)]
    count = np.bincount(n_leaves, minlength=max(exact) + 1)[1:]
    expected = np.array([exact[k + 1] for k in range(len(count))]) * count.sum()
    # Cells of few draws are put together.
    few = expected < 10
    observed = np.append(count[~few], count[few].sum())
    expected = np.append(expected[~few], expected[few].sum())
    keep = expected > 0
    return stats.chisquare(observed[keep], expected[keep]).pvalue


@pytest.mark.parametrize("moves", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_without_data_the_leaves_are_the_prior_s(prior, moves):
    found = sample(prior, moves)
    assert leaves_pvalue(found, twin.leaf_posterior(problem(prior))) > ALARM


@pytest.mark.parametrize(
    ("prior", "error"),
    [("chipman", "birth"), ("chipman", "death"), ("denison", "birth"), ("denison-node", "birth")],
)
def test_a_wrong_ratio_of_births_or_deaths_is_noticed(prior, error):
    found = sample(prior, "all", wrong=error)
    assert leaves_pvalue(found, twin.leaf_posterior(problem(prior))) < ALARM


@pytest.mark.parametrize("moves", SETS)
def test_without_data_the_root_is_the_prior_s(moves):
    assert root_pvalue(sample("chipman", moves)) > ALARM


def test_a_wrong_root_is_noticed():
    """Negative control: the roots of trees with three leaves or more are no prior draw."""
    found = sample("chipman", "all")
    assert root_pvalue(found, least_leaves=3) < ALARM


def root_pvalue(found, least_leaves=1):
    exact = twin.root_posterior(problem("chipman"))
    trees = found["forest"]
    chosen = [t for t in last_trees(found) if trees.n_leaves[t] >= least_leaves]
    feature = np.array([trees.tree(t)["feature"][0] for t in chosen])
    count = np.bincount(feature + 1, minlength=4)
    expected = np.array([exact[j] for j in range(-1, 3)]) * len(chosen)
    return stats.chisquare(count, expected).pvalue


@pytest.mark.parametrize("moves", SETS)
def test_cuts_are_uniform_over_the_extent_of_their_node(moves):
    """At every split by the first feature, on the user's scale, however deep it lies."""
    assert cut_pvalue(sample("chipman", moves)) > ALARM


def cut_pvalue(found):
    places = []
    for number in last_trees(found):
        tree = found["forest"].tree(number)
        stack = [(0, X)]
        while stack:
            node, rows = stack.pop()
            j = int(tree["feature"][node])
            if j < 0:
                continue
            left = np.array([twin.goes_left(tree, node, row[j], N_LEVELS) for row in rows])
            if j == 0:
                low, high = rows[:, 0].min(), rows[:, 0].max()
                places.append((tree["threshold"][node] - low) / (high - low))
            stack += [(int(tree["left"][node]), rows[left])]
            stack += [(int(tree["right"][node]), rows[~left])]
    return stats.kstest(places, "uniform").pvalue


# --- move by move ---------------------------------------------------------------------------------

FEW = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1], [4, 1]])
FEW_CLASSES = np.array([0, 1, 1, 0, 0], np.int32)
# A birth is undone by a death, all other moves by themselves.
REVERSE = np.array([1, 0, 2, 3, 4, 5])


def imbalance(prior, wrong=(), n_draws=60_000):
    """By move, |z| of p_i P_ij = p_j P_ji for all pairs of states, with data.

    States are trees, under Chipman's prior classes of trees that differ within gaps alone. p: exact
    posterior up to a constant. P_ij: share of the visits to i from which the move led to j. Visits
    given, the numbers of such steps are independent and binomial (but for swaps under Chipman's
    prior, which depend on where in its gap a threshold lies: there they are nearly so).
    """
    found = sample(
        prior,
        "all",
        wrong=wrong,
        X=FEW,
        y=FEW_CLASSES,
        n_levels=np.zeros(2, np.int32),
        power=1.0,
        n_chains=8,
        n_burn_in=200,
        n_draws=n_draws,
    )
    is_discrete = prior != "chipman"
    key = np.arange(found["forest"].n_trees) if is_discrete else found["mass_key"]
    _, first, state = np.unique(key, return_index=True, return_inverse=True)
    mass = np.exp((found["log_posterior"] if is_discrete else found["log_mass"])[first])
    draws = state[np.stack([chain["draw"] for chain in found["chains"]])]
    moves = np.stack([chain["move"] for chain in found["chains"]])[:, 201:].astype(np.int64)
    return flow_differences(draws, moves, mass)


def flow_differences(draws, moves, mass):
    n = len(mass)
    visits = np.maximum(np.bincount(draws[:, :-1].ravel(), minlength=n), 1)[:, None]
    steps = np.zeros((6, n, n))
    np.add.at(steps, (moves, draws[:, :-1], draws[:, 1:]), 1)
    share = steps / visits
    flow = mass[:, None] * share
    variance = mass[:, None] ** 2 * share * (1 - share) / visits
    often = (steps >= 50) & ~np.eye(n, dtype=bool)
    often &= often[REVERSE].transpose(0, 2, 1)
    back = flow[REVERSE].transpose(0, 2, 1)
    deviation = np.sqrt(np.where(often, variance + variance[REVERSE].transpose(0, 2, 1), 1.0))
    return [np.abs((flow - back) / deviation)[m][often[m]] for m in range(6)]


@pytest.fixture(scope="module", params=PRIORS)
def balanced(request):
    return imbalance(request.param)


@pytest.mark.parametrize("move", range(6), ids=MOVES)
def test_every_move_is_in_detailed_balance(balanced, move):
    """|z| beyond 6.5 among 1,000 pairs has a chance below 1e-6, binomial tails allowed for."""
    assert len(balanced[move]) >= 6
    assert balanced[move].max() < 6.5


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    ("wrong", "n_draws"), [(MOVES[:1], 15_000), (MOVES[1:2], 15_000), (MOVES[2:], 60_000)], ids=str
)
def test_wrong_ratios_break_detailed_balance(prior, wrong, n_draws):
    """Each ratio in turn, but those of moves that undo themselves at once: a move's flows know of
    its own ratio alone. A birth's are a death's too. Two of them wrong would hide each other."""
    found = imbalance(prior, wrong, n_draws)
    births_and_deaths = MOVES[:2]
    seen = births_and_deaths if wrong[0] in births_and_deaths else wrong
    for move, apart in zip(MOVES, found, strict=True):
        assert (apart.max() > 6.5) == (move in seen), move
