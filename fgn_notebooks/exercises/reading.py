"""Read what a student wrote: numbers as fractions, percentages and decimals, sets, plain words.

A value that cannot be read raises :class:`Unreadable`, whose message says what may be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

WRITTEN = "write a number such as 0.5714, '4/7' or '57.14 %'"

LONGEST, HIGHEST = 1000, 400
"""Most characters of a number, and the highest power of ten: beyond them its exact value would take
hours, and no float holds it."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_COMMA = re.compile(r"[-+]?\d*,\d+")
_SEPARATORS = re.compile(r"[\s,;{}()\[\]\"'`]+|\band\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_TWO = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FOUR = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_APART = re.compile(rf"([{_TWO}]+)|([{_FOUR}]+)|[^{_TWO}{_FOUR}]+")
"""Letters of languages that set no space between words, and all others."""


class Unreadable(ValueError):
    """An answer that is no number; the message says how to write one."""


def numbers(answer: Any) -> NDArray[np.float64]:
    """The answer as an array of numbers; texts such as ``"4/7"`` and ``"5.94 %"`` count as numbers.

    Raises :class:`Unreadable` for anything else, and for NaN.
    """
    if isinstance(answer, (bytes, dict, set, frozenset)) or callable(answer):
        raise Unreadable(f"{_short(answer)} is no number: {WRITTEN}")
    if isinstance(answer, (list, tuple)):
        rows = [numbers(each) for each in answer]
        if len({row.shape for row in rows}) > 1:
            raise Unreadable("the rows have different lengths")
        return np.array(rows, dtype=float)
    if isinstance(answer, (str, Fraction, Decimal)):
        return np.array(_of_text(str(answer)))
    given = np.asarray(answer)
    if given.dtype.kind == "O" and given.ndim == 0:
        raise Unreadable(f"{_short(answer)} is no number: {WRITTEN}")
    if given.dtype.kind in "OUS":
        values = [numbers(each if isinstance(each, str) else _plain(each)) for each in given.flat]
        return np.array(values, dtype=float).reshape(given.shape)
    if given.dtype.kind not in "biuf":
        raise Unreadable(f"{_short(answer)} is no number: {WRITTEN}")
    if np.isnan(given).any():
        raise Unreadable("NaN is no number: something went wrong on the way to it")
    return given.astype(float)


def decimals(answer: Any) -> int | None:
    """With how many decimals one number was written: 2 for 0.57, 4 for "5.94 %"; None for 4/7."""
    if isinstance(answer, (list, tuple, np.ndarray)):
        flat = np.asarray(answer, dtype=object).ravel()
        answer = flat[0] if flat.size == 1 else None
    if isinstance(answer, np.generic):
        answer = answer.item()
    text = str(answer).strip()
    share = 2 if text.endswith("%") else 0
    text = text.rstrip("% ").replace("\N{MINUS SIGN}", "-")
    if _COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not _NUMBER.fullmatch(text) or "e" in text.lower():
        return None
    return len(text.partition(".")[2]) + share


def named(answer: Any) -> set[str]:
    """The names in an answer, in small letters: a set, a list, or a text such as ``"A, B"``."""
    if isinstance(answer, str):
        answer = _SEPARATORS.split(answer)
    elif not isinstance(answer, Iterable):
        raise Unreadable(f"{_short(answer)} holds no names: write a set such as {{'A', 'B'}}")
    return {name for each in answer if (name := str(each).strip(" .'\"`").lower())}


def word(answer: Any) -> str:
    """The one word of an answer, without quotation marks, in small letters."""
    if isinstance(answer, (set, frozenset, list, tuple)) and len(answer) == 1:
        answer = next(iter(answer))
    return str(answer).strip(" .'\"`").lower()


def words(text: str) -> list[str]:
    """The words of a text in small letters, without formulas' signs and punctuation.

    Where a language sets no space between words, some letters count as one: two in Chinese and
    Japanese, four in Thai, Lao, Burmese and Khmer.
    """
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        for apart in _APART.finditer(word):
            size = 2 if apart[1] else 4 if apart[2] else len(apart[0])
            found += [apart[0][k : k + size] for k in range(0, len(apart[0]), size)]
    return found


def _of_text(text: str) -> float:
    plain = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{FRACTION SLASH}", "/")
    share = plain.endswith("%")
    parts = [part.strip() for part in plain.rstrip("% ").split("/")]
    parts = [part.replace(",", ".") if _COMMA.fullmatch(part) else part for part in parts]
    if len(text) > LONGEST or len(parts) > 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise Unreadable(f"{_short(text)} is no number: {WRITTEN}")
    try:
        above, *below = map(_exact, parts)
        value = float(above / below[0] if below else above)
    except (InvalidOperation, ZeroDivisionError, OverflowError):
        raise Unreadable(f"{_short(text)} is no number: {WRITTEN}") from None
    return value / 100 if share else value


def _exact(part: str) -> Fraction:
    number = Decimal(part)
    if number and abs(number.adjusted()) > HIGHEST:
        raise OverflowError(f"a power of ten beyond {HIGHEST}")
    return Fraction(number) if number else Fraction(0)


def _plain(value: Any) -> Any:
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            raise Unreadable(f"{str(value)[:12]}... is too large for a number here") from None
    if value is None:
        raise Unreadable("an entry is missing: None is no number")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
