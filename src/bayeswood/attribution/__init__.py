"""What each feature does to a prediction: Shapley values, and how sure they are.

- `additive`: a prediction as sums over trees, and what is made of them. `response_interval`: the
  ends of an interval by such sums and by what leaves remember. `explain`: the values of sums,
  exact. `through_link`: the values of what is made of them.
- `shap_values`: the result, with bands, and as `shap` takes it. `importance`: sizes in the mean.
"""

from bayeswood.attribution.additive import Additive, AdditivePart, AdditiveSpread, SpreadPart
from bayeswood.attribution.explain import (
    Question,
    draws_around,
    explain_draws,
    explain_pairs,
    explain_rows,
)
from bayeswood.attribution.importance import ShapImportances, shap_importances
from bayeswood.attribution.response_interval import LeafEnds, ResidualEnds, ResponseInterval
from bayeswood.attribution.shap_values import ShapValues, shap_result
from bayeswood.attribution.through_link import through_link

__all__ = [
    "Additive",
    "AdditivePart",
    "AdditiveSpread",
    "LeafEnds",
    "Question",
    "ResidualEnds",
    "ResponseInterval",
    "ShapImportances",
    "ShapValues",
    "SpreadPart",
    "draws_around",
    "explain_draws",
    "explain_pairs",
    "explain_rows",
    "shap_importances",
    "shap_result",
    "through_link",
]
