"""What each feature does to a prediction: Shapley values, and how sure they are.

- `additive`: a prediction as sums over trees, and what is made of them. `explain`: the values of
  such sums, exact. `through_link`: the values of what is made of them.
- `shap_values`: the result, with bands, and as `shap` takes it. `importance`: sizes in the mean.
"""

from bayeswood.attribution.additive import Additive, AdditivePart, AdditiveSpread, SpreadPart
from bayeswood.attribution.explain import (
    Question,
    explain_draws,
    explain_pairs,
    explain_rows,
)
from bayeswood.attribution.importance import ShapImportances, shap_importances
from bayeswood.attribution.shap_values import ShapValues, shap_result
from bayeswood.attribution.through_link import through_link

__all__ = [
    "Additive",
    "AdditivePart",
    "AdditiveSpread",
    "Question",
    "ShapImportances",
    "ShapValues",
    "SpreadPart",
    "explain_draws",
    "explain_pairs",
    "explain_rows",
    "shap_importances",
    "shap_result",
    "through_link",
]
