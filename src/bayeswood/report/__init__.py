"""What a fitted model says, first as plain data (summarize), then as text (render)."""

from typing import TYPE_CHECKING

from bayeswood.on_demand import names_on_demand

if TYPE_CHECKING:
    from bayeswood.report.explanation import Dissenter, Explanation, PartingFeature, explain
    from bayeswood.report.page import HtmlReport, html
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

_HOMES = {
    "explanation": ("Dissenter", "Explanation", "PartingFeature", "explain"),
    "page": ("HtmlReport", "html"),
    "palette": ("Outcome",),
    "predictions": ("DEFAULT_GAMMA0", "ClassPredictions", "NumberPredictions", "predict_rows"),
    "scores": ("ClassifierScores", "RegressorScores"),
    "summarize": (
        "Importances",
        "ModelSummary",
        "classify_outcomes",
        "score_predictions",
        "summarize_importances",
        "summarize_model",
    ),
}
__getattr__ = names_on_demand(__name__, _HOMES)
