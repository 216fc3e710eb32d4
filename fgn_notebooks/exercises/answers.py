"""Exercises, and the tests of answers that they are made of.

A test is a function that takes an answer and returns None if it is right, and otherwise what to
look at again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

Test = Callable[[Any], "str | None"]


@dataclass(frozen=True)
class Drawn:
    """An exercise with the numbers of one student.

    ``replace`` maps pieces of the question, and of the code of our answer, to this student's.
    """

    replace: Mapping[str, str]
    test: Test
    hint: str


@dataclass(frozen=True)
class Exercise:
    """An exercise: the ``test`` of its answer, and a ``hint``.

    ``outline`` is our answer in words, for exercises that are not judged. ``draw`` makes other
    numbers from a source of random numbers, which is seeded with a student's name.
    """

    test: Test
    hint: str
    kind: Literal["closed", "fault", "derive", "open"] = "closed"
    outline: str = ""
    draw: Callable[[random.Random], Drawn] | None = None


def derive(hint: str, outline: str) -> Exercise:
    """An exercise that asks for a proof in a few sentences."""
    return Exercise(written(15), hint, "derive", outline)


def task(hint: str, outline: str) -> Exercise:
    """An open task: the student tries something and reports in a few sentences what was found."""
    return Exercise(written(15), hint, "open", outline)


def fault(
    right: Callable[..., ArrayLike], cases: Iterable[tuple[Any, ...]], about: str, hint: str
) -> Exercise:
    """An exercise whose answer is a function that must agree with ``right`` in every case."""
    return Exercise(function(right, cases, about), hint, "fault")


def number(expected: float, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for a number near ``expected``; ``about`` is what to look at if it is not."""

    def test(answer: Any) -> str | None:
        given = np.asarray(answer, dtype=float)
        if given.size != 1:
            return f"expected one number, and this is {given.size} of them"
        return None if abs(given.item() - expected) <= tolerance else about

    return test


def array(expected: ArrayLike, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for an array near ``expected``, of the same shape."""
    right = np.asarray(expected, dtype=float)

    def test(answer: Any) -> str | None:
        given = np.asarray(answer, dtype=float)
        if given.shape != right.shape:
            return f"the shape is {given.shape}, expected {right.shape}"
        return None if np.abs(given - right).max() <= tolerance else about

    return test


def choice(expected: str, about: Mapping[str, str]) -> Callable[[Any], str | None]:
    """A test for the word ``expected``; ``about`` has what to look at for each wrong word."""

    def test(answer: Any) -> str | None:
        word = str(answer).strip().lower()
        if word == expected:
            return None
        return about.get(word, f"expected one of {', '.join(sorted({expected, *about}))}")

    return test


def written(least: int) -> Callable[[Any], str | None]:
    """A test for a text of at least ``least`` words."""

    def test(answer: Any) -> str | None:
        if not isinstance(answer, str):
            return "write your argument as a text, between three quotation marks on each side"
        count = len(answer.split())
        return None if count >= least else f"{count} words are too few to compare with ours"

    return test


def function(
    right: Callable[..., ArrayLike], cases: Iterable[tuple[Any, ...]], about: str
) -> Callable[[Any], str | None]:
    """A test for a function that agrees with ``right`` in all cases, each a tuple of arguments."""
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


def arrows(
    expected: Mapping[str, Sequence[str]], about: Mapping[tuple[str, str], str]
) -> Callable[[Any], str | None]:
    """A test for a graph, or an editor of one, whose variables have these parents.

    ``about`` has what to look at for arrows ``(parent, child)`` that are missing or wrong.
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
                first, second = wanted[pair[::-1]]
                return f"{second} and {first}: which of the two comes first in the story?"
        for pair in sorted(found - wanted.keys()):
            names = next((k for k in about if tuple(n.lower() for n in k) == pair), None)
            return (
                about[names] if names else f"does the story say that {pair[0]} acts on {pair[1]}?"
            )
        for pair in sorted(wanted.keys() - found):
            return about.get(wanted[pair], f"what does the story say of {wanted[pair][1]}?")
        return None

    return test


def names(expected: Iterable[str], about: str) -> Callable[[Any], str | None]:
    """A test for a set of names, in any order and case; ``about`` is what to look at otherwise."""
    right = {name.lower() for name in expected}

    def test(answer: Any) -> str | None:
        given = [answer] if isinstance(answer, str) else list(answer)
        return None if {str(name).strip().lower() for name in given} == right else about

    return test
