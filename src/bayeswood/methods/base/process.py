"""What this process is for.

Importing scikit-learn takes a second or more, most of a short command's time, and all that the
command line asks of a fitted model needs nothing of it. A process that will fit nothing, and hand
no estimator to anyone, says so before the first estimator is imported.
"""

import sys
from typing import Any

_only_predicts = False


class _WithoutPandas:
    """Refuses pandas, which pyarrow imports to ask whether a list is a column of its."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """No place for pandas; other modules are left to other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError("This process does without pandas.", name=fullname)


def only_predict() -> None:
    """Do without scikit-learn and pandas from here on, unless scikit-learn is loaded already."""
    global _only_predicts
    _only_predicts = "sklearn" not in sys.modules
    if _only_predicts:
        sys.meta_path.insert(0, _WithoutPandas())


def only_predicts() -> bool:
    """Whether estimators are made without scikit-learn in this process."""
    return _only_predicts
