"""What bags of trees say of ignorance, against the same by hand."""

import numpy as np
import pytest
from scipy.special import entr

from bayeswood import BayeswoodError, CalibratedForestClassifier, load
from bayeswood.forest import RowWeights
from bayeswood.methods.calibrated_forest.calibrated_average import CalibratedAverage
from bayeswood.methods.calibrated_forest.class_bags import BagSpread, trees_per_bag
from bayeswood.uncertainty.reach import student_reach

N_ROWS = 300


def table(rng, n_rows=N_ROWS, n_classes=3):
    X = rng.normal(size=(n_rows, 4))
    scores = np.column_stack([2 * X[:, 0], X[:, 1], -X[:, 0]])[:, :n_classes]
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


@pytest.fixture(scope="module", params=[2, 3])
def model(request):
    X, y = table(np.random.default_rng(2), n_classes=request.param)
    return CalibratedForestClassifier(120, additive_members=0, random_state=0).fit(X, y), X


def by_hand(model, X):
    """Deviations of the bags' calibrated averages, scaled; and the weights of bags."""
    size, weights = model.trees_per_bag_, model.member_weights_
    bags = np.array_split(np.arange(len(weights)), range(size, len(weights), size))
    draws = model.forest_.draws(X)
    means = np.stack([np.average(draws[bag], axis=0, weights=weights[bag]) for bag in bags])
    of_bag = np.array([weights[bag].sum() for bag in bags])
    found = model.predictive_.calibration.apply(means)
    found = found - np.tensordot(of_bag, found, axes=1)
    return model.knowledge_factor_ * found / np.sqrt(1 - np.sum(of_bag**2)), of_bag


@pytest.mark.parametrize("n_trees", [1, 2, 5, 30, 77])
def test_trees_of_a_bag_left_the_same_rows_out(n_trees, rng):
    X, y = table(rng)
    model = CalibratedForestClassifier(n_trees, random_state=0, leaf_shrinkage=0).fit(X, y)
    size = trees_per_bag(n_trees)
    assert model.trees_per_bag_ == size
    law = RowWeights("exponential", model.seed_, model.weight_threshold_, trees_per_draw=size)
    for t, tree in enumerate(model.forest_.trees):
        assert tree.n_samples[0] == np.sum(law.draw(t // size * size, N_ROWS) > 0)
    assert np.isfinite(model.uncertainty(X).knowledge).all()
    assert np.isfinite(model.predict_interval(X)).all()


def test_draws_are_bags_around_the_answer(model):
    model, X = model
    deviations, weights = by_hand(model, X)
    expected = np.clip(model.predict_proba(X) + deviations, 0, 1)
    expected /= expected.sum(axis=2, keepdims=True)
    draws = model.predict_draws(X)
    bag = np.arange(120) // model.trees_per_bag_
    np.testing.assert_allclose(draws, expected[bag], atol=1e-12)
    median = model.predict_quantiles(X, 0.5)
    below = np.einsum("g,gnc->nc", weights, expected <= median + 1e-12)
    above = np.einsum("g,gnc->nc", weights, expected >= median - 1e-12)
    assert (np.minimum(below, above) >= 0.5 - 1e-9).all()


def test_the_interval_adds_what_is_not_known_of_the_offset(model):
    model, X = model
    proba = model.predict_proba(X)
    deviations, weights = by_hand(model, X)
    variance = np.einsum("g,gnc->nc", weights, deviations**2)
    variance += (proba * (1 - proba)) ** 2 * model.offset_variance_
    reach = student_reach(len(weights) - 1, 0.8) * np.sqrt(variance)
    low, high = np.moveaxis(model.predict_interval(X, 0.8), -1, 0)
    np.testing.assert_allclose(low, np.maximum(proba - reach, 0), atol=1e-11)
    np.testing.assert_allclose(high, np.minimum(proba + reach, 1), atol=1e-11)
    # A logit's intercept, known from so many rows.
    rows = 1 / model.offset_variance_
    assert (rows < N_ROWS / 4 + 1e-9).all()
    assert (rows > N_ROWS / 50).all()


def test_entropy_is_split_by_bags(model):
    model, X = model
    split = model.uncertainty(X)
    proba, (_, weights) = model.predict_proba(X), by_hand(model, X)
    members = model.predict_draws(X)[:: model.trees_per_bag_]
    between = entr(proba).sum(axis=1) - weights @ entr(members).sum(axis=2)
    of_offset = np.sum(proba * (1 - proba) ** 2 * model.offset_variance_, axis=1) / 2
    np.testing.assert_allclose(split.knowledge, np.maximum(between, 0) + of_offset, atol=1e-12)
    np.testing.assert_allclose(split.total, entr(proba).sum(axis=1))
    np.testing.assert_allclose(split.data + split.knowledge, split.total)
    assert (split.knowledge > 0).all()


def test_the_factor_is_an_analysis_of_variance(rng):
    """All rows are sampled and all trees are of one kind, so that it can be done by hand."""
    X, y = table(rng)
    options = {"randomized_fraction": 0, "leaf_shrinkage": 0, "additive_members": 0}
    options["random_state"] = 0
    model = CalibratedForestClassifier(100, **options).fit(X, y)
    size = model.trees_per_bag_
    law = RowWeights("exponential", model.seed_, model.weight_threshold_, trees_per_draw=size)
    draws = model.forest_.draws(X).reshape(-1, size, N_ROWS, 3)
    between = within = 0.0
    for i in range(N_ROWS):
        out = [g for g in range(len(draws)) if law.draw(g * size, N_ROWS)[i] == 0]
        if len(out) >= 2:
            own = draws[out, :, i]
            between += own.mean(axis=1).var(axis=0, ddof=1).sum()
            within += own.var(axis=1, ddof=1).mean(axis=0).sum() / size
    assert model.knowledge_factor_ == pytest.approx(np.sqrt(1.5 * (1 - within / between)))


def test_groups_count_as_one_row_each(rng):
    X, y = table(rng)
    model = CalibratedForestClassifier(40, random_state=0)
    alone = model.fit(X, y).offset_variance_
    together = model.fit(X, y, oob_groups=np.arange(N_ROWS) // 10).offset_variance_
    assert (together > 5 * alone).all()
    doubled = model.fit(X, y, sample_weight=np.full(N_ROWS, 2.0)).offset_variance_
    np.testing.assert_allclose(doubled, alone, rtol=1e-6)


def test_bags_do_not_depend_on_blocks_threads_or_files(model, tmp_path, monkeypatch):
    model, X = model
    found = [
        *model.uncertainty(X),
        model.predict_interval(X),
        model.predict_quantiles(X, [0.1, 0.9]),
    ]
    monkeypatch.setattr("bayeswood.uncertainty.intervals.BLOCK_BYTES", 2000)
    model.save(tmp_path / "model.bw")
    again = load(tmp_path / "model.bw").set_params(n_jobs=2)
    other = [
        *again.uncertainty(X),
        again.predict_interval(X),
        again.predict_quantiles(X, [0.1, 0.9]),
    ]
    for one, two in zip(found, other, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-14)


def test_files_from_before_bags_and_damaged_ones(model):
    model, _ = model
    arrays, forest = model.predictive_.arrays(), model.forest_
    old = {name: value for name, value in arrays.items() if not name.startswith("trees_per")}
    assert CalibratedAverage.from_arrays(old, forest).spread.size == 1
    for name, bad in (("trees_per_bag_", np.array(0)), ("knowledge_factor_", np.array(np.inf))):
        with pytest.raises(BayeswoodError):
            CalibratedAverage.from_arrays({**arrays, name: bad}, forest)
    negative = {**arrays, "offset_variance_": -arrays["offset_variance_"]}
    with pytest.raises(BayeswoodError, match="negative"):
        CalibratedAverage.from_arrays(negative, forest)


def test_trees_alone_are_bags_of_one():
    spread = BagSpread.of_trees(3)
    assert (spread.size, spread.factor) == (1, 1.0)
    np.testing.assert_array_equal(spread.offset_variance, np.zeros(3))
