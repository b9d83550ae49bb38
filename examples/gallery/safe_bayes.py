"""
Learn, un-learn, merge
======================

The trees of a safe-Bayesian forest are drawn before any data are seen, and leaves hold nothing but
counts. So chunks, merged shards and un-learned rows give the same forest to the bit.
"""

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import SafeBayesForestClassifier
from bayeswood.datasets import load_breast_cancer_wisconsin
from bayeswood.plots import operating_curve

cancer = load_breast_cancer_wisconsin()
X, y, X_new, y_new = cancer.data[::2], cancer.target[::2], cancer.data[1::2], cancer.target[1::2]
settings = {"n_estimators": 100, "depth": 8, "pit_reference": X, "random_state": 0}
whole = SafeBayesForestClassifier(**settings).fit(X, y)

# %%
# In chunks, and with rows that are taken back.

chunks = SafeBayesForestClassifier(**settings)
accuracy = []
for rows in np.array_split(np.arange(len(X)), 12):
    chunks.partial_fit(X[rows], y[rows], classes=np.unique(y))
    accuracy.append(chunks.score(X_new, y_new))
print(
    "the bits of one fit:", np.array_equal(chunks.predict_proba(X_new), whole.predict_proba(X_new))
)
chunks.forget(X[:100], y[:100]).partial_fit(X[:100], y[:100])
print(
    "after forgetting and learning again:",
    np.array_equal(chunks.predict_proba(X_new), whole.predict_proba(X_new)),
)

# %%
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(np.linspace(len(X) / 12, len(X), 12), accuracy, "o-")
ax.set(xlabel="rows learnt", ylabel="accuracy on new rows")
plt.show()

# %%
# How much to trust the evidence (the paper's Figure 4).

published = SafeBayesForestClassifier.as_published().set_params(n_estimators=200, random_state=0)
operating_curve(published.fit(X, y), X_new, y_new)
plt.show()
