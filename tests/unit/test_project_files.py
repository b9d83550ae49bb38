"""What strangers meet first: workflows, citation, templates, and the scripts of a release."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def yaml_of(path):
    yaml = pytest.importorskip("ruamel.yaml")  # comes with check-jsonschema
    return yaml.YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def script(name):
    return runpy.run_path(str(ROOT / "scripts" / name))


def check_against(schema, *files):
    """By the schemas that the tool brings along: nothing is fetched."""
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


@pytest.mark.parametrize("schema", ["github-workflows", "github-workflows-require-timeout"])
def test_workflows_are_valid(schema, tmp_path):
    kind = "custom" if schema.endswith("timeout") else "vendor"
    chosen = [path for path in WORKFLOWS if kind == "vendor" or path.stem != "release"]
    done = check_against(f"{kind}.{schema}", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs: {one: {steps: [{run: true}]}}\n")
    assert check_against(f"{kind}.{schema}", wrong).returncode != 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_what_there_is(path):
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    # The site is built by a target of its own, which may come after this workflow.
    assert set(re.findall(r"run: make ([\w-]+)", text)) <= targets | {"docs"}
    for script_name in re.findall(r"scripts/[\w.]+", text):
        assert (ROOT / script_name).exists()
    for workflow in re.findall(r"uses: \./(\S+)", text):
        assert (ROOT / workflow).exists()


def test_the_matrix_is_what_is_promised():
    matrix = yaml_of(ROOT / ".github/workflows/tests.yml")["jobs"]["matrix"]["strategy"]["matrix"]
    assert matrix["python"] == list(script("check_wheels.py")["VERSIONS"])
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_hooks_ask_for_the_versions_of_the_extra():
    hooks = yaml_of(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    asked = {need for hook in hooks for need in hook["additional_dependencies"] if ">" in need}
    assert asked <= set(SETTINGS["project"]["optional-dependencies"]["lint"])


def test_the_citation_knows_library_and_papers():
    cited = yaml_of(ROOT / "CITATION.cff")
    assert cited["version"] == SETTINGS["project"]["version"]
    assert cited["license"] == SETTINGS["project"]["license"]
    assert [a["name"] for a in cited["authors"]] == [
        a["name"] for a in SETTINGS["project"]["authors"]
    ]
    first_authors = {paper["authors"][0]["family-names"].lower() for paper in cited["references"]}
    folders = {path.parent.name for path in ROOT.glob("papers/*/results.json")}
    assert first_authors == {name.partition("-")[0] for name in folders}


def test_a_release_needs_one_version_and_a_date(tmp_path):
    check = script("check_release.py")
    version = SETTINGS["project"]["version"]
    assert any("The tag is v9.9.9" in fault for fault in check["faults"]("v9.9.9"))
    files = {
        "pyproject.toml": f'[project]\nversion = "{version}"\n',
        "CITATION.cff": f"version: {version}\n",
        "CHANGELOG.md": f"# Changelog\n\n## {version} (2026-01-31)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    check["read"].__globals__["ROOT"] = tmp_path
    assert check["faults"](f"v{version}") == []
    (tmp_path / "CITATION.cff").write_text("version: 0.0.1\n")
    assert len(check["faults"](f"v{version}")) == 1


def test_the_lowest_versions_are_those_of_the_project(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    floors = dict(one.split("==") for one in script("test_lowest.py")["lowest_versions"]())
    assert floors.keys() >= {"numpy", "scipy", "scikit-learn", "narwhals", "pyarrow", "nanobind"}
    assert f"numpy>={floors['numpy']}" in SETTINGS["project"]["dependencies"]


@pytest.mark.parametrize(
    ("other", "verdict", "fails"),
    [("a b", "all bits", False), ("a c", "the trees", False), ("x b", "DIFFERS", True)],
)
def test_fits_of_two_machines_are_compared(other, verdict, fails, tmp_path, capsys):
    (tmp_path / "here.txt").write_text("a forest, numbers   a b\n")
    (tmp_path / "there.txt").write_text(f"a forest, numbers   {other}\n")
    with pytest.raises(SystemExit) as ended:
        script("compare_fits.py")["main"](*(str(tmp_path / f"{n}.txt") for n in ("here", "there")))
    assert bool(ended.value.code) is fails
    assert verdict in capsys.readouterr().out


def test_no_file_names_an_owner_or_an_index():
    """Nobody's account is known, and packages come from wherever pip is told to look."""
    files = [*WORKFLOWS, ROOT / "CITATION.cff", ROOT / "SECURITY.md", ROOT / "pyproject.toml"]
    for path in files:
        assert not re.search(r"pypi\.org|github\.com/\w", path.read_text(encoding="utf-8"))
