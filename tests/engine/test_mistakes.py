"""A reader's mistake ends in a sentence of the library's own: what was found, what was expected.

Never in an error of NumPy or of Python, in an assertion, or in silence. ``mistakes`` makes them.
"""

import numpy as np
import pytest
from mistakes import Mistake, entries, fault, mistakes, score

import fgnwidgets as fg

GOAL = 5452
ENTRIES = list(dict.fromkeys(entry for entry, *_ in entries()))


@pytest.fixture(scope="module")
def found():
    return score(mistakes())


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_mistake_is_told_in_words(entry, found):
    wrong = [f"{mistake}\n    {why}" for mistake, why in found[entry] if why]
    shown = "\n".join(wrong[:40])
    assert not wrong, f"{len(wrong)} of {len(found[entry])} mistakes, among them:\n{shown}"


def test_so_many_mistakes_were_made(found):
    assert sum(map(len, found.values())) >= GOAL


NO_CALLS = {
    "GraphError",  # errors
    "ImpossibleEvidence",
    "Interrupted",
    "LoopError",
    "Belief",  # what the engine hands out
    "Messages",
    "Epoch",
    "Run",
    "Evidence",  # read by read_evidence, and wrong there
    "RULES",
    "Node",  # the base of the nodes
}


OTHERS = {
    "MergedGraph",
    "blrt",
    "bootstrap",
    "classification",
    "compare",
    "contributions",
    "from_pgmpy",
    "from_pyagrum",
    "goodness",
    "hmm",
    "identified",
    "invariance",
    "learn_online",
    "residuals",
    "score",
    "sequences",
    "standard_errors",
    "three_step",
    "to_pgmpy",
    "to_pyagrum",
    "unfold",
}
"""What other layers of the library offer: their own tests speak of their refusals."""


def test_every_public_entry_point_has_its_mistakes():
    tried = {entry.split(" ")[0].split(".")[0] for entry in ENTRIES}
    assert set(fg.__all__) - NO_CALLS - tried == OTHERS


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: 1, "accepted"),
        (lambda: {}["x"], "another kind of error"),
        (lambda: np.zeros(3) + np.zeros(2), "raised in"),
        (lambda: fg.normalize([[-1.0]]), "does not name nobody"),
    ],
)
def test_the_judge_finds_fault(call, why):
    assert fault(Mistake("", "", None, call, ("nobody",))).startswith(why)


def test_the_judge_can_be_content():
    mistake = Mistake("", "", None, lambda: fg.normalize([[-1.0]]), ("messages",))
    assert fault(mistake) == ""
