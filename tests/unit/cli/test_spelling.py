"""Columns of --categorical keep the spelling of a CSV file."""

import json

import pytest

pytest.importorskip("click")

from click.testing import CliRunner

from bayeswood.cli.app import app


def run_json(*args):
    result = CliRunner().invoke(app, [*map(str, args), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(("cells", "levels"), [
    (["01234", "1234", "90210"], ["01234", "1234", "90210"]),
    (["3", "20", "1"], [1, 3, 20]),
    (["2020-01-01T00:00:00"], ["2020-01-01T00:00:00"]),
    (["9:05", "10:30"], ["10:30", "9:05"]),
    (["True", "False"], [False, True]),
])  # fmt: skip
def test_levels_are_spelt_as_in_the_file(tmp_path, cells, levels):
    data, model = tmp_path / "data.csv", tmp_path / "m"
    data.write_text("code,y\n" + "".join(f"{c},{i}.5\n" for i, c in enumerate(cells * 10)))

    run_json("fit", data, "-t", "y", "--categorical", "code", "-n", 3, "-o", model,
             "-m", "random-forest")  # fmt: skip

    assert run_json("info", model)["categories"]["code"] == levels
    assert run_json("evaluate", model, data)["notes"] == []  # no level is new
