"""Folding: equal rows have the same messages, so each is worked out once.

Vocabulary
    number   of a row, in mixed radix: the codes of its cells are the digits, missing is 0
    span     how many numbers there can be
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..engine.arrays import Array, Index
from ..engine.messages import Evidence


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The number of every row, and the steps by which it came about, to read it back."""

    number: Index
    span: int
    steps: tuple[tuple[str, int] | Index, ...]
    firsts: dict[str, Index]  # of soft evidence: the sample that has the first vector of a number

    def rows(self, evidence: Evidence, which: Index) -> Evidence:
        """The evidence of the rows with these numbers."""
        rest, found = which, {}
        for step in reversed(self.steps):
            if isinstance(step, tuple):
                found[step[0]] = rest % step[1] - 1
                rest = rest // step[1]
            else:
                rest = step[rest]
        hard = {name: found[name] for name in evidence.codes}
        soft = {n: v[:, self.firsts[n][found[n]]] for n, v in evidence.vectors.items()}
        return Evidence(len(which), hard, soft)


def are_counts(weight: Array | None) -> bool:
    """Whether weights can be counts of equal rows: whole numbers, or none given."""
    return weight is None or bool(np.all(weight == np.rint(weight)))


def fold(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    """Equal rows folded into one, with several weights ``(..., N)`` of them summed; None counts.

    Batches of soft evidence have no number: their rows stay as they are.
    """
    found = _numbered(evidence)
    if found is None:
        return _unfolded(evidence, weights)
    sums = [_sums(found.number, w, found.span) for w in weights]
    present = _present(sums)
    return found.rows(evidence, present), [s[..., present] for s in sums]


def grouped(evidence: Evidence) -> tuple[Evidence, Index]:
    """The different rows, and which of them each sample is: queries are answered once a row."""
    found = _numbered(evidence) if evidence.variables else None
    if found is None:
        return evidence, np.arange(evidence.n)
    used, place = _dense(found.number, found.span, max(1 << 16, 4 * evidence.n))
    return found.rows(evidence, used), place


def _numbered(evidence: Evidence) -> _Numbers | None:
    """Numbers of rows that fit a table: numbered anew where they grow too large for one."""
    digits, firsts = dict(evidence.codes), {}
    for name, v in evidence.vectors.items():
        numbered = _vector_codes(v)
        if numbered is None:
            return None
        digits[name], firsts[name] = numbered
    table = max(1 << 16, 4 * evidence.n)
    number, span = np.zeros(evidence.n, dtype=np.intp), 1
    steps: list[tuple[str, int] | Index] = []  # how the numbers came about, to read them back

    def renumber() -> None:
        nonlocal number, span
        used, number = _dense(number, span, table)
        span = len(used)
        steps.append(used)

    for name, codes in digits.items():
        size = int(codes.max()) + 2
        if table < span * size and (span <= table or span * size > 1 << 62):
            renumber()
        number *= size
        number += codes
        number += 1
        span *= size
        steps.append((name, size))
    if span > table:
        renumber()
    return _Numbers(number, span, tuple(steps), firsts)


def _unfolded(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    sums = [np.ones(evidence.n) if w is None else w for w in weights]
    present = _present(sums)
    if len(present) == evidence.n:
        return evidence, sums
    return evidence.take(present), [s[..., present] for s in sums]


def _present(sums: list[Array]) -> Index:
    """The rows to which some weight is not zero."""
    return np.flatnonzero(sum(s.reshape(-1, s.shape[-1]).any(axis=0) for s in sums))


def _sums(number: Index, weight: Array | None, span: int) -> Array:
    if weight is None or weight.ndim == 1:
        return np.bincount(number, weight, span).astype(np.float64, copy=False)
    rows = [np.bincount(number, w, span) for w in weight.reshape(-1, weight.shape[-1])]
    return np.array(rows, dtype=np.float64).reshape(*weight.shape[:-1], span)


def _dense(number: Index, span: int, table: int) -> tuple[Index, Index]:
    """The numbers that occur, and the place of each among them: by a table where one fits."""
    if span > table:
        used, place = np.unique(number, return_inverse=True)
        return used, place.astype(np.intp, copy=False)
    seen = np.zeros(span, dtype=bool)
    seen[number] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[number]


def _vector_codes(vectors: Array) -> tuple[Index, Index] | None:
    """A number for each likelihood vector, and the first vector of each number.

    By a random projection, then checked to be exact. None for batches of soft evidence: they are
    hardly ever equal.
    """
    if vectors.ndim > 2:
        return None
    direction = np.random.default_rng(0).random(vectors.shape[0])
    _, first, inverse = np.unique(direction @ vectors, return_index=True, return_inverse=True)
    if not np.array_equal(vectors[:, first][:, inverse], vectors):
        return None
    return inverse.astype(np.intp, copy=False), first
