"""Evidence: what is known of each sample, as messages that enter open branches (section 2.2).

Vocabulary
    hard       an instantiated variable: a delta function, kept as the code of its state
    soft       a likelihood vector, smooth or not; its scale counts in ``loglik``
    missing    nothing is known: the all-ones vector, which adds nothing to either likelihood
    folding    equal rows become one row with their summed weight: they have the same messages
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Index
from .bayes import BayesGraph, as_normal
from .graph import NormalGraph
from .messages import Evidence
from .nodes import GraphError
from .rules import read_weight
from .tables import Table, columns, is_cell, read_column


def read_evidence(graph: NormalGraph | BayesGraph, table: Table | Evidence | None) -> Evidence:
    """A table, or a mapping of single cells, as :class:`Evidence` on the variables of ``graph``.

    A cell is a state's label or its index, a likelihood vector, or missing (-1, None, NaN, blank).
    A column of likelihood vectors is ``(N, M)``: samples first, as everywhere in tables. Single
    cells hold for all samples. ``None`` is no evidence, on one sample.
    """
    form = as_normal(graph)
    if table is None:
        return _with_given(form, Evidence(1))
    if isinstance(table, Evidence):
        _check_vectors(form, table)
        return _with_given(form, table)
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
    return _with_given(form, Evidence(n, codes, vectors))


def _with_given(graph: NormalGraph, evidence: Evidence) -> Evidence:
    """The evidence, once every given variable has a state in every sample."""
    for variable in graph.given:
        if variable not in evidence.codes:
            found = "holds likelihood vectors" if variable in evidence.vectors else "is missing"
            raise ValueError(
                f"column {variable!r} {found}: {variable!r} is a given variable, so every sample "
                "needs one state of it"
            )
        blank = evidence.codes[variable] < 0
        if blank.any():
            raise ValueError(
                f"{variable}: sample {int(np.argmax(blank))} is missing: {variable!r} is a given "
                "variable, without a distribution that could fill the gap. Fill it, leave the "
                f"sample out, or build the graph without given=[{variable!r}]"
            )
    return evidence


def distinct(evidence: Evidence, weight: ArrayLike | None = None) -> tuple[Evidence, Array]:
    """Fold equal rows into one with their summed weight: ``(evidence, weight)``.

    Without ``weight`` every row counts one, so the result's weights are counts. Rows whose weight
    sums to zero are left out. The order of the result is that of the codes.
    """
    weights = read_weight(weight, evidence.n)
    folded, (summed,) = fold(evidence, [weights])
    return folded, summed


def fold(evidence: Evidence, weights: Sequence[Array | None]) -> tuple[Evidence, list[Array]]:
    """:func:`distinct` for several weights of the same rows at once."""
    sizes = {name: int(codes.max()) + 2 for name, codes in evidence.codes.items()}  # 0 is missing
    span = math.prod(sizes.values())
    if not evidence.vectors and span <= max(1 << 16, 4 * evidence.n):
        code = _mixed_radix(evidence, sizes)
        sums = [np.bincount(code, w, span).astype(np.float64) for w in weights]
        rest = present = np.flatnonzero(sum(sums))
        codes: dict[str, Index] = {}
        for name, size in reversed(sizes.items()):
            codes[name] = rest % size - 1
            rest = rest // size
        in_order = {name: codes[name] for name in evidence.codes}
        return Evidence(len(present), in_order), [s[present] for s in sums]
    ranked = _ranked(evidence)
    if ranked is None:
        sums = [np.ones(evidence.n) if w is None else w for w in weights]
        kept = np.flatnonzero(sum(sums))
        if len(kept) < evidence.n:
            return evidence.take(kept), [s[kept] for s in sums]
        return evidence, sums
    first, code = ranked
    sums = [np.bincount(code, w, len(first)).astype(np.float64) for w in weights]
    present = np.flatnonzero(sum(sums))
    return evidence.take(first[present]), [s[present] for s in sums]


def _mixed_radix(evidence: Evidence, sizes: Mapping[str, int]) -> Index:
    """A number for each row, equal for equal rows only: its codes are the digits."""
    code = np.zeros(evidence.n, dtype=np.intp)
    shift = 0
    for name, codes in evidence.codes.items():
        if shift:
            code *= sizes[name]
        code += codes
        shift = shift * sizes[name] + 1  # every code is one too small as a digit: missing is -1
    code += shift
    return code


def _ranked(evidence: Evidence) -> tuple[Index, Index] | None:
    """The first row of each kind, and the kind of each row, column by column so that numbers fit.

    None where the rows cannot be numbered: batches of soft evidence.
    """
    rank = np.zeros(evidence.n, dtype=np.intp)
    first = rank[:1]
    columns_ = (*evidence.codes.values(), *map(_vector_codes, evidence.vectors.values()))
    for numbered in columns_:
        if numbered is None:
            return None
        size = int(numbered.max()) + 2
        _, first, rank = np.unique(
            rank * size + (numbered + 1), return_index=True, return_inverse=True
        )
    return first, rank.astype(np.intp, copy=False)


def _vector_codes(vectors: Array) -> Index | None:
    """A number for each likelihood vector: by a random projection, then checked to be exact."""
    if vectors.ndim > 2:
        return None  # batches of soft evidence: hardly ever equal
    direction = np.random.default_rng(0).random(vectors.shape[0])
    _, first, inverse = np.unique(direction @ vectors, return_index=True, return_inverse=True)
    if not np.array_equal(vectors[:, first][:, inverse], vectors):
        return None
    return inverse.astype(np.intp, copy=False)


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
            "column if it does not belong to the model"
        ) from None


def grouped(evidence: Evidence) -> tuple[Evidence, Index]:
    """The different rows, and which of them each sample is: queries are answered once a row."""
    ranked = _ranked(evidence)
    if ranked is None or not evidence.variables:
        return evidence, np.arange(evidence.n)
    first, kind = ranked
    return evidence.take(first), kind
