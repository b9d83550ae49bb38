"""Sums of trees beside other libraries: `python -m benchmarks.bart --help`."""
