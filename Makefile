# Two commands do everything on a machine with Python >= 3.11, make and a C++ compiler:
#   make demo   make .venv, build, install, fit a forest on bundled data and draw its uncertainty
#   make test   the same set-up, then every test, lint and type check
# PYTHON=/path/to/python3 chooses the interpreter; JOBS=n the number of parallel test processes.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-compile # most of what is installed is never imported
JOBS ?= auto
export PATH := $(CURDIR)/$(BIN):$(PATH)
unexport PYTHONDONTWRITEBYTECODE # tests start many processes: what one has compiled serves all

PACKAGE_SOURCES := $(shell find core/include core/src bindings src -type f \
    ! -name '*.pyc' ! -name '*.so' 2>/dev/null)
CPP_FILES = $(shell find core bindings -name '*.[ch]pp' -o -name '*.inl' 2>/dev/null)
PYTHON_FOLDERS = $(wildcard src tests benchmarks examples docs/conf.py docs/_extensions)

# Prints the requirements of the extras named on its command line, one per line.
LIST_EXTRAS := import sys, tomllib; \
    extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
    print(*(r for e in sys.argv[1:] for r in extras[e] if not r.startswith("bayeswood")), sep="\n")

.NOTPARALLEL: # two installations into one environment must not overlap
.PHONY: demo test docs bench wheel wheels-check format lint types test-core test-installed test-arm \
    test-lowest test-python coverage clean distclean help

help:
	@sed -n '2,4s/^# //p' Makefile
	@echo "Also: make docs, bench, wheel, wheels-check, format, lint, types, test-core, test-python, test-arm,"
	@echo "test-lowest, coverage, clean, distclean"

demo: $(VENV)/.installed
	bayeswood demo --out demo

# Installing and waiting for clusters leave processors idle, which the other checks use. They step back,
# so that what takes longest, to install and then to run the tests, goes first.
test: $(VENV)/.builder
	@sh scripts/beside.sh "nice $(MAKE) --no-print-directory test-core" \
	  "$(MAKE) --no-print-directory test-installed"

test-installed: $(VENV)/.tools $(VENV)/.installed
	@sh scripts/beside.sh "nice $(MAKE) --no-print-directory --keep-going lint types" \
	  "$(MAKE) --no-print-directory test-python"

# --- set-up: each stamp is remade only when what it depends on has changed ---------------------

$(VENV)/.created:
	@sh scripts/make_venv.sh "$(VENV)" "$(PYTHON)"
	@touch $@

# scikit-build-core names cmake and ninja here only where the machine lacks good ones.
$(VENV)/.builder: $(VENV)/.created pyproject.toml
	$(INSTALL) "scikit-build-core>=0.11" "nanobind>=2.6.1"
	@needed=$$(python -c 'from scikit_build_core import build; \
	    print(*build.get_requires_for_build_wheel())') && \
	  if [ -n "$$needed" ]; then $(INSTALL) $$needed; fi
	@touch $@

$(VENV)/.installed: $(VENV)/.builder CMakeLists.txt $(PACKAGE_SOURCES) $(wildcard papers/*/results.json)
	$(INSTALL) --no-build-isolation ".[all]"
	@touch $@

$(VENV)/.tools: $(VENV)/.created pyproject.toml
	python -c '$(LIST_EXTRAS)' test dask spark export lint | $(INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.docs: $(VENV)/.created pyproject.toml
	python -c '$(LIST_EXTRAS)' docs | $(INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.coverage: $(VENV)/.created pyproject.toml
	python -c '$(LIST_EXTRAS)' coverage | $(INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.bench: $(VENV)/.created pyproject.toml
	python -c '$(LIST_EXTRAS)' bench | $(INSTALL) -r /dev/stdin
	@touch $@

# --- checks -------------------------------------------------------------------------------------

# CXX=clang++ chooses the compiler; each has a folder of its own.
SANITIZED := build/sanitize$(if $(filter-out default undefined,$(origin CXX)),-$(notdir $(CXX)))
POINTERS ?= OFF
test-core: $(VENV)/.builder
	cmake -S . -B $(SANITIZED) -G Ninja -DBAYESWOOD_TESTS=ON -DBAYESWOOD_SANITIZE_POINTERS=$(POINTERS)
	cmake --build $(SANITIZED)
	ctest --test-dir $(SANITIZED) --output-on-failure

# Needs an x86-64 machine, and of Debian g++-aarch64-linux-gnu and qemu-user-static.
test-arm: $(VENV)/.builder
	sh scripts/test_arm.sh

test-lowest: $(VENV)/.created
	python scripts/test_lowest.py $(PYTEST_ARGS)

coverage: $(VENV)/.installed $(VENV)/.tools $(VENV)/.coverage
	sh scripts/coverage.sh -n $(JOBS) $(PYTEST_ARGS)

test-python: $(VENV)/.installed $(VENV)/.tools
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCIPY_ARRAY_API=1 python -m pytest -n $(JOBS) --max-worker-restart=0 --durations=25 $(PYTEST_ARGS)

lint: $(VENV)/.tools
	ruff format --check $(PYTHON_FOLDERS)
	ruff check $(PYTHON_FOLDERS)
	clang-format --dry-run -Werror $(CPP_FILES)

types: $(VENV)/.installed $(VENV)/.tools
	mypy

format: $(VENV)/.tools
	ruff format $(PYTHON_FOLDERS)
	ruff check --fix $(PYTHON_FOLDERS)
	clang-format -i $(CPP_FILES)

# --- the site: build/docs/index.html, which needs no server and no network ----------------------

DOCS_MADE := docs/api/generated docs/gallery docs/outside

docs: $(VENV)/.installed $(VENV)/.docs
	rm -rf $(DOCS_MADE)
	MPLBACKEND=agg python -m sphinx -b html -W --keep-going -j auto $(DOCS_ARGS) docs build/docs

# --- benchmarks and releases --------------------------------------------------------------------

bench: $(VENV)/.installed $(VENV)/.bench
	python -m benchmarks $(BENCH_ARGS)

wheel: $(VENV)/.builder
	$(INSTALL) build
	rm -rf dist build/wheel-check
	python -m build --no-isolation --outdir dist
	python -m venv build/wheel-check
	build/wheel-check/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd build/wheel-check && bin/python -c 'import bayeswood; print("bayeswood", \
	    bayeswood.__version__, "imports from", bayeswood.__path__[0])'

wheels-check: $(VENV)/.created
	python scripts/check_wheels.py

clean:
	rm -rf build dist wheelhouse demo $(DOCS_MADE) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(PYTHON_FOLDERS) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
