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
from fgn_notebooks.exercises.spelling import spelling

ASKED = re.compile(r"\*\*([0-9A-Z]+\.\d+)\*\*")
CHECK = re.compile(r"""\bcheck\(\s*["']([0-9A-Z]+\.\d+)["'],\s*answer\)""")


def numbers(notebook: Mapping[str, Any], student: str) -> dict[str, Any]:
    """The notebook with this student's numbers in questions, in our answers, and in the checks.

    Raises :class:`CourseError` if no numbers can be drawn, or if a question holds none of the text
    that they replace.
    """
    made = copy.deepcopy(dict(notebook))
    if not spelling(student):
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
            if replace and not any(found(piece, rest) for piece in replace):
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


def found(piece: str, text: str) -> bool:
    """True if a piece stands in a text, and not within a longer word or number."""
    return re.search(_whole(piece), text) is not None


def _replaced(text: str, replace: Mapping[str, str]) -> str:
    """Make all replacements in one pass, so that no new text is itself replaced.

    A piece is left where it is part of a longer word or number: "5 kg" in "15 kg".
    """
    if not replace:
        return text
    pieces = sorted(replace, key=len, reverse=True)
    return re.sub("|".join(map(_whole, pieces)), lambda m: replace[m[0]], text)


UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Letters beside which words stand without a space: of Thai, Chinese, Japanese, Korean."""

LETTER = rf"[^\W{UNSPACED}]"


def _whole(piece: str) -> str:
    """The pattern of a piece that is no part of a longer word or number."""
    before = after = ""
    if re.match(LETTER, piece[:1]):
        before = rf"(?<!{LETTER})" + (r"(?<!\d\.)" if piece[0].isdigit() else "")
    if re.match(LETTER, piece[-1:]):
        after = rf"(?!{LETTER})" + (r"(?!\.\d)" if piece[-1].isdigit() else "")
    return before + re.escape(piece) + after
