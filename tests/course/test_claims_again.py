"""The ledger against a program that shares no code with it, on seeds of its own."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def again():
    """``benchmarks/claims.py``, as it runs by itself."""
    spec = importlib.util.spec_from_file_location("claims_again", FOLDER / "claims.py")
    module = importlib.util.module_from_spec(spec)
    before, known = list(sys.path), set(sys.modules)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
    for name in set(sys.modules) - known:
        del sys.modules[name]


def test_another_program_passes_the_claims_of_section_7_1_as_often(again):
    """20 tables; ``benchmarks/claims.py`` takes a hundred and more."""
    tables, ledger = 20, again.stored()
    for name, each in again.passed(tables).items():
        share, runs = ledger[name]
        both = (np.sum(each) + share * runs) / (tables + runs)
        error = np.sqrt(max(both * (1 - both), 0.005) * (1 / tables + 1 / runs))
        assert abs(np.mean(each) - share) < 3.5 * error, name


def test_a_table_without_dependence_has_its_floor_at_its_ceiling(again):
    x = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1, 2)])
    assert again.floor(x) == pytest.approx(-12 * np.log(12))
