"""Prepare stored chapters for Sphinx; nothing is run.

Vocabulary
    target  the anchor of an item of the paper on a page, such as ``equation-12``
    bar     the line below a chapter's title with links to run and to download it
    words   the alternative text of a picture
"""

from __future__ import annotations

import base64
import copy
import io
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image

from fgn_notebooks import chapters, contents
from fgn_notebooks.chapters import Chapter
from fgnwidgets.display import ON_WHITE

LINK = re.compile(r"\[([^\]]*)\]\(((?:\d\d|[A-Z])_\w+)\.ipynb\)")
TITLE = re.compile(r"\A# .*\n?")
NO_WORDS = "Figure; the text beside it says what it shows"
ANSWER = {"code_prompt_show": "Show our answer", "code_prompt_hide": "Hide our answer"}


def target(item: str) -> str:
    """The target of an item of the paper: ``"equation-12"`` for ``"equation 12"``."""
    return re.sub(r"[ .]", "-", item.lower())


def targets(chosen: Sequence[Chapter]) -> dict[str, tuple[str, str]]:
    """The first chapter and cell that treat each item of the paper."""
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
    live: str = "",
    frame: str = "",
) -> dict[str, Any]:
    """A stored notebook as Sphinx reads it.

    Links to chapters that are not ``known``, which have no page, become plain text. ``runs`` is
    whether the site has JupyterLite. In the place of the picture of the cell ``live`` comes
    ``frame``.
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
        if live and cell.get("id") == live:
            cell["outputs"] = [o for o in cell["outputs"] if "image/png" not in o.get("data", {})]
            cells.append({"cell_type": "markdown", "metadata": {}, "source": frame})
    made["cells"] = cells
    return made


def picture(cell: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first stored picture of a cell in base64, and its words."""
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/png" in data:
            return "".join(data["image/png"]), words(cell)
    return None


def words(cell: Mapping[str, Any]) -> str:
    """The alternative text of a cell's picture: its plain text, or what the cell prints."""
    for output in cell["outputs"]:
        plain = "".join(output.get("data", {}).get("text/plain", "<"))
        if "image/png" in output.get("data", {}) and not plain.startswith("<"):
            return " ".join(plain.split())
    return NO_WORDS


def on_white(png: str) -> bool:
    """True if a picture in base64 notes that it is a drawing on white."""
    with Image.open(io.BytesIO(base64.b64decode(png))) as image:
        name, ground = ON_WHITE
        return bool(image.info.get(name) == ground)


def download(chapter: Chapter) -> dict[str, Any]:
    """The file of a chapter for download, without our answers."""
    return chapters.without_solutions(chapters.read(chapter.path))


def run_address(path: Path | str) -> str:
    """The address at which a chapter runs, relative to the root of the site."""
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
            look = {"classes": "fgn-on-white"} if on_white("".join(data["image/png"])) else {}
            shown["image"] = {"alt": words(cell), **width, **look}
        if "text/markdown" in data:
            data["text/markdown"] = _linked("".join(data["text/markdown"]), known)
    if shown:
        cell["metadata"]["mystnb"] = shown
