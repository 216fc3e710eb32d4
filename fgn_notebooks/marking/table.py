"""The table of marks: student, exercise, right, tries, error.

Vocabulary
    right    "yes", "no", "read" if a person must judge the answer, "missing" if there is none
    error    what went wrong in the copy before the exercise, or what its check said of the answer
"""

from __future__ import annotations

import asyncio
import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from fgn_notebooks.chapters import Chapter, CourseError, beside
from fgn_notebooks.exercises.judging import OWN_FILE

from . import cells, handed_in
from .cells import Cell
from .handed_in import Asked, HandedIn
from .kernel import Kernel, Stopped, kernel

LOST = re.compile(r"NameError: (?:name '(\w+)')?")
"""The error of a copy that needs a cell which was not run, or that has mistyped a name."""

WORTH = ("missing", "no", "read", "yes")
"""From bad to good: the better answer counts if a chapter was handed in twice."""


@dataclass(frozen=True)
class Mark:
    """One row of the table."""

    student: str
    exercise: str
    right: str
    tries: int | None
    error: str


@dataclass(frozen=True)
class Limits:
    """Seconds of time and megabytes of memory for each copy; how many run at a time."""

    seconds: float = 120.0
    memory: int = 2048
    side_by_side: int = 2


def mark(
    folder: Path,
    chosen: Sequence[Chapter],
    limits: Limits | None = None,
    by_folder: bool = False,
    told: Callable[[str], None] = lambda line: None,
) -> list[Mark]:
    """Run every copy of the chosen chapters in ``FOLDER/student/*.ipynb`` and mark its exercises.

    A chapter that any student handed in is expected of all. The numbers of exercises are drawn
    from the name in a copy's checks, or with ``by_folder`` from the name of the student's folder,
    with spaces for ``_``. ``told`` is called with a line for each copy that is done.

    Raises :class:`CourseError` if there are no copies, Jupyter is not installed, or an exercise is
    not registered.
    """
    limits = limits or Limits()
    copies = handed_in.find(folder, chosen)
    expected = [c for c in chosen if any(copy.chapter == c for copy in copies)]
    for chapter in expected:  # else the teacher's mistake would count against every student
        handed_in.registered(chapter)
    marked = asyncio.run(_all(copies, limits, by_folder, told))
    rows = []
    for student, place in handed_in.students(folder).items():
        tries = handed_in.tries(place)
        listed = [name for chapter in expected for name in handed_in.exercises(chapter)]
        nothing = ("missing", "not handed in")
        if any((student, name) not in marked for name in listed) and (
            instead := handed_in.strays(place)
        ):
            nothing = ("missing", f"not handed in ({instead})")
        for name in listed:
            right, error = marked.get((student, name), nothing)
            rows.append(Mark(student, name, right, tries.get(name), error))
    return rows


def write_csv(marks: Iterable[Mark], path: Path) -> None:
    """Write the table with a line of headings; unknown tries are empty."""
    # Lone surrogates in a student's error are escaped; from the BOM, Excel knows that it is UTF-8.
    with path.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        out = csv.writer(file)
        out.writerow([field.name for field in fields(Mark)])
        out.writerows([_shown(value) for value in astuple(row)] for row in marks)


def _shown(value: object) -> object:
    """A value as it is written; what a spreadsheet would take for a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple("=+-@")) else value


Said = dict[tuple[str, str], tuple[str, str]]
"""(student, exercise) -> (right, error)."""


async def _all(
    copies: Sequence[HandedIn], limits: Limits, by_folder: bool, told: Callable[[str], None]
) -> Said:
    gate = asyncio.Semaphore(limits.side_by_side)

    async def one(copy: HandedIn) -> Said:
        async with gate:
            try:
                said = await _copy(copy, limits, by_folder)
            except CourseError:
                raise
            except Exception as error:  # one odd copy must not keep the others from being marked
                fault = f"could not be marked: {type(error).__name__}: {error}".partition("\n")[0]
                said = dict.fromkeys(handed_in.exercises(copy.chapter), ("missing", fault))
        told(f"{copy.student}/{copy.path.name}: {_summed_up([word for word, _ in said.values()])}")
        return {(copy.student, name): words for name, words in said.items()}

    found: Said = {}
    for said in await asyncio.gather(*map(one, copies)):
        for k, words in said.items():
            if k not in found or WORTH.index(words[0]) > WORTH.index(found[k][0]):
                found[k] = words
    return found


def _summed_up(words: Sequence[str]) -> str:
    """A summary of a copy, such as ``4 right, 2 to read``."""
    kinds = {"right": "yes", "to read": "read", "wrong": "no", "missing": "missing"}
    counts = {name: words.count(word) for name, word in kinds.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


async def _copy(copy: HandedIn, limits: Limits, by_folder: bool) -> dict[str, tuple[str, str]]:
    said = dict.fromkeys(handed_in.exercises(copy.chapter), ("missing", copy.fault))
    begun = [asked for asked in copy.asked if asked.begun]
    if not begun:
        return said
    own_name = copy.student.replace("_", " ")
    student = own_name if by_folder else copy.drawn_for
    places = [(asked.place - 1, asked.expression) for asked in begun]
    chosen = cells.needed(copy.cells, copy.own, places)
    marked, errors = await _run(copy, begun, chosen, student, limits)
    if any(_left_out(error, copy.cells) for error in errors):
        everything = {k: cell.text for k, cell in enumerate(copy.cells) if not cell.checks}
        marked, _ = await _run(copy, begun, everything, student, limits)
    if copy.drawn_for and _plain(copy.drawn_for) != _plain(own_name):
        note = f"its numbers are those of {copy.drawn_for!r}"
        marked = {
            k: (right, f"{error}; {note}".lstrip("; ")) for k, (right, error) in marked.items()
        }
    return said | marked


def _left_out(error: str, code: Iterable[Cell]) -> bool:
    """Whether an error may come from leaving cells out: some cell makes the name that is lost.

    If no cell makes it, it was mistyped, and a run of all cells would fail too.
    """
    lost = LOST.match(error)
    if lost is None:
        return False
    return not lost[1] or any({lost[1], "*"} & (cell.makes | cell.changes) for cell in code)


async def _run(
    copy: HandedIn, begun: Sequence[Asked], chosen: Mapping[int, str], student: str, limits: Limits
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Run the chosen cells in order and judge each exercise at its place.

    Returns (right, error) by exercise, and all errors. An exercise gets the first error before it,
    of which later ones are often a consequence.
    """
    said: dict[str, tuple[str, str]] = {}
    errors: list[str] = []
    ordered = sorted(begun, key=lambda asked: asked.place)
    tables = [p for p in beside(copy.chapter.path.parent) if p.name != OWN_FILE]
    trouble = ""
    done = 0
    try:
        async with kernel(copy.path.parent, limits.seconds, limits.memory, tables) as running:
            for asked in ordered:
                for place in range(done, asked.place):
                    if place in chosen:
                        errors.append(await running.run(chosen[place]))
                        trouble = trouble or errors[-1]
                done = max(done, asked.place)
                said[asked.name] = await _judged(running, asked, student, trouble)
                errors.append(said[asked.name][1])
                trouble = ""
    except Stopped as stopped:
        reason = str(stopped)
        for asked in ordered:
            if asked.name not in said:
                said[asked.name] = ("no", reason)
                reason = f"not reached: {stopped}"
    return said, errors


async def _judged(running: Kernel, asked: Asked, student: str, trouble: str) -> tuple[str, str]:
    judged = await running.judge(asked.name, asked.expression, student)
    if not judged["answered"]:
        return ("no", trouble) if trouble else ("missing", "")
    if judged["right"] is None:
        return "read", trouble
    if judged["right"]:
        return "yes", trouble
    return "no", trouble or str(judged["says"]).removeprefix("look again: ")


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
