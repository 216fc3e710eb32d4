"""Find, read and write the chapters of the course.

A *chapter* is a notebook ``NN_name.ipynb``; an appendix is ``A_name.ipynb``. No list of chapters
is kept: the number is in the file's name, the title is the first heading, and the first cell says
how many minutes the chapter takes. A *solution* is a cell tagged ``solution``. A teacher can add
*own* chapters to those of the course, in the folder that the environment variable
``FGN_CHAPTERS`` names; ``fgn COMMAND --own FOLDER`` sets it.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fgn_notebooks.exercises.judging import OWN_FILE, OWN_FOLDER
from fgn_notebooks.prerequisites import NEEDS

NUMBER = re.compile(r"(\d\d|[A-Z])_")
"""The beginning of the file name of a chapter, or of an appendix."""

HEADING = re.compile(r"\A#+ *(?:(?:\d\d?|[A-Z]) *[·.:] *)?")
MINUTES = re.compile(
    r"\babout (?:(\d) x )?(\d+) minutes\b(?: to read, (\d+) with the exercises\b)?"
)
AFTER = re.compile(r"\bafter ((?:\d\d|[A-Z])(?:(?:, | and )(?:\d\d|[A-Z]))*)\b")
"""The words in the first cell of an own chapter for what to read before: "after 03 and 05"."""

IMPORTED = re.compile(r"^\s*(?:from\s+(\w+)\b|import\s+([\w, .]+))", re.MULTILINE)
"""The modules that a line imports: its first name after from, or those after import."""

Cell = dict[str, Any]
"""A cell of a notebook."""

STUB = "answer = None  # yours"

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
"""The metadata of every stored chapter: no version of anything, so that all machines agree."""


class CourseError(Exception):
    """An error that the user can correct; the message says how."""


@dataclass(frozen=True)
class Chapter:
    """One chapter: its number, title, file, minutes, and the chapters that it needs.

    ``minutes`` is one reading without exercises, ``with_exercises`` the same with them.
    """

    number: str
    title: str
    path: Path
    minutes: int | None = None
    after: tuple[str, ...] = ()
    with_exercises: int | None = None

    @property
    def name(self) -> str:
        """The title without the number."""
        return HEADING.sub("", f"# {self.title}")

    @property
    def times(self) -> str:
        """Minutes to read, and with the exercises if the chapter says so: ``"40 / 80"``."""
        return " / ".join(str(m) for m in (self.minutes, self.with_exercises) if m)


def folder() -> Path:
    """The folder of the chapters: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    places = (package / "notebooks", package.parent / "notebooks")
    for place in places:
        if place.is_dir():
            return place
    raise CourseError(f"no chapters found in {places[0]} nor {places[1]}: install fgnwidgets anew")


def own_folder() -> Path | None:
    """The folder of a teacher's own chapters, if there is one."""
    named = os.environ.get(OWN_FOLDER)
    if named and not Path(named).is_dir():
        raise CourseError(f"no folder {named}: it was named as that of your own chapters")
    return Path(named) if named else None


def chapters(where: Path | None = None) -> tuple[Chapter, ...]:
    """The chapters of the copy in ``where``, or of the course, in order; appendices are last.

    Those of the course include a teacher's own chapters.
    """
    places = [where] if where else [place for place in (folder(), own_folder()) if place]
    paths = (path for place in places for path in place.glob("*_*.ipynb"))
    ordered = sorted((p for p in paths if NUMBER.match(p.name)), key=lambda path: path.name)
    return tuple(map(_chapter, ordered))


def find(name: str, where: Path | None = None) -> Chapter:
    """The chapter with this number (``"3"``, ``"a"``), file name, or part of a file name or title.

    Case does not matter. An own chapter goes before one of the course with the same number. Raises
    :class:`CourseError` if no chapter is found, or if a part occurs in the names of several.
    """
    known = chapters(where)
    word = name.strip().casefold()
    exact = [c for c in known if word in _names(c)]
    if exact:
        own = own_folder()
        return next((c for c in exact if c.path.parent == own), exact[0])
    part = [c for c in known if word and word in f"{c.path.stem} {c.title}".casefold()]
    if len(part) == 1:
        return part[0]
    names = ", ".join(chapter.path.stem for chapter in part or known) or "none"
    if part:
        raise CourseError(f"{name!r} is part of several names: {names}")
    raise CourseError(f"no chapter {name!r} in {where or 'the course'}: there are {names}")


def beside(folder: Path) -> list[Path]:
    """The files in a folder that its chapters need: own exercises, modules, and tables.

    Of modules only those that a chapter imports, or one of these: a teacher may keep others there.
    """
    return [
        path
        for path in (folder / OWN_FILE, *modules(folder), *sorted(folder.glob("*.csv")))
        if path.is_file()
    ]


def modules(folder: Path) -> list[Path]:
    """The modules in a folder that its chapters import, and those that these import."""
    there = {path.stem: path for path in folder.glob("*.py") if path.name != OWN_FILE}
    found: dict[str, Path] = {}
    texts = ["\n".join(_code(path)) for path in _files(folder)] if there else []
    while texts:
        text = texts.pop()
        for name in imported(text):
            if name in there and name not in found:
                found[name] = there[name]
                texts.append(there[name].read_text(encoding="utf-8", errors="replace"))
    return sorted(found.values())


def imported(text: str) -> list[str]:
    """Names in the import statements of a code; some may be of what is imported from a module."""
    lines = IMPORTED.findall(text)
    return [name for pair in lines for name in re.findall(r"[^\W\d]\w*", "".join(pair))]


def _code(path: Path) -> list[str]:
    try:
        return [source(cell) for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    except (CourseError, OSError):  # it is told where the chapter itself is read
        return []


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.glob("*_*.ipynb") if NUMBER.match(p.name))


def read(path: Path) -> dict[str, Any]:
    """The notebook in ``path``; raises :class:`CourseError` if the file holds none."""
    try:
        notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{path} is not a notebook: it is not UTF-8 text (byte {error.start} is "
            f"0x{error.object[error.start]:02x})"
        ) from None
    except (ValueError, RecursionError) as error:
        raise CourseError(f"{path} is not a notebook: it is no JSON ({error})") from None
    try:
        fingerprint(notebook)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CourseError(
            f"{path} is not a notebook: expected a list of cells, each with its kind and its text, "
            "as notebooks of format 4 have it"
        ) from None
    return notebook


def dumps(notebook: Mapping[str, Any]) -> str:
    """The text of a notebook's file, formatted as Jupyter does it."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write(notebook: Mapping[str, Any], path: Path) -> None:
    """Store ``notebook`` in ``path``."""
    path.write_text(dumps(notebook), encoding="utf-8", newline="\n")


def source(cell: Mapping[str, Any]) -> str:
    """The text of a cell; a notebook may hold it as one string or as a list of lines."""
    return "".join(cell["source"])


def fingerprint(notebook: Mapping[str, Any]) -> str:
    """A hash of the types and texts of all cells; outputs and metadata do not count."""
    cells = [(cell["cell_type"], source(cell)) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def is_solution(cell: Mapping[str, Any]) -> bool:
    """True if a cell is tagged as our answer to an exercise."""
    return "solution" in cell["metadata"].get("tags", ())


def without_solutions(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with an empty stub in place of every solution.

    The outputs of the next cell, which checks the solution, are dropped too.
    """
    cells = notebook["cells"]
    checks = [False, *map(is_solution, cells)]
    blank = [_unrun(cell) if check else cell for cell, check in zip(cells, checks, strict=False)]
    return {**notebook, "cells": [_stub(cell) if is_solution(cell) else cell for cell in blank]}


def _chapter(path: Path) -> Chapter:
    number = path.name.partition("_")[0]
    prose = (source(cell) for cell in read(path)["cells"] if cell["cell_type"] == "markdown")
    first = next(prose, "")
    told, said = MINUTES.search(first), AFTER.search(first)
    minutes = int(told[1] or 1) * int(told[2]) if told else None
    longer = int(told[3]) if told and told[3] else None
    after = tuple(re.split(", | and ", said[1])) if said else ()
    if path.parent == folder():
        after = NEEDS.get(number, after)
    return Chapter(number, first.partition("\n")[0].lstrip("# "), path, minutes, after, longer)


def _names(chapter: Chapter) -> set[str]:
    number = chapter.number.casefold()
    stem = chapter.path.stem.casefold()
    return {number, number.lstrip("0") or "0", stem, f"{stem}.ipynb", stem.partition("_")[2]}


def _stub(cell: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in cell["metadata"].items() if key != "jupyter"}
    return _unrun({**cell, "source": STUB, "metadata": metadata})


def _unrun(cell: Mapping[str, Any]) -> dict[str, Any]:
    code = cell["cell_type"] == "code"
    bare: dict[str, Any] = {"outputs": [], "execution_count": None} if code else {}
    return {**cell, **bare}
