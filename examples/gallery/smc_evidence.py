"""
Evidence, by particles
======================

Particles that grow trees from the root down estimate p(Y | X), which chooses among priors without
held-out rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import SMCTreeClassifier
from bayeswood.datasets import load_iris

iris = load_iris()
X, y = iris.data[::2], iris.target[::2]
X_new, y_new = iris.data[1::2], iris.target[1::2]

# %%
# How much does the prior expect a node to be split?

bases = (0.2, 0.5, 0.8, 0.95, 0.99)
evidence, error, scores = [], [], []
for base in bases:
    trees = SMCTreeClassifier(2000, proposal="optimal", alpha_split=base, random_state=0).fit(X, y)
    evidence.append(trees.log_evidence_)
    error.append(trees.log_evidence_se_)
    p = trees.predict_proba(X_new)
    columns = np.searchsorted(trees.classes_, y_new)
    scores.append(np.log(p[np.arange(len(p)), columns]).mean())

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
left.errorbar(bases, evidence, yerr=2 * np.array(error), fmt="o-", capsize=3)
left.set(xlabel="prior probability of a first split", ylabel="log evidence", title="training rows")
right.plot(bases, scores, "o-", color="C1")
right.set(xlabel="prior probability of a first split", ylabel="log probability", title="new rows")
plt.show()
