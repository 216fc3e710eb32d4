"""What the page of a graph editor asks for, translated into edits of the document.

Vocabulary
    intent    a word and its arguments, as the page sends them
    states    what a person types for them: how many there are, or labels between commas
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
"""Most states that can be typed; more are taken for a mistake."""


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
            return doc  # a digit was typed that is no state
        cells[variable] = states[code] if states else code
    return edits.with_evidence(doc, cells)


def _press(doc: Document, variable: str, code: int) -> Document:
    """Know a state, or nothing if it is known already: of this document, since a second press may
    come before the page has the answer to the first."""
    known = _evidence(doc, variable, code)
    same = variable in doc.evidence and doc.evidence[variable] == known.evidence.get(variable)
    return _evidence(doc, variable, None) if same else known


def _flip(doc: Document, name: str) -> Document:
    return edits.hide(doc, name, name not in doc.hidden)


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
    "press": _press,
    "flip": _flip,
    "forget": _forget,
    "settings": _settings,
}


def chosen_after(what: str, arguments: Sequence[Any], doc: Document) -> str | None:
    """The id of the part that is selected after an intent: the new, renamed or reversed one."""
    if what == "add":
        return f"variable:{doc.variables[-1]}"
    if what == "rename":
        return f"variable:{arguments[1].strip()}"
    if what == "turn":
        return f"arrow:{arguments[1]}->{arguments[0]}"
    return None


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
    """Why there are no beliefs (a given variable has no state, evidence is in conflict), or ""."""
    if doc.awaited:
        return f"{', '.join(doc.awaited)}: always given, so click a state, and the others answer"
    if doc.form is None or doc.beliefs is not None:
        return ""
    return explained(doc.form, doc.theta, dict(doc.evidence))[0]


def _free_name(doc: Document) -> str:
    return next(name for n in range(1, 10**6) if (name := f"X{n}") not in doc.variables)
