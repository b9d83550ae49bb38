import subprocess
import sys
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from dataset_cases import TOY, know_only, other, toy_bunch

import bayeswood
from bayeswood import datasets
from bayeswood.datasets.catalogue import catalogue
from bayeswood.errors import DataSetError, MissingDataSetError

ALL = catalogue()


@pytest.fixture
def _nothing_here(monkeypatch, tmp_path):
    """No folder, and an empty cache."""
    monkeypatch.delenv("BAYESWOOD_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))


@pytest.fixture
def asked(monkeypatch):
    """OpenML has the toy; the numbers it was asked for."""
    numbers = []

    def fetch(*, data_id, **options):
        numbers.append(data_id)
        return toy_bunch()

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return numbers


@pytest.mark.parametrize("name", ALL)
def test_every_set_is_what_is_known_of_it(data_set, name):
    facts, data = ALL[name], data_set(name)
    assert (data.name, data.task) == (name, facts.task)
    assert data.features.shape == (facts.rows, len(facts.features))
    assert data.features.dtype == (object if facts.categorical else np.float64)
    assert data.feature_names == facts.features
    assert data.target.shape == (facts.rows,)
    labels, counts = np.unique(data.target, return_counts=True)
    if facts.task == "classification":
        assert {str(label): n for label, n in zip(labels, counts, strict=True)} == facts.classes
    else:
        assert data.target.dtype.kind in "if"
    assert int(pd.isna(data.features).sum()) == facts.missing
    assert (data.split is None) == (not facts.split)
    if facts.split:
        parts, sizes = np.unique(data.split, return_counts=True)
        assert dict(zip(parts.tolist(), sizes.tolist(), strict=True)) == facts.split
    for idx, column in enumerate(data.feature_names):
        if column in facts.categorical:
            assert {type(cell) for cell in data.features[:, idx]} <= {str, type(None)}


@pytest.mark.parametrize("name", datasets.builtin_names())
def test_bundled_copies_equal_those_of_the_folder(data_set, name, tmp_path):
    theirs = data_set(name)
    if theirs.source != "folder":
        pytest.skip(f"needs {name}.csv.gz in the folder that the variable BAYESWOOD_DATA names")
    ours = datasets.load(name, folder=tmp_path, cache=tmp_path, download=False)
    assert ours.source == "bundled"
    np.testing.assert_array_equal(ours.features, theirs.features)
    np.testing.assert_array_equal(ours.target, theirs.target)


def test_scikit_learns_wine_is_ours_and_its_iris_differs_in_three_cells():
    assert np.array_equal(datasets.load("wine").features, sklearn.datasets.load_wine().data)
    differs = datasets.load("iris").features != sklearn.datasets.load_iris().data
    assert differs.sum() == 3
    assert np.flatnonzero(differs.any(axis=1)).tolist() == [34, 37]
    assert "35th and the 38th" in datasets.load("iris").description


@pytest.mark.usefixtures("_nothing_here")
def test_bundled_sets_need_no_one_else():
    cancer = datasets.load("breast_cancer_wisconsin")
    assert (cancer.source, cancer.split) == ("bundled", None)
    assert int(np.isnan(cancer.features).sum()) == 16
    assert repr(cancer) == (
        "DataSet(name='breast_cancer_wisconsin', task='classification', source='bundled')"
    )


def test_what_is_loaded_cannot_be_changed():
    wine = datasets.load("wine")
    for array in (wine.features, wine.target):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        wine.target = wine.target


def test_frames_hold_the_same_cells():
    arrays, frames = (datasets.load("wine_quality", as_frame=flag) for flag in (False, True))
    assert tuple(frames.features.columns) == arrays.feature_names
    assert frames.categorical == ("color",)
    assert set(frames.features["color"]) == {"red", "white"}
    np.testing.assert_array_equal(frames.features.to_numpy(dtype=object), arrays.features)
    assert arrays.target.dtype == np.int64


@pytest.mark.parametrize("as_frame", [False, True])
def test_estimators_take_the_features_as_they_are(as_frame):
    wine = datasets.load("wine_quality", as_frame=as_frame)
    forest = bayeswood.BayesianForestRegressor(3, random_state=0)
    forest.fit(wine.features[:500], wine.target[:500])
    assert np.isfinite(forest.predict(wine.features[500:520])).all()


@pytest.mark.usefixtures("_nothing_here")
def test_what_was_fetched_is_kept(monkeypatch, asked, tmp_path):
    know_only(monkeypatch, TOY)
    assert datasets.source_of("toy") == "OpenML"
    first = datasets.load("toy")
    assert datasets.source_of("toy") == "cache"
    again = datasets.load("toy")
    assert (first.source, again.source, asked) == ("OpenML", "cache", [7])
    assert str(first.features) == str(again.features)
    assert again.target.tolist() == ["yes", "no", "no", "yes"]
    assert again.split.tolist() == ["train", "train", "train", "test"]
    assert (tmp_path / "home" / "bayeswood" / "toy.csv.gz").is_file()


@pytest.mark.usefixtures("_nothing_here")
def test_the_cache_may_be_elsewhere(monkeypatch, asked, tmp_path):
    know_only(monkeypatch, TOY)
    for _ in range(2):
        datasets.load("toy", cache=tmp_path / "mine")
    assert asked == [7]
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.usefixtures("_nothing_here")
def test_a_wrong_table_is_not_kept(monkeypatch, asked, tmp_path):
    know_only(monkeypatch, other(cells="f" * 64))
    with pytest.raises(DataSetError, match="its cells differ"):
        datasets.load("toy")
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("_nothing_here")
def test_offline_says_where_it_looked_and_what_to_do(monkeypatch, tmp_path):
    def unreachable(**options):
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(MissingDataSetError) as caught:
        datasets.load("sonar")
    cache = tmp_path / "home" / "bayeswood"
    assert str(caught.value) == (
        f"The data set 'sonar' is not on this machine (BAYESWOOD_DATA is not set, not in the cache "
        f"{cache}, not in the package), and OpenML, id 40, gave nothing: <urlopen error no route "
        "to host>. Try again, or put sonar.csv.gz into a folder and name it in BAYESWOOD_DATA."
    )
    with pytest.raises(MissingDataSetError, match=rf"\(not in {tmp_path}, not in the cache"):
        datasets.load("sonar", folder=tmp_path)


@pytest.mark.usefixtures("_nothing_here")
def test_sets_that_have_no_other_home():
    with pytest.raises(
        MissingDataSetError, match=r"\. It is not on OpenML: put mcycle\.csv\.gz in"
    ):
        datasets.load("mcycle")
    with pytest.raises(
        MissingDataSetError, match=r"not on OpenML as it is here \(.*40981\): put aus"
    ):
        datasets.load("australian")
    assert datasets.source_of("mcycle") == "not found"


@pytest.mark.usefixtures("_nothing_here")
def test_openml_is_not_asked_against_ones_will():
    with pytest.raises(MissingDataSetError, match="may be fetched from OpenML, id 32; or put"):
        datasets.load("pendigits", download=False)


def test_scripts_leave_with_status_2(capsys):
    with pytest.raises(SystemExit) as leaving, datasets.exit_without_data():
        datasets.load("nothing like it")
    assert leaving.value.code == 2
    assert capsys.readouterr().err.startswith("No data set is called 'nothing like it'.")
    with pytest.raises(ZeroDivisionError), datasets.exit_without_data():
        1 / 0  # noqa: B018


def run(code):
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_importing_the_package_imports_no_data_sets():
    run(
        "import sys, bayeswood\n"
        "assert 'bayeswood.datasets' not in sys.modules\n"
        "assert 'sklearn.datasets' not in sys.modules\n"
        "import bayeswood.datasets\n"
        "assert 'sklearn.datasets' not in sys.modules\n"
    )


def test_loading_needs_neither_pandas_nor_pyarrow():
    run(
        "import sys\n"
        "for name in ('pandas', 'pyarrow', 'click', 'rich'):\n"
        "    sys.modules[name] = None\n"
        "from bayeswood import datasets\n"
        "wine = datasets.load('wine_quality')\n"
        "assert wine.features.shape == (6497, 12)\n"
        "assert 'sklearn.datasets' not in sys.modules\n"
    )
