"""Folding: equal rows have the same messages, so each is worked out once.

Vocabulary
    number   of a row, in mixed radix: the codes of its cells are the digits, missing is 0
    span     how many numbers there can be
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..engine.arrays import Array, Index

if TYPE_CHECKING:
    from ..engine.messages import Evidence


def are_counts(weight: Array | None) -> bool:
    """Whether weights can be counts of equal rows: whole numbers, or none given."""
    return weight is None or bool(np.all(weight == np.rint(weight)))


def fold(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    """Equal rows folded into one, with several weights ``(..., N)`` of them summed; None counts.

    Batches of soft evidence have no number: their rows stay as they are. Rows of which no weight is
    above zero are left out.
    """
    number, span = _numbered(evidence)
    sums = [_sums(number, w, span) for w in weights]
    present = np.flatnonzero(sum(s.reshape(-1, span).any(axis=0) for s in sums))
    rows = evidence.take(_samples(number, span)[present])
    return rows, [s[..., present] for s in sums]


def grouped(evidence: Evidence) -> tuple[Evidence, Index]:
    """The different rows, and which of them each sample is: queries are answered once a row."""
    number, span = _dense(*_numbered(evidence), _table(evidence.n))
    return evidence.take(_samples(number, span)), number


def _table(n: int) -> int:
    """Numbers up to this may index a table."""
    return max(1 << 16, 4 * n)


def _numbered(evidence: Evidence) -> tuple[Index, int]:
    """The number of every row, and their span: numbered anew where it grows too large for a table.

    The number of its place where a row is taken to equal no other one.
    """
    digits = dict(evidence.codes)
    for name, v in evidence.vectors.items():
        codes = _vector_codes(v)
        if codes is None:
            return np.arange(evidence.n), evidence.n
        digits[name] = codes
    table = _table(evidence.n)
    number, span = np.zeros(evidence.n, dtype=np.intp), 1
    for codes in digits.values():
        size = int(codes.max()) + 2
        if table < span * size and (span <= table or span * size > 1 << 62):
            number, span = _dense(number, span, table)
        number *= size
        number += codes
        number += 1
        span *= size
    return _dense(number, span, table) if span > table else (number, span)


def _samples(number: Index, span: int) -> Index:
    """A sample for each number, any where there are several: they are equal."""
    samples = np.zeros(span, dtype=np.intp)
    samples[number] = np.arange(len(number))
    return samples


def _sums(number: Index, weight: Array | None, span: int) -> Array:
    if weight is None or weight.ndim == 1:
        return np.bincount(number, weight, span).astype(np.float64, copy=False)
    rows = [np.bincount(number, w, span) for w in weight.reshape(-1, weight.shape[-1])]
    return np.array(rows, dtype=np.float64).reshape(*weight.shape[:-1], span)


def _dense(number: Index, span: int, table: int) -> tuple[Index, int]:
    """The place of each number among those that occur, and how many do: by a table if one fits."""
    if span > table:
        used, place = np.unique(number, return_inverse=True)
        return place.astype(np.intp, copy=False), len(used)
    seen = np.zeros(span, dtype=bool)
    seen[number] = True
    return (np.cumsum(seen) - 1)[number], int(seen.sum())


def _vector_codes(vectors: Array) -> Index | None:
    """A number for each likelihood vector, by a random projection, then checked to be exact.

    None where it is not, and for batches of soft evidence: they are hardly ever equal.
    """
    if vectors.ndim > 2:
        return None
    direction = np.random.default_rng(0).random(vectors.shape[0])
    _, first, inverse = np.unique(direction @ vectors, return_index=True, return_inverse=True)
    exact = np.array_equal(vectors[:, first][:, inverse], vectors)
    return inverse.astype(np.intp, copy=False) if exact else None
