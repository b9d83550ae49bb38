"""
Is 80 % 80 %?
=============

A reliability curve with the chance of each point, and a report in numbers.
"""

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier, CalibratedForestClassifier, calibration_report
from bayeswood.datasets import load_breast_cancer_wisconsin
from bayeswood.plots import ClassProbabilityDisplay, ReliabilityDisplay

cancer = load_breast_cancer_wisconsin(as_frame=True)
X, y = cancer.data[::2], cancer.target[::2]
X_new, y_new = cancer.data[1::2], cancer.target[1::2]
forest = CalibratedForestClassifier(random_state=0).fit(X, y)
print(calibration_report(forest, X_new, y_new))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
ReliabilityDisplay.from_estimator(forest, X_new, y_new, ax=left)
ClassProbabilityDisplay.from_estimator(forest, X_new, y_new, ax=right)
plt.show()

# %%
# The same of a plain forest of trees.

plain = BayesianForestClassifier(random_state=0).fit(X, y)
ReliabilityDisplay.from_estimator(plain, X_new, y_new)
plt.show()
