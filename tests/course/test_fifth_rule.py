"""A fifth rule in ``RULES``: what is about the paper's four stays so, whatever lists all takes it.

The library is copied with one record more, as somebody would write it, and used in a process of its
own.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fgnwidgets

RECORD = 'Rule("half", half_step, constants={"share": 0.5}, pseudo_counts={"delta": DELTA}),'
STEP = '''
def half_step(theta: Array, f: Array, b: Array, weight: Array, *, share: float) -> Array:
    """Counts of VAR, less a share of each."""
    return (1 - share) * times(f, (b * weight).swapaxes(-1, -2))


RULES: Mapping'''
FIRST = 'Rule("kl", kl_step, iterates=True),\n'


@pytest.fixture(scope="module")
def with_five(tmp_path_factory):
    """A folder with the library, in which a fifth rule stands between the others."""
    folder = tmp_path_factory.mktemp("five")
    without = shutil.ignore_patterns("js", "__pycache__")
    shutil.copytree(Path(fgnwidgets.__file__).parent, folder / "fgnwidgets", ignore=without)
    file = folder / "fgnwidgets" / "learning" / "rules.py"
    text = file.read_text(encoding="utf-8")
    assert FIRST in text
    text = text.replace(FIRST, f"{FIRST}            {RECORD}\n", 1)
    file.write_text(text.replace("\nRULES: Mapping", STEP, 1), encoding="utf-8")
    return folder


def said(with_five, code):
    course = Path(__file__).parents[2]
    paths = os.pathsep.join(map(str, (with_five, course)))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_what_is_about_the_papers_four_rules_is_not_moved_by_a_fifth(with_five):
    """The figures of chapters 09 and 10 are of the four; claims cast them in their parts."""
    code = """
import fgnwidgets
assert list(fgnwidgets.RULES) == ["ml", "kl", "half", "vit", "var"]
import numpy as np
from fgn_notebooks.figures import counting
four = dict.fromkeys(("ml", "kl", "vit", "var"))
assert len(counting.shares({"as given": {k: np.eye(2) / 2 for k in four}}).axes) >= 4
assert counting.halves({"a panel": {k: (1.0, 0.5) for k in four}}).axes
from fgn_notebooks.claims.ledger import PAPER
assert [rule.name for rule in PAPER] == ["ml", "kl", "vit", "var"]
from fgn_notebooks.experiments import single_block
result = single_block.one_block(n=40, n_iterations=5)
print("ML, KL, VIT, VAR" if "half" not in result.facts().lower() else result.facts())
"""
    assert said(with_five, code).endswith("ML, KL, VIT, VAR\n")


def test_a_lab_that_lists_all_rules_takes_the_fifth_with_a_style_of_its_own(with_five):
    code = """
from fgn_notebooks import labs
lab = labs.race(n_epochs=4)
assert "half" in lab.controls["rules"].options, lab.controls["rules"].options
lab.set(rules=("ml", "half"))
assert "HALF" in lab.picture.text.upper()
from fgnwidgets.draw import DARK, LIGHT
for theme in (LIGHT, DARK):
    marks = [*theme.rules.values(), theme.reference]
    assert len(marks) == 6 and theme.rule("HALF") == theme.rules["half"]
    assert len({m.color for m in marks}) == len({m.marker for m in marks}) == 6
    assert len({m.dash for m in marks}) == 6
    assert theme.rule("whoever") == theme.reference
"""
    said(with_five, code)


def test_the_counts_of_a_fifth_rule_are_checked_as_those_of_a_readers_own(with_five):
    code = """
from fgnwidgets import BayesGraph, fit
graph = BayesGraph({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"})
table = {"X": [0, 1, 1, 0], "Y": [0, 1, 0, 0]}
assert fit(graph, table, "half", n_epochs=5).final_loglik[0] < 0
try:
    fit(graph, table, "half", share=1.5, n_epochs=5)
except ValueError as error:
    assert "rule 'half': its step failed" in str(error), error
else:
    raise SystemExit("a constant out of range was taken without a word")
"""
    said(with_five, code)
