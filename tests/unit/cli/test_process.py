"""The command as a process of its own: exit codes, streams, signals, pipes, terminals."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from cli_cases import run as run_here
from cli_cases import run_json

COMMAND = [sys.executable, "-m", "bayeswood"]


def run(*args, **options):
    return subprocess.run(
        [*COMMAND, *map(str, args)], capture_output=True, text=True, timeout=120, **options
    )


def test_all_verbs_in_a_row(tmp_path):
    fit = run("fit", "builtin:iris", "--out", "m.bw", "-n", "10", "--json", cwd=tmp_path)
    assert fit.returncode == 0
    assert fit.stderr == ""
    assert json.loads(fit.stdout)["outputs"] == {"model": "m.bw"}
    predict = run("predict", "m.bw", "builtin:iris", "--out", "p.csv", cwd=tmp_path)
    assert (predict.returncode, predict.stderr) == (0, "")
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 151
    evaluate = run("evaluate", "m.bw", "builtin:iris", "--json", cwd=tmp_path)
    assert json.loads(evaluate.stdout)["accuracy"] > 0.95
    info = run_json("info", tmp_path / "m.bw")
    assert info["estimator"] == "CalibratedForestClassifier"


def test_a_verb_imports_no_other():
    script = (
        "import sys; from bayeswood.cli.app import app, VERBS; app.get_command(None, 'info');"
        "print(*(verb for verb in VERBS if f'bayeswood.cli.verbs.{verb}' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("info\n", "")


def test_a_process_of_its_own_seldom_searches_for_cycles():
    """What it imports stays; whoever calls `main` keeps the searches as they are."""
    script = (
        "import contextlib, gc, sys; from bayeswood.cli import main\n"
        "sys.argv, usual = ['bayeswood', '--version'], gc.get_threshold()\n"
        "for args in (['--version'], None):\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        main(args)\n"
        "    print(gc.get_threshold() == usual, gc.get_freeze_count() > 0, gc.isenabled())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[1::2] == ["True False True", "False True True"]


def test_a_forest_in_a_cycle_is_not_told_of(tmp_path):
    """Of what is there at the very end nanobind would complain."""
    run_here("fit", "builtin:iris", "-n", "2", "--out", tmp_path / "m.bw", "-q")
    script = (
        "import sys; from bayeswood import load; from bayeswood.cli import main\n"
        "forest = [load(sys.argv[1])]; forest.append(forest); del forest\n"
        "sys.argv = ['bayeswood', '--version']; main()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "m.bw")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("args", "code"), [
    (["info", "gone.bw"], 1),
    (["fit", "gone.csv", "--target", "y"], 1),
    (["fit", "--nonsense"], 2),
    (["nonsense"], 2),
])  # fmt: skip
def test_failures_are_one_line(tmp_path, args, code):
    result = run(*args, cwd=tmp_path)
    assert result.returncode == code
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("bayeswood")


def test_output_is_plain_text_at_80_columns(tmp_path):
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    result = run("fit", "builtin:wine", "-n", "5", "--test-size", "0.25", env=env, cwd=tmp_path)
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert not any(line != line.rstrip() for line in result.stdout.splitlines())


def test_a_closed_pipe_is_no_traceback(tmp_path):
    model = tmp_path / "m.bw"
    run_here("fit", "builtin:wine_quality", "-n", "2", "--out", model, "-q")
    process = subprocess.Popen(
        [*COMMAND, "predict", str(model), "builtin:wine_quality", "--out", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
    )  # fmt: skip
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.wait(timeout=60)
    process.stderr.close()
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors


def write_slow_table(path, n_rows):
    rows = (f"{i * 7919 % 10007},{i * 104729 % 10007},{i % 997}.5\n" for i in range(n_rows))
    path.write_text("a,b,y\n" + "".join(rows))


def test_ctrl_c_exits_130_and_leaves_no_file(tmp_path):
    write_slow_table(tmp_path / "d.csv", 40_000)
    process = subprocess.Popen(
        [*COMMAND, "fit", "d.csv", "-t", "y", "-n", "100000", "--out", "m.bw"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, bufsize=1,
    )  # fmt: skip
    try:
        # The note on the target is printed right before the fit.
        assert any("overrides" in line for line in process.stdout), process.stderr.read()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors.strip() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def read_all(descriptor):
    chunks = []
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # Linux's way to say that the other side has closed
            return b"".join(chunks).decode()
        if not chunk:
            return b"".join(chunks).decode()
        chunks.append(chunk)


def test_progress_and_colour_on_a_terminal_only(tmp_path):
    write_slow_table(tmp_path / "d.csv", 5_000)
    parent, child = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    env.pop("NO_COLOR", None)
    args = ["fit", "d.csv", "-t", "y", "-n", "30"]
    process = subprocess.Popen(
        [*COMMAND, *args], stdin=child, stdout=child, stderr=child, cwd=tmp_path, env=env
    )
    os.close(child)
    shown = read_all(parent)
    os.close(parent)
    assert process.wait(timeout=60) == 0
    assert "30/30" in shown
    assert "\x1b[" in shown
    piped = run(*args, cwd=tmp_path)
    assert piped.stderr == ""
