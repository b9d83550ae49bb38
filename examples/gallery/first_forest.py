"""
A first forest
==============

Fit, predict with intervals, see whether they hold, and save.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import bayeswood
from bayeswood.plots import IntervalCoverageDisplay, IntervalDisplay

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X, X_new, y, y_new = train_test_split(X, y, random_state=0)
forest = bayeswood.CalibratedForestRegressor(random_state=0).fit(X, y)
print(forest.predict_interval(X_new[:3], coverage=0.9).round())

# %%
# Does the interval hold? On rows that the forest has not seen, all of them and by width.

print(bayeswood.coverage_report(forest, X_new, y_new))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
IntervalDisplay.from_estimator(forest, X_new, y_new, ax=left)
IntervalCoverageDisplay.from_estimator(forest, X_new, y_new, ax=right)
plt.show()

# %%
# One prediction in words.

print(bayeswood.explain(forest, X_new.iloc[0]))

# %%
# The file holds no code and loads in any process.

path = Path(tempfile.mkdtemp()) / "diabetes.bayeswood"
forest.save(path)
same = bayeswood.load(path)
print((same.predict(X_new) == forest.predict(X_new)).all())
