#!/bin/sh
# coverage.sh [PYTEST OPTIONS]: which lines and branches of the package pytest runs, and which lines
# of the core its C++ tests run. Pages are left in build/coverage/python and build/coverage/core.
set -eu

rm -rf build/coverage/counts* # of earlier runs
# Counting imports modules and writes files: what tests forbid is left out.
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 \
    python -m coverage run -m pytest -q \
    --deselect tests/unit/test_lazy_imports.py \
    --deselect tests/unit/distributed/test_fit_files_faults.py::test_a_file_that_cannot_grow_is_said_and_survived \
    "$@" || echo "Some tests failed." >&2
python -m coverage combine --quiet
python -m coverage html --quiet --directory build/coverage/python
python -m coverage report | tail -1

# GCC's counts are read by the gcov beside it.
cmake -S . -B build/coverage/native -G Ninja -DBAYESWOOD_TESTS=ON -DBAYESWOOD_COVERAGE=ON \
    -DCMAKE_CXX_COMPILER=g++
cmake --build build/coverage/native
find build/coverage/native -name '*.gcda' -delete
ctest --test-dir build/coverage/native --output-on-failure
mkdir -p build/coverage/core
gcovr --root . --filter core/src --filter core/include \
    --html-details build/coverage/core/index.html --print-summary build/coverage/native
