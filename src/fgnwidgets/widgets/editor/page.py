"""A graph editor on a page without Jupyter: written down here, and opened there.

Vocabulary
    model   graph and matrices, as ``save`` writes them; None for an empty editor
    state   the rest of its document but for table and run, as JSON
    link    both as the end of an address
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from fgnwidgets.bayes.files import describe, load, restore

from ..graph.link import packed, unpacked
from . import edits
from .document import Document, Learning
from .edit_matrices import with_theta


def page_state(doc: Document) -> dict[str, Any]:
    """The state of a document; variables that a table hides are hidden by hand on the page."""
    return {
        "kind": "editor",
        "empty": doc.graph is None,
        "hidden": [name for name in doc.variables if name in doc.hidden],
        "evidence": doc.codes,
        "merge": doc.merge,
        "learning": asdict(doc.learning),
        "places": {name: list(doc.places[name]) for name in doc.variables},
        "selected": doc.selected,
    }


LINKED = {"model": "m", "state": "d"}
"""The letter of each value in a link of an editor."""


def link_of(doc: Document) -> str:
    """The end of an address that holds a document, but for its table and run."""
    model = None if doc.graph is None else describe(doc.graph, doc.matrices)
    return packed({"model": model, "state": page_state(doc)}, LINKED)


def linked(link: str) -> Document:
    """The document in a link; raises ``ValueError`` for what is no link of an editor."""
    found = unpacked(link, LINKED)
    try:
        state = found["state"]
        model = None if state["empty"] else restore({"version": 1, **found["model"]}, "the link")
        return opened(model, state)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"the link is none of an editor: {error}") from None


def opened(model: Any, state: Mapping[str, Any]) -> Document:
    """The document with a model, or that in the file ``model``, and this state."""
    doc = Document(learning=Learning(**state["learning"]))
    if not state["empty"]:
        graph, theta = load(model) if isinstance(model, str) else model
        doc = edits.with_graph(doc, graph)  # type: ignore[arg-type]
        doc = with_theta(edits.merged(doc, state["merge"]), theta)
        for name in state["hidden"]:
            doc = edits.hide(doc, name)
        states = doc.reads
        cells = {
            name: states.branch(name).states[code]
            if isinstance(code, int) and states.branch(name).states
            else code
            for name, code in state["evidence"].items()
        }
        places = {name: (x, y) for name, (x, y) in state["places"].items()}
        doc = replace(edits.with_evidence(doc, cells), places=places, selected=state["selected"])
    return doc
