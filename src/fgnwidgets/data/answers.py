"""Codes for no answer: which a table names, and which it probably holds without a word.

Vocabulary
    code     a label of a cell that says that nothing is known: 9, 99, "DK", "."
    bare     a label as text, without differences in spaces, capitals and Unicode forms
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from unicodedata import normalize

import numpy as np

from ..algebra.arrays import Label
from ..arguments import listing, meant, wrong
from .names import in_order, is_missing, key_of, kind_of, listed, plain

Missing = Collection[Label] | Mapping[str, Collection[Label]] | None
"""Codes for no answer: of all columns, or of each column by its name."""

BLANK_WORDS = {"nan", "None", "nat", "<na>", "na", "n/a", "null", "#n/a", "#null!", "#value!"}
"""Words for an empty cell of programs that write their tables as text."""

ANSWER_WORDS = {
    "?", "??", "-", "--", "---", "..", "dk", "d/k", "dk/na", "dk/nr", "don't know", "dont know",
    "do not know", "not known", "unknown", "refused", "refusal", "no answer", "not answered",
    "no response", "nonresponse", "not stated", "not applicable", "not available", "inap", "n.a.",
    "prefer not to say", "prefer not to answer", "rather not say", "missing",
}  # fmt: skip
"""The words of surveys for no answer; a point, or one with a letter, is that of Stata."""

OPPOSITES = {"-": "+", "unknown": "known", "missing": "present", "not applicable": "applicable"}
"""Words that are answers where their opposites are."""

POINT = re.compile(r"\.[a-z_]?")

WHOLE = re.compile(r"-?[0-9]{1,9}")


def bare(label: Any) -> str:
    """A label as text without differences in spaces, capitals and Unicode forms; 9.0 is "9"."""
    label = int(label) if isinstance(label, float) and label.is_integer() else label
    return " ".join(normalize("NFKC", str(label)).split()).casefold()


def read_missing(missing: Missing, names: Sequence[str]) -> dict[str, tuple[Label, ...]]:
    """The codes for no answer of each column that has any, of those that are called ``names``.

    A list holds for all columns, a mapping names them. Raises ``ValueError`` for another name.
    """
    if missing is None:
        return {}
    if not isinstance(missing, Mapping):
        codes = _codes(missing, "missing", " for all columns, or a mapping, {'A': [9]}")
        return dict.fromkeys(names, codes) if codes else {}
    by_column = {}
    for name, given in missing.items():
        if name not in names:
            raise ValueError(
                f"missing names {name!r}: there are {listing(names)}{meant(name, names)}"
            )
        if codes := _codes(given, f"missing[{name!r}]"):
            by_column[str(name)] = codes
    return by_column


def _codes(given: Any, what: str, more: str = "") -> tuple[Label, ...]:
    flat = given.tolist() if isinstance(given, np.ndarray) and given.ndim == 1 else given
    expected = f"a list of codes for no answer, such as [9, 99]{more}"
    if not isinstance(flat, list | tuple | set | frozenset):
        raise wrong(what, given, expected)
    try:
        codes = {key_of(code): plain(code) for code in flat if not is_missing(code)}
    except TypeError:
        raise wrong(what, given, expected) from None
    return tuple(in_order(codes.values()))


def refuse_nearly(missing: Sequence[Label], states: Iterable[Label], name: str) -> None:
    """Refuse a state that a code for no answer names but for its type, spaces or capitals."""
    near = {bare(code): code for code in missing}
    for state in states:
        if (code := near.get(bare(state))) is not None:
            raise ValueError(
                f"missing names {code!r}, {kind_of(code)}, and column {name!r} holds {state!r}, "
                f"{kind_of(state)}: labels are compared by type, so name it as it stands there"
            )


def no_answers(name: str, states: Sequence[Any]) -> str:
    """A warning about states that are probably codes for no answer, or empty cells; or ""."""
    words = {bare(state) for state in states if isinstance(state, str)}
    odd: list[Any] = [s for s in states if isinstance(s, str) and _says_nothing(s, words)]
    for texts in (False, True):
        numbers = {
            int(state): state
            for state in states
            if (bool(WHOLE.fullmatch(state)) if isinstance(state, str) else _whole(state))
            and isinstance(state, str) is texts
        }
        said = {*numbers.values(), *odd}
        if all(s in said for s in states if isinstance(s, str) is texts):
            odd += [numbers[n] if texts else n for n in far_codes(numbers)]
    odd += _among_words([s for s in states if s not in odd])
    if not odd:
        return ""
    several = len(odd) > 1
    return (
        f"column {name!r} has the state{'s' * several} {listed(odd)}, as codes for no answer are "
        "written, or cells that were empty. Here each is a state like the others; if it says that "
        f"nothing is known, missing={{{name!r}: {odd!r}}} makes it a blank"
    )


def _among_words(states: Sequence[Any]) -> list[Any]:
    """Numbers beside words, of which all are written as codes for no answer: yes, no, 99."""
    words = [s for s in states if isinstance(s, str) and not WHOLE.fullmatch(s)]
    if len(words) < 2 or any(sign.isdigit() for word in words for sign in word):
        return []
    rest = [s for s in states if s not in words]
    numbers = [abs(int(s)) if isinstance(s, str) or _whole(s) else 0 for s in rest]
    coded = all(n in _written(len(str(n))) for n in numbers)
    return rest if coded and (max(numbers, default=0) > 8) else []


def _whole(state: Any) -> bool:
    if isinstance(state, bool | np.bool_) or not isinstance(state, int | float | np.number):
        return False
    return abs(float(state)) < 1e9 and float(state).is_integer()


def _says_nothing(state: str, words: set[str]) -> bool:
    if state == "None":
        return True
    word = bare(state).replace("\u2019", "'")
    empty = word in BLANK_WORDS or word in ANSWER_WORDS or POINT.fullmatch(word) is not None
    return empty and OPPOSITES.get(word) not in words


def far_codes(numbers: Collection[int]) -> list[int]:
    """Of whole numbers, those at the end that are written as codes for no answer, far from others.

    They are 9, 99, 999, ... with 7 and 8, 77, 88, 97, 98, ... beside them, and their negatives
    and -1. At least two others must be there. A code is far off if its distance to the largest
    other one is more than any distance between others, and more than half a power of ten; a code of
    one digit, if the others have no gap at all. Negative ones need others that are >= 0.
    """
    rest, codes = sorted(numbers), list[int]()
    negative = [n for n in rest if n < 0]
    if negative and len(rest) > len(negative) + 1:
        mirrored = {-n for n in negative} == {n for n in rest if n > 0}  # a scale around zero
        if not mirrored and all(n == -1 or -n in _written(len(str(-n))) for n in negative):
            codes, rest = negative, rest[len(negative) :]
    for digits in range(6, 0, -1):
        family = _written(digits)
        first = len(rest)
        while first > 2 and rest[first - 1] in family:
            first -= 1
        for at in range(first, len(rest)):
            others, top = rest[:at], rest[at:]
            gap = max(b - a for a, b in pairwise(others)) if len(others) > 1 else 0
            far = top[0] - others[-1] > max(1, gap, 10 ** (digits - 1) // 2)
            if gap and far and others[0] >= 0 and (digits > 1 or (gap == 1 and top[-1] == 9)):
                codes, rest = [*codes, *top], others
                break
    return codes


def _written(digits: int) -> set[int]:
    """The codes of so many digits."""
    if digits == 1:
        return {7, 8, 9}
    nines = 10**digits - 1
    return {nines, nines - 1, nines - 2, nines // 9 * 7, nines // 9 * 8}


def from_one(name: str, seen: Collection[int], size: int, rows: float) -> str:
    """A warning about the codes 1 to M - 1 of a variable of M numbered states; or "".

    Such codes probably begin with 1, and were read one too high. ``rows`` is how many there are: of
    so few that 0 may be left out by chance, in one of a hundred tables, nothing is said.
    """
    if size < 3 or {*seen} != {*range(1, size)} or (1 - 1 / size) ** rows > 0.01:
        return ""
    return (
        f"{name!r} has {size} states, 0 to {size - 1}, and 0 is in none of {rows:.10g} rows: codes "
        f"that begin with 1 fit by chance. If these are the labels 1 to {size - 1}, declare them, "
        f"{{{name!r}: range(1, {size})}}"
    )
