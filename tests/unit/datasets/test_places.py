import gzip
from pathlib import Path

import pytest
from dataset_cases import TOY, other, toy_columns
from sklearn.datasets import get_data_home

from bayeswood import datasets
from bayeswood.datasets import places
from bayeswood.datasets.catalogue import facts_of
from bayeswood.datasets.csv_file import format_columns
from bayeswood.errors import DataSetError


def test_the_folder_comes_before_the_cache_and_both_before_the_package(tmp_path):
    folder, cache = tmp_path / "folder", tmp_path / "cache"
    found = places.find_places(folder := _made(folder), _made(cache))
    iris = facts_of("iris")
    assert found.find(iris) == ("bundled", datasets.builtin_path("iris"))
    (cache / iris.file).touch()
    assert found.find(iris) == ("cache", cache / iris.file)
    (folder / iris.file).touch()
    assert found.find(iris) == ("folder", folder / iris.file)
    assert found.find(facts_of("sonar")) is None


def _made(folder):
    folder.mkdir()
    return folder


def test_an_argument_comes_before_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
    assert datasets.data_folder() == tmp_path
    assert datasets.data_folder(Path.cwd()) == Path.cwd()
    monkeypatch.setenv("BAYESWOOD_DATA", "")
    assert datasets.data_folder() is None


def test_a_folder_that_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path / "gone"))
    with pytest.raises(
        DataSetError, match=r"variable BAYESWOOD_DATA must name a folder\. Got .*gone"
    ):
        datasets.load("iris")
    with pytest.raises(DataSetError, match="'folder' must name a folder"):
        datasets.load("iris", folder=tmp_path / "gone")


@pytest.mark.parametrize("value", [None, "{}", "{}/deep/er"])
def test_the_cache_is_in_scikit_learns_data_home(value, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SCIKIT_LEARN_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("SCIKIT_LEARN_DATA", value.format(tmp_path))
    cache = places.find_places().cache
    assert not cache.parent.exists() or value == "{}"
    assert cache == Path(get_data_home()) / "bayeswood"


def test_a_file_of_another_content_is_refused(tmp_path):
    data = gzip.decompress(datasets.builtin_path("iris").read_bytes())
    (tmp_path / "iris.csv.gz").write_bytes(gzip.compress(data.replace(b"5.1,3.5", b"5.1,3.6", 1)))
    with pytest.raises(
        DataSetError, match=r"iris.csv.gz is not the data set 'iris': its SHA-256 is"
    ):
        datasets.load("iris", folder=tmp_path)


def test_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / TOY.file
    path.write_bytes(b"no gzip")
    with pytest.raises(
        DataSetError, match=r"toy\.csv\.gz cannot be read \(.*\)\. Delete or replace"
    ):
        places.read_place(TOY, places.CACHE, path)


def test_cached_columns_are_proven_by_their_cells(tmp_path):
    places.keep(TOY, toy_columns(), tmp_path)
    found = places.read_place(TOY, places.CACHE, tmp_path / TOY.file)
    assert list(found) == list(TOY.columns)
    with pytest.raises(
        DataSetError, match=r"toy\.csv\.gz: this is not .* Delete it, and it will be"
    ):
        places.read_place(other(cells="f" * 64), places.CACHE, tmp_path / TOY.file)


def without_last_row(columns):
    return {name: column[:-1] for name, column in columns.items()}


def without_size(columns):
    return {name: column for name, column in columns.items() if name != "size"}


def with_cell(name, row, value):
    def change(columns):
        columns[name][row] = value
        return columns

    return change


DIFFERENCES = {
    "it has 3 rows, not 4": without_last_row,
    r"its columns are 5 \(n, colour, code, …\), not 6 \(size, n, colour, …\)": without_size,
    r"its classes are \{'no': 3, 'yes': 1\}, not \{'no': 2, 'yes': 2\}": with_cell(
        "target", 0, "no"
    ),
    "it lacks 2 cells, not 1": with_cell("colour", 0, None),
    "its cells differ, or the order of its rows": with_cell("n", 0, 3.5),
}


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_the_first_difference_is_named(difference):
    columns = DIFFERENCES[difference](toy_columns())
    with pytest.raises(DataSetError, match=rf"^it: this is not .* 'toy': {difference}\. Go\.$"):
        places.check_columns(TOY, columns, "it", "Go.")
    places.check_columns(TOY, toy_columns(), "it", "Go.")


def test_nothing_but_the_file_is_left_in_the_cache(tmp_path):
    cache = tmp_path / "new" / "cache"
    places.keep(TOY, toy_columns(), cache)
    assert [path.name for path in cache.iterdir()] == ["toy.csv.gz"]
    assert (cache / "toy.csv.gz").read_bytes() == format_columns(toy_columns())


def test_a_cache_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "file").touch()
    with pytest.warns(UserWarning, match=r"'toy' could not be kept in .*file"):
        places.keep(TOY, toy_columns(), tmp_path / "file")
