"""Empirical Bayesian forests on Apache Spark (4.1 or newer): the caller's session, local models.

`fit` ends in an ordinary estimator that knows nothing of Spark; `transform` predicts the rows of a
data frame where they are. Both need ``pip install 'bayeswood[spark]'`` and a Java runtime, and this
library on every executor.
"""

from bayeswood.spark.fit_frame import fit
from bayeswood.spark.predict_frame import transform

__all__ = ["fit", "transform"]
