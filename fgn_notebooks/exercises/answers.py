"""Exercises, and the tests of answers that they are made of.

A test is a function that takes an answer and returns None if it is right, and otherwise what to
look at again.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .reading import decimals, named, numbers, word, words

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
    """An exercise: the ``test`` of its answer, a ``hint``, and one that goes a step ``further``.

    ``outline`` is our answer in words, for exercises that are not judged, and ``points`` are what a
    good text makes clear, a few words for each. ``draw`` makes other numbers from a source of
    random numbers, which is seeded with a student's name.
    """

    test: Test
    hint: str
    kind: Literal["closed", "fault", "derive", "open"] = "closed"
    outline: str = ""
    draw: Callable[[random.Random], Drawn] | None = None
    further: str = ""
    points: tuple[str, ...] = ()


def derive(
    hint: str, outline: str, further: str = "", points: Iterable[str] = (), least: int = 15
) -> Exercise:
    """An exercise that asks for a proof in a few sentences, of at least ``least`` words."""
    points = tuple(points)
    return Exercise(written(least), hint, "derive", outline, further=further, points=points)


def task(
    hint: str, outline: str, further: str = "", points: Iterable[str] = (), least: int = 15
) -> Exercise:
    """An open task: the student tries something and reports in a few sentences what was found."""
    points = tuple(points)
    return Exercise(written(least), hint, "open", outline, further=further, points=points)


def fault(
    right: Callable[..., ArrayLike],
    cases: Iterable[tuple[Any, ...]],
    about: str,
    hint: str,
    further: str = "",
    any_scale: bool = False,
) -> Exercise:
    """An exercise whose answer is a function that must agree with ``right`` in every case.

    With ``any_scale`` its result is a message, so that it may be right up to a positive factor.
    """
    return Exercise(function(right, cases, about, any_scale), hint, "fault", further=further)


def number(expected: float, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for a number near ``expected``; ``about`` is what to look at if it is not.

    A text such as "4/7" or "57.14 %" is a number too. A number that is rounded too much is told so.
    """
    enough = max(0, math.ceil(math.log10(0.5 / tolerance)))

    def test(answer: Any) -> str | None:
        given = numbers(answer)
        if given.size != 1:
            return f"expected one number, and this is {given.size} of them"
        away = abs(given.item() - expected)
        if away <= tolerance:
            return None
        digits = decimals(answer) or 0  # 4/7 has none
        if 0 < digits < enough and given.item() != 0 and away <= 0.5 * 10.0**-digits * (1 + 1e-9):
            return f"as far as it goes this agrees; give at least {enough} decimals"
        return about

    return test


def array(expected: ArrayLike, about: str, tolerance: float = 1e-3) -> Callable[[Any], str | None]:
    """A test for an array near ``expected``, of the same shape."""
    right = np.asarray(expected, dtype=float)

    def test(answer: Any) -> str | None:
        given = numbers(answer)
        if given.shape != right.shape:
            return f"the shape is {given.shape}, expected {right.shape}"
        return None if np.abs(given - right).max() <= tolerance else about

    return test


def choice(expected: str, about: Mapping[str, str]) -> Callable[[Any], str | None]:
    """A test for the word ``expected``; ``about`` has what to look at for each wrong word."""

    def test(answer: Any) -> str | None:
        given = word(answer)
        if given == expected:
            return None
        return about.get(given, f"expected one of {', '.join(sorted({expected, *about}))}")

    return test


def written(least: int) -> Callable[[Any], str | None]:
    """A test for a text of at least ``least`` words, most of which are different ones."""

    def test(answer: Any) -> str | None:
        if not isinstance(answer, str):
            return "write your argument as a text, between three quotation marks on each side"
        said = words(answer)
        if len(said) < least:
            count = "1 word is" if len(said) == 1 else f"{len(said)} words are"
            return f"{count} too few to compare with ours"
        different = len(set(said))
        if different < 2 * least / 3:
            return f"it repeats the same {different} words: say what you found, and why"
        return None

    return test


OWN_WORDS = 8
"""The least number of words, not in its question, that an answer in words must have."""


def echoes(answer: str, question: str) -> bool:
    """True if a text says hardly anything that its question does not say."""
    return len(set(words(answer)) - set(words(question))) < OWN_WORDS


def function(
    right: Callable[..., ArrayLike],
    cases: Iterable[tuple[Any, ...]],
    about: str,
    any_scale: bool = False,
) -> Callable[[Any], str | None]:
    """A test for a function that agrees with ``right`` in all cases, each a tuple of arguments.

    With ``any_scale`` each column of the result may have a positive factor of its own, as messages
    may. Without it, a result that is right up to such factors is told so.
    """
    known = list(cases)

    def test(answer: Any) -> str | None:
        if not callable(answer):
            return "expected a function: answer = its name, without brackets"
        for case in known:  # each gets copies: a function may work on its arguments in place
            given, wanted = (
                np.array(g(*copy.deepcopy(case)), dtype=float) for g in (answer, right)
            )
            if given.shape != wanted.shape:
                return f"the result has shape {given.shape}, expected {wanted.shape}"
            if np.allclose(given, wanted, atol=1e-9):
                continue
            if not _up_to_a_factor(given, wanted):
                return about
            if not any_scale:
                return "it is right up to a factor: what must the result sum to?"
        return None

    return test


def _up_to_a_factor(given: NDArray[np.float64], wanted: NDArray[np.float64]) -> bool:
    """True if each column is the wanted one times a positive factor."""
    if wanted.ndim == 0 or len(wanted) < 2:
        return False
    sums, right = given.sum(axis=0), wanted.sum(axis=0)
    if not (np.isfinite(given).all() and (sums > 0).all() and (right > 0).all()):
        return False
    return np.allclose(given / sums, wanted / right, atol=1e-9)


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
    """A test for a set of names, in any order and case; ``about`` is what to look at otherwise.

    The set may be given as a text, such as "Letter, Difficulty" or '{"Letter", "Difficulty"}'.
    """
    right = {name.lower() for name in expected}

    def test(answer: Any) -> str | None:
        return None if named(answer) == right else about

    return test
