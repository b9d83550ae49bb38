"""
Promises about classes: probabilities and sets
==============================================

Cases that are given 80 % should happen in eight cases of ten, and a set of classes for 90 % should
hold the true one at least nine times in ten.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from bayeswood import CalibratedForestClassifier, RandomForestClassifier

rng = np.random.default_rng(0)


def draw(n):
    X = rng.random((n, 20))
    log_odds = 8 * (X[:, :5].sum(axis=1) - 2.5)
    return X, rng.random(n) < 1 / (1 + np.exp(-log_odds))


X, y = draw(1000)
X_new, y_new = draw(6000)
calibrated = CalibratedForestClassifier(200, random_state=0).fit(X, y)
forest = RandomForestClassifier(200, random_state=0).fit(X, y)

# %%
# Kept, and broken twice: a random forest is too timid, and no forest knows that the world has
# changed. Here three of four cases of the second class have gone.


def reliability(said, happened):
    """Mean probability and share that happened, in ten bins of equally many cases."""
    bins = np.array_split(np.argsort(said), 10)
    return [said[b].mean() for b in bins], [happened[b].mean() for b in bins]


stays = ~y_new | (rng.random(len(y_new)) < 0.25)
said = calibrated.predict_proba(X_new)[:, 1]
sets = calibrated.predict_set(X_new, coverage=0.9)
holds = sets[np.arange(len(sets)), y_new.astype(int)]
print(f"sets hold the true class in {holds.mean():.3f}; {sets.sum(axis=1).mean():.2f} classes each")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot([0, 1], [0, 1], color="0.5", linestyle="--")
left.plot(*reliability(said, y_new), "o-", color="C0", label="kept: calibrated forest")
timid = forest.predict_proba(X_new)[:, 1]
left.plot(*reliability(timid, y_new), "s-", color="C1", label="broken: random forest")
left.plot(
    *reliability(said[stays], y_new[stays]), "^-", color="C3", label="broken: the world has changed"
)
left.set(xlabel="probability said", ylabel="share that happened", title="Probabilities")
left.legend(fontsize="small")

edges = np.linspace(0, 1, 11)
both = [sets[(said >= a) & (said <= b)].all(axis=1).mean() for a, b in pairwise(edges)]
right.bar(edges[:-1] + 0.05, both, width=0.09, color="C0", alpha=0.6)
right.set(
    xlabel="probability said",
    ylabel="share of sets with both classes",
    title=f"Sets of 90 % hold the true class in {holds.mean():.0%}",
)
plt.show()
