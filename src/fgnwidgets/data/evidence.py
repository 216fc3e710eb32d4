"""Evidence as a value: what a table says of each sample, equal rows once (section 2.2).

Vocabulary
    hard       an instantiated variable: a delta function, kept as the code of its state
    soft       a likelihood vector, smooth or not; its scale counts in ``loglik``
    missing    nothing is known: the all-ones vector, which adds nothing to either likelihood
    folding    equal rows have the same messages, so each is worked out once
    number     of a row, in mixed radix: the codes of its cells are the digits, missing is 0
    span       how many numbers there can be
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..algebra.arrays import Array, Arrays, Index, Label, Mask


class ImpossibleEvidence(ValueError):
    """Evidence of probability zero under the model; ``sample`` is the first such sample."""

    def __init__(self, sample: int, says: str, batch: tuple[int, ...] = ()) -> None:
        super().__init__(sample, says, batch)
        self.sample, self.says, self.batch = sample, says, batch

    def __str__(self) -> str:
        where = f" (batch {self.batch})" if self.batch else ""
        return (
            f"sample {self.sample}{where} has probability zero under the model: {self.says}. Check "
            "its cells, or give the matrices no exact zeros there"
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on ``n`` samples by variable: ``codes`` where it is hard, ``vectors`` elsewhere.

    ``codes[name]`` is ``(N,)`` with -1 for missing; ``vectors[name]`` is ``(..., M, N)``, any
    non-negative likelihoods. A hard one is the delta, a missing one the ones of equation 3.
    """

    n: int
    codes: Mapping[str, Index] = field(default_factory=dict)
    vectors: Arrays = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that carry evidence, in the order of the table's columns."""
        return (*self.codes, *self.vectors)

    def likelihood(self, name: str, size: int, cut: slice = slice(None)) -> Array:
        """The likelihood vectors ``(..., M, N)`` of a variable, all ones where it is missing."""
        if name in self.codes:
            return one_hot(self.codes[name][cut], size)
        return self.vectors[name][..., cut]

    def known(self, name: str) -> Mask:
        """True where a variable's cells say something, ``(N,)``: a constant vector says nothing."""
        if name in self.codes:
            return np.asarray(self.codes[name] >= 0)
        v = self.vectors[name]
        says = (v != v[..., :1, :]).any(axis=-2)
        return np.asarray(says.reshape(-1, self.n).any(axis=0))

    def take(self, samples: slice | Index) -> Evidence:
        """The evidence of some of the samples."""
        codes = {name: v[samples] for name, v in self.codes.items()}
        vectors = {name: v[..., samples] for name, v in self.vectors.items()}
        return Evidence(len(np.arange(self.n)[samples]), codes, vectors)

    def says(self, sample: int, states: Mapping[str, tuple[Label, ...]]) -> str:
        """The evidence of one sample in words: ``X1 = 'yes', X2 = [0.2, 0.8]``."""
        words = []
        for name, codes in self.codes.items():
            if codes[sample] >= 0:
                code = int(codes[sample])
                words.append(f"{name} = {states[name][code] if states.get(name) else code!r}")
        for name, v in self.vectors.items():
            column = v[..., sample]
            rounded = np.round(column, 4).tolist() if column.ndim == 1 else "a likelihood vector"
            words.append(f"{name} = {rounded}")
        return ", ".join(words) or "nothing"


def one_hot(codes: Index, size: int) -> Array:
    """Delta functions ``(M, N)`` at the codes, all ones where one is missing."""
    return np.asarray((np.arange(size)[:, None] == codes) | (codes == -1), np.float64)


def are_counts(weight: Array | None) -> bool:
    """True if weights can be counts of equal rows: whole numbers, or none given."""
    return weight is None or bool(np.all(weight == np.rint(weight)))


def fold(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    """The different rows, with several weights ``(..., N)`` of equal ones summed; None counts.

    Rows of which no weight is above zero are left out.
    """
    rows, number = grouped(evidence)
    sums = []
    for weight in (np.ones(evidence.n) if w is None else w for w in weights):
        each = [np.bincount(number, w, rows.n) for w in weight.reshape(-1, evidence.n)]
        sums.append(np.reshape(each, (*weight.shape[:-1], rows.n)))
    present = np.flatnonzero(sum(s.reshape(-1, rows.n).any(axis=0) for s in sums))
    if len(present) < rows.n:
        rows, sums = rows.take(present), [s[..., present] for s in sums]
    return rows, sums


def grouped(evidence: Evidence) -> tuple[Evidence, Index]:
    """The different rows, and which of them each sample is: queries are answered once a row.

    Batches of soft evidence have no number: their rows stay as they are.
    """
    columns = [*evidence.codes.values(), *map(_vector_codes, evidence.vectors.values())]
    digits = [codes for codes in columns if codes is not None]
    if len(digits) < len(columns):
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
    """True if so many numbers are too many to index a table with."""
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
    direction = (
        np.random.default_rng(0).random(vectors.shape[0]) / vectors.shape[0]
    )  # sums are floats
    _, first, inverse = np.unique(direction @ vectors, return_index=True, return_inverse=True)
    exact = np.array_equal(vectors[:, first][:, inverse], vectors)
    return inverse.astype(np.intp, copy=False) if exact else None
