"""Evidence: what is known of each sample, as messages that enter open branches (section 2.2).

Vocabulary
    hard       an instantiated variable: a delta function, kept as the code of its state
    soft       a likelihood vector, smooth or not; its scale counts in ``loglik``
    missing    nothing is known: the all-ones vector, which adds nothing to either likelihood
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.arrays import Array, Index
from ..arguments import listing, meant, read_array, read_kind, read_weight, shown, wrong
from ..data import Table, columns, is_cell, read_column, rows_without_columns, weighted_columns
from ..data.evidence import Evidence, fold
from ..graphs.branches import GraphError
from ..graphs.normal_graph import Graph, NormalGraph, as_normal


def read_evidence(graph: Graph, table: Table | Evidence | None) -> Evidence:
    """A table, or a mapping of single cells, as :class:`Evidence` on the variables of ``graph``.

    A cell is a state's label or its index, a likelihood vector, or missing (-1, None, NaN, blank,
    masked). Labels are compared by type, and win over indices. A column of likelihood vectors is
    ``(N, M)``: samples first, as everywhere in tables; or a data frame with a column per state, by
    name. Single cells hold for all samples. ``None`` is no evidence, on one sample.

    A likelihood vector multiplies what the model says (virtual evidence): it does not set the
    posterior. For evidence under which X *has* a distribution, see ``fix_marginals``.
    """
    form = as_normal(graph)
    if isinstance(table, Evidence):
        evidence = _read_by_hand(table, form)
    elif table is None:
        evidence = Evidence(1)
    else:
        evidence = _plain_codes(form, table) or _read_table(form, table)
    for variable in form.given:
        _refuse_gaps(variable, evidence)
    return evidence


def _refuse_gaps(variable: str, evidence: Evidence) -> None:
    """Refuse a given variable that has no state in some sample."""
    codes, odd = evidence.codes.get(variable), f"column {variable!r} is missing"
    if variable in evidence.vectors:
        odd = f"column {variable!r} holds likelihood vectors"
    elif codes is not None and codes.min() < 0:
        odd = f"{variable}: sample {int(np.argmin(codes))} is missing"
    elif codes is not None:
        return
    raise ValueError(
        f"{odd}: {variable!r} is a given variable, without a distribution that could fill the "
        "gap. Give every sample one state of it, leave the sample out, or build the graph "
        f"without given=[{variable!r}]"
    )


def _plain_codes(graph: NormalGraph, table: Table) -> Evidence | None:
    """Codes, and single words, of a mapping as they stand: nothing in it is converted.

    None where a cell has to be read, or to be refused in the words of :func:`_read_table`.
    """
    codes: dict[str, Index] = {}
    for name, given in table.items() if isinstance(table, Mapping) else ():
        if name not in graph.variables:
            return None
        branch = graph.branch(name)
        if type(given) is str and given in branch.states:
            codes[name] = np.array([branch.states.index(given)])
            continue
        if type(given) not in (int, np.ndarray):
            return None
        column = np.atleast_1d(given)
        positions = column.dtype.kind in "iu" and not (branch.states or branch.missing)
        listed = positions and column.ndim == 1 and column.size
        if not (listed and -1 <= column.min() <= column.max() < branch.size):
            return None
        # A column of a table is strided; it will be read many times, so it is made contiguous.
        codes[name] = np.ascontiguousarray(column, np.intp)
    lengths = {len(column) for column in codes.values()}
    return Evidence(lengths.pop(), codes) if len(lengths) == 1 else None


def _read_table(graph: NormalGraph, table: Table) -> Evidence:
    if not isinstance(table, Mapping) and (rows := rows_without_columns(table)):
        return Evidence(rows)  # they observe nothing, and each has its answer
    cells: dict[str, NDArray[Any]] = {}
    lengths: dict[str, int] = {}  # of columns, not of what holds for all samples
    for name, column in columns(table).items():
        variable = _variable(graph, name)
        if variable in cells:
            raise ValueError(
                f"column {name!r}: the variable {variable!r} has evidence from another column"
            )
        cells[variable] = read_column(column, graph.branch(variable))
        if not is_cell(column):
            length = lengths[variable] = cells[variable].shape[-1]
            n = next(iter(lengths.values()))
            if length != n:
                raise ValueError(f"column {name!r} has {length} cells: the others have {n}")
    n = next(iter(lengths.values()), 1)
    if n == 0:
        raise ValueError("the table is empty: it has columns but no rows")
    wide = {k: v if k in lengths else np.repeat(v, n, axis=-1) for k, v in cells.items()}
    codes = {name: v for name, v in wide.items() if v.ndim == 1}
    return Evidence(n, codes, {name: v for name, v in wide.items() if v.ndim > 1})


def read_counted(
    graph: Graph | None,
    table: Table | Evidence | None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
) -> tuple[Evidence, Array | None]:
    """The evidence of a table wherever it lies, and the weight of each of its rows (or None).

    For what only counts rows (:func:`fgnwidgets.data.weighted_columns`). Evidence needs no graph.
    """
    rows: Any = table
    if table is not None and not isinstance(table, Evidence):
        rows, weight = weighted_columns(table, columns, weight)
    elif columns is not None or isinstance(weight, str):
        raise ValueError(
            "columns= and weight='name' name columns of a table: this is evidence that was read "
            "already, whose weights must be numbers"
        )
    evidence = _read_by_hand(rows) if graph is None else read_evidence(graph, rows)
    return evidence, None if weight is None else read_weight(weight, evidence.n)


def distinct(
    graph: Graph | Evidence,
    table: Any = None,
    weight: str | ArrayLike | None = None,
    *,
    columns: Iterable[str] | None = None,
) -> tuple[Evidence, Array]:
    """The different rows of a table and the weight of each: ``distinct(graph, table, weight)``.

    Without ``weight`` every row counts one. Rows whose weight sums to zero are left out. The order
    is that of the codes. Of a lazy table, counted by its own engine, only the different rows come
    into memory. What :func:`read_evidence` gave is folded by ``distinct(evidence, weight)``.
    """
    if isinstance(graph, Evidence):
        if isinstance(table, Mapping | Evidence) or hasattr(table, "columns"):
            expected = "numbers, or before a table its graph, distinct(graph, table)"
            raise wrong("after evidence, weight", table, expected)
        rows, counts = read_counted(None, graph, columns, table if weight is None else weight)
    else:
        expected = "a graph, with its table after it, or evidence, as read_evidence gives"
        read_kind(graph, "the first argument of distinct", Graph, expected)
        if table is None:
            raise wrong("table", table, "distinct(graph, table), or distinct(evidence)")
        rows, counts = read_counted(graph, table, columns, weight)
    folded, (summed,) = fold(rows, [counts])
    return folded, summed


def _read_by_hand(evidence: Evidence, graph: NormalGraph | None = None) -> Evidence:
    """Evidence that was put together by hand, checked; where known, on the variables of a graph."""
    n = evidence.n
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise wrong("the evidence's n", n, "the number of its samples")
    for what in ("codes", "vectors"):
        read_kind(getattr(evidence, what), f"the evidence's {what}", Mapping, "arrays by variable")
    sizes: dict[str, int] = {}
    if graph is not None:
        variables = [_variable(graph, name) for name in evidence.variables]
        for variable, pieces in Counter(variables).items():
            if pieces > 1:
                raise ValueError(f"the variable {variable!r} has two pieces of evidence: one each")
        sizes = {name: graph.branch(name).size for name in evidence.variables}
    for name, v in evidence.codes.items():
        good = isinstance(v, np.ndarray) and v.dtype.kind in "iu" and v.shape == (n,)
        most = sizes.get(name, 2**63) - 1
        if not good or not -1 <= v.min() <= v.max() <= most:
            raise ValueError(
                f"{name}: the codes are {shown(v)}: expected {n} codes from -1 (missing) to {most}"
            )
    codes = {name: v.astype(np.intp, copy=False) for name, v in evidence.codes.items()}
    vectors: dict[str, Array] = {}
    for name, given in evidence.vectors.items():
        m = vectors[name] = read_array(given, f"{name}: the array of likelihood vectors")
        size = sizes.get(name, m.shape[-2] if m.ndim > 1 else "M")
        if m.shape[-2:] != (size, n):
            raise ValueError(f"{name}: vectors have shape {m.shape}, expected (..., {size}, {n})")
        if not m.any(axis=-2).all():
            raise ValueError(f"{name}: a likelihood vector is all zero: expected one that is not")
    old: dict[str, Any] = {**evidence.codes, **evidence.vectors}
    if all(v is old[name] for name, v in {**codes, **vectors}.items()):
        return evidence  # as it was read
    return Evidence(n, codes, vectors)


def _variable(graph: NormalGraph, name: Any) -> str:
    variable: str = graph.variable_of.get(name, name)
    if variable not in graph.variables:
        raise _unknown(graph, name)
    return variable


def _unknown(graph: NormalGraph, name: Any) -> GraphError:
    return GraphError(
        f"column {name!r} is no variable of the graph: the variables are {listing(graph.variables)}"
        f"{meant(name, graph.variables)}; drop the "
        "column if it does not belong to the model, or name those that do with columns=[...]"
    )
