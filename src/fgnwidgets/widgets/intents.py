"""What a page asks of a graph editor: plain words and texts, read into edits of the document.

Vocabulary
    intent    a word and its arguments, as the page sends them
    states    as a person types them: a number of them, or labels between commas
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fgnwidgets.engine.branches import Label
from fgnwidgets.tables import parse_csv

from . import edits
from .conflict import explained
from .document import Document, parents_of

MOST_STATES = 200
"""States that can be typed: a longer list is a mistake of the hand."""


def _add(doc: Document, name: str, states: str, at: Sequence[float] | None = None) -> Document:
    return edits.add(doc, name.strip() or _free_name(doc), read_states(states or "2"), at)


def _rename(doc: Document, name: str, new: str) -> Document:
    if not new.strip():
        raise ValueError(f"{name!r} needs a name")
    return edits.rename(doc, name, new.strip())


def _restate(doc: Document, name: str, text: str) -> Document:
    known = () if doc.graph is None else doc.graph.variables[name].states
    return edits.restate(doc, name, read_states(text, known))


def _table(doc: Document, name: str, text: str) -> Document:
    return edits.with_table(doc, parse_csv(text, name), name)


def _no_table(doc: Document) -> Document:
    return edits.with_table(doc, None)


def _evidence(doc: Document, variable: str, code: int | None) -> Document:
    cells = {name: cell for name, cell in doc.evidence.items() if name != variable}
    if code is not None and doc.graph is not None:
        states = doc.graph.variables[variable].states
        if not 0 <= code < doc.graph.variables[variable].size:
            return doc  # a digit beyond the last state
        cells[variable] = states[code] if states else code
    return edits.with_evidence(doc, cells)


def _forget(doc: Document) -> Document:
    return edits.with_evidence(doc, {})


def _settings(doc: Document, settings: Mapping[str, Any]) -> Document:
    return edits.with_learning(doc, replace(doc.learning, **settings))


INTENTS: Mapping[str, Callable[..., Document]] = {
    **edits.EDITS,
    "add": _add,
    "rename": _rename,
    "restate": _restate,
    "table": _table,
    "no table": _no_table,
    "evidence": _evidence,
    "forget": _forget,
    "settings": _settings,
}


def chosen_after(what: str, arguments: Sequence[Any], doc: Document) -> str | None:
    """The part that an intent selects: what is new, or has another name."""
    if what == "add":
        return f"variable:{doc.variables[-1]}"
    if what == "rename":
        return f"variable:{arguments[1].strip()}"
    if what == "turn":
        return f"arrow:{arguments[1]}->{arguments[0]}"
    return None


def read_states(text: str, known: Sequence[Label] = ()) -> int | tuple[Label, ...]:
    """The states in a text; a label that is typed as one of ``known`` is that one, a number too."""
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
    """The arrows from the child down to the parent, with which a new one would form a circle."""
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
    """Why there are no beliefs: what is awaited, or which evidence is in conflict; else empty."""
    if doc.awaited:
        return f"{', '.join(doc.awaited)}: always given, so click a state, and the others answer"
    if doc.form is None or doc.beliefs is not None:
        return ""
    return explained(doc.form, doc.theta, dict(doc.evidence))[0]


def _free_name(doc: Document) -> str:
    return next(name for n in range(1, 10**6) if (name := f"X{n}") not in doc.variables)
