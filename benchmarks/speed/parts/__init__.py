"""Shared parts of the speed benchmarks; importing them makes the tests' servers importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
