#!/bin/sh
# make_venv.sh VENV [PYTHON]: create VENV with the given Python, or the first good one found.
set -eu

venv=$1
chosen=${2:-}

is_good() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

for candidate in ${chosen:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if is_good "$candidate"; then
        echo "Making $venv with $("$candidate" --version)"
        # Only --clear makes sure that nothing of a half-made environment stays.
        exec "$candidate" -m venv --clear "$venv"
    fi
done

echo "bayeswood needs Python >= 3.11 with the venv and ensurepip modules; none was found" \
    "(looked for: ${chosen:-python3, python3.11 to python3.14, python})." >&2
echo "Name one with: make demo PYTHON=/path/to/python3" >&2
exit 1
