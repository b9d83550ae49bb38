"""The steps between reading and grafting, with a site that has all rows in memory."""

from dataclasses import replace

import numpy as np
import pytest

from bayeswood import EmpiricalBayesianForestRegressor
from bayeswood.distributed.files.column_roles import choose_roles
from bayeswood.distributed.files.encoding import Encoding, Rows, Totals
from bayeswood.distributed.files.file_plan import FilePlan
from bayeswood.distributed.fit_in_pieces import (
    BranchRows,
    ScannedTable,
    fit_in_pieces,
    refuse_no_rows,
)
from bayeswood.distributed.pieces.branch import fit_branch
from bayeswood.distributed.pieces.deepen_trunk import MOST_ROUNDS
from bayeswood.distributed.pieces.route import branch_rows, route
from bayeswood.distributed.pieces.trunk import branch_depths
from bayeswood.errors import BayeswoodError
from bayeswood.methods.bayesian_forest.files_fitter import FilesFitter
from bayeswood.table import fit_table

N_ROWS = 600


class MemorySite:
    """All rows in this process; trees are handed over `step` at a time."""

    n_jobs = 1
    room = 10**12

    def __init__(self, rows, *, splits=False, step=2, sample=None):
        self.rows, self.splits, self.step = rows, splits, step
        self.sampled = rows if sample is None else rows.take(sample)
        roles = choose_roles(["x0", "x1", "y"], "y", None, None, "from_dtype", "the test")
        kinds = dict.fromkeys(roles.columns, "double")
        self.plan = FilePlan((), (), roles, kinds, False, "the test", 9, 0, 0, True)
        self.done = []

    def scan(self):
        self.done.append("scan")
        schema = fit_table(self.rows.X, categorical_features=None, estimator_name="the test")[1]
        known = Encoding(self.plan.roles, schema, (False, False), None, False, 0, "the test")
        return ScannedTable(known, Totals(len(self.rows.X), float(len(self.rows.X))))

    def sample(self, table):
        self.done.append("sample")
        return self.sampled

    def keep_trunk(self, round_, make):
        self.done.append(f"trunk {round_}")
        return make()

    def count(self, round_, trunk, table, sample):
        self.done.append(f"count {round_}")
        return np.bincount(route(trunk, self.rows.X), minlength=int(trunk.n_leaves[0]))

    def plan_memory(self, costs, counts, table, n_sample):
        self.done.append("memory")
        self.counts = counts

    def fit_branches(self, sized, table, costs, growth, memory):
        self.done.append("fit")
        branch = route(sized.trunk, self.rows.X)
        self.numbers = branch_rows(branch, sized.n_branches)
        self.fitted = [
            fit_branch(
                *(self.rows.X[own], self.rows.y[own], None, growth, number),
                n_levels=table.encoding.schema.n_levels,
                depth=int(branch_depths(sized.trunk)[number]),
            )
            for number, own in enumerate(self.numbers)
        ]
        return FittedInMemory(self)

    def load(self, trees):
        """Some trees of all branches."""
        self.done.append(f"load {trees.start} to {trees.stop}")
        some = [
            replace(one, forest=one.forest.select(trees), importances=one.importances[list(trees)])
            for one in self.fitted
        ]
        return some, self.numbers


class FittedInMemory:
    """The branches that a site has fitted."""

    def __init__(self, site):
        self.site, self.step, self.load = site, site.step, site.load

    def rows(self):
        for number, own in enumerate(self.site.numbers):
            yield BranchRows(number, self.site.rows.y[own], None, own)


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N_ROWS, 2))
    return Rows(X, np.sin(3 * X[:, :1]) + 0.2 * rng.normal(size=(N_ROWS, 1)), None)


def fit(site, **parameters):
    forest = EmpiricalBayesianForestRegressor(5, check_trunk=False, **parameters)
    fitter = FilesFitter(forest, "the test")
    return fitter.adopt(fit_in_pieces(site, fitter.growth))


def test_the_steps_come_in_order(rows):
    site = MemorySite(rows)
    fit(site)
    before = ["scan", "sample", "trunk 0", "count 0", "memory", "fit"]
    assert site.done == [*before, "load 0 to 2", "load 2 to 4", "load 4 to 5"]


def test_portions_of_trees_change_nothing(rows):
    forests = [fit(MemorySite(rows, step=step)) for step in (1, 2, 5, 100)]
    assert len({forest.forest_.digest for forest in forests}) == 1
    np.testing.assert_array_equal(
        forests[0].predict_interval(rows.X), forests[-1].predict_interval(rows.X)
    )


def test_a_branch_without_room_makes_the_trunk_deeper(rows, monkeypatch):
    monkeypatch.setattr(
        "bayeswood.distributed.fit_in_pieces.deepen_by_sample", lambda trunk, *others: trunk
    )
    site = MemorySite(rows, splits=True)
    monkeypatch.setattr(
        "bayeswood.distributed.tasks.memory.RowCosts.most_rows", lambda costs, room: 100
    )
    forest = fit(site, trunk_max_leaves=2)
    assert site.counts.max() <= 100
    assert site.done[2:6] == ["trunk 0", "count 0", "trunk 1", "count 1"]
    assert len(site.counts) == forest.trunk_.n_leaves[0]


def test_the_trunk_is_made_deeper_so_often_and_no_more(rows, monkeypatch):
    for name in ("deepen_by_sample", "deepen_trunk"):
        monkeypatch.setattr(
            f"bayeswood.distributed.fit_in_pieces.{name}", lambda trunk, *others: trunk
        )
    monkeypatch.setattr(
        "bayeswood.distributed.tasks.memory.RowCosts.most_rows", lambda costs, room: 1
    )
    site = MemorySite(rows, splits=True)
    fit(site)
    assert f"count {MOST_ROUNDS}" in site.done
    assert f"count {MOST_ROUNDS + 1}" not in site.done


def test_without_splits_the_trunk_stays_as_it_is(rows, monkeypatch):
    monkeypatch.setattr(
        "bayeswood.distributed.tasks.memory.RowCosts.most_rows", lambda costs, room: 1
    )
    site = MemorySite(rows)
    fit(site)
    assert "trunk 1" not in site.done


def test_a_table_without_rows(rows):
    with pytest.raises(BayeswoodError, match=r"zero in every row\. the test needs"):
        refuse_no_rows(MemorySite(rows).plan)
