"""Rules for the file of a chapter: complete, equal on every machine, and accessible.

Nothing is run here. That outputs are right is tested with nbval, which accepts a cell without
stored outputs; so one rule here is that every cell was run.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from fgn_notebooks.authors import compare
from fgn_notebooks.chapters import METADATA, dumps, own_folder, read, source

MAX_BYTES = 460_000
MAX_LINES = 15

MACHINE = re.compile(r"/(?:home|Users|root|tmp|private|opt|mnt|usr)/|[A-Z]:\\|site-packages")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
HEADING = re.compile(r"^(#{1,6}) +\S", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
IMAGE_WITHOUT_WORDS = re.compile(r"!\[\s*\]\(|<img\b(?![^>]*\balt\s*=\s*[\"'][^\"']+)")


def faults(path: Path) -> list[str]:
    """The rules that the file of a chapter breaks, one line each.

    How long a cell of a teacher's own chapter is, is the teacher's business.
    """
    notebook = read(path)
    own = own_folder()
    most = None if own and path.resolve().parent == own.resolve() else MAX_LINES
    found = list(_file(notebook, path))
    count = 0
    for place, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            count += 1
            found += [f"cell {place}: {fault}" for fault in _code(cell, count, most)]
        else:
            found += [f"cell {place}: {fault}" for fault in _prose(cell)]
    return found


def _file(notebook: Mapping[str, Any], path: Path) -> Iterator[str]:
    if (size := path.stat().st_size) > MAX_BYTES:
        yield f"the file has {size} bytes, more than {MAX_BYTES}: draw fewer or smaller pictures"
    if notebook["metadata"] != METADATA:
        yield f"its metadata are not those of fgn build: {sorted(notebook['metadata'])}"
    if path.read_text(encoding="utf-8") != dumps(notebook):
        yield "is not laid out as fgn build stores it"
    ids = [cell.get("id") for cell in notebook["cells"]]
    if None in ids or len(set(ids)) < len(ids):
        yield "not every cell has an id of its own"
    yield from _headings(notebook)


def _headings(notebook: Mapping[str, Any]) -> Iterator[str]:
    prose = (source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    levels = [len(m[1]) for text in prose for m in HEADING.finditer(FENCED.sub("", text))]
    first = notebook["cells"][0]
    if first["cell_type"] != "markdown" or not source(first).startswith("# "):
        yield "the first cell does not start with the title ('# ...')"
    if levels.count(1) != 1:
        yield f"{levels.count(1)} headings of the first level: only the title is one"
    for above, below in pairwise(levels):
        if below > above + 1:
            yield f"a heading of level {below} follows one of level {above}"


def _prose(cell: Mapping[str, Any]) -> Iterator[str]:
    text = source(cell)
    if found := MACHINE.search(text):
        yield f"names a folder of a machine: {found[0]}"
    if IMAGE_WITHOUT_WORDS.search(text):
        yield "an image without alternative text"


def _code(cell: Mapping[str, Any], count: int, most: int | None) -> Iterator[str]:
    text, outputs = source(cell), cell["outputs"]
    tags = cell["metadata"].get("tags", ())
    if not text.strip():
        yield "is empty"
    if cell["execution_count"] != count:
        yield f"has execution count {cell['execution_count']}, not {count}: run fgn build"
    if most is not None and (lines := len(text.splitlines())) > most:
        yield f"has {lines} lines, more than {most}: move work into fgn_notebooks"
    if odd := set(cell["metadata"]) - {"tags", "jupyter"}:
        yield f"has metadata {sorted(odd)}: run fgn build"
    if any("nbval" in words.lower() for words in (text, *tags)):
        yield "is marked for nbval: every cell is compared"
    said = [text]
    for output in outputs:
        kind, data = output["output_type"], output.get("data", {})
        if kind == "error" and "raises-exception" not in tags:
            yield f"stores an error: {output['ename']}"
        if output.get("name") == "stderr":
            yield "stores stderr"
        if any(widget in data for widget in compare.WIDGETS):
            yield "stores a widget view or state: run fgn build"
        shown = [value for mime, value in data.items() if not mime.startswith("image/png")]
        said += ["".join(value) for value in [*shown, output.get("text", "")]]
        said += output.get("traceback", [])
    for words in said:
        if found := MACHINE.search(words):
            yield f"names a folder of a machine: {found[0]}"
        if found := ADDRESS.search(words):
            yield f"shows an address in memory: {found[0]}"
    if compare.pictures(outputs) and not _has_words(outputs):
        yield "a picture without a text of what it shows (print one, or an SVG beside it)"


def _has_words(outputs: list[Mapping[str, Any]]) -> bool:
    """True if some output is text, which a screen reader can read and nbval can compare."""
    for output in outputs:
        plain = "".join(output.get("data", {}).get("text/plain", "<"))
        if output.get("name") == "stdout" or not plain.startswith("<"):
            return True
        if {"image/svg+xml", "text/html"} & set(output.get("data", {})):
            return True
    return False
