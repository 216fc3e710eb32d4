"""Find the notebooks that a class handed in, ``FOLDER/student/*.ipynb``, and their exercises.

Vocabulary
    copy    a student's notebook of one chapter
    asked   an exercise in a copy
    stub    the cell ``answer = None``, in which a student has not begun an answer
    place   the number of code cells before something
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters, personal
from fgn_notebooks.chapters import Chapter, CourseError, source
from fgn_notebooks.exercises.judging import OWN_FILE, TRIES, of_chapter

from . import cells
from .cells import Cell

STUB = re.compile(r"\s*answer\s*=\s*(None|\.\.\.)\s*(#.*)?\s*")


@dataclass(frozen=True)
class Asked:
    """An exercise in a copy: the place where it is judged, and the expression of its answer.

    ``begun`` is whether the student did more than leave the stub.
    """

    name: str
    place: int
    expression: str
    begun: bool


@dataclass(frozen=True)
class HandedIn:
    """A copy: its student, chapter, file, and contents.

    ``drawn_for``   the name for which its checks draw numbers
    ``own``         indices of the code cells that the student wrote or changed
    ``fault``       why the file could not be read, if so
    """

    student: str
    chapter: Chapter
    path: Path
    drawn_for: str = ""
    cells: tuple[Cell, ...] = ()
    own: frozenset[int] = frozenset()
    asked: tuple[Asked, ...] = ()
    fault: str = ""


def students(folder: Path) -> dict[str, Path]:
    """The folders of a class by their names; bytes that are not UTF-8 are written as escapes.

    Raises :class:`CourseError` if there is no such folder.
    """
    if not folder.is_dir():
        raise CourseError(f"no folder {folder}: expected one that holds a folder for each student")
    found = [path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."]
    return {
        os.fsencode(path.name).decode("utf-8", "backslashreplace"): path for path in sorted(found)
    }


def find(folder: Path, chosen: Sequence[Chapter]) -> list[HandedIn]:
    """All copies of the chosen chapters, in the order of the students.

    The chapter of a notebook is known by the file's name, or else by the exercises that it checks.
    Raises :class:`CourseError` if there are no copies.
    """
    read = (
        _read(name, path, chosen)
        for name, student in students(folder).items()
        for path in _notebooks(student)
    )
    found = [copy for copy in read if copy is not None]
    if not found:
        loose = len(_notebooks(folder))
        raise CourseError(
            f"{folder} holds no copies of {', '.join(c.path.stem for c in chosen[:3])} ...: "
            "expected FOLDER/student/*.ipynb, a folder for each student"
            + (f"; found {loose} notebooks in FOLDER itself" if loose else "")
        )
    return found


def strays(student: Path) -> str:
    """Why not everything in a student's folder was marked, or an empty text."""
    within = _notebooks(student)
    odd = [path.name for path in within if _read("", path, chapters.chapters()) is None]
    if odd:
        return f"of no chapter by name or exercises, or not to be read: {_listed(odd)}"
    if within:
        return ""
    there = [path.name for path in sorted(student.iterdir()) if path.name[0] != "."]
    return f"no notebook in the folder: it holds {_listed(there) or 'nothing'}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _notebooks(folder: Path) -> list[Path]:
    """The notebooks in a folder, with endings such as ``.IPYNB`` too."""
    return sorted(path for path in folder.iterdir() if path.suffix.casefold() == ".ipynb")


def exercises(chapter: Chapter) -> tuple[str, ...]:
    """The names of the exercises that a chapter of the course checks, in order."""
    listed = (cell for cell in chapters.read(chapter.path)["cells"] if cell["cell_type"] == "code")
    return tuple(name for cell in listed for name, _ in cells.read(source(cell)).checks)


def registered(chapter: Chapter) -> None:
    """Raise :class:`CourseError` if a chapter checks an exercise that is not registered."""
    absent = sorted({*exercises(chapter)} - {*of_chapter(chapter.number)})
    if absent:
        raise CourseError(
            f"{chapter.path.name} checks {', '.join(absent)}, which {OWN_FILE} beside it does not "
            "register"
        )


def tries(student: Path) -> Mapping[str, int]:
    """How often a student tried each exercise, as far as it was recorded in the folder."""
    try:
        counted = json.loads((student / TRIES).read_text(encoding="utf-8"))
        return {str(name): int(number) for name, number in counted.items()}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}


def _read(student: str, path: Path, chosen: Sequence[Chapter]) -> HandedIn | None:
    named = [c for c in chosen if path.stem.casefold().startswith(c.path.stem.casefold())]
    try:
        notebook = chapters.read(path)
    except (CourseError, OSError) as error:
        says = error.strerror if isinstance(error, OSError) else str(error).partition(": ")[2]
        fault = f"the file cannot be read: {says or error}"
        return HandedIn(student, named[0], path, fault=fault) if named else None
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    read = tuple(cells.read(source(cell)) for cell in code)
    checked = {name.partition(".")[0] for cell in read for name, _ in cell.checks}
    named = named or [c for c in chosen if c.number in checked]
    if not named:
        return None
    names = [name for cell in read for name in cell.students]
    drawn_for = names[0] if names else ""
    edition = chapters.read(named[0].path)
    known = {source(cell).strip() for cell in personal.numbers(edition, drawn_for)["cells"]}
    own = frozenset(k for k, cell in enumerate(read) if cell.text.strip() not in known)
    asked = tuple(_asked(named[0], notebook, read, own))
    return HandedIn(student, named[0], path, drawn_for, read, own, asked)


def _asked(
    chapter: Chapter, notebook: Mapping[str, Any], code: Sequence[Cell], own: frozenset[int]
) -> list[Asked]:
    """The exercises of a chapter in a copy, found by their checks, or else by their questions.

    Code that the chapter gives with a question, such as the faulty one to repair, is no answer.
    """
    checks = {name: (k, text) for k, cell in enumerate(code) for name, text in cell.checks}
    questions = _questions(notebook)
    found = []
    for name in exercises(chapter):
        start, stop = questions.get(name, (0, len(code)))
        if name in checks:
            stop, expression = checks[name]
            start = start if start <= stop else 0
        elif name in questions:
            expression = "answer"
        else:
            continue
        texts = [
            code[k].text
            for k in range(start, stop)
            if not code[k].checks and (k in own or "answer" in code[k].makes)
        ]
        begun = expression != "answer" or any(not STUB.fullmatch(text) for text in texts)
        found.append(Asked(name, stop, expression, begun))
    return found


def _questions(notebook: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """The places between which the answer to each question is."""
    found: dict[str, tuple[int, int]] = {}
    open_: str | None = None
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
        elif asked := personal.ASKED.search(source(cell)):
            open_ = asked[1]
            found[open_] = (count, count)
            continue
        if open_:
            found[open_] = (found[open_][0], count)
    return found
