"""The NumPy peer of the benchmark draws from the right posterior: exact evidence, predictions."""

import numpy as np
import pytest

from benchmarks.samplers import numpy_smc, smc_trees
from benchmarks.samplers.numpy_smc import CutTable, Model, Node, NumpySMC, Particle

# By enumeration of all trees: rows, classes, hyper-parameters, evidence, rows to predict, and
# P(class 0) there.
EXACT = {
    "one feature": (
        [[0.0], [1.0], [3.0], [6.0]], [0, 0, 1, 1], (5.0, 0.95, 0.5), 0.06211307901662099,
        [[-1.0], [0.5], [1.0], [2.0]],
        [0.5919247038771863, 0.5860623676365411, 0.5802000313958957, 0.508132147081824],
    ),
    "exclusive or": (
        [[-5, 5], [5, -5], [-8, -8], [8, 8]], [1, 1, 0, 0], (5.0, 0.95, 0.5), 0.055880169230909646,
        [[-4, 4], [4, -4], [-7, -7], [7, 7]],
        [0.44345364357850287, 0.44345364357850287, 0.5258293400765173, 0.5258293400765173],
    ),
    "ties": (
        [[0, 0], [0, 1], [1, 1], [1, 1], [2, 0], [3, 1]], [0, 0, 1, 0, 1, 1], (1.0, 0.8, 1.0),
        0.006971354166666671, [[0, 0], [0.25, 0.5], [1, 1], [1.5, 0.25]],
        [0.6829161997260615, 0.6325457601793051, 0.5104594695554725, 0.42437326194330305],
    ),
}  # fmt: skip
N_RUNS = 60


@pytest.fixture
def runs_share_nodes(monkeypatch):
    """What is computed of the same rows at the same depth is kept, from one run to the next."""
    kept = {}

    def node(model, rows, depth):
        place = rows.tobytes(), depth
        if place not in kept:
            kept[place] = Node(model, rows, depth)
        return kept[place]

    monkeypatch.setattr(numpy_smc, "Node", node)


@pytest.mark.usefixtures("runs_share_nodes")
@pytest.mark.parametrize("proposal", ["prior", "optimal"])
@pytest.mark.parametrize("name", EXACT)
def test_exact_answers(name, proposal):
    X, y, (alpha, alpha_split, beta_split), evidence, rows, expected = EXACT[name]
    X, rows = np.array(X, float), np.array(rows, float)
    runs = [
        NumpySMC(
            100, 2, proposal, seed=1000 * len(name) + run,
            alpha=alpha, alpha_split=alpha_split, beta_split=beta_split,
        ).fit(X, y)
        for run in range(N_RUNS)
    ]  # fmt: skip
    found = np.exp([run.log_evidence_ for run in runs])
    # Four standard errors: outside by chance once in 16,000.
    assert abs(found.mean() - evidence) < 4 * found.std(ddof=1) / np.sqrt(N_RUNS)
    # Weighted by the evidence the runs are one large one.
    predicted = np.average([run.predict_proba(rows)[:, 0] for run in runs], axis=0, weights=found)
    # 6,000 particles: standard deviations of at most .003; outside by chance once in 10^4.
    np.testing.assert_allclose(predicted, expected, atol=0.012)


def test_the_optimal_root_proposal_is_exact():
    X, y, *_ = EXACT["one feature"]
    model = Model(np.array(X), np.array(y), 2)
    node = Node(model, np.arange(4), 0)
    table = CutTable.of(model, node)
    shares = np.diff(table.cumulative, prepend=0.0)
    np.testing.assert_allclose(shares[:2], [0.03663216653099196, 0.13257355506454238])
    assert table.log_normaliser == pytest.approx(-2.7773453876269856)


@pytest.mark.usefixtures("runs_share_nodes")
def test_a_wrong_weight_is_noticed(monkeypatch):
    """The negative control: weights that see nine tenths of each likelihood ratio."""
    X, y, _, evidence, *_ = EXACT["one feature"]
    honest = Particle.expand
    monkeypatch.setattr(Particle, "expand", lambda *given: 0.9 * honest(*given))
    found = np.exp([
        NumpySMC(100, 2, seed=run).fit(np.array(X), y).log_evidence_ for run in range(N_RUNS)
    ])  # fmt: skip
    assert abs(found.mean() - evidence) > 4 * found.std(ddof=1) / np.sqrt(N_RUNS)


@pytest.mark.filterwarnings("ignore::bayeswood.posterior.IslandsDisagree")
def test_a_quick_run_of_the_benchmark(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["smc_trees", "--quick"])
    smc_trees.main()
    told = capsys.readouterr().out
    for setting in (*smc_trees.SETTINGS, *smc_trees.LARGE):
        assert f"| {setting.name} | bayeswood |" in told
    assert told.count("| NumPy |") == len(smc_trees.SETTINGS)
