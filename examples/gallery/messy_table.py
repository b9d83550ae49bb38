"""
A table as people save it
=========================

Decimal commas, marks of currency, words for missing cells, dates and categories: read as they are,
with a note of what was taken for what, and fitted without any encoding.
"""

import io
import random

import matplotlib.pyplot as plt

import bayeswood
from bayeswood.plots import ImportanceDisplay

rng = random.Random(0)
lines = ["sold;area;rooms;town;price"]
for i in range(300):
    area, town = rng.uniform(40, 200), rng.choice(["Bern", "Basel", "Chur"])
    month = 1 + i % 12
    price = 3_000 * area * {"Bern": 1.2, "Basel": 1.4, "Chur": 0.8}[town] + 20_000 * rng.gauss(0, 1)
    size = "n/a" if rng.random() < 0.1 else f"{area:.1f}".replace(".", ",")
    cost = f"{price:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")
    lines.append(f"{1 + i % 28:02}.{month:02}.2024;{size};{rng.randint(1, 6)};{town};{cost} €")
print(*lines[:4], sep="\n")

# %%
houses = bayeswood.read_table(io.BytesIO("\n".join(lines).encode()))
print(houses)

# %%
X, y = houses.split("price")
forest = bayeswood.CalibratedForestRegressor(100, random_state=0).fit(X, y)
print(forest.out_of_bag_report())

# %%
# Dates were taken apart; the town is a category, and missing areas are no obstacle.

ImportanceDisplay.from_estimator(forest)
plt.show()
