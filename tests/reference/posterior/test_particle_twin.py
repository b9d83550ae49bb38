"""The native particle filter beside its slow twin, and beside sums over all trees."""

import numpy as np
import pytest
from particle_truth import CASES
from particle_twin import (
    ClassModel,
    NumberModel,
    evidence_by_leaves,
    prior_filter,
    split_table,
)

from bayeswood import _core

NAN = float("nan")


def class_leaves(model):
    copies = None if model.copies is None else np.array(model.copies, np.int32)
    y = np.array(model.y, np.int32)
    return _core.class_leaves(y, copies, alpha=np.array(model.alphas), power=model.power)


def number_leaves(model, unit):
    copies = None if model.copies is None else np.array(model.copies, np.int32)
    units = np.rint(np.array(model.y) / unit).astype(np.int32)
    return _core.number_leaves(
        units,
        copies,
        unit=unit,
        strength=model.strength,
        shape=model.shape,
        scale=model.scale,
        power=model.power,
    )


def mixed_table(rng, n_rows, missing):
    """A continuous, a tied and a categorical column."""
    X = np.column_stack([
        rng.normal(size=n_rows), rng.integers(0, 4, n_rows), rng.integers(0, 5, n_rows),
    ]).astype(float)  # fmt: skip
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, np.array([0, 0, 5], np.int32)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("kind", ["classes", "counted classes", "numbers"])
@pytest.mark.parametrize("n_rows", [12, 90])  # sorted rows; histograms of the tied column
@pytest.mark.parametrize(("empirical", "least"), [(False, 1), (True, 1), (False, 4)])
def test_tables_of_splits(rng, missing, kind, n_rows, empirical, least):
    X, levels = mixed_table(rng, n_rows, missing)
    copies = tuple(rng.integers(1, 4, n_rows).tolist()) if kind != "classes" else None
    if kind == "numbers":
        y = tuple((rng.integers(-900, 900, n_rows) / 1024).tolist())
        model = NumberModel(y, 0.3, 2.0, 0.4, copies, 0.7)
        native = number_leaves(model, 2.0**-10)
    else:
        model = ClassModel(tuple(rng.integers(0, 3, n_rows).tolist()), 3, 5.0, copies, 0.7)
        native = class_leaves(model)
    rows = np.sort(rng.permutation(n_rows)[: n_rows - 2])
    expected = split_table(
        X.tolist(),
        levels,
        model,
        tuple(rows.tolist()),
        empirical=empirical,
        min_samples_leaf=least,
    )
    tau = 0.8
    found = _core.list_splits(
        X, levels, native, rows, tau=tau, empirical=empirical, min_samples_leaf=least
    )
    assert [feature for feature, *_ in found] == list(expected)
    for feature, entries, rest, mass, log_scale in found:
        wanted = {}
        for split, log_ratio in expected[feature]:
            low = split.low
            if levels[feature]:
                low = sum(1 << int(level) for level in low)
            wanted[low, split.high, split.missing_left] = split.base, log_ratio
        assert rest == 0
        assert {entry[:3] for entry in entries} == set(wanted)
        for low, high, missing_left, base, log_ratio in entries:
            assert (base, log_ratio) == pytest.approx(wanted[low, high, missing_left], rel=1e-9)
        total = sum(base * np.exp(tau * r - log_scale) for base, r in wanted.values())
        assert mass == pytest.approx(total, rel=1e-9)


def test_the_truth_of_the_twin():
    """The recursion gives the evidence and the leaves that were enumerated elsewhere."""
    for case in CASES.values():
        model = ClassModel(tuple(case["y"]), case["n_classes"], case["alpha"])
        levels = [0] * len(case["X"][0])
        prior = case["alpha_split"], case["beta_split"]
        sums = evidence_by_leaves(case["X"], levels, model, *prior)
        assert sums.sum() == pytest.approx(case["evidence"], rel=1e-12)
        for k, share in case["leaves"].items():
            assert sums[k] / sums.sum() == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("layer", [False, True])
@pytest.mark.parametrize("resampling", ["multinomial", "systematic"])
@pytest.mark.parametrize("kind", ["classes", "uneven classes", "numbers"])
def test_the_filter_on_the_same_random_numbers(rng, layer, resampling, kind):
    X = rng.normal(size=(25, 3))
    X[:, 1] = np.rint(2 * X[:, 1])
    X[rng.uniform(size=25) < 0.2, 2] = np.nan
    if kind == "numbers":
        model = NumberModel(tuple((rng.integers(-900, 900, 25) / 1024).tolist()), 0.3, 2.0, 0.4)
        native = number_leaves(model, 2.0**-10)
    else:
        alpha = (0.4, 1.5) if kind == "uneven classes" else 1.0
        model = ClassModel(tuple(rng.integers(0, 2, 25).tolist()), 2, alpha)
        native = class_leaves(model)
    shared = {"ess_threshold": 0.6, "alpha_split": 0.9, "beta_split": 0.7}
    settings = {**shared, "n_particles": 12, "layer": layer, "resampling": resampling}
    seed = int(rng.integers(2**63))
    found = _core.sample_particles(
        X,
        np.zeros(3, np.int32),
        native,
        seed=seed,
        n_particles=12,
        n_islands=1,
        proposal="prior",
        expansion="layer" if layer else "oldest",
        resampling=resampling,
        **shared,
    )
    log_evidence, trace, particles, weights = prior_filter(X.tolist(), model, settings, seed)
    assert found["island_log_evidence"][0] == pytest.approx(log_evidence, rel=1e-10)
    np.testing.assert_allclose(found["island_ess"][0], trace, rtol=1e-8)
    np.testing.assert_allclose(found["particle_weight"], weights, rtol=1e-8, atol=1e-300)
    for particle, place in zip(particles, found["particle_tree"], strict=True):
        tree = found["forest"].tree(int(place))
        inner = tree["feature"] >= 0
        assert int(inner.sum()) == len(particle.cuts)
        cuts = sorted(particle.cuts)  # node numbers are in breadth-first order
        assert tree["feature"][inner].tolist() == [cut[1] for cut in cuts]
        np.testing.assert_allclose(tree["threshold"][inner], [cut[2] for cut in cuts], rtol=1e-14)
        assert tree["missing_left"][inner].tolist() == [int(cut[3]) for cut in cuts]


@pytest.mark.parametrize("name", CASES)
def test_one_stage_of_the_optimal_proposal_is_exact(name):
    """Every particle's weight is Z of the root, whatever it decides: no variance is left."""
    case = CASES[name]
    native = class_leaves(ClassModel(tuple(case["y"]), case["n_classes"], case["alpha"]))
    X = np.array(case["X"], dtype=float)
    found = _core.sample_particles(
        X,
        np.zeros(X.shape[1], np.int32),
        native,
        seed=1,
        n_particles=7,
        n_islands=2,
        alpha_split=case["alpha_split"],
        beta_split=case["beta_split"],
        proposal="tempered",
        max_stages=1,
    )
    np.testing.assert_allclose(found["island_log_evidence"], case["log_z1"], rtol=1e-12)
    assert all(
        np.allclose(ess, size) for ess, size in zip(found["island_ess"], [4, 3], strict=True)
    )
