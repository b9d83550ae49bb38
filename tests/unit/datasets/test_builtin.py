import gzip

import numpy as np
import pytest

from bayeswood import datasets
from bayeswood.errors import BayeswoodError

SHAPES = {
    "breast_cancer_wisconsin": (699, 9),
    "iris": (150, 4),
    "wine": (178, 13),
    "wine_quality": (6497, 12),
}


def loader(name):
    return getattr(datasets, f"load_{name}")


def test_every_bundled_set_has_a_loader():
    assert set(datasets.builtin_names()) == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_and_names(name):
    bunch = loader(name)()
    assert bunch.data.shape == SHAPES[name]
    assert bunch.target.shape == (SHAPES[name][0],)
    assert len(bunch.feature_names) == SHAPES[name][1]
    assert "target" not in bunch.feature_names
    assert "CC BY 4.0" in bunch.DESCR


@pytest.mark.parametrize("name", SHAPES)
def test_frames_hold_the_same_cells(name):
    arrays, frames = loader(name)(), loader(name)(as_frame=True)
    assert list(frames.data.columns) == arrays.feature_names
    assert frames.frame.shape[1] == SHAPES[name][1] + 1
    assert list(frames.target) == list(arrays.target)
    mine, theirs = arrays.data[:, 0].astype(float), frames.data.iloc[:, 0].to_numpy(float)
    np.testing.assert_array_equal(mine, theirs)


def test_missing_cells_of_the_biopsies():
    bunch = datasets.load_breast_cancer_wisconsin()
    n_missing = dict(zip(bunch.feature_names, np.isnan(bunch.data).sum(axis=0), strict=True))
    assert n_missing.pop("bare_nuclei") == 16
    assert set(n_missing.values()) == {0}
    labels, counts = np.unique(bunch.target, return_counts=True)
    assert (labels.tolist(), counts.tolist()) == (["benign", "malignant"], [458, 241])


def test_wine_colour_is_text_and_the_rest_numbers():
    bunch = datasets.load_wine_quality()
    assert bunch.data.dtype == object
    assert set(bunch.data[:, -1]) == {"red", "white"}
    assert bunch.target.dtype == np.int64


def test_iris_is_the_repository_s_own():
    data = datasets.load_iris().data
    np.testing.assert_allclose(data[34], [4.9, 3.1, 1.5, 0.1])
    np.testing.assert_allclose(data[37], [4.9, 3.1, 1.5, 0.1])


def test_unknown_bundled_set_lists_the_known():
    with pytest.raises(BayeswoodError, match=r"'irish'.*iris"):
        datasets.builtin_path("irish")


def write_gz(path, text):
    path.write_bytes(gzip.compress(text.encode()))


def test_benchmark_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
    write_gz(tmp_path / "toy.csv.gz", "a,b,target\n1,7,2.5\n,8,3\n")
    (tmp_path / "MANIFEST.csv").write_text("name,categorical_columns,origin\ntoy,b,nowhere\n")
    bunch = datasets.load_benchmark("toy")
    assert bunch.feature_names == ["a", "b"]
    assert bunch.data[0, 1] == "7"
    assert np.isnan(bunch.data[1, 0])
    assert bunch.target.tolist() == [2.5, 3.0]
    assert bunch.DESCR == "nowhere"


def test_benchmark_without_the_variable(monkeypatch):
    monkeypatch.delenv("BAYESWOOD_DATA", raising=False)
    with pytest.raises(BayeswoodError, match=r"BAYESWOOD_DATA must name the folder"):
        datasets.load_benchmark("toy")


def test_benchmark_folder_that_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path / "gone"))
    with pytest.raises(BayeswoodError, match="must name a folder"):
        datasets.load_benchmark("toy")


@pytest.mark.parametrize("name", ["other", "../toy", ""])
def test_unknown_benchmark(monkeypatch, tmp_path, name):
    folder = tmp_path / "inner"
    folder.mkdir()
    write_gz(tmp_path / "toy.csv.gz", "a,target\n1,2\n")
    write_gz(folder / "known.csv.gz", "a,target\n1,2\n")
    monkeypatch.setenv("BAYESWOOD_DATA", str(folder))
    with pytest.raises(BayeswoodError, match="There are: known"):
        datasets.load_benchmark(name)


def test_file_without_target(monkeypatch, tmp_path):
    write_gz(tmp_path / "toy.csv.gz", "a,b\n1,2\n")
    monkeypatch.setenv("BAYESWOOD_DATA", str(tmp_path))
    with pytest.raises(BayeswoodError, match="must be 'target'"):
        datasets.load_benchmark("toy")
