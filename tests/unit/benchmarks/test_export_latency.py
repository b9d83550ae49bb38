"""The latency table runs, and its ways say the same."""

import pytest

from benchmarks import export_latency


def test_quick_table():
    for package in ("onnx", "onnxruntime", "treelite"):
        pytest.importorskip(package, reason="needs the extra 'export'")
    lines = list(export_latency.table(2, [1, 20], 1))
    assert lines[0] == "| rows | bayeswood | C | onnxruntime | treelite |"
    assert len(lines) == 4
