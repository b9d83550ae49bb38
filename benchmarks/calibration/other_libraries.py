"""CatBoost, LightGBM, XGBoost and BART at their defaults, with their own way of categories.

They get data frames whose text columns are categorical. BART (stochtree) takes no missing values:
these are replaced by the mean.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.classifiers import CLASSIFIERS
from benchmarks.calibration.metrics import LEVELS, OUTER
from benchmarks.calibration.models import F64, Predict, registrar
from benchmarks.calibration.regressors import REGRESSORS

_classes = registrar(CLASSIFIERS, "classification", with_categories=True)
_numbers = registrar(REGRESSORS, "regression", with_categories=True)


@_classes("CatBoost")
def catboost_classes(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`CatBoostClassifier`, defaults (1,000 rounds), categories by its own statistics."""
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(**_catboost(X, seed)).fit(_as_text(X), y)
    return lambda X: model.predict_proba(_as_text(X))


@_classes("LightGBM")
def lightgbm_classes(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`LGBMClassifier`, defaults (100 rounds), with its own categories."""
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1).fit(X, y)
    return lambda X: np.asarray(model.predict_proba(X))


@_classes("XGBoost")
def xgboost_classes(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`XGBClassifier`, defaults (100 rounds), with its own categories."""
    from xgboost import XGBClassifier

    codes = np.unique(y, return_inverse=True)[1]
    model = XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True).fit(X, codes)
    return model.predict_proba


@_classes("BART")
def bart_classes(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """stochtree's `BARTModel` with a probit link, defaults; two classes only."""
    from stochtree import OutcomeModel

    codes = np.unique(y, return_inverse=True)[1].astype(np.float64)
    if codes.max() != 1:
        raise NotImplementedError("stochtree has no model of several classes")
    outcome = OutcomeModel(outcome="binary", link="probit")
    model, means = _bart(X, codes, seed, {"outcome_model": outcome})

    def predict(X: Any) -> F64:
        second = model.predict(_filled(X, means), terms="y_hat", type="mean", scale="probability")
        return np.column_stack([1.0 - second, second])

    return predict


@_numbers("CatBoost")
def catboost_numbers(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`CatBoostRegressor`, defaults: of the mean, and one of both quantiles (`MultiQuantile`)."""
    from catboost import CatBoostRegressor

    def fitted(levels: F64) -> Any:
        loss = "MultiQuantile:alpha=" + ",".join(f"{level:g}" for level in levels)
        return CatBoostRegressor(loss_function=loss, **_catboost(X, seed)).fit(_as_text(X), y)

    mean = CatBoostRegressor(**_catboost(X, seed)).fit(_as_text(X), y)
    ends = fitted(OUTER)
    return lambda X: _sorted(
        mean.predict(_as_text(X)),
        ends.predict(_as_text(X)),
        fitted(LEVELS).predict(_as_text(X)),
    )


@_numbers("LightGBM")
def lightgbm_numbers(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`LGBMRegressor`, defaults: of the mean and of each quantile."""
    from lightgbm import LGBMRegressor

    def fitted(**loss: Any) -> Any:
        return LGBMRegressor(random_state=seed, n_jobs=1, verbose=-1, **loss).fit(X, y)

    return _quantile_by_quantile(fitted, "quantile")


@_numbers("XGBoost")
def xgboost_numbers(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """`XGBRegressor`, defaults: of the mean, and one of both quantiles."""
    from xgboost import XGBRegressor

    def fitted(**loss: Any) -> Any:
        return XGBRegressor(random_state=seed, n_jobs=1, enable_categorical=True, **loss).fit(X, y)

    def of(levels: F64) -> Any:
        return fitted(objective="reg:quantileerror", quantile_alpha=levels)

    mean, ends = fitted(), of(OUTER)
    return lambda X: _sorted(mean.predict(X), ends.predict(X), of(LEVELS).predict(X))


@_numbers("BART")
def bart_numbers(X: Any, y: NDArray, n_trees: int, seed: int) -> Predict:
    """stochtree's `BARTModel`, defaults: draws of the mean with normal noise of each draw."""
    model, means = _bart(X, y.astype(np.float64), seed, {})

    def predict(X: Any) -> F64:
        draws = model.predict(_filled(X, means), terms="y_hat", type="posterior")
        noise = np.random.default_rng(seed).standard_normal((20, *draws.shape))
        made = draws + noise * np.sqrt(np.asarray(model.global_var_samples))
        made = np.concatenate(made, axis=1)
        found = np.quantile(made, np.r_[OUTER, LEVELS], axis=1).T
        return np.column_stack([draws.mean(axis=1), found])

    return predict


def _quantile_by_quantile(fitted: Callable[..., Any], name: str) -> Predict:
    def of(level: float) -> Any:
        return fitted(objective=name, alpha=level)

    mean, ends = fitted(), [of(level) for level in OUTER]
    return lambda X: _sorted(
        mean.predict(X),
        np.column_stack([end.predict(X) for end in ends]),
        np.column_stack([of(level).predict(X) for level in LEVELS]),
    )


def _sorted(mean: F64, ends: F64, quantiles: F64) -> F64:
    """Quantiles that cross are put in order."""
    return np.column_stack([mean, np.sort(ends, axis=1), np.sort(quantiles, axis=1)])


def _catboost(X: Any, seed: int) -> dict[str, Any]:
    return {
        "cat_features": _categories(X),
        "thread_count": 1,
        "random_seed": seed,
        "verbose": 0,
        "allow_writing_files": False,
    }


def _categories(X: Any) -> list[str]:
    return [name for name in X.columns if str(X[name].dtype) == "category"]


def _as_text(X: Any) -> Any:
    """Categories as CatBoost takes them: text, and a word for missing."""
    return X.assign(**{name: X[name].astype(object).astype(str) for name in _categories(X)})


def _bart(X: Any, y: F64, seed: int, general: dict[str, Any]) -> tuple[Any, Any]:
    from stochtree import BARTModel

    means = X.drop(columns=_categories(X)).mean()
    model = BARTModel()
    model.sample(
        X_train=_filled(X, means), y_train=y, general_params={"random_seed": seed, **general}
    )
    return model, means


def _filled(X: Any, means: Any) -> Any:
    """No missing values: categories have one more level, numbers the mean."""
    filled = {name: X[name].cat.add_categories("none").fillna("none") for name in _categories(X)}
    return X.assign(**filled).fillna(means)
