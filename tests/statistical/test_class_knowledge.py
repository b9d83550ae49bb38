"""Noise in labels and ignorance, told apart where the truth is known."""

import numpy as np
import pytest

from bayeswood import CalibratedForestClassifier


def logistic(z):
    return 1 / (1 + np.exp(-z))


# Name: probability of the second class, features.
PROBLEMS = {
    "steps": (lambda x: np.select([x[:, 0] < 0.3, x[:, 1] < 0.6], [0.1, 0.7], 0.4), 6),
    "ball": (lambda x: logistic(12 * (0.5 - np.sqrt(((x[:, :4] - 0.5) ** 2).sum(axis=1)))), 10),
    "noise": (lambda x: np.full(len(x), 0.3), 5),
}
SIZES = (500, 4000)
N_FITS = 6


def fits(problem, n_rows):
    """Answers, intervals and splits of fresh samples at the same rows, and the truth there."""
    truth, n_features = PROBLEMS[problem]
    rows = np.random.default_rng(7).uniform(size=(300, n_features))
    found = []
    for seed in range(N_FITS):
        rng = np.random.default_rng(100 + seed)
        X = rng.uniform(size=(n_rows, n_features))
        y = rng.uniform(size=n_rows) < truth(X)
        model = CalibratedForestClassifier(random_state=seed).fit(X, y)
        low, high = model.predict_interval(rows, 0.68)[:, 1].T
        parts = model.uncertainty(rows)
        found.append([model.predict_proba(rows)[:, 1], low, high, parts.total, parts.knowledge])
    return np.moveaxis(np.array(found), 1, 0), truth(rows)


@pytest.fixture(scope="module", params=PROBLEMS)
def answers(request):
    return {n_rows: fits(request.param, n_rows) for n_rows in SIZES}


def test_it_is_the_spread_over_fresh_samples(answers):
    for (proba, low, high, _, _), _ in answers.values():
        said = np.sqrt(np.mean(((high - low) / 2) ** 2))
        true = np.sqrt(np.mean(proba.var(axis=0, ddof=1)))
        # Over 21 problems and sizes that no choice saw .95 to 1.31; six fits know the truth to 5 %.
        assert 0.8 < said / true < 1.6


def test_it_falls_with_rows_and_is_never_none(answers):
    few, many = (answers[n_rows][0][4] for n_rows in SIZES)
    assert (few > 0).all()
    assert (many > 0).all()
    # .15 to .35 over problems.
    assert many.mean() < 0.6 * few.mean()


def test_it_is_the_size_of_the_divergence(answers):
    for (proba, _, _, total, knowledge), p in answers.values():
        divergence = p * np.log(p / proba) + (1 - p) * np.log((1 - p) / (1 - proba))
        # .4 to 1.1 over the same problems: the rest is bias.
        assert 0.3 < knowledge.mean() / divergence.mean() < 3
        assert (
            knowledge.mean() < 0.1 * total.mean()
        )  # .1 to .2 of it for noise, if trees are taken alone
