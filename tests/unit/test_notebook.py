"""The example notebook runs as it is, and its reports show themselves as HTML."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def executed():
    """The cells of the notebook with their outputs."""
    pytest.importorskip("ipykernel", reason="needs ipykernel: install the extra 'test'")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def data_of(cell):
    return [output["data"] for output in cell.outputs if "data" in output]


def test_no_outputs_are_kept():
    assert '"outputs": []' in NOTEBOOK.read_text()
    assert '"output_type"' not in NOTEBOOK.read_text()


def test_progress_is_one_line_that_ends_with_all_trees(executed):
    lines = [data["text/plain"] for data in data_of(executed[0])]
    assert len(lines) == 1
    assert lines[0].startswith(
        "CalibratedForestClassifier [####################] 100/100 trees in "
    )


def test_every_report_is_html(executed):
    for cell in executed[1:]:
        (data,) = data_of(cell)
        assert "<table" in data["text/html"], cell.source
        assert len(data["text/html"]) < 12_000


def test_nothing_else_is_printed(executed):
    for cell in executed:
        printed = [output.text for output in cell.outputs if output.output_type == "stream"]
        assert not "".join(printed).replace("MonteCarloWarning", ""), printed
