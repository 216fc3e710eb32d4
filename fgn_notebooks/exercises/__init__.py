"""Exercises: ``check("05.2", answer)`` says whether an answer is right, or what to look at again.

The exercises of a chapter are a module, ``chapter_05`` or ``chapter_A``, with a mapping
``EXERCISES`` from their numbers to :class:`Exercise`. The chapter asks a question; the student
writes a cell that ends with ``answer``, and the next cell checks it. A teacher adds exercises by
:func:`register`, in a file ``fgn_exercises.py`` beside the teacher's own chapters.

Vocabulary
    closed   an exercise with one right answer: a number, an array, a word, a set of names
    fault    an exercise that shows code with an error; the answer is a correct function
    derive   an exercise that asks for a proof in words. It is not judged: ``check`` shows our
             outline to compare with, once something was written, and the points that a good text
             makes, for ``assess``
    open     an exercise that asks for the student's own findings in words; not judged either
    drawn    of numbers: made from a student's name, so that students have different ones
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
from .judging import Judgement, assess, check, find, hint, outline, register

__all__ = [
    "Drawn",
    "Exercise",
    "Judgement",
    "array",
    "arrows",
    "assess",
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
