"""Evidence: what is known of each sample, as messages that enter open branches (section 2.2).

Vocabulary
    hard       an instantiated variable: a delta function, kept as the code of its state
    soft       a likelihood vector, smooth or not; its scale counts in ``loglik``
    missing    nothing is known: the all-ones vector, which adds nothing to either likelihood
    folding    equal rows become one row with their summed weight: they have the same messages
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Index
from .bayes import BayesGraph, as_normal
from .columns import is_cell
from .frames import Table, columns, counted
from .graph import NormalGraph
from .nodes import GraphError
from .rules import read_weight
from .tables import one_hot, read_column


class ImpossibleEvidence(ValueError):
    """Evidence of probability zero under the model; ``sample`` is the first such sample."""

    def __init__(self, sample: int, says: str, batch: tuple[int, ...] = ()) -> None:
        self.sample = sample
        where = f" (batch {batch})" if batch else ""
        super().__init__(
            f"sample {sample}{where} has probability zero under the model: {says}. Check its "
            "cells, or "
            "give the matrices no exact zeros there"
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on ``n`` samples by variable: ``codes`` where it is hard, ``vectors`` elsewhere.

    ``codes[name]`` is ``(N,)`` with -1 for missing; ``vectors[name]`` is ``(..., M, N)``, any
    non-negative likelihoods. Tables are read into this form by :func:`read_evidence`.
    """

    n: int
    codes: Mapping[str, Index] = field(default_factory=dict)
    vectors: Mapping[str, Array] = field(default_factory=dict)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that carry evidence, in the order of the table's columns."""
        return (*self.codes, *self.vectors)

    def likelihood(self, name: str, size: int) -> Array:
        """The likelihood vectors ``(..., M, N)`` of a variable, all ones where it is missing."""
        if name in self.codes:
            return one_hot(self.codes[name], size)
        return self.vectors[name]

    def take(self, samples: slice | Index) -> Evidence:
        """The evidence of some of the samples."""
        codes = {name: v[samples] for name, v in self.codes.items()}
        vectors = {name: v[..., samples] for name, v in self.vectors.items()}
        return Evidence(len(np.arange(self.n)[samples]), codes, vectors)

    def says(self, sample: int, graph: NormalGraph) -> str:
        """What one sample says, for people: ``X1 = 'yes', X2 = [0.2, 0.8]``."""
        words = []
        for name, codes in self.codes.items():
            states = graph.branch(name).states
            if codes[sample] >= 0:
                code = int(codes[sample])
                words.append(f"{name} = {states[code] if states else code!r}")
        for name, v in self.vectors.items():
            column = v[..., sample]
            shown = np.round(column, 4).tolist() if column.ndim == 1 else "a likelihood vector"
            words.append(f"{name} = {shown}")
        return ", ".join(words) or "nothing"


def read_evidence(graph: NormalGraph | BayesGraph, table: Table | Evidence | None) -> Evidence:
    """A table, or a mapping of single cells, as :class:`Evidence` on the variables of ``graph``.

    A cell is a state's label or its index, a likelihood vector, or missing (-1, None, NaN, blank,
    masked). Labels are compared by type, and win over indices. A column of likelihood vectors is
    ``(N, M)``: samples first, as everywhere in tables; or a data frame with a column per state, by
    name. Single cells hold for all samples. ``None`` is no evidence, on one sample. The rows of a
    lazy table are not read one by one: see :func:`read_counted`.
    """
    form = as_normal(graph)
    if table is None:
        return Evidence(1)
    if isinstance(table, Evidence):
        _check_vectors(form, table)
        return table
    codes: dict[str, Index] = {}
    vectors: dict[str, Array] = {}
    single: list[str] = []
    n = -1
    for given, column in columns(table).items():
        variable = _variable(form, given)
        if variable in codes or variable in vectors:
            raise ValueError(
                f"column {given!r}: the variable {variable!r} has evidence from another column"
            )
        values = read_column(column, form.branch(variable))
        if values.ndim == 1:
            codes[variable] = values.astype(np.intp, copy=False)
        else:
            vectors[variable] = values.astype(np.float64, copy=False)
        if is_cell(column):
            single.append(variable)
        elif n not in (-1, values.shape[-1]):
            raise ValueError(f"column {given!r} has {values.shape[-1]} cells: the others have {n}")
        else:
            n = values.shape[-1]
    if n == 0:
        raise ValueError("the table is empty: it has columns but no rows")
    n = 1 if n == -1 else n
    for variable in single:
        if variable in codes:
            codes[variable] = np.repeat(codes[variable], n)
        else:
            vectors[variable] = np.repeat(vectors[variable], n, axis=-1)
    return Evidence(n, codes, vectors)


def read_counted(
    graph: NormalGraph | BayesGraph,
    table: Table | Evidence | None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
) -> tuple[Evidence, Array | None]:
    """The evidence of a table wherever it lies, and the weight of each of its rows (or None).

    For what only counts rows: those of a lazy table are the different ones, counted by its own
    engine (see :func:`fgnwidgets.engine.frames.counted`, also for ``columns`` and ``weight``).
    """
    if table is None or isinstance(table, Evidence):
        if columns is not None or isinstance(weight, str):
            raise ValueError(
                "columns= and weight='name' name columns of a table: this is evidence that was "
                "read already"
            )
        evidence = read_evidence(graph, table)
    else:
        rows, weight = counted(table, columns, weight)
        evidence = read_evidence(graph, rows)
    return evidence, read_weight(weight, evidence.n)


def distinct(evidence: Evidence, weight: ArrayLike | None = None) -> tuple[Evidence, Array]:
    """Fold equal rows into one with their summed weight: ``(evidence, weight)``.

    Without ``weight`` every row counts one, so the result's weights are counts. Rows whose weight
    sums to zero are left out. The order of the result is that of the codes.
    """
    weights = read_weight(weight, evidence.n)
    folded, (summed,) = fold(evidence, [weights])
    return folded, summed


def fold(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    """:func:`distinct` for several weights of the same rows at once, each ``(..., N)`` or None.

    The cells of a row are the digits (missing is 0) of a number in mixed radix, and rows are
    counted by it. Where the numbers grow too large for a table they are numbered anew, without
    those that do not occur. Batches of soft evidence have no number: their rows stay as they are.
    """
    digits, firsts = dict(evidence.codes), {}
    for name, v in evidence.vectors.items():
        numbered = _vector_codes(v)
        if numbered is None:
            return _unfolded(evidence, weights)
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
    sums = [_sums(number, w, span) for w in weights]
    rest = present = _present(sums)
    found: dict[str, Index] = {}
    for step in reversed(steps):
        if isinstance(step, tuple):
            found[step[0]] = rest % step[1] - 1
            rest = rest // step[1]
        else:
            rest = step[rest]
    hard = {name: found[name] for name in evidence.codes}
    soft = {name: v[:, firsts[name][found[name]]] for name, v in evidence.vectors.items()}
    return Evidence(len(present), hard, soft), [s[..., present] for s in sums]


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


def _check_vectors(graph: NormalGraph, evidence: Evidence) -> None:
    if evidence.n < 1:
        raise ValueError("the evidence holds no samples")
    said: set[str] = set()
    for name in evidence.variables:
        variable = _variable(graph, name)
        if variable in said:
            raise ValueError(f"{name}: the variable {variable!r} has two pieces of evidence")
        said.add(variable)
    for name, codes in evidence.codes.items():
        size = graph.branch(name).size
        if codes.shape != (evidence.n,) or (
            codes.size and not -1 <= codes.min() <= codes.max() < size
        ):
            raise ValueError(f"{name}: expected {evidence.n} codes from -1 (missing) to {size - 1}")
    for name, v in evidence.vectors.items():
        size = graph.branch(name).size
        if v.ndim < 2 or v.shape[-2:] != (size, evidence.n):
            raise ValueError(
                f"{name}: vectors have shape {v.shape}, expected (..., {size}, {evidence.n})"
            )
        if not ((v >= 0).all() and (v < np.inf).all() and v.any(axis=-2).all()):
            raise ValueError(
                f"{name}: a likelihood vector is negative, not finite or all zero: expected finite "
                "numbers >= 0 that are not all zero"
            )


def _variable(graph: NormalGraph, name: str) -> str:
    try:
        return graph.variable_of[graph.branch(name).name]
    except GraphError:
        known = ", ".join(graph.variables)
        raise GraphError(
            f"column {name!r} is no variable of the graph: the variables are {known}; drop the "
            "column if it does not belong to the model, or name those that do with columns=[...]"
        ) from None
