"""What the units would give if every claim of the paper were true, and if every one were false."""

from types import SimpleNamespace

import numpy as np

from bayeswood.reproduce import Plan
from bayeswood.reproduce.lakshminarayanan_2013 import PAPER
from bayeswood.reproduce.lakshminarayanan_2013.printed import SIZES
from bayeswood.reproduce.paper import Found

# A fixed scatter of the repeats, with mean 0 and standard deviation 1.
SCATTER = np.array([-1.6, -1.0, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 1.0, 1.6]) / 0.97


def setting_of(unit):
    data, method, size, islands, *others = unit.name.split("/")
    return SimpleNamespace(
        data=data, method=method, size=int(size), islands=int(islands),
        others=dict(each.split("=") for each in others),
    )  # fmt: skip


def as_claimed(at):
    """Log p, accuracy, seconds, spread, evidence and stages."""
    layered = "expansion" in at.others
    spread, seconds = 0.02 if layered else 0.002, 0.01 * at.size
    if at.method.startswith("CART"):
        log_p = {10: -0.5, 5: -0.8, 1: -0.9}[at.size]
        return log_p, 88.0 if at.size == 10 else 88.5, 2 / 75, 0.0, 0.0, 0
    if at.method == "MCMC":
        log_p, seconds = -0.26 - 500 / at.size, 1e-3 * at.size
    elif at.method == "optimal":
        log_p, seconds = (-0.4 if at.data == "madelon" else -0.36), 1.0 * at.size
    elif at.data == "madelon":
        log_p = -0.6 - 1 / at.size
    elif at.islands == 1:
        log_p = -0.31 - 5 / at.size - 0.3 * (layered and at.size > 10)
    elif at.islands == 5 and at.size != 2000:
        turned = at.data == "pendigits" and at.size > 2000
        log_p = -0.45 if at.size < 200 else -0.29 if turned else -0.25
    else:
        log_p, spread = (-0.25, 0.0003) if at.islands <= 20 else (-0.6, 0.002)
    return log_p, 89 + 20 * (log_p + 0.25), seconds, spread, np.log(at.size), 300


def as_denied(at):
    """The other way round."""
    layered, is_variant = "expansion" in at.others, bool(at.others)
    spread = 0.002 if layered else 0.02
    seconds = 1e-6 * at.size**2
    if at.method.startswith("CART"):
        log_p = {10: -0.1, 5: -0.09, 1: -0.09}[at.size]
        return log_p, 97.0 if at.size == 10 else 99.5, 1.0, 0.0, 0.0, 0
    if at.method == "MCMC":
        log_p, seconds = -0.2, 1e-5
    elif at.method == "optimal":
        log_p = -1.0 + 0.009 * at.size + 0.1 * is_variant - 0.9 * (at.data == "madelon")
        seconds = 1e-7 * at.size if at.data != "madelon" else 1e-3
    elif at.islands == 1:
        log_p = -0.8 + 0.3 * is_variant + 0.1 * (at.method == "empirical")
    elif at.islands == 5:
        log_p = -0.81 if at.size == 2000 else -0.75 + 1e-5 * at.size
    else:
        log_p, spread = -1.1, 0.2
    return log_p, 89 + 20 * (log_p + 0.25), seconds, spread, -at.size, 6000


def scores(found):
    log_p, accuracy, seconds, spread, evidence, stages = found
    return {
        "log p": (log_p + spread * SCATTER).tolist(),
        "accuracy": (accuracy + 20 * spread * SCATTER).tolist(),
        "seconds": [seconds] * 10,
        "leaves": [100.0] * 10,
        "log evidence": (evidence + 0.01 * SCATTER).tolist(),
        "stages": [stages] * 10,
    }


def world(law, *, missing=()):
    """What the units of a whole run give."""
    claimed, values, absent = law is as_claimed, {}, {}
    for unit in {unit.name: unit for part in PAPER.parts for unit in part.units(Plan())}.values():
        kind, _, name = unit.name.partition("/")
        if set(missing).intersection(unit.data):
            absent[unit.name] = unit.data[0]
        elif kind == "sizes":
            parts = {"train": 13_314, "test": 5706} if claimed else {"train": 100, "test": 900}
            values[unit.name] = {"N": 19_020, "complete": 683, **parts, **SIZES.get(name, {})}
            values[unit.name]["train"] = parts["train"] if name != "madelon" else 2000
        elif name.startswith("depth/"):
            deep = name.endswith("node") == claimed
            values[unit.name] = {
                key: (5.0 + deep + 0.1 * SCATTER).tolist() for key in ("leaves", "greatest")
            }
        elif kind == "prior":
            values[unit.name] = {"depth": 5.1, "nodes": 18.0, "nodes sd": 14.0}
        elif kind == "evidence":
            error = 0.005 if (name == "optimal") == claimed else 0.01
            values[unit.name] = {"mean": 1.0 if claimed else 1.2, "error": error}
        else:
            values[unit.name] = scores(law(setting_of(unit)))
    return Found(values, absent)
