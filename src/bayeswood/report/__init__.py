"""What a fitted model says, first as plain data (summarize), then as text (render)."""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand
from bayeswood.report.explain import Dissenter, Explanation, PartingFeature, explain
from bayeswood.report.predictions import (
    DEFAULT_GAMMA0,
    ClassPredictions,
    NumberPredictions,
    predict_rows,
)
from bayeswood.report.scores import ClassifierScores, RegressorScores
from bayeswood.report.summarize import (
    Importances,
    ModelSummary,
    classify_outcomes,
    score_predictions,
    summarize_importances,
    summarize_model,
)
from bayeswood.uncertainty import Outcome

if TYPE_CHECKING:
    from bayeswood.report.page import HtmlReport, html

__all__ = [
    "DEFAULT_GAMMA0",
    "ClassPredictions",
    "ClassifierScores",
    "Dissenter",
    "Explanation",
    "HtmlReport",
    "Importances",
    "ModelSummary",
    "NumberPredictions",
    "Outcome",
    "PartingFeature",
    "RegressorScores",
    "classify_outcomes",
    "explain",
    "html",
    "predict_rows",
    "score_predictions",
    "summarize_importances",
    "summarize_model",
]

# Whoever predicts needs no page.
__getattr__ = names_on_demand(__name__, {"page": ("HtmlReport", "html")})
