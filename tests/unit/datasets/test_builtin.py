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
