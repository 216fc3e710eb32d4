"""Answers that a page knows before Python is there: the scenes of all evidence near a first one.

A page without Jupyter needs many seconds until its Python has started. Until then it answers a
click with a scene that was made here, by the same code, so that nothing moves when Python takes
over.

Vocabulary
    state     the evidence as codes; ``near`` are the states that few clicks can reach
    table     the different values that a part of the scene has in all states, each of them once
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .observed import from_codes
from .panel import panel
from .scene import said as in_words

Codes = dict[str, Any]

View = Any
"""A :class:`~fgnwidgets.widgets.GraphView`, whose method this is."""

MOST = 400
"""States; the scenes of so many take some 100 KB in a page."""

USUAL = 30
"""Parts of a drawing of which so many are taken; of one that is larger, fewer in proportion."""

OWN = frozenset({"parts", "panel", "selected", "undo", "redo", "status"})
"""Values without a table of their own: the page finds them by itself, or part by part."""


def answers(view: View, most: int = MOST) -> dict[str, Any]:
    """The scenes of the states near the one that a view shows, for ``js/entries/answers.js``.

    Up to ``most`` states are taken, those of the fewest clicks first, and fewer of a large drawing;
    impossible evidence is left to Python.

    ``variables``   name -> the number of its states, of those that can be observed
    ``states``      for each state, as JSON of its codes in the order of ``variables``, the places
                    in the tables: its parts, its panels by selected variable, and other values
    ``said``        variable -> its evidence in words; the summary has them in the order of clicks
    """
    graph, first = view.graph, view.page_state()
    twin = type(view)(view.bayes or graph, view.theta)  # as the page's own Python makes it
    twin.offer(**first | {"evidence": from_codes(graph, first["evidence"])})
    twin.forget()
    begun = {"legend": twin.legend, "scene": twin.scene}
    names = {n: graph.branch(n).size for n in graph.variables if n not in graph.products}
    parts, panels = _Table(), _Table()
    others: dict[str, _Table] = {}
    states: dict[str, Any] = {}
    said: dict[str, dict[str, str]] = {name: {} for name in names}
    most = max(1, min(most, most * USUAL // len(twin.scene["parts"])))
    for codes in near(first["evidence"], names, most):
        twin.offer(evidence=from_codes(graph, codes), selected=None)
        if twin.status:  # impossible evidence
            continue
        for name, cell in codes.items():
            said[name][json.dumps(cell)] = in_words(graph, {name: cell})[0]
        at, prior = twin._at, twin._prior
        shown = [twin.scene["panel"], *(panel(at, f"variable:{n}", prior) for n in names)]
        kept = {k: v for k, v in twin.scene.items() if k not in OWN}
        states[key(codes, names)] = {
            "parts": [parts.place(part) for part in twin.scene["parts"]],
            "panels": [panels.place(each) for each in shown],
            "others": {k: others.setdefault(k, _Table()).place(v) for k, v in kept.items()},
        }
    return {
        "variables": names,
        "evidence": first["evidence"],
        "states": states,
        "parts": parts.values,
        "panels": panels.values,
        "others": {k: table.values for k, table in others.items()},
        "said": said,
        **begun,
    }


def near(first: Codes, sizes: dict[str, int], most: int) -> Iterator[Codes]:
    """States by the number of clicks from ``first``: a click observes a state, or nothing."""
    known = {key(first, sizes)}
    row = [first]
    while row and len(known) <= most:
        yield from row
        ahead = []
        for codes in row:
            for name, size in sizes.items():
                for cell in (None, *range(size)):
                    other = {n: c for n, c in codes.items() if n != name}
                    if cell is not None:
                        other[name] = cell
                    if (name_of := key(other, sizes)) not in known and len(known) < most:
                        known.add(name_of)
                        ahead.append(other)
        row = ahead


def key(codes: Codes, sizes: dict[str, int]) -> str:
    """A state as text, whatever the order of its clicks; JavaScript makes the same."""
    return json.dumps([codes.get(name) for name in sizes], separators=(",", ":"))


class _Table:
    """Different values, each of them once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[str, int] = {}

    def place(self, value: Any) -> int:
        text = json.dumps(value)
        if text not in self._known:
            self._known[text] = len(self.values)
            self.values.append(value)
        return self._known[text]
