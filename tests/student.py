"""The student network (Koller and Friedman, 2009): D, I -> G; I -> S; G -> L; no loop.

``QUERIES`` are probabilities that were computed by summing the whole joint table.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fgnwidgets import BayesGraph, propagate
from fgnwidgets.draw.names import number

_PUBLISHED = json.loads((Path(__file__).parent / "data/published.json").read_text())["student"]

STATES = {
    "D": ("easy", "hard"),
    "I": ("low", "high"),
    "G": ("A", "B", "C"),
    "S": ("low", "high"),
    "L": ("weak", "strong"),
}
PARENTS = {"G": ["I", "D"], "S": ["I"], "L": ["G"]}
THETA = {
    name if name not in PARENTS else f"{name}|{','.join(PARENTS[name])}": matrix
    for name, matrix in _PUBLISHED["theta"].items()
}
QUERIES = [(*q["ask"], q["given"], q["p"]) for q in _PUBLISHED["queries"]]

CELL = f"""\
from fgnwidgets import BayesGraph
from fgnwidgets.widgets import GraphView

student = BayesGraph({STATES!r}, {PARENTS!r})
theta = {THETA!r}
view = GraphView(student, theta)
view
"""
"""For a notebook: ends with the living graph of the network."""


def student() -> BayesGraph:
    return BayesGraph(STATES, PARENTS)


def wait_for_beliefs(page: Any, evidence: Mapping[str, Any]) -> None:
    """Until all cards of a page say what the engine says of this evidence, all of them at once."""
    exact = propagate(student(), THETA, evidence)
    wanted = {name: [number(float(p)) for p in exact[name].p[:, 0]] for name in STATES}
    page.wait_for_function(SAID, arg=wanted)


SAID = """(wanted) => Object.entries(wanted).every(([variable, numbers]) => {
    const written = `[data-part="variable:${variable}"] .fgn-number`;
    const found = [...document.querySelectorAll(written)].map((n) => n.textContent);
    return numbers.join() === found.join();
})"""
