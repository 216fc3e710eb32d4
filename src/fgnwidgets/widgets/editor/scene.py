"""The scene of a graph editor: a plain value, made from a document, that the page draws.

Vocabulary
    card    a variable with its states, and with bars if there are beliefs
    lit     highlighted: on a loop, or on a directed path that a refused arrow would have closed
    panel   the contents of the forms beside the drawing, about the selected part

Texts of users are passed on unchanged, as the page never interprets them as HTML.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from typing import Any

import numpy as np

from fgnwidgets.draw.names import number

from ..graph.arrows import arrow
from ..graph.cards import EDGE, CardPart, card, card_size, filled, hues
from ..graph.panel import vector
from ..graph.routes import routed
from .document import Document, parents_of
from .places import HANDLE, states_shown

MOST_ROWS = 64
"""A matrix with more rows than this cannot be edited on the page, only from Python."""


def editor_scene(doc: Document, lit: Collection[str] = ()) -> dict[str, Any]:
    """The scene; ``lit`` are arrows ``"S->X"`` to be highlighted besides those of a loop."""
    around = set(doc.loop)
    colours = hues(doc.variables)
    cards = [_card(doc, name, colours[name], name in around) for name in doc.variables]
    boxes = {card["variable"]: (card["x"], card["y"], card["w"], card["h"]) for card in cards}
    pairs = [(parent, child) for child, ps in parents_of(doc.graph).items() for parent in ps]
    arrows = [
        {
            **arrow(parent, child, way),
            "id": f"arrow:{parent}->{child}",
            "kind": "arrow",
            "parent": parent,
            "child": child,
            "look": "",
            "hue": None,
            "lit": {parent, child} <= around or f"{parent}->{child}" in lit,
        }
        for (parent, child), way in routed(boxes, pairs, handles=True).items()
    ]
    for part in (*cards, *arrows):
        part["selected"] = part["id"] == doc.selected
    corners = [point for part in arrows for point in part["points"]]
    corners += [(card["x"] + card["w"], card["y"] + card["h"] + HANDLE) for card in cards]
    return {
        "cards": cards,
        "arrows": arrows,
        "width": max((x for x, _ in corners), default=0) + EDGE,
        "height": max((y for _, y in corners), default=0) + EDGE,
        "panel": _panel(doc),
        "loop": _loop(doc),
        "table": _table(doc),
        "learning": {**vars(doc.learning)},
        "warnings": [
            *(() if doc.data is None else doc.data.said),
            *(() if doc.run is None else doc.run.warnings),
        ],
        "summary": summary(doc),
    }


def part_of(doc: Document, name: str | None) -> str | None:
    """The id of a part, given by its id or by the name of a variable.

    Raises ``ValueError`` for a part that the graph does not have.
    """
    known = [f"variable:{v}" for v in doc.variables]
    known += [f"arrow:{p}->{c}" for c, ps in parents_of(doc.graph).items() for p in ps]
    if name is None or name in known:
        return name
    if f"variable:{name}" in known:
        return f"variable:{name}"
    raise ValueError(f"selected is {name!r}: expected None, or one of {', '.join(known)}")


def summary(doc: Document) -> str:
    """The document in one line: graph, table, run and evidence."""
    if doc.graph is None:
        return "An empty graph."
    arrows = sum(map(len, doc.graph.parents.values()))
    parts = [f"{_many(len(doc.variables), 'variable')}, {_many(arrows, 'arrow')}"]
    if doc.data is not None:
        name, seen = doc.data.name or "table", _many(len(doc.observed), "column")
        parts += [f"{name}: {_many(doc.data.rows, 'row')}, {seen} observed"]
    if doc.hidden:
        parts += [f"hidden: {', '.join(v for v in doc.variables if v in doc.hidden)}"]
    if doc.run is not None:
        best = doc.run.final_loglik[doc.run.best]
        parts += [f"learned by {str(doc.run.rule).upper()}: log-likelihood {best:.1f}"]
    if doc.evidence:
        parts += [f"observed now: {', '.join(_said(doc))}"]
        if doc.beliefs is not None and doc.beliefs.loglik is not None:
            parts += [f"log P(evidence) = {doc.beliefs.loglik[0] + 0.0:.4f}"]
    return "; ".join(parts) + "."


def _many(count: float, of: str) -> str:
    """A count with its noun: ``1 row``, ``2 rows``."""
    return f"{count:.12g} {of}" + "s" * (count != 1)


def _card(doc: Document, name: str, hue: int, lit: bool) -> CardPart:
    x, y = doc.places[name]
    states = states_shown(doc, name)
    width, height = card_size(states, name)
    left, top = round(max(x - width / 2, 1.0), 1), round(max(y - height / 2, 1.0), 1)
    seen = doc.codes.get(name) if name in doc.evidence else None
    hidden = name in doc.hidden
    belief = np.zeros(len(states)) if doc.beliefs is None else doc.beliefs[name].p[:, 0]
    made = filled(card(name, states, left, top), belief, None, seen)
    if doc.beliefs is None:
        for row in made["rows"]:
            row["number"] = ""
        made["name"] = f"variable {name}, {', '.join(states)}"
    note = made["note"] and {"observed": "known", "soft": "soft"}[made["note"]]
    made["note"] = note or ("hidden" if hidden else "")
    made["name"] = f"{'hidden ' if hidden else ''}{made['name']}"
    return {**made, "hue": hue, "look": "", "hidden": hidden, "lit": lit}


def _said(doc: Document) -> list[str]:
    """The evidence in words, such as ``S = high``."""
    return [
        f"{name} {vector(np.array(cell)) if isinstance(cell, list) else f'= {cell}'}"
        for name, cell in doc.evidence.items()
    ]


def _panel(doc: Document) -> dict[str, Any] | None:
    kind, _, name = (doc.selected or "").partition(":")
    if kind == "arrow":
        parent, _, child = name.partition("->")
        return {"kind": "arrow", "parent": parent, "child": child}
    if kind != "variable" or name not in doc.variables:
        return None
    assert doc.graph is not None
    graph, states = doc.graph, states_shown(doc, name)
    parents = graph.parents[name]
    known = doc.data is None or name in doc.data.columns
    matrix = doc.matrices.get(graph.theta.get(name, ""), ())
    return {
        "kind": "variable",
        "variable": name,
        "labels": ", ".join(states) if graph.variables[name].states else str(len(states)),
        "states": states,
        "known": doc.codes.get(name),
        "hidden": name in doc.hidden,
        "why": "" if known else "it has no column in the table",
        "parents": [[v, v in parents] for v in doc.variables if v != name],
        "matrix": _matrix(doc, name) if 0 < len(matrix) <= MOST_ROWS else None,
        "large": len(matrix) > MOST_ROWS,
    }


def _matrix(doc: Document, name: str) -> dict[str, Any]:
    """The matrix of a variable as a table whose cells can be typed."""
    assert doc.graph is not None
    parents = doc.graph.parents[name]
    given = [", ".join(row) for row in product(*(states_shown(doc, v) for v in parents))]
    cells = doc.matrices[doc.graph.theta[name]]
    return {
        "caption": f"P({name} | {', '.join(parents)})" if parents else f"P({name})",
        "head": [", ".join(parents), *states_shown(doc, name)],
        "rows": [
            [said, *([number(value), round(value, 5)] for value in row)]
            for said, row in zip(given, cells, strict=True)
        ],
        "look": "heat",
        "edit": doc.graph.theta[name],
    }


def _loop(doc: Document) -> dict[str, Any] | None:
    """The words about a loop, and whether it is or can be merged; None without a loop."""
    if doc.graph is None or not doc.graph.loop:
        return None
    around = ", ".join(doc.graph.loop)
    if doc.merge:
        name, values, _ = doc.graph.merged().price
        words = (
            f"The loop {around} is merged: its largest product variable is {name}, {values} values."
        )
        return {"merged": True, "words": words, "can": True}
    try:
        name, values, size = doc.graph.merged().price
    except ValueError as error:
        return {"merged": False, "words": f"{around} form a loop. {error}", "can": False}
    words = (
        f"{around} form a loop, on which messages are not exact. Take one of its arrows out, or "
        f"merge it into product variables: the largest would be {name} with {values:,} values, and "
        f"a sample takes {size:,} bytes."
    )
    return {"merged": False, "words": words, "can": True}


def _table(doc: Document) -> Mapping[str, Any] | None:
    if doc.data is None:
        return None
    return {
        "name": doc.data.name or "table",
        "rows": f"{doc.data.rows:g}",
        "observed": list(doc.observed),
        "free": [name for name in doc.data.columns if name not in doc.variables],
        "numbers": list(doc.data.numbers),
        "weight": doc.data.weight,
        "left_out": [[name, why] for name, why in doc.data.left_out.items()],
    }
