"""Exercises: ``check("05.2", answer)`` says right, or what to look at again; ``hint`` helps once.

The exercises of a chapter are a module, ``chapter_05`` or ``chapter_A``, with a mapping
``EXERCISES`` from their numbers to :class:`Exercise`. A chapter asks in words, leaves a cell to the
student that ends with ``answer``, and checks it in the next cell.

Vocabulary
    closed  has one right answer: a number, an array, a word, a set of names
    fault   shows code with an error in it; the answer is a function that does it right
    derive  asks for a proof in words, and open for the student's own findings: no machine judges
            them, so the check shows our outline, to compare with, once something was written
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from textwrap import fill
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Exercise:
    """``test`` returns None for a right answer, and otherwise what to look at again.

    ``outline`` is our answer in words, where there is no single right one.
    """

    test: Callable[[Any], str | None]
    hint: str
    kind: Literal["closed", "fault", "derive", "open"] = "closed"
    outline: str = ""


def check(name: str, answer: Any) -> None:
    """Print whether ``answer`` solves the exercise, or what to look at again."""
    exercise = find(name)
    if answer is None or answer is ...:
        print(f"{name}: no answer yet. hint({name!r}) helps.")
        return
    try:
        trouble = exercise.test(answer)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        trouble = f"this answer cannot be read: {error}"
    if trouble is None and exercise.outline:
        print(f"{name}: written. Compare it with our outline:")
        print(fill(exercise.outline, 88, initial_indent="  ", subsequent_indent="  "))
    else:
        print(f"{name}: right." if trouble is None else f"{name}: look again: {trouble}")


def hint(name: str) -> None:
    """Print the one hint of an exercise."""
    print(f"{name}: {find(name).hint}")


def outline(name: str) -> str:
    """Our own answer to an exercise that asks for a proof or for findings."""
    return find(name).outline


def derive(hint: str, outline: str) -> Exercise:
    """An exercise that asks for a proof in a few sentences."""
    return Exercise(written(15), hint, "derive", outline)


def task(hint: str, outline: str) -> Exercise:
    """An open task: the student tries something and reports in a few sentences what was found."""
    return Exercise(written(15), hint, "open", outline)


def fault(
    right: Callable[..., ArrayLike], cases: Iterable[tuple[Any, ...]], about: str, hint: str
) -> Exercise:
    """An exercise whose answer is a function: it must give what ``right`` gives in every case."""
    return Exercise(function(right, cases, about), hint, "fault")


def find(name: str) -> Exercise:
    """The exercise of that name.

    Raises
    ------
    ValueError
        if there is none, with those that there are.
    """
    chapter = str(name).partition(".")[0]
    exercises: Mapping[str, Exercise] = {}
    if chapter.isalnum():
        try:
            exercises = import_module(f"{__name__}.chapter_{chapter}").EXERCISES
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.chapter_{chapter}":
                raise
    if name not in exercises:
        known = ", ".join(exercises) or "none in that chapter"
        raise ValueError(f"no exercise {name!r}: expected a name such as '05.2'; there are {known}")
    return exercises[name]


def number(expected: float, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for a number near ``expected``; ``about`` says what to look at when it is not."""

    def test(answer: Any) -> str | None:
        given = np.asarray(answer, dtype=float)
        if given.size != 1:
            return f"expected one number, and this is {given.size} of them"
        return None if abs(given.item() - expected) <= tolerance else about

    return test


def array(expected: ArrayLike, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for an array near ``expected``, shape included."""
    right = np.asarray(expected, dtype=float)

    def test(answer: Any) -> str | None:
        given = np.asarray(answer, dtype=float)
        if given.shape != right.shape:
            return f"the shape is {given.shape}, expected {right.shape}"
        return None if np.abs(given - right).max() <= tolerance else about

    return test


def choice(expected: str, about: Mapping[str, str]) -> Callable[[Any], str | None]:
    """A test for one of several words; ``about`` says of each wrong one what to look at."""

    def test(answer: Any) -> str | None:
        word = str(answer).strip().lower()
        if word == expected:
            return None
        return about.get(word, f"expected one of {', '.join(sorted({expected, *about}))}")

    return test


def written(least: int) -> Callable[[Any], str | None]:
    """A test for a text of at least so many words; what it says, a reader must judge."""

    def test(answer: Any) -> str | None:
        if not isinstance(answer, str):
            return "write your argument as a text, between three quotation marks on each side"
        count = len(answer.split())
        return None if count >= least else f"{count} words are too few to compare with ours"

    return test


def function(
    right: Callable[..., ArrayLike], cases: Iterable[tuple[Any, ...]], about: str
) -> Callable[[Any], str | None]:
    """A test for a function that agrees with ``right`` in all cases; a result may be any array."""
    known = list(cases)

    def test(answer: Any) -> str | None:
        if not callable(answer):
            return "expected a function: answer = its name, without brackets"
        for case in known:
            given, wanted = np.asarray(answer(*case), dtype=float), np.asarray(right(*case))
            if given.shape != wanted.shape:
                return f"the result has shape {given.shape}, expected {wanted.shape}"
            if not np.allclose(given, wanted, atol=1e-9):
                return about
        return None

    return test


def drawn(
    expected: Mapping[str, Sequence[str]], about: Mapping[tuple[str, str], str]
) -> Callable[[Any], str | None]:
    """A test for a graph, or an editor of one, whose variables have these parents.

    ``about`` says of an arrow ``(parent, child)`` what to look at where it is missing or too much.
    """
    right = {(parent, child) for child, parents in expected.items() for parent in parents}
    known = {name.lower() for pair in right for name in pair}

    def test(answer: Any) -> str | None:
        graph = getattr(answer, "graph", answer)
        if not hasattr(graph, "parents"):
            return "expected a graph: answer = roads.graph, or a BayesGraph"
        found = {(p.lower(), c.lower()) for c, ps in graph.parents.items() for p in ps}
        variables = {name.lower() for name in graph.parents}
        if variables != known:
            odd = sorted(variables ^ known)
            return f"the variables are {', '.join(sorted(known))}: look at {', '.join(odd)}"
        wanted = {(parent.lower(), child.lower()): (parent, child) for parent, child in right}
        for pair in sorted(found - wanted.keys()):
            if pair[::-1] in wanted:
                return f"{pair[0]} and {pair[1]}: which of the two comes first in the story?"
        for pair in sorted(found - wanted.keys()):
            names = next((k for k in about if tuple(n.lower() for n in k) == pair), None)
            return (
                about[names] if names else f"does the story say that {pair[0]} acts on {pair[1]}?"
            )
        for pair in sorted(wanted.keys() - found):
            return about.get(wanted[pair], f"what does the story say of {pair[1]}?")
        return None

    return test


def names(expected: Iterable[str], about: str) -> Callable[[Any], str | None]:
    """A test for a set of names, in any order and case; ``about`` is said of a wrong set."""
    right = {name.lower() for name in expected}

    def test(answer: Any) -> str | None:
        given = [answer] if isinstance(answer, str) else list(answer)
        return None if {str(name).strip().lower() for name in given} == right else about

    return test
