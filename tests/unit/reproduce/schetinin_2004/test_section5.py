"""Section 5.1: what is told of the chains and trees is what they did."""

import numpy as np
import pytest

from bayeswood.reproduce import Plan
from bayeswood.reproduce.paper import Found
from bayeswood.reproduce.schetinin_2004 import PAPER
from bayeswood.reproduce.schetinin_2004.claims import find_claims
from bayeswood.reproduce.schetinin_2004.figures import incorrect_at_equal_doubt, two_gaussians
from bayeswood.reproduce.schetinin_2004.invalid_sampler import invalid_trees
from bayeswood.reproduce.schetinin_2004.measure import (
    N_TREES,
    _path,
    bayesian_trees,
    boundary,
    pruned_trees,
    randomised_trees,
)
from bayeswood.reproduce.schetinin_2004.printed import PATHS, SECTION_511, SECTION_512

pytestmark = pytest.mark.filterwarnings("ignore::bayeswood.posterior.MonteCarloWarning")


@pytest.fixture(scope="module")
def valid():
    return bayesian_trees(0, 0, 3)


@pytest.fixture(scope="module")
def randomised():
    return randomised_trees(0, 0)


@pytest.fixture(scope="module")
def world(valid, randomised):
    """The same draw five times over."""
    values = {"five/boundary": boundary(0, 2)}
    invalid = invalid_trees(0, 0, 2)
    for repeat in range(5):
        values |= {
            f"five/bayesian/{repeat}": valid, f"five/invalid/{repeat}": invalid,
            f"five/randomised/{repeat}": randomised, f"five/bayes/{repeat}": 8.0,
            **{f"pruned/{p_min}/{repeat}": pruned_trees(0, 0, p_min) for p_min in (5, 25)},
        }  # fmt: skip
    return values


def test_the_paths_count_features_from_1():
    assert _path(("x1", "x0", "x0")) == "211"
    assert set("".join(PATHS)) == {"1", "2"}


def test_the_numbers_of_the_chains(valid):
    assert {key for key, *_ in SECTION_511} <= set(valid)
    assert valid["correct"] + valid["uncertain"] + valid["incorrect"] == pytest.approx(100)
    counts = np.array(valid["size counts"])
    sizes = np.arange(len(counts))
    assert counts.sum() == 3 * 2000
    mean = counts @ sizes / counts.sum()
    assert valid["size"] == pytest.approx(mean)
    assert valid["size variance"] == pytest.approx(counts @ (sizes - mean) ** 2 / counts.sum())
    assert [valid["smallest"], valid["largest"]] == np.flatnonzero(counts)[[0, -1]].tolist()
    assert np.shape(valid["trace"]["n_splits"]) == (3, 400)


def test_the_likeliest_trees(valid):
    masses = [mass for _, mass in valid["top"]]
    assert masses == sorted(masses, reverse=True)
    assert len(masses) == 20
    assert sum(valid["distinct masses"]) == pytest.approx(1)
    assert max(valid["distinct masses"]) == masses[0]


def test_the_numbers_of_randomised_trees(randomised):
    assert {key for key, *_ in SECTION_512} <= set(randomised)
    assert len(randomised["sizes"]) == len(randomised["ensemble"]) == N_TREES
    assert randomised["size"] == pytest.approx(np.mean(randomised["sizes"]))
    assert randomised["ensemble"][0] == randomised["single"][0]
    assert 25 < randomised["size"] < 45  # the paper prints 32.9


PARTS = [part for part in PAPER.parts if part.key.startswith(("figure", "section", "table-1"))]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.key)
def test_every_part_finds_what_it_is_for(part, world):
    found = part.find(Found(world), Plan(quick=True))
    if part.key.startswith("figure"):
        assert all(picture.png.startswith(b"\x89PNG") for picture in found.pictures)
        assert found.pictures
    else:
        assert {cell.verdict for cell in found.cells} <= {"agrees", "differs"}
        assert len(found.cells) == {
            "section-4": 2, "section-5.1": 1, "section-5.1.1": 11, "section-5.1.2": 6,
            "table-1": 40,
        }[part.key]  # fmt: skip


def changed(world, unit, **numbers):
    return Found({
        name: {**value, **numbers} if name.startswith(unit) else value
        for name, value in world.items()
    })  # fmt: skip


@pytest.mark.parametrize(("start", "unit", "numbers"), [
    ("Once a tree has grown", "five/bayesian",
     {"acceptance by move": {"change_split": 0.01, "change_rule": 0.02}}),
    ("Averaging over restarts", "five/bayesian", {"chain accuracy": 50.0}),
    ("Up to 10 %", "pruned/25", {"accuracy": 90.0, "size": 2.0}),
    ("The log likelihood fluctuates", "five/bayesian", {"R-hat": 1.01}),
    ("The diversity is very large", "five/bayesian", {"distinct": 8001}),
    ("The posterior weight", "five/bayesian",
     {"distinct sizes": [1, 2], "distinct masses": [0.8, 0.2]}),
    ("In some regions", "five/bayesian", {"accuracy": 91.0}),
    ("The ensemble stabilises", "five/randomised", {"ensemble": [80.0] * 50 + [90.0] * 150}),
    ("From 130 trees on", "five/randomised", {"single": [60.0] * 200}),
    ("Both techniques", "five/bayesian", {"accuracy": 90.5}),
    ("Bayesian trees have a third", "five/bayesian", {"size": 5.0}),
])  # fmt: skip
def test_claims_can_hold_and_fail(world, start, unit, numbers):
    world = {**world}
    for repeat in range(5):
        world[f"pruned/5/{repeat}"] = {"accuracy": 90.0, "size": 20.0}
        world[f"five/randomised/{repeat}"] = {
            **world[f"five/randomised/{repeat}"], "accuracy": 90.0, "size": 30.0,
        }  # fmt: skip
    contrary = {
        "acceptance by move": {"change_split": 0.5, "change_rule": 0.5}, "chain accuracy": 99.0,
        "R-hat": 2.0, "distinct": 100, "accuracy": 99.0, "size": 29.0,
        "ensemble": [80.0] * 150 + [90.0] * 50, "single": [99.0] * 200,
        "distinct sizes": [1, 2], "distinct masses": [0.2, 0.8],
    }  # fmt: skip
    for given, holds in ((numbers, True), ({key: contrary[key] for key in numbers}, False)):
        claims = find_claims(changed(world, unit, **given), Plan()).claims
        (claim,) = [claim for claim in claims if claim.text.startswith(start)]
        assert claim.holds is holds


def test_steadier_rates(world):
    world = {**world}
    for repeat in range(5):
        rates = dict.fromkeys(("correct", "uncertain", "incorrect"), float(repeat))
        name = f"five/randomised/{repeat}"
        world[name] = {**world[name], **rates}
    claims = find_claims(Found(world), Plan()).claims
    assert claims[-1].text.startswith("The rates of Bayesian trees vary")
    assert claims[-1].holds


def test_the_bayes_rule_errs_least_at_equal_doubt():
    told = two_gaussians(0.75**0.5)
    assert told["correct"] + told["uncertain"] + told["incorrect"] == pytest.approx(100)
    assert incorrect_at_equal_doubt(0.0) == pytest.approx(told["incorrect"], rel=0.01)
    assert incorrect_at_equal_doubt(0.5) > told["incorrect"] < incorrect_at_equal_doubt(-0.5)
