"""Rows that do not fit in memory: `python -m benchmarks.out_of_core --help`."""
