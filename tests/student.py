"""The student network (Koller and Friedman, 2009): D, I -> G; I -> S; G -> L; no loop.

``QUERIES`` are probabilities that were computed by summing the whole joint table.
"""

import json
from pathlib import Path

from fgnwidgets import BayesGraph

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
