"""Faults of a teacher's own chapter that ``fgn build`` refuses, since a class would find them out.

An answer that a copy would hand out, a question that no copy can find, a number that is already the
course's, numbers drawn from a name that do not fit the question: all of these would be silent until
the hand-ins come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter, is_solution, source
from fgn_notebooks.exercises import judging
from fgn_notebooks.exercises.answers import Exercise
from fgn_notebooks.exercises.judging import OWN_FILE
from fgn_notebooks.students import personal
from fgn_notebooks.teachers.marking import cells
from fgn_notebooks.teachers.marking.handed_in import STUB

STUDENTS = ("Ada Lovelace", "Évariste Galois", "山田 花子")
"""Names for whom numbers are drawn to try them."""


def is_own(chapter: Chapter) -> bool:
    """True if a chapter is in the folder of a teacher's own (``--own``)."""
    place = chapters.own_folder()
    return place is not None and chapter.path.parent.resolve() == place.resolve()


def faults(chapter: Chapter) -> list[str]:
    """The faults of the exercises of an own chapter; nothing of it is run."""
    notebook = chapters.read(chapter.path)
    number = chapter.path.name.partition("_")[0]
    return [*_collisions(chapter, number), *_exercises(notebook, number)]


def _collisions(chapter: Chapter, number: str) -> Iterator[str]:
    course = {c.number for c in chapters.chapters(chapters.folder())}
    if number in course:
        free = next(f"{n:02}" for n in range(41, 100) if f"{n:02}" not in course)
        yield f"{number} is the number of a chapter of the course: take another, such as {free}"
    mine = judging.own(chapter.path.parent)
    taken = [name for name in mine if name in judging.of_course(name.partition(".")[0])]
    if taken and (chapter.path.parent / OWN_FILE).exists():
        yield (
            f"{OWN_FILE} registers {', '.join(taken)}, which the course has already: number your "
            "exercises by your own chapter"
        )


def _exercises(notebook: Mapping[str, Any], number: str) -> Iterator[str]:
    registered = judging.of_chapter(number)
    listed = notebook["cells"]
    prose = "\n".join(source(cell) for cell in listed if cell["cell_type"] == "markdown")
    begun = 0
    asked: str | None = None
    checked = set()
    for place, cell in enumerate(listed):
        text = source(cell)
        if cell["cell_type"] != "code":
            if found := personal.ASKED.search(text):
                asked, begun = found[1], place
            continue
        for check in cells.read(text).checks:
            name = check.name
            checked.add(name)
            if name.partition(".")[0] != number:
                yield f"checks {name}, whose chapter is not {number}: name it {number}.1 or so"
            elif name not in registered:
                yield f"checks {name}, which {OWN_FILE} beside it does not register"
            if asked != name:
                plain = name in prose and f"**{name}**" not in prose
                why = f"write its number in bold, **{name}**" if plain else "expected one before it"
                yield f"the check of {name} does not follow its question: {why}"
                continue
            if check.expression != "answer":
                yield f"the check of {name} holds {check.expression}: write check({name!r}, answer)"
            yield from _handed_out(name, listed[begun:place], text)
            if exercise := registered.get(name):
                yield from _drawn(name, exercise, listed[begun:place])
    for name in dict.fromkeys(personal.ASKED.findall(prose)):
        if name not in checked and name.partition(".")[0] == number:
            yield f"the question {name} has no check: write check({name!r}, answer) below it"


def _handed_out(name: str, listed: Sequence[Mapping[str, Any]], check: str) -> Iterator[str]:
    """The answer in a cell that every copy would hold."""
    for text in (
        *(source(c) for c in listed if c["cell_type"] == "code" and not is_solution(c)),
        check,
    ):
        if "answer" in cells.read(text).makes and not STUB.fullmatch(text):
            yield (
                f"the answer to {name} is in a cell without the tag 'solution', so that every copy "
                "would hand it out: give it the tag"
            )


def _drawn(name: str, exercise: Exercise, listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Pieces that are to be replaced, and stand nowhere, or within a longer word or number."""
    text = "\n".join(source(cell) for cell in listed)
    for student in STUDENTS:
        try:
            drawn = judging.draw(name, exercise, student)
        except Exception as error:  # a teacher's own function may raise anything
            yield f"no numbers can be drawn in {name}: {type(error).__name__}: {error}"
            return
        odd = [piece for piece in drawn.replace if not personal.found(piece, text)] if drawn else []
        if odd:
            yield (
                f"{name} draws numbers in place of {odd[0]!r}, which is not in the question or the "
                "answer" + (", but within a longer word or number" if odd[0] in text else "")
            )
            return


def draws(notebook: Mapping[str, Any], chapter: Chapter) -> bool:
    """True if an exercise of a chapter draws numbers from a name."""
    known = judging.of_chapter(chapter.path.name.partition("_")[0])
    return any(exercise.draw for exercise in known.values())
