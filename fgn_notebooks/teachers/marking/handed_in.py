"""Find the notebooks that a class handed in, ``FOLDER/student/*.ipynb``, and their exercises.

Vocabulary
    copy    a student's notebook of one chapter
    asked   a place in a copy at which an exercise is judged; there may be several of one exercise
    stub    the cell ``answer = None``, in which a student has not begun an answer
    part    a piece of a code cell between its checks
    place   the number of parts before something
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter, CourseError, source
from fgn_notebooks.exercises.answers import Exercise
from fgn_notebooks.exercises.judging import OWN_FILE, TRIES, of_chapter
from fgn_notebooks.students import personal

from . import cells
from .cells import Cell

STUB = re.compile(r"\s*answer\s*=\s*(None|\.\.\.)\s*(#.*)?\s*")


@dataclass(frozen=True)
class Asked:
    """A place where an exercise is judged, and the expression of its answer.

    ``start``     the place where its question begins
    ``student``   the name for which its check draws numbers; None if its check has none
    ``note``      what is odd about the place, if anything
    """

    name: str
    start: int
    place: int
    expression: str
    student: str | None = None
    note: str = ""


@dataclass(frozen=True)
class HandedIn:
    """A copy: its student, chapter, file, and contents.

    ``drawn_for``   the names for which its checks draw numbers, in order
    ``parts``       the parts of its code cells
    ``own``         indices of the parts that the student wrote or changed
    ``asked``       where its exercises are judged, as far as they were begun
    ``absent``      why an exercise is judged nowhere, if a reason is known
    ``fault``       why the file could not be read, if so
    """

    student: str
    chapter: Chapter
    path: Path
    drawn_for: tuple[str, ...] = ()
    parts: tuple[Cell, ...] = ()
    own: frozenset[int] = frozenset()
    asked: tuple[Asked, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
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
        notebooks = len(_notebooks(folder))
        packed = [p.name for p in sorted(folder.rglob("*")) if p.suffix.casefold() in ARCHIVES]
        raise CourseError(
            f"{folder} holds no copies of {', '.join(c.path.stem for c in chosen[:3])} ...: "
            "expected FOLDER/student/*.ipynb, a folder for each student"
            + (f"; found {notebooks} notebooks in FOLDER itself" if notebooks else "")
            + (f"; unpack {_listed(packed)}" if packed else "")
        )
    return found


def strays(student: Path) -> str:
    """The reason why not everything in a student's folder was marked, or an empty text."""
    within = _notebooks(student)
    odd = [path.name for path in within if _read("", path, chapters.chapters()) is None]
    if odd:
        return f"of no chapter by name or exercises, or not to be read: {_listed(odd)}"
    if within:
        return ""
    if not os.access(student, os.R_OK | os.X_OK):
        return "the folder cannot be read"
    there = [path.name for path in _entries(student) if path.name[0] != "."]
    return f"no notebook in the folder: it holds {_listed(there) or 'nothing'}"


ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip")


def loose(folder: Path) -> list[str]:
    """The files in a class folder, or a student's, that were not marked: a line for each kind."""
    here = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."]
    odd = [p.name for p in here if p.suffix.casefold() in (".ipynb", *ARCHIVES)]
    lines = [f"in no student's folder, so not marked: {_listed(odd)}"] if odd else []
    for name, place in students(folder).items():
        packed = [p.name for p in _entries(place) if p.suffix.casefold() in ARCHIVES]
        if packed:
            lines.append(f"{name}: not unpacked, so not marked: {_listed(packed)}")
    return lines


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, in order; nothing if it may not be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _notebooks(folder: Path) -> list[Path]:
    """The notebooks in a folder, with endings such as ``.IPYNB`` too; no pipes, which never end."""
    found = (path for path in _entries(folder) if path.suffix.casefold() == ".ipynb")
    return sorted(path for path in found if path.is_file() or path.is_dir() or not path.exists())


def exercises(chapter: Chapter) -> tuple[str, ...]:
    """The names of the exercises that a chapter of the course checks, in order."""
    listed = (cell for cell in chapters.read(chapter.path)["cells"] if cell["cell_type"] == "code")
    return tuple(check.name for cell in listed for check in cells.read(source(cell)).checks)


def registered(chapter: Chapter) -> None:
    """Raise :class:`CourseError` if a chapter checks an exercise that is not registered."""
    absent = sorted({*exercises(chapter)} - {*of_chapter(chapter.number)})
    if absent:
        raise CourseError(
            f"{chapter.path.name} checks {', '.join(absent)}, which {OWN_FILE} beside it does not "
            "register"
        )


def tries(student: Path) -> Mapping[str, int]:
    """The number of a student's tries at each exercise, as far as the folder records them."""
    try:
        if not (student / TRIES).is_file():  # a pipe would never end
            return {}
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
    checks = [check for cell in read for check in cell.checks]
    checked = {check.name.partition(".")[0] for check in checks}
    named = named or [c for c in chosen if c.number in checked]
    if not named:
        return None
    drawn_for = tuple(dict.fromkeys(check.student for check in checks if check.student))
    edition = chapters.read(named[0].path)
    known = {
        source(cell).strip()
        for name in drawn_for or ("",)
        for cell in personal.numbers(edition, name)["cells"]
    }
    parts: list[Cell] = []
    own: set[int] = set()
    places = []  # of each code cell
    for cell in read:
        places.append(len(parts))
        parts += cells.parts(cell)
        if cell.text.strip() not in known:
            own |= {*range(places[-1], len(parts))}
    places.append(len(parts))
    asked, absent = _asked(named[0], _questions(notebook, places), parts, own)
    _in_text(asked, absent, _beside_code(notebook, known, places), of_chapter(named[0].number))
    return HandedIn(
        student, named[0], path, drawn_for, tuple(parts), frozenset(own), tuple(asked), absent
    )


Range = tuple[int, int]


def _asked(
    chapter: Chapter,
    questions: Mapping[str, Sequence[Range]],
    parts: Sequence[Cell],
    own: Collection[int],
) -> tuple[list[Asked], dict[str, str]]:
    """The places in a copy where a chapter's exercises are judged, and why some are not.

    They are judged at each of their checks, and at the end of each of their questions if an answer
    stands there that no check follows. Code that the chapter gives with a question, such as the
    faulty one to repair, is no answer.
    """

    def texts(start: int, stop: int) -> list[str]:
        """The text written in some parts towards an answer."""
        return [
            parts[k].text
            for k in range(start, stop)
            if parts[k].text.strip() and (k in own or "answer" in parts[k].makes)
        ]

    found: list[Asked] = []
    absent: dict[str, str] = {}
    for name in exercises(chapter):
        ranges = list(questions.get(name, ()))
        checked: set[Range] = set()
        for place, part in enumerate(parts):
            for check in part.checks:
                if check.name != name:
                    continue
                within = [r for r in ranges if r[0] <= place]
                start = within[-1][0] if within else 0
                if within and place < within[-1][1]:
                    checked.add(within[-1])
                if check.expression != "answer" or _begun(texts(start, place)):
                    found.append(Asked(name, start, place, check.expression, check.student))
        for between in ranges:
            start, stop = between
            # Of what a check follows, also that of another exercise, no more needs to be judged.
            last = max((k for k in range(start, stop) if parts[k].checks), default=start)
            after = [k for k in range(last, stop) if "answer" in parts[k].makes | parts[k].changes]
            written = texts(last, stop)
            if any(not STUB.fullmatch(parts[k].text) for k in after) or (
                _begun(written) and any(parts[k].broken for k in range(last, stop))
            ):
                note = "its answer stands below its check" if between in checked else ""
                found.append(Asked(name, start, stop, "answer", None, note))
            elif _begun(written) and between not in checked:
                absent[name] = "something was written below the question, but no answer = ..."
        if not ranges and all(asked.name != name for asked in found):
            there = any(check.name == name for part in parts for check in part.checks)
            absent[name] = "" if there else "its question and its check are not in the notebook"
    judged = {asked.name for asked in found}
    return found, {name: why for name, why in absent.items() if name not in judged and why}


def _beside_code(
    notebook: Mapping[str, Any], known: Collection[str], places: Sequence[int]
) -> dict[str, tuple[int, str]]:
    """What a student wrote into cells of text below each question, or into its own cell.

    Each with the place at which its last cell stands. A text of the chapter's, such as its summary,
    ends what belongs to a question.
    """
    asked = {m[1]: text for text in known if (m := personal.ASKED.search(text))}
    found: dict[str, tuple[int, str]] = {}
    open_: str | None = None
    count = 0
    for cell in notebook["cells"]:
        text = source(cell).strip()
        if cell["cell_type"] == "code":
            count += 1
            continue
        if question := personal.ASKED.search(text):
            open_ = question[1]
            given = asked.get(open_, text)
            text = text.removeprefix(given) if text.startswith(given) else ""
        elif text in known:
            open_ = None
        if open_ and text.strip():
            before = found.get(open_, (0, ""))[1]
            found[open_] = places[count], f"{before}\n{text}".strip()
    return found


def _in_text(
    asked: list[Asked],
    absent: dict[str, str],
    written: Mapping[str, tuple[int, str]],
    known: Mapping[str, Exercise],
) -> None:
    """Take a text in a cell of text for an answer, where an exercise asks for one.

    Beside an answer in code it is one too if it is long enough: code may be there for the report.
    Of other exercises say that something is there, if they have no answer.
    """
    judged = {each.name for each in asked}
    for name, (place, text) in written.items():
        if name not in known:
            continue
        if known[name].outline:
            if name in judged and known[name].test(text) is not None:
                continue
            note = "it is written in a cell of text, and not as answer = ..."
            asked.append(Asked(name, place, place, repr(text), None, note))
            absent.pop(name, None)
        elif name not in judged:
            absent[name] = "something is in a cell of text below the question, but no answer = ..."


def _begun(texts: Sequence[str]) -> bool:
    return any(not STUB.fullmatch(text) for text in texts)


def _questions(notebook: Mapping[str, Any], places: Sequence[int]) -> dict[str, list[Range]]:
    """The places between which the answers to each question are, wherever it is asked."""
    found: dict[str, list[Range]] = {}
    open_: str | None = None
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
        elif asked := personal.ASKED.search(source(cell)):
            open_ = asked[1]
            found.setdefault(open_, []).append((places[count], places[count]))
            continue
        if open_:
            found[open_][-1] = (found[open_][-1][0], places[count])
    return found
