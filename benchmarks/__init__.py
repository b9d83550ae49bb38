"""Benchmarks beside other libraries: `python -m benchmarks --help`.

Every comparison runs both sides interleaved in one process, on one thread, with the same data and
the same limits on the trees, takes the best of several process CPU times, and prints the test
error of both sides beside the ratio. A workload is one function in `workloads/`; a library to
compare with is one function in `contenders.py`.
"""
