"""Evidence: what is known of each sample, as messages that enter open branches (section 2.2).

Vocabulary
    hard       an instantiated variable: a delta function, kept as the code of its state
    soft       a likelihood vector, smooth or not; its scale counts in ``loglik``
    missing    nothing is known: the all-ones vector, which adds nothing to either likelihood
    folding    equal rows become one row with their summed weight: they have the same messages
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine.arrays import Array
from ..engine.branches import GraphError
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.messages import Evidence
from ..readers import listing, read_array, read_weight, shown, wrong
from ..tables import Table, columns, counted, is_cell, read_column
from .folding import fold


def read_evidence(graph: Graph, table: Table | Evidence | None) -> Evidence:
    """A table, or a mapping of single cells, as :class:`Evidence` on the variables of ``graph``.

    A cell is a state's label or its index, a likelihood vector, or missing (-1, None, NaN, blank,
    masked). Labels are compared by type, and win over indices. A column of likelihood vectors is
    ``(N, M)``: samples first, as everywhere in tables; or a data frame with a column per state, by
    name. Single cells hold for all samples. ``None`` is no evidence, on one sample. The rows of a
    lazy table are not read one by one: see :func:`read_counted`.

    A likelihood vector multiplies what the model says (virtual evidence): it does not set the
    posterior. For evidence under which X *has* a distribution, see ``fix_marginals``.
    """
    form = as_normal(graph)
    if table is None:
        return _with_given(form, Evidence(1))
    if isinstance(table, Evidence):
        return _with_given(form, _read_by_hand(table, form))
    found: dict[str, NDArray[Any]] = {}
    single: list[str] = []
    n = -1
    for given, column in columns(table).items():
        variable = _variable(form, given)
        if variable in found:
            raise ValueError(
                f"column {given!r}: the variable {variable!r} has evidence from another column"
            )
        values = found[variable] = read_column(column, form.branch(variable))
        if is_cell(column):
            single.append(variable)
        elif n not in (-1, values.shape[-1]):
            raise ValueError(f"column {given!r} has {values.shape[-1]} cells: the others have {n}")
        else:
            n = values.shape[-1]
    if n == 0:
        raise ValueError("the table is empty: it has columns but no rows")
    n = 1 if n == -1 else n
    found.update((variable, np.repeat(found[variable], n, axis=-1)) for variable in single)
    codes = {name: v for name, v in found.items() if v.ndim == 1}
    vectors = {name: v for name, v in found.items() if v.ndim > 1}
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


def read_counted(
    graph: Graph,
    table: Table | Evidence | None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
) -> tuple[Evidence, Array | None]:
    """The evidence of a table wherever it lies, and the weight of each of its rows (or None).

    For what only counts rows: those of a lazy table are the different ones, counted by its own
    engine (see :func:`fgnwidgets.tables.counted`, also for ``columns`` and ``weight``).
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


@overload
def distinct(evidence: Evidence, weight: ArrayLike | None = None) -> tuple[Evidence, Array]: ...
@overload
def distinct(
    graph: Graph,
    table: Table | Evidence,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> tuple[Evidence, Array]: ...
def distinct(  # type: ignore[misc]
    graph: Graph | Evidence,
    table: Any = None,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> tuple[Evidence, Array]:
    """The different rows of a table and the weight of each: ``distinct(graph, table, weight)``.

    Without ``weight`` every row counts one, so the result's weights are counts. Rows whose weight
    sums to zero are left out. The order of the result is that of the codes. A lazy table is counted
    by its own engine: only the different rows come into memory; ``weight`` and ``columns`` are as
    in ``fit``. What :func:`read_evidence` gave is folded by ``distinct(evidence, weight)``.
    """
    if isinstance(graph, Evidence):
        if columns is not None:
            raise ValueError("columns= names columns of a table: this is evidence that was read")
        if isinstance(table, Mapping | Evidence) or hasattr(table, "columns"):
            expected = "numbers, or before a table its graph, distinct(graph, table)"
            raise wrong("after evidence, weight", table, expected)
        known, given = _read_by_hand(graph), table if weight is None else weight
    elif isinstance(graph, Graph):
        if table is None:
            raise ValueError(
                "table is None: expected distinct(graph, table), or distinct(evidence)"
            )
        known, given = read_counted(graph, table, columns, weight)
    else:
        raise ValueError(
            f"the first argument of distinct is {shown(graph)}: expected a graph, with its table "
            "after it, or evidence, as read_evidence(graph, table) gives"
        )
    folded, (summed,) = fold(known, [read_weight(given, known.n)])
    return folded, summed


def _read_by_hand(evidence: Evidence, graph: NormalGraph | None = None) -> Evidence:
    """Evidence that was put together by hand, checked; where known, on the variables of a graph."""
    n = evidence.n
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise wrong("the evidence's n", n, "the number of its samples")
    for what in ("codes", "vectors"):
        given = getattr(evidence, what)
        if not isinstance(given, Mapping):
            raise ValueError(
                f"the evidence's {what} are {shown(given)}: expected a mapping from variables"
            )
    sizes: dict[str, int] = {}
    if graph is not None:
        variables = [_variable(graph, name) for name in evidence.variables]
        for variable, pieces in Counter(variables).items():
            if pieces > 1:
                raise ValueError(f"the variable {variable!r} has two pieces of evidence: one each")
        sizes = {name: graph.branch(name).size for name in evidence.variables}
    for name, v in evidence.codes.items():
        good = isinstance(v, np.ndarray) and v.dtype.kind in "iu" and v.shape == (n,)
        most = sizes.get(name, np.iinfo(np.int64).max)
        if not good or not -1 <= v.min() <= v.max() < most:
            below = f" to {sizes[name] - 1}" if name in sizes else ", 0, 1, ..."
            raise ValueError(
                f"{name}: the codes are {shown(v)}: expected {n} codes from -1 (missing){below}"
            )
    codes = {name: v.astype(np.intp, copy=False) for name, v in evidence.codes.items()}
    vectors: dict[str, Array] = {}
    for name, given in evidence.vectors.items():
        array = vectors[name] = read_array(given, f"{name}: the array of likelihood vectors")
        size = sizes.get(name, array.shape[-2] if array.ndim > 1 else 0)
        if array.ndim < 2 or array.shape[-2:] != (size, n):
            raise ValueError(
                f"{name}: vectors have shape {array.shape}, expected (..., {size or 'M'}, {n})"
            )
        if not array.any(axis=-2).all():
            raise ValueError(
                f"{name}: a likelihood vector is all zero: expected finite numbers >= 0 that are "
                "not all zero"
            )
    given = {**evidence.codes, **evidence.vectors}
    if all(v is given[name] for name, v in {**codes, **vectors}.items()):
        return evidence  # as it was read
    return Evidence(n, codes, vectors)


def _variable(graph: NormalGraph, name: Any) -> str:
    try:
        return graph.variable_of[graph.branch(name).name]
    except GraphError:
        known = listing(graph.variables)
        raise GraphError(
            f"column {name!r} is no variable of the graph: the variables are {known}; drop the "
            "column if it does not belong to the model, or name those that do with columns=[...]"
        ) from None
