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
    """The different rows, with several weights ``(..., N)`` of equal ones summed; None counts.

    Rows of which no weight is above zero are left out.
    """
    rows, number = grouped(evidence)
    sums = []
    for weight in weights:
        each = [None] if weight is None else weight.reshape(-1, evidence.n)
        total = np.array([np.bincount(number, w, rows.n) for w in each], dtype=np.float64)
        sums.append(total[0] if weight is None else total.reshape(*weight.shape[:-1], rows.n))
    present = np.flatnonzero(sum(s.reshape(-1, rows.n).any(axis=0) for s in sums))
    if len(present) < rows.n:
        rows, sums = rows.take(present), [s[..., present] for s in sums]
    return rows, sums


def grouped(evidence: Evidence) -> tuple[Evidence, Index]:
    """The different rows, and which of them each sample is: queries are answered once a row.

    Batches of soft evidence have no number: their rows stay as they are.
    """
    found = [*evidence.codes.values(), *map(_vector_codes, evidence.vectors.values())]
    digits = [codes for codes in found if codes is not None]
    if len(digits) < len(found):
        return evidence, np.arange(evidence.n)
    number, span = np.zeros(evidence.n, dtype=np.intp), 1
    for codes in digits:
        size = int(codes.max()) + 2
        new = span * size
        if new > 1 << 62 or (_is_large(new, evidence.n) and not _is_large(span, evidence.n)):
            number, span = _dense(number, span)
        number *= size
        number += codes
        number += 1
        span *= size
    number, span = _dense(number, span)
    sample = np.zeros(span, dtype=np.intp)  # one for each number: where there are several, any
    sample[number] = np.arange(evidence.n)
    return evidence.take(sample), number


def _is_large(span: int, n: int) -> bool:
    """Whether so many numbers are too many to index a table with."""
    return span > max(1 << 16, 4 * n)


def _dense(number: Index, span: int) -> tuple[Index, int]:
    """The place of each number among those that occur, and how many do: by a table if one fits."""
    if _is_large(span, len(number)):
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
