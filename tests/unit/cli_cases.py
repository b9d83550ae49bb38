"""Verbs run through click's runner, and a table for them."""

import csv
import gzip
import io
import json

import numpy as np
from click.testing import CliRunner

from bayeswood.cli.app import app


def run(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output + str(result.exception)
    return result


def run_json(*args):
    return json.loads(run(*args, "--json").stdout)


def rows_of(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return list(csv.DictReader(io.StringIO(text)))


def write_mixed(path):
    """Numbers, text, bools, whole numbers, missing cells; a class and a number to predict."""
    rng = np.random.default_rng(11)
    lines = ["id,size,colour,open,grade,weight,kind,price"]
    for i in range(120):
        size, colour, is_open = rng.normal(), rng.choice(["red", "blue", "tan"]), rng.random() < 0.5
        kind = "big" if size + (colour == "red") > 0.3 else "small"
        price = 3 * size + 2 * is_open + 0.1 * rng.normal()
        cell = "" if i % 10 == 3 else f"{size:.6f}"
        colour = "" if i % 15 == 4 else colour
        lines.append(
            f"{i},{cell},{colour},{str(is_open).lower()},{rng.integers(1, 5)},"
            f"{rng.integers(1, 4)},{kind},{price:.5f}"
        )
    path.write_text("\n".join(lines) + "\n")
