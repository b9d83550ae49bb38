"""The Markdown page, made from the records alone."""

from benchmarks.calibration import classifiers
from benchmarks.calibration.comparison import (
    RATIOS,
    Estimate,
    clearly_better,
    clearly_worse,
    estimate,
    gain,
    mean_over_sets,
    model_names,
    over_sets,
    paired_by_set,
    set_names,
    shared_estimate,
    shared_splits,
)
from benchmarks.calibration.markdown import (
    bold,
    listed,
    number,
    ratio_with_error,
    table,
    with_error,
)
from benchmarks.calibration.metrics import THIRDS
from benchmarks.calibration.run import models_of
from benchmarks.calibration.store import Store
from benchmarks.calibration.targets import targets
from benchmarks.calibration.words import FRAME, METRICS

OURS = classifiers.OURS
TASKS = ("classification", "regression")
SCORES = {
    "classification": ("log_p", "brier", "calibration_error", "accuracy"),
    "regression": ("interval_score", "crps", "rmse", "width"),
}
DIGITS = {"cpu": 2, "interval_score": 3}


def page(store: Store, picture: str) -> str:
    """The whole page; `picture` is the link to the image."""
    return FRAME.format(
        targets=_targets(store),
        losses=_losses(store),
        picture=picture,
        class_means=_means(store, "classification", (*SCORES["classification"], "floored", "cpu")),
        class_differences=_differences(store, "classification"),
        log_p=_by_set(store, "classification", "log_p"),
        accuracy=_by_set(store, "classification", "accuracy"),
        interval_means=_means(
            store,
            "regression",
            ("coverage", *_third_names("coverage"), *SCORES["regression"], "cpu"),
        ),
        interval_differences=_differences(store, "regression"),
        coverage=_coverage(store),
        interval_score=_by_set(store, "regression", "interval_score"),
        rmse=_by_set(store, "regression", "rmse"),
        classifiers=_descriptions(store, "classification"),
        regressors=_descriptions(store, "regression"),
        sets=_sets(store),
        n_trees=store.n_trees,
        machine=_machine(store),
    )


def _models(store: Store, task: str) -> list[str]:
    return model_names(store, task, models_of(task))


def _third_names(prefix: str) -> list[str]:
    return [f"{prefix}_{third}" for third in THIRDS]


def _targets(store: Store) -> str:
    lines = [
        (t.words, t.measured, bold("yes") if t.reached else bold("no")) for t in targets(store)
    ]
    return table(("set out to reach", "measured", "reached"), lines)


def _losses(store: Store) -> str:
    """A line for each score and model where ours is not ahead, in the mean or on some set."""
    lines = [
        line
        for task in TASKS
        for metric in (*SCORES[task], "cpu")
        if metric != "width"  # a narrow interval that does not cover is no gain
        for model in _models(store, task)
        if model != OURS and (line := _loss(store, task, metric, model))
    ]
    header = ("score", "ahead of ours", "ours beside it, mean over sets", "ours clearly worse on")
    return table(header, lines)


def _loss(store: Store, task: str, metric: str, model: str) -> list[str]:
    by_set = paired_by_set(store, task, OURS, model, metric)
    mean = over_sets(by_set)
    if mean is None:
        return []
    worse = [name for name, one in by_set.items() if clearly_worse(metric, one)]
    behind = gain(metric, mean.mean) < 0
    if not behind and not worse:
        return []
    return [METRICS[metric], bold(model, behind), _difference(metric, mean), listed(worse)]


def _difference(metric: str, difference: Estimate | None) -> str:
    if metric in RATIOS:
        return ratio_with_error(difference)
    return with_error(difference, 4, sign=True)


def _means(store: Store, task: str, metrics: tuple[str, ...]) -> str:
    names = set_names(store, task)
    lines = [
        [bold(model, model == OURS)]
        + [number(mean_over_sets(store, names, model, m), DIGITS.get(m, 3)) for m in metrics]
        for model in _models(store, task)
    ]
    return table(["model", *(METRICS[metric] for metric in metrics)], lines)


def _differences(store: Store, task: str) -> str:
    metrics = (*SCORES[task], "cpu")
    main = metrics[0]
    lines = []
    for model in _models(store, task):
        if model == OURS:
            continue
        by_set = {m: paired_by_set(store, task, OURS, model, m) for m in metrics}
        cells = [_difference(m, over_sets(by_set[m])) for m in metrics]
        better = sum(clearly_better(main, one) for one in by_set[main].values())
        worse = sum(clearly_worse(main, one) for one in by_set[main].values())
        lines.append([model, *cells, f"{better} / {worse} of {len(by_set[main])}"])
    header = [METRICS[metric] for metric in metrics]
    return table(["ours beside", *header, f"{METRICS[main]} clearly better / worse"], lines)


def _by_set(store: Store, task: str, metric: str) -> str:
    """The metric of each model on each set, the best in bold, and ours less the rival's."""
    models = _models(store, task)
    rival = classifiers.RIVAL
    against = paired_by_set(store, task, OURS, rival, metric)
    lines = []
    for name in set_names(store, task):
        found = {model: shared_estimate(store, name, model, metric) for model in models}
        known = {model: one.mean for model, one in found.items() if one is not None}
        if not known:
            continue
        best = max(known, key=lambda model: gain(metric, known[model]))
        cells = [bold(number(known[m]), m == best) if m in known else "" for m in models]
        lines.append([name, *cells, _difference(metric, against.get(name))])
    return table(["set", *models, f"ours beside {rival}"], lines)


def _coverage(store: Store) -> str:
    metrics = ("coverage", *_third_names("own"), *_third_names("coverage"))
    lines = []
    for name in set_names(store, "regression"):
        found = [estimate(store, name, OURS, metric) for metric in metrics]
        if found[0] is not None:
            lines.append([name, str(found[0].n), *(with_error(one) for one in found)])
    header = ["set", "splits", "all rows", *(f"own {third}" for third in THIRDS)]
    return table([*header, *(f"common {third}" for third in THIRDS)], lines)


def _descriptions(store: Store, task: str) -> str:
    return "\n".join(f"- {bold(m)}: {models_of(task)[m].words}" for m in _models(store, task))


def _sets(store: Store) -> str:
    lines = []
    for name, about in store.sets.items():
        splits = len(shared_splits(store, name))
        facts = (about["features"], about.get("classes", ""), about["train"], about["test"], splits)
        lines.append([name, about["origin"], *(_count(fact) for fact in facts)])
    return table(["set", "origin", "features", "classes", "train", "test", "splits"], lines)


def _count(fact: int | str) -> str:
    return fact if isinstance(fact, str) else f"{fact:,}"


def _machine(store: Store) -> str:
    libraries = store.machine.get("libraries", {})
    versions = ", ".join(f"{name} {version}" for name, version in libraries.items())
    return f"{store.machine.get('cpu')}, Python {store.machine.get('python')}; {versions}"
