"""Pictures of fitted models: one Display class per plot, and an overview made of them.

Each Display has ``from_estimator`` and ``from_predictions`` (or what takes their place), keeps the
data it shows as attributes, and draws with ``plot(ax=None)``, which sets ``ax_`` and ``figure_``.
"""

from bayeswood.plots.class_probability import ClassProbabilityDisplay
from bayeswood.plots.decision_map import DecisionMapDisplay
from bayeswood.plots.envelope import EnvelopeDisplay
from bayeswood.plots.envelope_comparison import EnvelopeComparisonDisplay
from bayeswood.plots.importance import ImportanceDisplay
from bayeswood.plots.interval import IntervalDisplay
from bayeswood.plots.interval_coverage import IntervalCoverageDisplay
from bayeswood.plots.operating_curve import OperatingCurveDisplay, operating_curve
from bayeswood.plots.overview import plot_overview
from bayeswood.plots.partial_dependence import PartialDependenceDisplay
from bayeswood.plots.permutation_importance import PermutationImportanceDisplay
from bayeswood.plots.posterior_curve import PosteriorCurveDisplay
from bayeswood.plots.reliability import ReliabilityDisplay
from bayeswood.plots.shap_feature import ShapFeatureDisplay
from bayeswood.plots.shap_row import ShapRowDisplay
from bayeswood.plots.shap_rows import ShapRowsDisplay
from bayeswood.plots.structure import StructureDisplay
from bayeswood.plots.trace import TraceDisplay, trace
from bayeswood.plots.tree import TreeDisplay
from bayeswood.plots.trunk import TrunkDisplay
from bayeswood.plots.weighted_trees import WeightedTreesDisplay, weighted_trees

__all__ = [
    "ClassProbabilityDisplay",
    "DecisionMapDisplay",
    "EnvelopeComparisonDisplay",
    "EnvelopeDisplay",
    "ImportanceDisplay",
    "IntervalCoverageDisplay",
    "IntervalDisplay",
    "OperatingCurveDisplay",
    "PartialDependenceDisplay",
    "PermutationImportanceDisplay",
    "PosteriorCurveDisplay",
    "ReliabilityDisplay",
    "ShapFeatureDisplay",
    "ShapRowDisplay",
    "ShapRowsDisplay",
    "StructureDisplay",
    "TraceDisplay",
    "TreeDisplay",
    "TrunkDisplay",
    "WeightedTreesDisplay",
    "operating_curve",
    "plot_overview",
    "trace",
    "weighted_trees",
]
