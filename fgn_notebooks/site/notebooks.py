"""Stored chapters made ready for Sphinx: nothing is run, and nothing is lost.

Vocabulary
    target  the name of a place on a page: ``equation-12`` where formula 12 of the paper is treated
    bar     the line below a chapter's title: run it here, take the file
    words   what a picture shows, for those who do not see it
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fgn_notebooks import chapters, contents
from fgn_notebooks.chapters import Chapter

LINK = re.compile(r"\[([^\]]*)\]\(((?:\d\d|[A-Z])_\w+)\.ipynb\)")
TITLE = re.compile(r"\A# .*\n?")
NO_WORDS = "Figure; the text beside it says what it shows"
ANSWER = {"code_prompt_show": "Show our answer", "code_prompt_hide": "Hide our answer"}


def target(item: str) -> str:
    """The name of the place that treats an item of the paper: ``"equation 12"`` in a page."""
    return re.sub(r"[ .]", "-", item.lower())


def targets(chosen: Sequence[Chapter]) -> dict[str, tuple[str, str]]:
    """Items of the paper with the chapter and the cell that treat them first."""
    stems = {chapter.path.stem for chapter in chosen}
    found: dict[str, tuple[str, str]] = {}
    for item, places in contents.coverage().items():
        here = [place for place in places if place.chapter in stems]
        if here:
            found[item] = (here[0].chapter, here[0].cell)
    return found


def page(
    notebook: Mapping[str, Any],
    stem: str,
    known: Collection[str],
    places: Mapping[str, tuple[str, str]],
    *,
    runs: bool,
) -> dict[str, Any]:
    """A stored notebook as Sphinx reads it.

    ``known`` are the chapters that have a page: a link to another one becomes its text. ``runs``
    says that the site has JupyterLite.
    """
    made = copy.deepcopy(dict(notebook))
    cells: list[dict[str, Any]] = []
    for number, cell in enumerate(made["cells"]):
        here = [i for i, (chapter, c) in places.items() if (chapter, c) == (stem, cell.get("id"))]
        marks = "".join(f"({target(item)})=\n" for item in here)
        if cell["cell_type"] == "markdown":
            text = _linked(chapters.source(cell), known)
            if number == 0 and runs:
                text = TITLE.sub(lambda m: m[0].rstrip() + "\n\n" + _bar(stem), text, count=1)
            cell["source"] = marks + text
        elif cell["cell_type"] == "code":
            if marks:
                cells.append({"cell_type": "markdown", "metadata": {}, "source": marks.rstrip()})
            _code(cell, known)
        cells.append(cell)
    made["cells"] = cells
    return made


def picture(cell: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first picture that a cell stores, as base64, and its words."""
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/png" in data:
            return "".join(data["image/png"]), words(cell)
    return None


def words(cell: Mapping[str, Any]) -> str:
    """What a cell says of its picture: the picture's own text, or what it prints."""
    for output in cell["outputs"]:
        plain = "".join(output.get("data", {}).get("text/plain", "<"))
        if "image/png" in output.get("data", {}) and not plain.startswith("<"):
            return " ".join(plain.split())
    return NO_WORDS


def download(chapter: Chapter) -> dict[str, Any]:
    """The file that a reader takes home: exercises without our answers."""
    return chapters.without_solutions(chapters.read(chapter.path))


def run_address(path: Path | str) -> str:
    """Where a chapter runs, from the site's root."""
    return f"lite/notebooks/index.html?path={quote(Path(path).name)}"


def _linked(text: str, known: Collection[str]) -> str:
    return LINK.sub(lambda m: m[0] if m[2] in known else m[1], text)


def _bar(stem: str) -> str:
    run = f'<a class="fgn-run" href="{run_address(stem + ".ipynb")}">Run this chapter here</a>'
    take = f'<a href="notebooks/{stem}.ipynb" download>Download the notebook</a>'
    note = "Runs inside your browser, with nothing to install; the first start takes a while."
    return f'<div class="fgn-bar">{run}{take}<span>{note}</span></div>\n\n'


def _code(cell: dict[str, Any], known: Collection[str]) -> None:
    shown: dict[str, Any] = {}
    if chapters.is_solution(cell) and chapters.source(cell) != chapters.STUB:
        cell["metadata"]["tags"] = [*cell["metadata"]["tags"], "hide-cell"]
        shown |= ANSWER
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            size = output.get("metadata", {}).get("image/png", {})
            width = {"width": f"{size['width']}px"} if "width" in size else {}
            shown["image"] = {"alt": words(cell), **width}
        if "text/markdown" in data:
            data["text/markdown"] = _linked("".join(data["text/markdown"]), known)
    if shown:
        cell["metadata"]["mystnb"] = shown
