"""Exercises: ``check("05.2", answer)`` says right, or what to look at again; ``hint`` helps once.

The exercises of a chapter are a module, ``chapter_05`` or ``chapter_A``, with a mapping
``EXERCISES`` from their numbers to :class:`Exercise`. A chapter asks in words, leaves a cell to the
student that ends with ``answer``, and checks it in the next cell. Exercises of one's own are added
by :func:`register`, in a file ``fgn_exercises.py`` beside one's own chapters.

Vocabulary
    closed  has one right answer: a number, an array, a word, a set of names
    fault   shows code with an error in it; the answer is a function that does it right
    derive  asks for a proof in words, and open for the student's own findings: no machine judges
            them, so the check shows our outline, to compare with, once something was written
    drawn   of numbers: made from a student's name, so that no two students have the same ones
"""

from .answers import (
    Drawn,
    Exercise,
    array,
    arrows,
    choice,
    derive,
    fault,
    function,
    names,
    number,
    task,
    written,
)
from .judging import Judgement, check, find, hint, outline, register

__all__ = [
    "Drawn",
    "Exercise",
    "Judgement",
    "array",
    "arrows",
    "check",
    "choice",
    "derive",
    "fault",
    "find",
    "function",
    "hint",
    "names",
    "number",
    "outline",
    "register",
    "task",
    "written",
]
