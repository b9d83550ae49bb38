"""From measured numbers to cells, claims and pictures, in worlds where the answer is known."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from particle_worlds import as_claimed, as_denied, world
from scipy import stats

from bayeswood.reproduce import Plan
from bayeswood.reproduce.lakshminarayanan_2013 import PAPER
from bayeswood.reproduce.lakshminarayanan_2013.runs import Setting, p_above, p_apart
from bayeswood.reproduce.lakshminarayanan_2013.tables import find_data, find_prior, prior_sizes
from bayeswood.reproduce.paper import MissingDataError

PLAN = Plan()
PARTS = {part.key: part for part in PAPER.parts if part.find is not None}


@cache
def claims(law):
    found = world(law)
    with patch("bayeswood.reproduce.lakshminarayanan_2013.drawing.picture_of"):
        return [claim for part in PARTS.values() for claim in part.find(found, PLAN).claims]


def test_where_all_is_as_claimed_every_claim_holds():
    told = claims(as_claimed)
    assert [claim.text for claim in told if claim.holds is False] == []
    assert sum(claim.holds is None for claim in told) == 1


def test_every_claim_can_fail():
    assert [claim.text for claim in claims(as_denied) if claim.holds] == []


def test_every_claim_has_its_place_in_the_paper():
    told = claims(as_claimed)
    assert len({claim.text for claim in told}) == len(told)
    assert all("(" in claim.text for claim in told)
    texts = " ".join(claim.text for claim in told)
    for place in ("footnote 3", "footnote 4", "Appendix B", "Appendix D", "Appendix E", "abstract"):
        assert place in texts


def test_the_whole_paper_is_listed():
    keys = {part.key for part in PAPER.parts}
    assert {f"figure-{n}" for n in range(1, 6)} | {
        f"appendix-{letter}" for letter in "abcde"
    } < keys
    assert {part.key for part in PAPER.parts} - set(PARTS) == {"appendix-a", "section-5"}


def test_the_printed_sizes():
    cells = find_data(world(as_claimed), PLAN).cells
    assert len(cells) == 14
    assert [cell.column for cell in cells if cell.verdict != "agrees"] == ["relevant features"]
    parts = [cell for cell in find_data(world(as_denied), PLAN).cells if "about" in cell.column]
    assert [cell.verdict for cell in parts] == ["differs", "differs"]


def test_the_prior_is_exact():
    assert prior_sizes() == pytest.approx((5.0954, 18.2797, 15.556), abs=5e-3)
    depth, nodes = find_prior(world(as_claimed), PLAN).cells
    assert (depth.verdict, nodes.verdict) == ("agrees", "differs")
    assert nodes.ours == pytest.approx(18.2797, abs=5e-5)


def test_a_set_that_is_not_here():
    found = world(as_claimed, missing=["magic04"])
    cells = {(c.row, c.column): c for c in find_data(found, PLAN).cells}
    assert cells["magic-04", "N"].verdict == "not run"
    assert cells["pen-digits", "N"].verdict == "agrees"
    holding = PARTS["figure-4"].find(found, PLAN).claims
    assert {claim.holds for claim in holding} == {True}
    for key in ("figure-2", "figure-5", "appendix-d", "appendix-e", "alike", "section-4-3"):
        finding = PARTS[key].find(found, PLAN)
        assert None in {claim.holds for claim in finding.claims}
        (listing,) = finding.listings
        assert not any("magic-04" in cell for row in listing.rows for cell in row)
        assert len(listing.rows) >= 6
    with pytest.raises(MissingDataError, match="magic04"):
        PARTS["appendix-c"].find(found, PLAN)


@pytest.mark.parametrize("quick", [False, True])
def test_the_papers_own_sizes_are_the_default(quick):
    plan = Plan(4, quick=quick)
    units = {unit.name: unit for part in PAPER.parts for unit in part.units(plan)}
    n_repeats = 3 if quick else 10
    assert units["pendigits/prior/2000/20"].arguments == (
        "pendigits", {"n_particles": 2000, "n_islands": 20, "proposal": "prior"}, n_repeats, 4,
    )  # fmt: skip
    assert ("magic04/MCMC/1000000/1" in units) is not quick
    assert len(units) < 160 if quick else len(units) > 190


def within_a_decade(at):
    """Times of a quick run, .021 to .06 s: at most one power of ten is among them."""
    log_p, accuracy, _, *others = as_claimed(at)
    return log_p, accuracy, 0.02 * at.size**0.08, *others


@pytest.mark.parametrize("law", [as_claimed, within_a_decade])
@pytest.mark.parametrize("key", ["figure-1", "figure-2", "figure-3", "figure-4", "figure-5",
                                 "appendix-b", "appendix-c", "appendix-d"])  # fmt: skip
def test_pictures_have_numbers_on_their_axes(key, law, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "bayeswood.reproduce.lakshminarayanan_2013.drawing.picture_of",
        lambda figure, name, caption: seen.append(figure),
    )
    PARTS[key].find(world(law), PLAN)
    (figure,) = seen
    figure.draw_without_rendering()
    assert len(figure.axes) in (2, 4)
    for ax in figure.axes[key == "figure-1" :]:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            numbered = [
                tick for tick in axis.get_major_ticks()
                if tick.label1.get_text() and low <= tick.get_loc() <= high
            ]  # fmt: skip
            assert len(numbered) >= 2, (key, axis.get_label().get_text())


def test_welch():
    """Against SciPy, and where repeats are all the same."""
    rng = np.random.default_rng(0)
    one, two = rng.normal(0.5, 1, 10), rng.normal(0, 3, 7)
    expected = stats.ttest_ind(one, two, equal_var=False, alternative="greater").pvalue
    assert p_above(one, two) == pytest.approx(expected)
    assert p_apart(one, two) == pytest.approx(2 * min(expected, 1 - expected))
    assert p_above(np.ones(3), np.zeros(3)) == 0.0
    assert p_above(np.ones(3), np.ones(4)) == p_apart(np.ones(3), np.ones(4)) == 1.0


def test_settings_have_names_of_their_own():
    one, two = Setting("prior", 100), Setting("prior", 100, 1, (("expansion", "layer"),))
    assert one.unit("magic04", 2, 0).name == "magic04/prior/100/1"
    assert two.unit("magic04", 2, 0).arguments[1]["expansion"] == "layer"
    cart = Setting("CART gini", 10, 1, (("concentration", 1.0),)).unit("magic04", 2, 7)
    assert cart.arguments == ("magic04", "gini", 10, 1.0, 2, 7)
