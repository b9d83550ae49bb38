"""Data that are not here cost the parts that need them, and nothing else."""

import pytest
from toy_paper import make_paper

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce import MissingDataError, Plan, run_paper
from bayeswood.reproduce.data import load, load_classes
from bayeswood.reproduce.readmes import readme_of


@pytest.mark.usefixtures("no_data")
def test_parts_that_need_no_data_are_run(tmp_path):
    paper = make_paper(tmp_path / "log", data=("svmguide2",))
    record = run_paper(paper, Plan(), tmp_path / "work")
    assert record.missing == ("svmguide2",)
    assert not (tmp_path / "log").exists()
    states = {part.key: part.missing for part in record.parts}
    assert states["table-1"] == "the data set 'svmguide2' is not here"
    assert states["free"] == ""
    page = readme_of(paper, record)
    assert "Not run: the data set 'svmguide2' is not here." in page
    assert "## Ours: free\n\n### Beside" in page


@pytest.mark.usefixtures("no_data")
def test_bundled_sets_are_always_here():
    X, y = load_classes("iris")
    assert (X.shape, set(y.tolist())) == ((150, 4), {0, 1, 2})
    with pytest.raises(MissingDataError, match="'svmguide2' is not here"):
        load("svmguide2")


def test_only_known_parts(tmp_path):
    with pytest.raises(BayeswoodError, match=r"toy-2000 has no part 'table-7'\. There are: claims"):
        run_paper(make_paper(tmp_path / "log"), Plan(), tmp_path, only=["table-7"])


def test_only_some_parts(tmp_path):
    record = run_paper(make_paper(tmp_path / "log"), Plan(), tmp_path / "work", only=["free"])
    assert [part.key for part in record.parts] == ["free"]
    assert not (tmp_path / "log").exists()
