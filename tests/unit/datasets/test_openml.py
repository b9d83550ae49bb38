"""OpenML's answers are made up here: nothing is fetched."""

from dataclasses import replace
from types import SimpleNamespace
from urllib.error import HTTPError, URLError

import numpy as np
import pytest
import sklearn.datasets
import sklearn.datasets._openml
from dataset_cases import TOY, other, toy_bunch, toy_columns

from bayeswood.datasets.catalogue import catalogue
from bayeswood.datasets.openml import fetch_columns
from bayeswood.errors import DataSetError, MissingDataSetError

REAL_FETCH = sklearn.datasets._openml.fetch_openml


@pytest.fixture
def answer(monkeypatch):
    """Let OpenML answer with this."""

    def set_answer(bunch):
        def fetch(**options):
            if isinstance(bunch, Exception):
                raise bunch
            return bunch

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)

    return set_answer


def fetch(facts=TOY):
    return fetch_columns(facts, facts.openml)


def test_the_right_table(answer):
    answer(toy_bunch())
    found = fetch()
    for name, column in toy_columns().items():
        np.testing.assert_array_equal(found[name], column)
    assert list(found) == list(TOY.columns)


def test_columns_may_be_named(answer):
    names = ("Size", "N", "Colour", "Code", "Class")
    bunch = toy_bunch()
    bunch.data = np.column_stack([bunch.data[:, 1:], bunch.data[:, :1]])
    bunch.feature_names = [*names, "ID"]
    answer(bunch)
    assert list(fetch(other(openml=replace(TOY.openml, columns=names)))) == list(TOY.columns)
    with pytest.raises(DataSetError, match="its 6 columns are not 5 like ours"):
        fetch(other(openml=replace(TOY.openml, columns=(*names[:-1], "Kind"))))


def shorter(bunch):
    bunch.data = bunch.data[:-1]


def narrower(bunch):
    bunch.data, bunch.feature_names = bunch.data[:, 2:], bunch.feature_names[2:]


def with_cell(row, column, value):
    def change(bunch):
        bunch.data[row, column] = value

    return change


def shuffled(bunch):
    bunch.data = bunch.data[[0, 2, 1, 3]]


def unknown_label(bunch):
    bunch.categories["Class"] = ["P", "M"]


def level_that_is_no_number(bunch):
    bunch.categories["N"] = [str(level) for level in range(6)] + ["many"]


WRONG = {
    "it has 3 rows only": shorter,
    "its 4 columns are not 5 like ours": narrower,
    "its classes are .*'yes': 3": with_cell(3, 5, 0),
    "its classes are .*'M': 2": unknown_label,
    "it lacks 0 cells, not 1": with_cell(2, 1, 4.0),
    "its cells differ, or the order of its rows": with_cell(1, 2, 3.25),
    "its cells differ, or the order": shuffled,
    "could not convert string to float: 'many'": level_that_is_no_number,
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_table_is_one_clear_error(answer, message):
    bunch = toy_bunch()
    WRONG[message](bunch)
    answer(bunch)
    with pytest.raises(
        DataSetError,
        match=rf"^OpenML, id 7: this is not the data set 'toy': {message}.*\. Put toy\.csv\.gz in",
    ) as caught:
        fetch()
    assert not isinstance(caught.value, MissingDataSetError)


def test_more_rows_than_ours(answer):
    bunch = toy_bunch()
    bunch.data = np.vstack([bunch.data, bunch.data[:1]])
    answer(bunch)
    with pytest.raises(DataSetError, match="it has 5 rows, not 4"):
        fetch(other(openml=replace(TOY.openml, rows=())))


@pytest.mark.parametrize(
    "error",
    [
        URLError("no route to host"),
        HTTPError("https://x", 503, "busy", {}, None),
        TimeoutError("slow"),
        ConnectionResetError("gone"),
        ValueError("md5 checksum of local file does not match."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_answer(answer, error):
    answer(error)
    with pytest.raises(MissingDataSetError, match=r"^OpenML, id 7, gave nothing: .*[^.]$"):
        fetch()


def test_what_is_asked_is_what_scikit_learn_takes(monkeypatch):
    """The real function checks its arguments and goes for the network, which refuses."""
    asked = []

    def refuse(request, *args, **kwargs):
        asked.append(request.full_url)
        raise URLError("refused")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", REAL_FETCH)
    monkeypatch.setattr(sklearn.datasets._openml, "urlopen", refuse)
    monkeypatch.setattr(sklearn.datasets._openml.time, "sleep", lambda seconds: None)
    with pytest.raises(MissingDataSetError, match="refused"):
        fetch()
    assert asked
    assert all(url.endswith("/data/7") for url in asked)


def test_houses_per_household(answer):
    """By hand: one block group of 2 households, 9 rooms, 3 bedrooms and 5 people."""
    facts = catalogue()["california_housing"]
    raw = dict(zip(facts.openml.columns, [-122, 37, 41, 9, 3, 5, 2, 8.25, 452600], strict=True))
    names = sorted(raw)
    answer(
        SimpleNamespace(
            data=np.array([[raw[name] for name in names]]), feature_names=names, categories={}
        )
    )
    wanted = [8.25, 41, 4.5, 1.5, 5, 2.5, 37, -122, 4.526]
    # Not the digest of one row: what was made of it is in the way of the complaint.
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bayeswood.datasets.openml.check_columns", lambda f, c, *rest: made.update(c))
        fetch(facts)
    assert [column[0] for column in made.values()] == wanted


def as_openml_has_it(facts, data):
    """What OpenML would give if it has our rows in the way that the catalogue says."""
    source = facts.openml
    columns = dict(zip(data.feature_names, data.features.T, strict=True))
    columns["target"] = data.target
    spelt = {ours: theirs for theirs, ours in source.labels.items()}
    values, categories = [], {}
    for name, column in columns.items():
        is_nominal = name in facts.categorical or (name == "target" and facts.classes)
        if not is_nominal:
            values.append(column.astype(np.float64))
            continue
        text = np.array([spelt.get(str(cell), str(cell)) for cell in column])
        levels, codes = np.unique(text, return_inverse=True)
        codes = codes.astype(np.float64)
        if source.missing is not None and source.missing in levels and name != "target":
            codes[text == source.missing] = np.nan
        values.append(codes)
        categories[name] = levels.tolist()
    table = np.column_stack(values)
    if source.rows:
        order = np.concatenate([np.arange(*block) for block in source.rows])
        table = table[np.argsort(order)]
    return SimpleNamespace(data=table, feature_names=list(columns), categories=categories)


# The others are too large to be made up quickly, or computed from another table.
FETCHED = [
    name
    for name, facts in catalogue().items()
    if facts.openml
    and name not in ("covertype", "fashion_mnist_7k")
    and not name.startswith("california")
]


@pytest.mark.parametrize("name", FETCHED)
def test_our_rows_in_their_form_are_ours_again(answer, data_set, name):
    facts = catalogue()[name]
    answer(as_openml_has_it(facts, data_set(name)))
    assert list(fetch(facts)) == list(facts.columns)


@pytest.mark.parametrize("name", ["california_housing", "california_housing_raw"])
def test_both_housings_are_made_of_the_same_table(answer, data_set, name):
    raw = data_set("california_housing_raw")
    names = catalogue()[name].openml.columns
    table = np.column_stack([raw.features, raw.target])
    answer(SimpleNamespace(data=table, feature_names=list(names), categories={}))
    assert len(fetch(catalogue()[name])["target"]) == 20_640
