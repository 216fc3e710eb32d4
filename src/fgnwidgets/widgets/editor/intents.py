"""Requests of a graph editor's page, as functions from a document to a new one.

Vocabulary
    word      what the page asks for; its function has the arguments that the page names
    states    what a person types for them: how many there are, or labels between commas
    file      a file that was dropped: it comes in slices (:mod:`.incoming`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fgnwidgets.algebra.arrays import Label

from ..graph import edits as graph_edits
from ..graph.conflict import explained
from . import edits
from .document import Document, parents_of
from .watching import MOST_RESTARTS

MOST_STATES = 200
"""Most states that can be typed; more are taken for a mistake."""

NUMBERS = {"restarts": "starts", "n_epochs": "epochs", "seed": "seed"}
"""The settings that are typed, and what the page calls them."""


def _add(doc: Document, name: str, states: str, at: Sequence[float] | None = None) -> Document:
    name = name.strip() or _free_name(doc)
    made = edits.add(doc, name, read_states(states or "2"), at)
    return replace(made, selected=f"variable:{name}")


def _rename(doc: Document, name: str, new: str) -> Document:
    if not new.strip():
        raise ValueError(f"{name!r} needs a name")
    return edits.rename(doc, name, new.strip())


def _restate(doc: Document, name: str, text: str) -> Document:
    doc.has(name)
    known = () if doc.graph is None else doc.graph.variables[name].states
    return edits.restate(doc, name, read_states(text, known))


def _no_table(doc: Document) -> Document:
    return edits.with_table(doc, None)


def _flip(doc: Document, name: str) -> Document:
    return edits.hide(doc, name, name not in doc.hidden)


def _forget(doc: Document) -> Document:
    return edits.with_evidence(doc, {})


def _shift(doc: Document, name: str, axis: int, by: float) -> Document:
    """Move a card by a step, to the right (axis 0) or down."""
    doc.has(name)
    at = list(doc.places[name])
    at[axis] += by
    return edits.place(doc, name, *at)


def matrix_named(doc: Document, matrix: str, of: str) -> str:
    """The matrix of the variable ``of``: a new name of that may have changed the matrix's own since
    the page was drawn."""
    return matrix if doc.graph is None else doc.graph.theta.get(of, matrix)


def _edit(doc: Document, matrix: str, of: str = "", **cell: Any) -> Document:
    return graph_edits.edit(doc, matrix_named(doc, matrix, of), **cell)


def _step(doc: Document, matrix: str, of: str = "", **cell: Any) -> Document:
    return graph_edits.step(doc, matrix_named(doc, matrix, of), **cell)


def _settings(doc: Document, **settings: Any) -> Document:
    """Settings of the next run; numbers come as they were typed."""
    for name in set(settings) & set(NUMBERS):
        settings[name] = _typed_count(NUMBERS[name], settings[name])
    made = edits.with_learning(doc, replace(doc.learning, **settings))
    if made.learning.restarts > MOST_RESTARTS and "restarts" in settings:
        raise ValueError(
            f"{made.learning.restarts:,} starts: the page learns {MOST_RESTARTS:,} at once, so "
            "that it can be stopped; from Python, editor.learn(restarts=...) takes any number"
        )
    return made


WORDS: Mapping[str, Callable[..., Document]] = {
    **{word: edits.EDITS[word] for word in ("remove", "connect", "disconnect", "turn", "hide")},
    **{word: edits.EDITS[word] for word in ("draw", "flat", "merge", "place", "tidy", "weigh")},
    **{act.__name__: act for act in (graph_edits.observe, graph_edits.toggle)},
    "edit": _edit,
    "step": _step,
    "add": _add,
    "rename": _rename,
    "restate": _restate,
    "no table": _no_table,
    "flip": _flip,
    "forget": _forget,
    "shift": _shift,
    "settings": _settings,
}
"""The words that change the document and nothing else."""


def read_states(text: str, known: Sequence[Label] = ()) -> int | tuple[Label, ...]:
    """The states in a text: a number, or labels.

    A label that reads as one of ``known`` is that one, even if that is a number. Raises
    ``ValueError`` for fewer than two labels, and for too many.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 1 and parts[0].isdigit() and int(parts[0]) <= MOST_STATES:
        return int(parts[0])
    if not 1 < len(parts) <= MOST_STATES:
        raise ValueError(
            f"the states are {text!r}: expected a number of them, such as 3, or labels between "
            "commas, such as no, yes"
        )
    same = {str(label): label for label in known}
    return tuple(same.get(part, part) for part in parts)


def way(doc: Document, parent: str, child: str) -> tuple[str, ...]:
    """The arrows ``"S->X"`` of a directed path from child to parent, which an arrow from parent to
    child would close to a directed cycle; found by breadth-first search."""
    came: dict[str, str] = {child: ""}
    for here in (order := [child]):
        for name, parents in parents_of(doc.graph).items():
            if here in parents and name not in came:
                came[name] = here
                order.append(name)
    found = []
    here = parent
    while came.get(here):
        found.append(f"{came[here]}->{here}")
        here = came[here]
    return tuple(found)


def unanswered(doc: Document) -> str:
    """The reason for no beliefs (a given variable has no state, evidence is in conflict), or ""."""
    if doc.awaited:
        return f"{', '.join(doc.awaited)}: always given, so click a state, and the others answer"
    if doc.form is None or doc.beliefs is not None:
        return ""
    return explained(doc.form, doc.theta, dict(doc.evidence))[0]


def _typed_count(what: str, typed: Any) -> int:
    said = str(typed).strip().replace(",", "").replace("_", "")
    if not said.isascii() or not said.isdigit():
        raise ValueError(f"{what}: {str(typed)!r} is no whole number, as 10 is")
    return int(said)


def _free_name(doc: Document) -> str:
    return next(name for n in range(1, 10**6) if (name := f"X{n}") not in doc.variables)
