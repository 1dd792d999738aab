"""Runs at the start of every Python process of a test: applies the mutant that MUTANT names."""

import importlib.util
import os
import sys
from pathlib import Path

if name := os.environ.get("MUTANT"):
    place = Path(__file__).parents[1] / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", place)
    assert spec
    assert spec.loader
    sys.modules["mutants"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.MUTANTS[name]()
