"""Where the cards of a drawn graph lie: they hold still, but for what is moved by hand.

Places are the centres of cards, in pixels at scale one. A new card takes the first free place, and
``tidied`` lays all of them out anew, in layers with parents above.
"""

from __future__ import annotations

from dataclasses import replace

from fgnwidgets.draw.layered import layered

from .cards import EDGE, card_size
from .document import Document, Point, parents_of

UNIT = 60.0
"""Pixels of a step of the layout in layers."""

DOWN = 64
"""Pixels between two layers: room for arrows."""

COLUMN, ROW, ACROSS = 170, 118, 4
"""Steps between the places that are tried for a new card, and how many lie beside each other."""

HANDLE = 9
"""How far the handle of a card, from which arrows are drawn, reaches below it."""


def states_shown(doc: Document, name: str) -> list[str]:
    """The labels of a variable's states, or their numbers."""
    assert doc.graph is not None
    branch = doc.graph.variables[name]
    return [str(state) for state in branch.states or range(branch.size)]


def size(doc: Document, name: str) -> tuple[float, float]:
    """Width and height of a variable's card."""
    return card_size(states_shown(doc, name), name)


def free_place(doc: Document, name: str) -> Point:
    """The first place, row by row, where the card of a variable covers no other one."""
    width, height = size(doc, name)
    others = [(doc.places[v], size(doc, v)) for v in doc.variables if v in doc.places]
    k = 0
    while True:
        at = (
            EDGE + width / 2 + COLUMN * (k % ACROSS),
            EDGE + height / 2 + ROW * (k // ACROSS),
        )
        if not any(
            abs(at[0] - x) < (width + w) / 2 + EDGE and abs(at[1] - y) < (height + h) / 2 + 2 * EDGE
            for (x, y), (w, h) in others
        ):
            return at
        k += 1


def in_rows(doc: Document) -> Document:
    """All cards one after the other: without arrows there are no layers."""
    doc = replace(doc, places={})
    for name in doc.variables:
        doc = placed(doc, name)
    return doc


def placed(doc: Document, name: str) -> Document:
    """The document with a free place for a card."""
    return replace(doc, places={**doc.places, name: free_place(doc, name)})


def tidied(doc: Document) -> Document:
    """All cards in layers, parents above, with few crossings."""
    if doc.graph is None:
        return doc
    if not parents_of(doc.graph):
        return in_rows(doc)
    sizes = {name: size(doc, name) for name in doc.variables}
    halves = {name: width / 2 / UNIT for name, (width, _) in sizes.items()}
    at, _, _ = layered(parents_of(doc.graph), halves)
    heights: dict[int, float] = {}
    for name, (_, layer) in at.items():
        heights[layer] = max(heights.get(layer, 0.0), sizes[name][1])
    tops = {k: EDGE + sum(heights[j] + DOWN for j in range(k)) for k in heights}
    places = {
        name: (round(EDGE + UNIT * x, 1), round(tops[layer] + heights[layer] / 2, 1))
        for name, (x, layer) in at.items()
    }
    return replace(doc, places=places)
