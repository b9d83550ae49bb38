"""The contract tests' own modules, and the tables of the unit tests, can be imported by name."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "unit")]
