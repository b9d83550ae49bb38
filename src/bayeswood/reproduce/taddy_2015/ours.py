"""Beside the paper: its authors' scripts, and a stand-in for the data that are not public."""

import numpy as np

from bayeswood.reproduce.finding import Finding, Listing
from bayeswood.reproduce.paper import Found, Plan
from bayeswood.reproduce.taddy_2015 import printed
from bayeswood.reproduce.taddy_2015.figures import draw_boxes
from bayeswood.reproduce.taddy_2015.runs import (
    SCRIPT_MODELS,
    WHITE_MODELS,
    california_run,
    fold_run,
    friedman_run,
    mean_and_error,
    n_sums_folds,
    n_sums_friedman,
    stand_in_leaves,
    stand_in_size,
    sums_california,
    sums_friedman,
    wine_run,
    worse,
)
from bayeswood.reproduce.taddy_2015.tables import error_listing


def find_scripts(found: Found, plan: Plan) -> Finding:
    """What other settings than the text's give."""
    return Finding(
        listings=(_california(found, plan), _wine(found, plan), _friedman(found, plan)),
    )


def _california(found: Found, plan: Plan) -> Listing:
    text = california_run(found, plan)
    script = fold_run(found, plan, "california", SCRIPT_MODELS)
    theirs = {name: row[0] for name, row in printed.TABLE_1.items()} | {
        "BCART": printed.FOOTNOTE_9[0]
    }
    rows = []
    for name in ("BF", "RF", "EBF", "ET", "SSF", "BART", "DT", "BCART"):
        ours, other = "EBF 3000" if name == "EBF" else name, f"{name}, script"
        rows.append(
            (
                name, f"{text[ours].mean():.2f}", f"{script[other].mean():.2f}",
                f"{theirs[name]:g}", f"{printed.SCRIPT_CALIFORNIA[name]:.2f}",
                f"{worse(text, ours, 'BF').mean():.1f}",
                f"{worse(script, other, 'BF, script').mean():.1f}",
                f"{100 * (theirs[name] / theirs['BF'] - 1):.1f}",
            )
        )  # fmt: skip
    header = (
        "", "RMSE, text", "RMSE, script", "printed", "in the script", "% worse than BF, text",
        "% worse, script", "% worse, printed",
    )  # fmt: skip
    words = (
        "The authors' script has leaves of 2 rows for RF, ET and DT, of a weight of 1/10,000 for "
        "BF, *random* forests in the pieces of EBF and SSF, 100 trees for BART where BayesTree's "
        "default is 200, and for BCART the tree prior α = .99, β = .1 with leaves of 2 rows, not "
        "the defaults of tgp. The folds are the script's."
    )
    return Listing(header, tuple(rows), "California with the settings of the script", words)


def _wine(found: Found, plan: Plan) -> Listing:
    every, white = wine_run(found, plan), fold_run(found, plan, "white wine", WHITE_MODELS)
    script = {"BF": "BF", "EBF 1000": "EBF", "SSF": "SSF", "trunk 1000": "trunk"}
    rows = tuple(
        (
            name, f"{every[name].mean():.4f}",
            f"{printed.SCRIPT_WINE[script[name]]:.4f}" if name in script else "",
            mean_and_error(worse(every, name, "BF"), 1),
            mean_and_error(worse(white, name, "BF"), 1) if name in white else "",
        )
        for name in ("BF", "EBF 2000", "EBF 1000", "EBF 500", "SSF", "trunk 1000")
    )  # fmt: skip
    header = (
        "", "RMSE", "in the script", "% worse than BF ± standard error",
        "% worse, white wine alone",
    )  # fmt: skip
    words = (
        f"All {found['wine sizes']['all']:,} wines, as in the script, beside the "
        f"{found['wine sizes']['white']:,} white ones that the text counts."
    )
    return Listing(header, rows, "Wine: all, and white alone", words)


def _friedman(found: Found, plan: Plan) -> Listing:
    errors = friedman_run(found, plan)
    pairs = (
        ("BF", "RF"), ("BF of scikit-learn's trees", "RF of scikit-learn"),
        ("DT", "BCART, script"), ("BF", "BART, script"),
    )  # fmt: skip
    rows = [
        (base, mean_and_error(errors[base]), name, mean_and_error(errors[name]),
         mean_and_error(worse(errors, name, base), 1))
        for base, name in pairs
    ]  # fmt: skip
    header = ("", "RMSE ± standard error", "against", "RMSE", "% worse ± standard error")
    words = (
        "BF of scikit-learn's trees is Algorithm 1 written with its `DecisionTreeRegressor`. The "
        f"authors' file of results has BART at {printed.SCRIPT_FRIEDMAN['BART']} and BCART at "
        f"{printed.SCRIPT_FRIEDMAN['BCART']} on its own 100 runs."
    )
    return Listing(header, tuple(rows), "Friedman's function with scikit-learn's trees", words)


def find_sums(found: Found, plan: Plan) -> Finding:
    """The text's sums of trees beside others: cuts, chains and our defaults."""
    friedman = error_listing(
        sums_friedman(found, plan), "BART", 3, title="Friedman's function",
        words=f"The first {n_sums_friedman(plan)} runs.",
    )  # fmt: skip
    n_folds = n_sums_folds(plan)
    california = error_listing(
        sums_california(found, plan), "BART", title="California",
        words=f"The first {n_folds} fold{'s' if n_folds > 1 else ''}. A chain of 300 sweeps from "
        "trees of one leaf has not arrived, and even cuts of features with long tails fall where "
        "few rows are. The defaults have cuts at quantiles and four chains that start with ten "
        "sweeps from the root.",
    )  # fmt: skip
    return Finding(listings=(friedman, california))


def find_stand_in(found: Found, plan: Plan) -> Finding:
    """Cover types in place of beer."""
    n_rows, n_run = stand_in_size(plan)
    folds = found.repeats("stand-in", n_run)
    errors = {name: np.array([fold[name] for fold in folds]) for name in folds[0]}
    sizes = dict(zip(stand_in_leaves(plan), printed.TABLE_2["Beer"].values(), strict=True))
    beer = {
        "BF": "0.0",
        **{f"EBF {size}": f"{percent}" for size, percent in sizes.items()},
        "SSF": f"{printed.SECTION_4_1['Beer', 'SSF'][0]:g}",
    }
    rows = tuple(
        (name, mean_and_error(values), f"{worse(errors, name, 'BF').mean():.1f}",
         beer.get(name, ""))
        for name, values in errors.items()
    )  # fmt: skip
    middle = list(sizes)[1]
    shown = {"DT": "DT", "SSF": "SSF", "BF": "BF", "EBF": f"EBF {middle}"}
    picture = draw_boxes(
        {name: errors[ours] for name, ours in shown.items()},
        "misclassified, %",
        "stand-in-for-figure-6",
        f"In place of Figure 6: misclassified cover types in {n_run} of ten folds of {n_rows:,} "
        f"rows. EBF and DT have trunks with leaves of {middle:,} rows; DT is the trunk alone.",
    )
    header = (
        "",
        "misclassified % ± standard error",
        "% worse than BF",
        "printed for the beer data",
    )
    words = (
        f"{n_rows:,} random rows of the cover types, as many as there were purchases"
        f"{' / 6' if plan.quick else ''}; {n_run} of ten folds. √d features at each split, leaves "
        "of any size. Other data: the last column is not to be met."
    )
    return Finding(listings=(Listing(header, rows, words=words),), pictures=(picture,))
