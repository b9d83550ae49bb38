"""
Which cases to trust
====================

Where the members of a forest agree, the answer can be trusted; where they do not, ask someone. How
much agreement is needed is chosen on rows, with a bound on confident errors.
"""

import matplotlib.pyplot as plt

from bayeswood import BayesianForestClassifier, UncertaintyEnvelope, choose_gamma0
from bayeswood.datasets import load_breast_cancer_wisconsin
from bayeswood.plots import EnvelopeDisplay

cancer = load_breast_cancer_wisconsin()
X, y, X_new, y_new = cancer.data[:300], cancer.target[:300], cancer.data[300:], cancer.target[300:]
forest = BayesianForestClassifier(random_state=0).fit(X, y)

# %%
# At most 1 % confident errors, said with 95 % confidence, needs this share of the votes:

choice = choose_gamma0(forest, X_new, y_new, target=0.01, confidence=0.95)
print(choice)
print(UncertaintyEnvelope(choice.gamma0).assess(forest, X_new, y_new))

# %%
# Three outcomes over all thresholds: confident and right, uncertain, confident and wrong.

EnvelopeDisplay.from_estimator(forest, X_new, y_new, gamma0=choice.gamma0)
plt.show()
