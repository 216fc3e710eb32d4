"""Judge answers: ``check``, ``assess``, ``hint`` and ``outline``, for all exercises.

Vocabulary
    judgement   the result of ``check``: true for a right answer, and displayed as a sentence
    own         of an exercise: registered in a teacher's file ``fgn_exercises.py``
    student     the name from which numbers are drawn; without a name they are those of the stored
                chapters
"""

from __future__ import annotations

import json
import os
import random
import runpy
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any

from .answers import Drawn, Exercise, Test, echoes
from .drawing import DRAWN
from .reading import Unreadable
from .spelling import spelling

OWN_FILE = "fgn_exercises.py"
"""The file in which a teacher registers exercises, in the folder of the chapters."""

OWN_FOLDER = "FGN_CHAPTERS"
"""The environment variable with the folder of a teacher's own chapters."""

RECORD, TRIES = ".fgn-edition.json", ".fgn-tries.json"
"""Files in a copy of the course: a record of the copy, and the number of tries of each exercise."""

_own: dict[str, Exercise] = {}
_asked: dict[str, int] = {}
"""The number of hints of an exercise that were asked for in this kernel."""
_read: set[Path] = set()


class OwnExercisesError(ValueError):
    """An error in a teacher's file of exercises; the message has the line."""


@dataclass(frozen=True, repr=False)
class Judgement:
    """The verdict on an answer, right or not; it is displayed as the sentence ``says``.

    ``right`` is None if that cannot be judged, since no answer was given or it is a text. As a
    truth value the judgement is then false.
    """

    name: str
    right: bool | None
    says: str

    def __bool__(self) -> bool:
        return self.right is True

    def __repr__(self) -> str:
        return self.says

    def _ipython_display_(self) -> None:
        print(self.says)


def check(name: str, answer: Any, student: str | None = None) -> Judgement:
    """Judge an answer to an exercise, and count the try.

    ``student`` is the name from which the numbers were drawn; by default that of the student for
    whom the copy of the course in this folder was made, if it is one.
    """
    judged = judge(name, answer, student)
    if answer is not None and answer is not ...:
        _count(name)
    return judged


def judge(name: str, answer: Any, student: str | None = None) -> Judgement:
    """The result of :func:`check`, without counting a try."""
    exercise = find(name, student)
    if answer is None or answer is ...:
        return Judgement(name, None, f"{name}: no answer yet. hint({name!r}) helps.")
    try:
        trouble = exercise.test(answer)
    except Unreadable as error:
        trouble = str(error)
    except Exception as error:  # an answer may be anything, and a function of a student's too
        trouble = f"this answer cannot be read: {type(error).__name__}: {error}"
    if trouble is not None:
        return Judgement(name, False, f"{name}: look again: {trouble}")
    if not exercise.outline:
        return Judgement(name, True, f"{name}: right.")
    if isinstance(answer, str) and echoes(answer, question(name)):
        says = "these are the words of the question. Say in your own what you found, and why"
        return Judgement(name, False, f"{name}: look again: {says}")
    ours = fill(exercise.outline, 88, initial_indent="  ", subsequent_indent="  ")
    says = f"{name}: written. Compare it with our outline:\n{ours}"
    if exercise.points:
        told = f'Which of these points does your text make? assess("{name}", 1) if the first alone:'
        says += f"\n{told}\n{_listed(exercise.points)}"
    return Judgement(name, None, says)


def assess(name: str, *made: int) -> None:
    """Say of your own text which of the named points it makes, by their numbers.

    Prints how many of the points that is, and those that are left to add.
    """
    points = find(name).points
    if not points:
        raise ValueError(f"the exercise {name} has no points to assess: check({name!r}, answer)")
    odd = [k for k in made if k not in range(1, len(points) + 1)]
    if odd:
        raise ValueError(f"{name} has the points 1 to {len(points)}; got {odd[0]!r}")
    left = {k: point for k, point in enumerate(points, 1) if k not in made}
    print(f"{name}: your text makes {len(points) - len(left)} of {len(points)} points.")
    if left:
        print("Left to add:\n" + "\n".join(_item(k, point) for k, point in left.items()))


def hint(name: str, step: int | None = None, student: str | None = None) -> None:
    """Print a hint for an exercise; asked again, print the second one, which goes a step further.

    ``step`` asks for one of them: 1 or 2.
    """
    exercise = find(name, student)
    hints = [text for text in (exercise.hint, exercise.further) if text]
    if step is None:
        step = min(_asked.get(name, 0) + 1, len(hints))
        _asked[name] = step
    if step not in range(1, len(hints) + 1):
        raise ValueError(f"{name} has {len(hints)} hints: step is 1 to {len(hints)}; got {step!r}")
    more = f" (hint({name!r}) once more goes a step further.)" if step < len(hints) else ""
    print(f"{name}: {hints[step - 1]}{more}")


def question(name: str) -> str:
    """The text of the cell that asks an exercise, or "" if there is no such chapter."""
    # chapters imports this module
    from fgn_notebooks import chapters

    with suppress(chapters.CourseError, OSError):
        for cell in chapters.read(chapters.find(name.partition(".")[0]).path)["cells"]:
            text = chapters.source(cell)
            if cell["cell_type"] == "markdown" and f"**{name}**" in text:
                return text.partition(f"**{name}**")[2]
    return ""


def _listed(points: tuple[str, ...]) -> str:
    return "\n".join(_item(k, point) for k, point in enumerate(points, 1))


def _item(k: int, point: str) -> str:
    return fill(point, 88, initial_indent=f"  {k}. ", subsequent_indent="     ")


def outline(name: str) -> str:
    """Our answer to an exercise that asks for a proof or for findings."""
    return find(name).outline


def register(name: str, exercise: Exercise | Test, hint: str = "") -> None:
    """Add an exercise of your own, such as ``register("21.1", number(0.4, "the prior"))``.

    Write the call in a file ``fgn_exercises.py`` beside the chapter. If the course has an exercise
    of this name, yours replaces it. Raises ``ValueError`` if the name is not a chapter, a point and
    a number, or if ``exercise`` is neither a test nor an :class:`Exercise`.
    """
    chapter, point, number = str(name).partition(".")
    if not (chapter.isalnum() and point and number.isdigit()):
        raise ValueError(f"an exercise is named like '21.1', its chapter first; got {name!r}")
    if not (isinstance(exercise, Exercise) or callable(exercise)):
        raise ValueError(
            f"the exercise {name} is {exercise!r}: expected what tests an answer, such as "
            'number(0.4, "the prior"), or an Exercise'
        )
    if not isinstance(exercise, Exercise):
        exercise = Exercise(exercise, hint or "There is no hint for this exercise.")
    _own[name] = exercise


def find(name: str, student: str | None = None) -> Exercise:
    """The exercise of this name with the numbers of a student; ``ValueError`` if there is none."""
    known = of_chapter(str(name).partition(".")[0])
    if name not in known:
        listed = ", ".join(known) or "none in that chapter"
        raise ValueError(
            f"no exercise {name!r}: expected a name such as '05.2'; there are {listed}"
        )
    drawn = draw(name, known[name], _student_here() if student is None else student)
    return replace(known[name], test=drawn.test, hint=drawn.hint) if drawn else known[name]


def of_chapter(chapter: str) -> Mapping[str, Exercise]:
    """The exercises of a chapter by name, own ones included."""
    mine = {name: e for name, e in own().items() if name.partition(".")[0] == chapter}
    return {**of_course(chapter), **mine}


def of_course(chapter: str) -> Mapping[str, Exercise]:
    """The exercises that the course has for a chapter, by name."""
    if not chapter.isalnum():
        return {}
    module = f"{__package__}.chapter_{chapter}"
    try:
        stored: Mapping[str, Exercise] = import_module(module).EXERCISES
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return {}
    return {name: replace(e, draw=DRAWN.get(name)) for name, e in stored.items()}


def own(beside: Path | None = None) -> Mapping[str, Exercise]:
    """The exercises that a teacher has registered, by name; also in the file of a folder."""
    _read_own(beside)
    return dict(_own)


def draw(name: str, exercise: Exercise, student: str) -> Drawn | None:
    """The numbers of a student; None without a name, and for an exercise that draws none."""
    student = spelling(student)
    if not student or exercise.draw is None:
        return None
    return exercise.draw(random.Random(f"{name} for {student}"))


def _read_own(beside: Path | None = None) -> None:
    """Run a teacher's file once, in the folder of own chapters and in the working directory."""
    for folder in (beside, os.environ.get(OWN_FOLDER), "."):
        file = (Path(folder) / OWN_FILE).resolve() if folder else None
        if file and file not in _read and file.is_file():
            _read.add(file)
            try:
                runpy.run_path(str(file))
            except Exception as error:
                _read.discard(file)  # so that it is read again once it is mended
                raise OwnExercisesError(_where(file, error)) from error


def _where(file: Path, error: Exception) -> str:
    """An error in a teacher's file as a message with the line."""
    if isinstance(error, SyntaxError):
        line = error.lineno
    else:
        steps = traceback.extract_tb(error.__traceback__)
        line = next((step.lineno for step in reversed(steps) if step.filename == str(file)), None)
    place = f"{file}, line {line}" if line else str(file)
    says = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: the exercises cannot be read: {type(error).__name__}: {says}"


def _student_here() -> str:
    """The student for whom the copy of the course in this folder was made, or ""."""
    try:
        return str(json.loads(Path(RECORD).read_text(encoding="utf-8")).get("student") or "")
    except (OSError, ValueError, AttributeError):
        return ""


def _count(name: str) -> None:
    """Count a try of an exercise in a copy of the course; elsewhere do nothing."""
    if not Path(RECORD).exists():
        return
    file = Path(TRIES)
    with suppress(OSError, ValueError, TypeError, AttributeError):
        tries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        file.write_text(json.dumps(tries | {name: tries.get(name, 0) + 1}), encoding="utf-8")
