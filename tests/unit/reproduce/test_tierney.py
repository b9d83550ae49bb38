"""The lecture's number, and the sentences whose truth is known."""

import numpy as np
import pytest
from scipy import stats

from bayeswood.reproduce import Plan, find_paper, run_paper
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.paper import Found
from bayeswood.reproduce.tierney_lecture.claims import claim_units, find_claims
from bayeswood.reproduce.tierney_lecture.measure import tie_shares, vote_errors
from bayeswood.reproduce.tierney_lecture.parts import find_figure
from bayeswood.theory import majority_vote_error


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    paper = find_paper("tierney-lecture")
    return run_paper(paper, Plan(quick=True), tmp_path_factory.mktemp("work"))


def claim(record_or_finding, start):
    (found,) = [c for c in record_or_finding.claims if c.text.startswith(start)]
    return found


def test_the_printed_number(record):
    (cell,) = record.cells
    assert (cell.printed, cell.verdict, cell.ours) == (0.156, "agrees", 0.15625)


@pytest.mark.parametrize(("start", "holds"), [
    ("Trees that say No, No, Yes", True),
    ("Three trees err less than one", True),
    ("Generally, the more trees the lower the probability of errors: odd", True),
    ("Generally, the more trees the lower the probability of errors: any", False),
    ("Bootstrap samples are i.i.d.", False),
    ("Usually the correlation is so low", False),
    ("Reducing p will reduce the correlation", True),
    ("More trees reduce the variance", True),
    ("Var(mean)", True),
    ("You can avoid ties with an odd number of trees: 2 classes", True),
    ("You can avoid ties with an odd number of trees: 3 classes", False),
])  # fmt: skip
def test_claims_whose_truth_is_known(record, start, holds):
    assert claim(record, start).holds is holds


def independent_world(plan):
    """What the units would give if trees erred independently and had no correlation."""
    rng, values = np.random.default_rng(0), {}
    for unit in claim_units(plan):
        kind = unit.name.split("/")[0]
        if kind == "votes":
            errors = [majority_vote_error(size, 0.25) for size in (1, 3, 11, 51, 101)]
            wrong = rng.binomial(2000, errors) / 2000
            values[unit.name] = {"tree": [0.25] * 5, "vote": wrong.tolist()}
        elif kind == "variance":
            noise = 1 + 0.01 * rng.normal()
            values[unit.name] = {
                "variance": 10 * noise, "correlation": 0.0, "formula": 0.2 * noise,
                "measured": 0.2 * (1 + 0.01 * rng.normal()), "tree bias": rng.normal(),
                "forest bias": rng.normal(),
            }  # fmt: skip
        elif kind == "ties":
            values[unit.name] = dict.fromkeys(("2", "3", "10", "11", "100", "101"), 0.0)
        else:
            values[unit.name] = {
                "unlike": 0.0, "accuracy": 0.5, "larger class": 0.5, "seconds": 1.0,
            }  # fmt: skip
    return Found(values)


def test_claims_can_come_out_otherwise():
    plan = Plan(quick=True)
    found = find_claims(independent_world(plan), plan)
    for start, holds in (
        ("Bootstrap samples are i.i.d.", True),
        ("Usually the correlation is so low", True),
        ("Reducing p will reduce", False),
        ("You can avoid ties with an odd number of trees: 3 classes", True),
        ("Trees trained on the same data set", True),
        ("It can handle thousands", False),
    ):
        assert claim(found, start).holds is holds


def test_votes_by_hand():
    """The mistakes of B = 1 are those of its tree, and odd votes of two classes never tie."""
    found = vote_errors("sqrt", 5)
    assert found["tree"][0] == found["vote"][0]
    assert found["vote"][-1] < found["tree"][-1]
    shares = tie_shares(1, 2)
    assert shares["3"] == shares["101"] == 0
    assert shares["2"] > 0.1


def test_the_model_is_the_binomial_tail():
    sizes = np.arange(1, 102)
    tail = stats.binom.sf(np.ceil(sizes / 2) - 1, sizes, 0.4)
    np.testing.assert_allclose(majority_vote_error(sizes, 0.4), tail, rtol=1e-11)


def test_the_figure_hides_no_curve(monkeypatch):
    """The legend lies above the axes."""
    seen = []
    monkeypatch.setattr(
        "bayeswood.reproduce.tierney_lecture.parts.picture_of",
        lambda figure, *words: seen.append(figure) or Finding(),
    )
    find_figure(Found({}), Plan())
    (figure,) = seen
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1
    assert len(ax.get_legend().get_texts()) == len(ax.lines) == 5
    assert all(text.get_text() for text in ax.get_yticklabels())
