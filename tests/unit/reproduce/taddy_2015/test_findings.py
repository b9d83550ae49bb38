"""From measured numbers to cells, claims and pictures, in worlds where the answer is known."""

import numpy as np
import pytest

from bayeswood.reproduce import Plan, find_paper, run_paper
from bayeswood.reproduce.paper import Found
from bayeswood.reproduce.taddy_2015 import printed, runs
from bayeswood.reproduce.taddy_2015.claims import find_claims
from bayeswood.reproduce.taddy_2015.ours import find_scripts, find_stand_in, find_sums
from bayeswood.reproduce.taddy_2015.tables import (
    find_figure_3,
    find_figure_5,
    find_friedman,
    find_section_4_1,
    find_table_1,
    find_table_2,
    find_trunk,
)
from bayeswood.reproduce.taddy_2015.theory import find_equation_11

PLAN = Plan()

# Mean errors if everything came out as printed; of Friedman's function no error is printed.
PRINTED_WORLD = {
    "friedman": {"BF": 2.70, "RF": 2.727, "ET": 2.60, "DT": 3.7, "BCART": 3.9, "BART": 1.81},
    "california": {
        **{name: row[0] for name, row in printed.TABLE_1.items() if name != "EBF"},
        "BCART": 82.0,
        "BART, defaults": 45.0,
        **{f"EBF {n}": 48.2 * (1 + p / 100) for n, p in printed.TABLE_2["CA housing"].items()},
    },
    "wine": {
        "BF": 0.59, "RF": 0.60, "ET": 0.60, "SSF": 0.59 * 1.12, "DT": 0.75, "trunk 1000": 0.76,
        **{f"EBF {n}": 0.59 * (1 + p / 100) for n, p in printed.TABLE_2["Wine"].items()},
    },
}  # fmt: skip
# The other way round: forests of random pieces win, and trees beat forests.
UPSIDE_DOWN = {
    "friedman": {"BF": 3.0, "RF": 2.7, "ET": 3.2, "DT": 2.6, "BCART": 2.4, "BART": 2.5},
    "california": dict.fromkeys(runs.CALIFORNIA_MODELS, 60.0)
    | {"SSF": 40.0, "DT": 45.0, "BCART": 44.0, "ET": 43.0, "RF": 50.0, "BART": 49.0}
    | {"BART, burn-in of 1,000": 47.0},
    "wine": dict.fromkeys(runs.WINE_MODELS, 0.7) | {"SSF": 0.6},
}


def trunk_of(world_is_printed):
    """A trunk of five leaves, whose draws agree with it or not."""
    paths = ["", "L", "LL", "LLL", "LLR", "LR", "LRL", "LRR", "R"]
    features = ["medianIncome", "medianIncome", "latitude", None, None, "housingMedianAge"]
    nodes = [
        {"path": path, "feature": feature, "threshold": threshold, "rows": 4000, "mean": 200.0,
         "share": 0.62}
        for path, feature, threshold in zip(
            paths, [*features, None, None, None],
            [5.0, 3.0, 34.455, None, None, 26.5, None, None, None], strict=True,
        )
    ]  # fmt: skip
    spread = 0.1 if world_is_printed else 2.0
    rng = np.random.default_rng(0)
    shares = [0.62, 0.28] if world_is_printed else [0.2, 0.1]
    return {
        "nodes": nodes,
        "cuts": [rng.normal(centre, spread, 1000).tolist() for centre in (5.0, 3.0)],
        "sequences": [
            {"features": ["medianIncome", "latitude"], "share": share} for share in shares
        ],
        "share": shares[0],
        "prefixes": [1.0, 1.0, 0.9, 0.62] if world_is_printed else [1.0, 0.8, 0.5, 0.2],
        "income": rng.normal(4.0, 2.0, 5000).tolist(),
    }


def splits_of(n_rows, world_is_printed):
    """The bounds hold in the printed world, and are far above the truth in the other."""
    miss = float(np.exp(-n_rows / 20)) if world_is_printed else 0.5
    bound = 1 - 2 * miss if world_is_printed else 0.9
    each = {"bound": bound, "normal": bound, "match": 1 - miss, "error": 0.01, "splits": 10}
    # Where eq. (1) is a bound, every draw matches.
    if world_is_printed:
        each["match"], each["error"] = 1.0, 0.0
    return [each] * 20


def world(means, *, is_printed=True, noise=1e-3):
    """What the units would give if the mean errors were these."""
    rng, values = np.random.default_rng(1), {}

    def error(mean, n):
        scatter = rng.normal(size=n)
        return mean * (1 + noise * (scatter - scatter.mean()))

    for first in range(0, 100, 10):
        values[f"friedman/{first}"] = {
            name: error(means["friedman"].get(name, 2.7), 10).tolist()
            for name in (*runs.FRIEDMAN_MODELS, *runs.FRIEDMAN_OTHERS)
        }
    for first in (0, 10):
        values[f"friedman sums/{first}"] = {
            name: error(1.8, 10).tolist() for name in runs.SUMS_OTHERS
        }
    models = {
        "california": (*runs.CALIFORNIA_MODELS, *runs.SCRIPT_MODELS, *runs.SUMS_OTHERS),
        "wine": runs.WINE_MODELS,
        "white wine": runs.WHITE_MODELS,
    }
    for data, names in models.items():
        for name in names:
            known = means.get(data, means["wine"])
            mean = known.get(name, known.get(name.partition(",")[0], known["BF"]))
            seconds = 0.2 if is_printed and name.startswith("EBF") else 1.0
            for fold, each in enumerate(error(mean, 10)):
                values[f"{data}/{name}/{fold}"] = {"error": float(each), "seconds": seconds}
    shares = [1.0, 0.62, 0.2, 0.05, 0.0] if is_printed else [0.5] * 5
    return Found({
        **values,
        **{f"splits/{n}": splits_of(n, is_printed) for n in runs.SPLIT_ROWS},
        "trunk": trunk_of(is_printed),
        "trunk shares": [{"leaf": 1, "leaves": 2, "share": share} for share in shares],
        "response": {
            "rows": 20640, "features": 8, "largest": 500.001, "share of largest": 0.05,
            "density": [0.5, 0.5], "edges": [0.0, 1.0, 2.0],
        },
        "wine sizes": {"all": 4898 if is_printed else 6497, "white": 4898, "attributes": 11},
        **{
            f"stand-in/{fold}": {"BF": 7.0, "EBF 20000": 7.1, "EBF 10000": 7.2, "EBF 5000": 7.4,
                                 "SSF": 9.0, "DT": 30.0}
            for fold in range(3)
        },
    })  # fmt: skip


TABLES = (find_friedman, find_table_1, find_figure_3, find_section_4_1, find_table_2, find_trunk)


@pytest.mark.parametrize("find", TABLES)
def test_what_comes_out_as_printed_agrees(find):
    finding = find(world(PRINTED_WORLD), PLAN)
    assert {cell.verdict for cell in finding.cells} <= {"agrees", "not run"}


@pytest.mark.parametrize("find", [find_friedman, find_table_1, find_table_2, find_trunk])
def test_what_comes_out_otherwise_differs(find):
    finding = find(world(UPSIDE_DOWN, is_printed=False), PLAN)
    run = [cell.verdict for cell in finding.cells if cell.verdict != "not run"]
    assert run.count("differs") >= len(run) / 2


def test_every_printed_cell_is_there():
    found = world(PRINTED_WORLD)
    table_1 = {(cell.row, cell.column): cell.printed for cell in find_table_1(found, PLAN).cells}
    assert len(table_1) == 2 * 8
    assert table_1["EBF", "% worse than best"] == 2.4
    assert table_1["BCART", "RMSE"] == 82.0
    table_2 = [(cell.row, cell.printed) for cell in find_table_2(found, PLAN).cells]
    assert [value for _, value in table_2] == [1.6, 2.4, 4.3, 0.3, 0.8, 2.2, 1.0, 4.4, 7.6]
    absent = [cell for find in TABLES for cell in find(found, PLAN).cells if not cell.n_repeats]
    assert {cell.row for cell in absent} == {"Beer"}


def test_white_wine_alone_would_be_the_printed_number():
    cells = find_section_4_1(world(UPSIDE_DOWN, is_printed=False), PLAN).cells
    (rows,) = [cell for cell in cells if cell.column == "observations"]
    assert (rows.ours, rows.verdict) == (6497, "differs")


def test_claims_hold_in_the_printed_world():
    claims = find_claims(world(PRINTED_WORLD), PLAN).claims
    assert [claim.text for claim in claims if claim.holds is False] == []
    assert sum(claim.holds is None for claim in claims) == 2
    (california,) = [claim for claim in claims if claim.text.startswith("RF and BF do much")]
    assert "6.6 % smaller than BF's" in california.numbers  # 45.0 against 48.2


def test_every_claim_can_fail():
    claims = find_claims(world(UPSIDE_DOWN, is_printed=False), PLAN).claims
    assert [claim.text for claim in claims if claim.holds] == []


def test_equation_1_is_called_too_high():
    (listing,) = find_equation_11(world(UPSIDE_DOWN, is_printed=False), PLAN).listings
    assert {row[-1] for row in listing.rows} == {"20 of 20"}
    (listing,) = find_equation_11(world(PRINTED_WORLD), PLAN).listings
    assert {row[-1] for row in listing.rows} == {"0 of 20"}


def test_the_bounds_on_real_draws(tmp_path):
    """Eq. (11) is never above the truth (4 standard errors), eq. (1) always at 25 rows."""
    record = run_paper(
        find_paper("taddy-2015"), Plan(7, quick=True), tmp_path, only=["equation-11"]
    )
    (listing,) = record.parts[0].finding.listings
    assert {row[-2] for row in listing.rows} == {"0 of 5"}
    assert listing.rows[0][-1] == "5 of 5"
    assert listing.rows[-1][-1] == "0 of 5"


@pytest.mark.parametrize(
    ("find", "names"),
    [
        (find_friedman, ["figure-2"]),
        (find_figure_3, ["figure-3-left", "figure-3-right"]),
        (find_trunk, ["figure-4-left", "figure-4-right"]),
        (find_figure_5, ["figure-5"]),
        (find_stand_in, ["stand-in-for-figure-6"]),
    ],
)
def test_the_pictures(find, names):
    pictures = find(world(PRINTED_WORLD), PLAN).pictures
    assert [picture.name for picture in pictures] == names
    assert all(picture.png.startswith(b"\x89PNG") for picture in pictures)


def test_the_scripts_are_listed_beside_the_text():
    california, wine, friedman = find_scripts(world(PRINTED_WORLD), PLAN).listings
    assert [row[0] for row in california.rows] == [
        "BF", "RF", "EBF", "ET", "SSF", "BART", "DT", "BCART",
    ]  # fmt: skip
    assert [row[0] for row in wine.rows][-1] == "trunk 1000"
    assert len(friedman.rows) == 4


@pytest.mark.parametrize("plan", [PLAN, Plan(quick=True)], ids=["full", "quick"])
def test_other_sums_are_listed_beside_the_texts(plan):
    friedman, california = find_sums(world(PRINTED_WORLD), plan).listings
    names = {"BART", "BART, script", *runs.SUMS_OTHERS}
    assert {row[0] for row in friedman.rows} == names
    assert california.rows[0][0] == "BART, defaults"
    assert {row[0] for row in california.rows} == {*names, "BF"}


def test_sums_are_repeated_on_the_same_rows():
    """The paper's 20 repeats and 3 folds of other sums are the first of all."""
    units = {unit.name: unit.arguments for unit in runs.sums_units(PLAN)}
    assert units["friedman sums/10"][1:] == (10, 10, 0)
    quick = {unit.name: unit.arguments for unit in runs.sums_units(Plan(quick=True))}
    assert quick["friedman sums/0"][1:] == (0, 2, 0)
    assert units["california/BART, defaults/2"] == ("california", "BART, defaults", 2, 0)
    assert "california/BART, defaults/3" not in units
    assert "california/BART/9" in units


def test_the_papers_own_sizes_are_the_default():
    units = {
        unit.name: unit for part in find_paper("taddy-2015").parts for unit in part.units(PLAN)
    }
    assert sum(name.startswith("friedman/") for name in units) == 10
    assert units["friedman/90"].arguments[1:3] == (90, 10)
    assert all(f"california/EBF 3000/{fold}" in units for fold in range(10))
    assert units["stand-in/0"].arguments[:3] == ([20_000, 10_000, 5000], 0, 73_128)
    quick = Plan(quick=True)
    assert runs.stand_in_leaves(quick) == [3333, 1667, 833]
