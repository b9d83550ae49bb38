"""What a fit has come to know: written once, read as it was written."""

from dataclasses import replace

import numpy as np
import pytest
from file_tables import FEATURES, classifier, regressor, small_table, write_parts

from bayeswood.distributed import fit_files
from bayeswood.distributed.files.column_roles import choose_roles
from bayeswood.distributed.files.encoding import Encoding, Totals
from bayeswood.distributed.files.file_plan import FilePlan, number_rows
from bayeswood.distributed.pieces.branch import BranchPlan
from bayeswood.distributed.tasks import fit_state
from bayeswood.distributed.tasks.work_folder import WorkFolder
from bayeswood.errors import BayeswoodError
from bayeswood.forest import Forest
from bayeswood.table import Column, Schema


def refuse():
    raise AssertionError("This was done before.")


@pytest.fixture
def folder(tmp_path):
    yield WorkFolder(tmp_path / "work")
    fit_state.forget_states()


@pytest.fixture
def plan():
    roles = choose_roles(["a", "y"], "y", None, None, "from_dtype", "the test")
    return FilePlan((), (), roles, {"a": "double", "y": "double"}, False, "the test", 3, 5, 7, True)


def encoding_of(plan, classes):
    schema = Schema((Column("a", "category", ("u", "v")),), named=True)
    return Encoding(plan.roles, schema, (True,), classes, False, 0, "the test")


@pytest.mark.parametrize("classes", [None, np.array(["no", "yes"], dtype=object)])
def test_all_is_read_as_it_was_written(folder, plan, classes):
    trunk = Forest.from_nested([(0, 5.0, 1.0, 2.0)])
    numbers, totals = number_rows([2, 3], 4), Totals(5, 2.5)
    encoding = encoding_of(plan, classes)
    fit_state.keep_plan(folder, plan)
    fit_state.keep_numbers(folder, lambda: numbers)
    fit_state.keep_encoding(folder, lambda: (encoding, totals))
    found, found_totals = fit_state.load_encoding(folder)
    assert found.schema == encoding.schema
    assert found.roles == encoding.roles
    assert found_totals == totals
    np.testing.assert_array_equal(found.classes, classes)
    fit_state.keep_trunk(folder, 0, lambda: trunk)
    state = fit_state.known_state(folder, 0)
    assert (state.plan, state.numbers, state.trunk.digest) == (plan, numbers, trunk.digest)
    assert state.encoding.narrow == (True,)


def test_what_is_done_is_not_done_again(folder, plan):
    chunks = [{"name": "one.spill", "counts": [1, 2]}]
    fit_state.keep_plan(folder, plan)
    numbers = fit_state.keep_numbers(folder, lambda: number_rows([1], 1))
    made = fit_state.keep_encoding(folder, lambda: (encoding_of(plan, None), Totals(1, 1.0)))
    trunk = fit_state.keep_trunk(folder, 2, lambda: Forest.from_nested([1.0]))
    assert fit_state.keep_routed(folder, 2, lambda: chunks) == chunks
    assert fit_state.keep_plan(folder, replace(plan, seed=4)) == plan
    assert fit_state.keep_numbers(folder, refuse) == numbers
    assert fit_state.keep_encoding(folder, refuse) == made
    assert fit_state.keep_trunk(folder, 2, refuse).digest == trunk.digest
    assert fit_state.keep_routed(folder, 2, refuse) == chunks


def test_another_fit_in_the_same_folder_is_seen(folder, plan):
    for value in (1.0, 2.0):
        fit_state.keep_plan(folder, plan)
        fit_state.keep_numbers(folder, lambda: number_rows([1], 1))
        fit_state.keep_encoding(folder, lambda: (encoding_of(plan, None), Totals(1, 1.0)))
        trunk = fit_state.keep_trunk(folder, 0, lambda: Forest.from_nested([value]))  # noqa: B023
        state = fit_state.known_state(folder, 0)
        assert state.trunk.digest == trunk.digest
        assert state is fit_state.known_state(folder, 0)
        folder.remove()


def test_damaged_classes_are_refused(folder, plan):
    classes = np.array(["no", "yes"], dtype=object)
    fit_state.keep_encoding(folder, lambda: (encoding_of(plan, classes), Totals(1, 1.0)))
    plain = folder.read_json("encoding")
    plain["encoding"]["classes"]["labels"] = ["no", "no"]
    folder.write_json("encoding", plain)
    with pytest.raises(BayeswoodError, match="work' holds a class label twice"):
        fit_state.load_encoding(folder)


def test_branch_plans(folder):
    growth = BranchPlan("gini", 2**63 + 1, 3, 2, 1, 5, 10.0, max_depth=4)
    fit_state.save_branch_plan(folder, 1, growth)
    assert fit_state.load_branch_plan(folder, 1) == growth


@pytest.mark.parametrize(("make", "target"), [(regressor, "y"), (classifier, "kind")])
@pytest.mark.parametrize("name", ["plan", "numbers", "encoding"])
def test_what_goes_on_is_what_is_in_the_file(name, make, target, tmp_path, monkeypatch):
    """Whoever resumes, or works elsewhere, reads what the others go on with: types too."""
    pairs = []

    def keep(folder, given):
        kept = getattr(fit_state, f"keep_{name}")(folder, given)
        pairs.append((kept, getattr(fit_state, f"load_{name}")(folder)))
        return kept

    monkeypatch.setattr(fit_files, f"keep_{name}", keep)
    place = write_parts(tmp_path / "data", small_table(300), [100, 200])
    make().fit_parquet(place, target, FEATURES, "w", n_jobs=1)
    ((kept, read),) = pairs
    assert repr(kept) == repr(read)


def test_a_fit_that_has_ended_is_forgotten(tmp_path):
    place = write_parts(tmp_path / "data", small_table(300), [100, 200])
    regressor().fit_parquet(place, "y", FEATURES, n_jobs=1)
    for name in ("plan", "numbers", "state", "branches"):
        assert getattr(fit_state, f"_read_{name}").cache_info().currsize == 0


def test_a_process_reads_everything_once(tmp_path, monkeypatch):
    """However many fragments and branches there are."""
    read, read_json = [], WorkFolder.read_json

    def note(folder, name):
        read.append(name)
        return read_json(folder, name)

    monkeypatch.setattr(WorkFolder, "read_json", note)
    place = write_parts(tmp_path / "data", small_table(600), [100, 200, 300])
    forest = regressor(trunk_max_leaves=4).fit_parquet(place, "y", FEATURES, n_jobs=1)
    assert forest.trunk_.n_leaves == 4
    assert sorted(read) == ["branches-0", "encoding", "plan", "routed-0", "rows"]
