"""Chapters whose exercises have different numbers for each student.

Numbers are drawn from the student's name alone, so the same name gives the same chapter on every
machine, and the name is all that is needed to mark it.
"""

import copy
import re
from collections.abc import Mapping
from typing import Any

from fgn_notebooks.chapters import CourseError, is_solution, source
from fgn_notebooks.exercises.answers import Exercise
from fgn_notebooks.exercises.judging import draw, of_chapter

ASKED = re.compile(r"\*\*([0-9A-Z]+\.\d+)\*\*")
CHECK = re.compile(r"""\bcheck\(\s*["']([0-9A-Z]+\.\d+)["'],\s*answer\)""")


def numbers(notebook: Mapping[str, Any], student: str) -> dict[str, Any]:
    """The notebook with this student's numbers in questions, in our answers, and in the checks.

    Raises :class:`CourseError` if no numbers can be drawn, or if a question holds none of the text
    that they replace.
    """
    made = copy.deepcopy(dict(notebook))
    if not student.strip():
        return made
    replace: Mapping[str, str] = {}
    for cell in made["cells"]:
        text = source(cell)
        asked = ASKED.search(text) if cell["cell_type"] == "markdown" else None
        check = CHECK.search(text) if cell["cell_type"] == "code" else None
        if asked:
            exercise = of_chapter(asked[1].partition(".")[0]).get(asked[1])
            replace = _drawn(asked[1], exercise, student) if exercise else {}
            lead, rest = text[: asked.end()], text[asked.end() :]
            cell["source"] = lead + _replaced(rest, replace)
            if replace and not any(piece in rest for piece in replace):
                raise CourseError(
                    f"the question {asked[1]} holds none of {list(replace)}, the pieces in whose "
                    "place a student's numbers go"
                )
        elif is_solution(cell) and replace:
            cell.update(source=_replaced(text, replace), outputs=[], execution_count=None)
        elif check:
            mine = f"{text[: check.end() - 1]}, student={student!r}{text[check.end() - 1 :]}"
            cell.update(source=mine, outputs=[], execution_count=None)
            replace = {}
    return made


def _drawn(name: str, exercise: Exercise, student: str) -> Mapping[str, str]:
    """Stored text and what replaces it for a student; both can be equal by chance."""
    try:
        drawn = draw(name, exercise, student)
        return dict(drawn.replace) if drawn else {}
    except Exception as error:  # a teacher's own function may raise anything
        raise CourseError(
            f"no numbers can be drawn for {student} in {name}: {type(error).__name__}: {error}"
        ) from error


def _replaced(text: str, replace: Mapping[str, str]) -> str:
    """Make all replacements in one pass, so that no new text is itself replaced."""
    if not replace:
        return text
    pieces = sorted(map(re.escape, replace), key=len, reverse=True)
    return re.sub("|".join(pieces), lambda m: replace[m[0]], text)
