"""Living graphs on pages: that of the home page, and the first one of each chapter.

A page of such a graph answers clicks at once, and loads Python when a hand touches it. All of them
share one file of Python's own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter, source
from fgn_notebooks.examples import student
from fgn_notebooks.teachers import slides
from fgnwidgets.widgets import PYTHON_ZIP, GraphView, python_files

from . import notebooks

FOLDER = "living"
ALONE = "graph.html"
"""The page of the living graph by itself, at full width."""

HOME = "home"
"""The page of the graph on the home page; SAT is selected there, so that a phone shows it first."""

TITLE = "The living graph of a student's life, alone on its page"


def first_graph(notebook: Mapping[str, Any]) -> str | None:
    """The id of the first cell that shows a living graph; None if there is none."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "GraphView(" in source(cell) and notebooks.picture(cell):
            return str(cell["id"])
    return None


def graphs(chosen: Iterable[Chapter]) -> dict[str, tuple[Chapter, str]]:
    """The chapters of the course that have a living graph: the name of its page -> cell."""
    found = {}
    for chapter in chosen:
        cell = first_graph(chapters.read(chapter.path))
        if cell is not None and chapter.path.parent == chapters.folder():
            found[chapter.path.stem] = (chapter, cell)
    return found


def frame(name: str, title: str) -> str:
    """The place on a page where the graph of a chapter lives."""
    words = escape(title)
    return f'<iframe class="fgn-frame" src="{FOLDER}/{name}.html" title="{words}"></iframe>'


def write(chosen: Iterable[Chapter], dest: Path, address: str) -> None:
    """Write the pages of all graphs into ``dest``, which get Pyodide from ``address``.

    For the graph of a chapter those cells are run that it needs.
    """
    python = python_files()
    (dest / PYTHON_ZIP).write_bytes(python)  # all pages share it
    (dest / FOLDER).mkdir(parents=True, exist_ok=True)
    asked = f"{PYTHON_ZIP}?{hashlib.sha256(python).hexdigest()[:12]}"
    GraphView(*student()).to_html(dest / ALONE, address=address, python=asked, title=TITLE)
    near = address if "//" in address else f"../{address}"
    framed: dict[str, Any] = {"address": near, "python": f"../{asked}", "at_once": False}
    first = GraphView(*student())
    first.selected = "variable:SAT"
    first.to_html(dest / FOLDER / f"{HOME}.html", title="The graph of the home page", **framed)
    for name, (chapter, cell) in graphs(chosen).items():
        view, _ = slides.run(chapter.number, cell)
        title = f"The first living graph of chapter {chapter.title}"
        path = dest / FOLDER / f"{name}.html"
        view.to_html(path, title=title, **framed)
