"""The table of marks: student, exercise, right, tries, error.

Vocabulary
    right    "yes", "no", "read" if a person must judge the answer, "missing" if there is none
    error    what went wrong in the copy before the exercise, or what its check said of the answer
    piece    a student's copies of one chapter
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import fgn_notebooks
import fgnwidgets
from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter, CourseError, beside
from fgn_notebooks.exercises import judging
from fgn_notebooks.exercises.judging import OWN_FILE
from fgn_notebooks.exercises.spelling import of_folder, spelling

from . import cells, confine, handed_in, values
from .cells import Cell
from .confine import Way
from .handed_in import Asked, HandedIn
from .kernel import Kernel, Raised, Stopped, kernel
from .record import Mark, Record

LOST = re.compile(r"NameError: (?:name '(\w+)')?")
"""The error of a copy that needs a cell which was not run, or that has mistyped a name."""

WORTH = ("missing", "no", "read", "yes")
"""From bad to good: the better answer counts if an exercise was answered twice."""

LONGEST = 300
"""Characters of a remark in the table."""

RUNS = 6
"""The most runs of a copy: again after each cell that does not end, or ends the kernel."""

Told = Callable[[str], None]
Said = dict[str, tuple[str, str]]
"""exercise -> (right, error)."""


@dataclass(frozen=True)
class Limits:
    """Seconds of time and megabytes of memory for each run of a copy; how many run at a time."""

    seconds: float = 120.0
    memory: int = 2048
    side_by_side: int = 2


@dataclass(frozen=True)
class Piece:
    """A student's copies of one chapter; ``key`` changes with all that its marks depend on."""

    student: str
    folder: Path
    chapter: Chapter
    copies: tuple[HandedIn, ...]
    key: str


class BrokenOff(KeyboardInterrupt):
    """Ctrl-C while a class was marked; ``marks`` are those of the copies that were done."""

    def __init__(self, marks: Sequence[Mark], left: int) -> None:
        super().__init__(f"{left} copies are left")
        self.marks, self.left = list(marks), left


def _nothing(line: str) -> None:
    pass


def mark(
    folder: Path,
    chosen: Sequence[Chapter],
    limits: Limits | None = None,
    by_folder: bool = False,
    told: Told = _nothing,
    *,
    csv: Path | None = None,
    noted: Told = _nothing,
    way: Way | None = None,
) -> list[Mark]:
    """Run every copy of the chosen chapters in ``FOLDER/student/*.ipynb`` and mark its exercises.

    A chapter that any student handed in is expected of all. The numbers of exercises are drawn
    from the names in a copy's checks, or with ``by_folder`` from the name of the student's folder.
    ``told`` is called with a line for each piece that is done, and ``noted`` with what belongs
    beside the marks: files that were not marked, and what this machine cannot keep hand-ins from.

    ``csv`` is a file for the table. Rows are written into it as they come, and if a run is broken
    off, the next one with this file goes on with the copies that are left. ``way`` is how hand-ins
    are kept apart, by default the strictest that the machine allows.

    Raises :class:`CourseError` if there are no copies, Jupyter is not installed, or an exercise is
    not registered; ``OSError`` if the file cannot be written; :class:`BrokenOff` upon Ctrl-C.
    """
    limits = limits or Limits()
    copies = handed_in.find(folder, chosen)
    expected = [c for c in chosen if any(copy.chapter == c for copy in copies)]
    for chapter in expected:  # else the teacher's mistake would count against every student
        handed_in.registered(chapter)
    with Record(csv) as record:
        way = way or confine.possible()
        pieces = _pieces(folder, copies, limits, by_folder)
        found: dict[tuple[str, str], list[Mark]] = {}
        marking = _Marking(limits, by_folder, told, way, _hidden(folder), record, found)
        try:
            asyncio.run(marking.all(pieces))
        except KeyboardInterrupt:
            left = sum(len(p.copies) for p in pieces if (p.student, p.chapter.number) not in found)
            raise BrokenOff(_ordered(folder, expected, found, known=False), left) from None
        marks = _ordered(folder, expected, found)
        record.finish(marks)
    for line in (*handed_in.loose(folder), way.lacks):
        if line:
            noted(line)
    return marks


def _ordered(
    folder: Path,
    expected: Sequence[Chapter],
    found: Mapping[tuple[str, str], Sequence[Mark]],
    known: bool = True,
) -> list[Mark]:
    """The rows of every student for every exercise, or those that are ``known`` so far."""
    rows: list[Mark] = []
    for student, place in handed_in.students(folder).items():
        missing = [c for c in expected if (student, c.number) not in found]
        error, tries = "not handed in", handed_in.tries(place)
        if known and missing and (instead := handed_in.strays(place)):
            error = f"not handed in ({instead})"
        for chapter in expected:
            if chapter not in missing:
                rows += found[student, chapter.number]
            elif known:
                rows += [
                    Mark(student, name, "missing", tries.get(name), error)
                    for name in handed_in.exercises(chapter)
                ]
    return rows


def _pieces(
    folder: Path, copies: Sequence[HandedIn], limits: Limits, by_folder: bool
) -> list[Piece]:
    made = []
    places = handed_in.students(folder)
    for student, chapter in dict.fromkeys((c.student, c.chapter) for c in copies):
        own = tuple(c for c in copies if (c.student, c.chapter) == (student, chapter))
        hashed = hashlib.sha256(
            repr((student, by_folder, astuple(limits)[:2], fgnwidgets.__version__)).encode(
                "utf-8", "backslashreplace"
            )
        )
        course = (chapter.path, *beside(chapter.path.parent))
        handed = sorted(path for path in places[student].iterdir() if path.is_file())
        for path in (*course, *handed):
            hashed.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
            try:
                hashed.update(hashlib.sha256(path.read_bytes()).digest())
            except OSError:
                hashed.update(b"unread")
        made.append(Piece(student, places[student], chapter, own, hashed.hexdigest()))
    return made


def _hidden(folder: Path) -> Path | None:
    """The class folder, which a hand-in shall not see, unless it holds what a kernel needs."""
    needed: list[str | Path] = [
        sys.prefix,
        sys.base_prefix,
        tempfile.gettempdir(),
        chapters.folder(),
    ]
    needed += [str(Path(str(m.__file__)).parents[1]) for m in (fgnwidgets, fgn_notebooks)]
    needed += [place for place in (chapters.own_folder(),) if place]
    inside = folder.resolve()
    return None if any(Path(p).resolve().is_relative_to(inside) for p in needed) else folder


@dataclass(frozen=True)
class _Marking:
    """All that the marks of every copy have in common."""

    limits: Limits
    by_folder: bool
    told: Told
    way: Way
    hidden: Path | None
    record: Record
    found: dict[tuple[str, str], list[Mark]]

    async def all(self, pieces: Sequence[Piece]) -> None:
        """Mark all pieces; those in which an earlier run was ended come last, one by one."""
        gate = asyncio.Semaphore(self.limits.side_by_side)
        suspects = [p for p in pieces if self.record.begun.get(p.key)]

        async def one(piece: Piece) -> None:
            async with gate:
                await self._piece(piece)

        await asyncio.gather(*(one(piece) for piece in pieces if piece not in suspects))
        for piece in suspects:
            await self._piece(piece)

    async def _piece(self, piece: Piece) -> None:
        place = piece.student, piece.chapter.number
        if piece.key in self.record.done:
            self.found[place] = self.record.done[piece.key]
            self.record.again(self.found[place])
            self.told(f"{piece.student}/{piece.chapter.path.name}: was marked before")
            return
        if self.record.begun.get(piece.key, 0) > 1:
            fault = "not run: twice the marking was ended while it ran"
            said = dict.fromkeys(handed_in.exercises(piece.chapter), ("missing", fault))
            lines = [f"{piece.student}/{piece.chapter.path.name}: {fault}"]
        else:
            self.record.begin(piece.key)
            try:
                said, lines = await self._copies(piece)
            except BaseException:
                self.record.drop(piece.key)
                raise
        tries = handed_in.tries(piece.folder)
        self.found[place] = [
            Mark(piece.student, name, *said[name][:1], tries.get(name), said[name][1])
            for name in handed_in.exercises(piece.chapter)
        ]
        self.record.add(piece.key, self.found[place])
        for line in lines:  # what is told is written already
            self.told(line)

    async def _copies(self, piece: Piece) -> tuple[Said, list[str]]:
        """The right answers of a piece, and a line for each of its copies."""
        best: Said = {}
        lines = []
        for copy in piece.copies:
            try:
                said = await _copy(copy, self)
            except CourseError:
                raise
            except Exception as error:  # one odd copy must not keep the others from being marked
                fault = f"could not be marked: {type(error).__name__}: {error}".partition("\n")[0]
                said = dict.fromkeys(handed_in.exercises(copy.chapter), ("missing", fault))
            summary = _summed_up([word for word, _ in said.values()])
            lines.append(f"{copy.student}/{copy.path.name}: {summary}")
            for name, words in said.items():
                best[name] = _better([best[name], words], "files") if name in best else words
        return best, lines


def _better(said: Sequence[tuple[str, str]], places: str) -> tuple[str, str]:
    """The better of several answers to an exercise, and that there were others."""
    best = max(said, key=lambda words: WORTH.index(words[0]))
    answered = [words[0] for words in said if words[0] != "missing"]
    if len(set(answered)) > 1:
        return best[0], _joined(best[1], f"answered in {len(answered)} {places}, the better counts")
    return best


def _joined(*remarks: str) -> str:
    """The remarks that there are, each cut where it is so long that nobody would read it."""
    return "; ".join(
        remark if len(remark) <= LONGEST else f"{remark[:LONGEST]} ..."
        for remark in remarks
        if remark
    )


def _summed_up(words: Sequence[str]) -> str:
    """A summary of a copy, such as ``4 right, 2 to read``."""
    kinds = {"right": "yes", "to read": "read", "wrong": "no", "missing": "missing"}
    counts = {name: words.count(word) for name, word in kinds.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


async def _copy(copy: HandedIn, marking: _Marking) -> Said:
    said = {
        name: ("missing", copy.fault or copy.absent.get(name, ""))
        for name in handed_in.exercises(copy.chapter)
    }
    if not copy.asked:
        return said
    places = [(asked.place - 1, asked.expression) for asked in copy.asked]
    chosen = cells.needed(copy.parts, copy.own, places)
    judged, errors = await _runs(copy, chosen, marking)
    if any(_left_out(error, copy.parts) for error in errors):
        everything = {k: part.text for k, part in enumerate(copy.parts) if part.text.strip()}
        judged, _ = await _runs(copy, everything, marking)
    for name in dict.fromkeys(asked.name for asked in copy.asked):
        of_name = [
            (judged[asked][0], _joined(judged[asked][1], asked.note, _whose(copy, asked, marking)))
            for asked in copy.asked
            if asked.name == name
        ]
        said[name] = _better(of_name, "places")
    return said


def _whose(copy: HandedIn, asked: Asked, marking: _Marking) -> str:
    """A remark if the numbers of an exercise are not those of the student whose folder it is."""
    name = _drawn_for(copy, asked)
    if spelling(name):
        own = spelling(name) == spelling(of_folder(copy.student))
        return "" if own else f"its numbers are those of {name!r}"
    if marking.by_folder or judging.find(asked.name, "").draw is None:
        return ""
    return "its numbers are nobody's: no name is in its check"


def _drawn_for(copy: HandedIn, asked: Asked) -> str:
    """The name in a check, or else the first one in the copy."""
    return (asked.student if asked.student is not None else (*copy.drawn_for, "")[0]) or ""


def _left_out(error: str, code: Iterable[Cell]) -> bool:
    """True if an error may come from leaving cells out: some cell makes the name that is lost.

    If no cell makes it, it was mistyped, and a run of all cells would fail too.
    """
    lost = LOST.match(error)
    if lost is None:
        return False
    return not lost[1] or any({lost[1], "*"} & (cell.makes | cell.changes) for cell in code)


Judged = dict[Asked, tuple[str, str]]


async def _runs(
    copy: HandedIn, chosen: Mapping[int, str], marking: _Marking
) -> tuple[Judged, list[str]]:
    """Run the chosen parts and judge all answers; after a part that ends the run, without it."""
    judged: Judged = {}
    errors: list[str] = []
    stops: dict[int, str] = {}
    reason = ""
    for _ in range(RUNS):
        left = [asked for asked in copy.asked if asked not in judged]
        try:
            reason, at = await _run(copy, left, chosen, stops, marking, judged, errors)
        except Stopped as stopped:  # before anything of the student's has run
            raise RuntimeError(str(stopped)) from None
        if at is None:
            return judged, errors
        if isinstance(at, Asked):
            judged[at] = ("no", reason)
            continue
        blamed = [asked for asked in left if asked.start <= at < asked.place]
        stops[at] = "" if blamed else reason
        judged |= {asked: ("no", reason) for asked in blamed if asked.name == blamed[0].name}
    for asked in copy.asked:
        judged.setdefault(asked, ("no", f"not reached: {reason}"))
    return judged, errors


async def _run(
    copy: HandedIn,
    left: Sequence[Asked],
    chosen: Mapping[int, str],
    stops: Mapping[int, str],
    marking: _Marking,
    judged: Judged,
    errors: list[str],
) -> tuple[str, int | Asked | None]:
    """Run the chosen parts in order, without the ``stops``, and judge answers at their places.

    Adds to ``judged`` and ``errors``. Returns why the run was stopped and in which part or answer,
    None if it was not. An exercise gets the first error before it, of which later ones are often a
    consequence.
    """
    tables = [p for p in beside(copy.chapter.path.parent) if p.name != OWN_FILE]
    trouble = ""
    done = 0
    at: int | Asked
    limits = marking.limits
    async with kernel(
        copy.path.parent, limits.seconds, limits.memory, tables, marking.way, marking.hidden
    ) as running:
        try:
            for asked in sorted(left, key=lambda asked: asked.place):
                for place in range(done, asked.place):
                    at = place
                    if place in stops:
                        trouble = trouble or stops[place]
                    elif place in chosen:
                        errors.append(await running.run(chosen[place]))
                        trouble = trouble or errors[-1]
                done = max(done, asked.place)
                at = asked
                name = of_folder(copy.student) if marking.by_folder else _drawn_for(copy, asked)
                judged[asked] = await _judged(running, asked, name, trouble)
                errors.append(judged[asked][1])
                trouble = ""
        except Stopped as stopped:
            return str(stopped), at
    return "", None


async def _judged(running: Kernel, asked: Asked, student: str, trouble: str) -> tuple[str, str]:
    """Judge an answer in this process; the kernel hands over its value, and calls functions."""
    try:
        value = await running.value(asked.expression)
    except (Raised, values.Unreadable) as error:
        return "no", trouble or str(error)
    if value is None:
        return ("no", trouble) if trouble else ("missing", "its answer is None")
    judged = await asyncio.to_thread(judging.judge, asked.name, value, student)
    if running.stopped:
        raise running.stopped
    if judged.right is None:
        return "read", trouble
    if judged.right:
        return "yes", trouble
    says = judged.says.removeprefix(f"{asked.name}: ").partition("\n")[0]
    return "no", trouble or says.removeprefix("look again: ")
