"""``score``: a table with columns added for what a model says about each of its rows.

Vocabulary
    answer   what the model says about a row: posteriors, the most probable states, ``loglik``

Answers to a lazy table are computed for its different rows, and joined to all rows by the table's
own engine. So memory grows with the number of different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..border.evidence import read_evidence
from ..border.queries import loglik, posterior
from ..border.theta import Theta
from ..engine.arrays import Array
from ..engine.graph import Graph, as_normal
from ..engine.messages import Evidence
from ..readers import read_names
from ..tables import Table, counted, read_columns
from ..tables import columns as columns_of
from ..tables.columns import is_frame, is_lazy, narwhal

LOGLIK = "loglik"


def score(
    graph: Graph,
    theta: Theta,
    table: Table,
    variables: str | Sequence[str],
    *,
    columns: Iterable[str] | None = None,
) -> Any:
    """A table of the same kind, with columns added for what the model says about each row.

    For each of ``variables``, such as ``"S"``, they are ``S=low`` with P(S = low | row), for every
    state, and ``S`` with the most probable state. The last one is ``loglik``, log P(row). The
    columns that the graph has are read, or those in ``columns``; the others are passed through.
    Rows keep their order, if they have one. A lazy table stays lazy: its different rows are counted
    now, and the answers are joined when it is computed. A mapping of columns gives a dict.

    Raises ``ValueError`` if the table has one of the new names, and :class:`ImpossibleEvidence` if
    a row has probability zero.
    """
    asked = read_names(variables, "variables")
    form = as_normal(graph)
    frame = narwhal(table)
    lazy = is_lazy(frame)
    names = list(frame.collect_schema()) if lazy else list(columns_of(table))
    known = {*form.variables, *form.branches} - {*asked}
    used = [n for n in names if str(n) in known] if columns is None else read_columns(columns)
    if not used:
        raise ValueError(f"no column of the table is a variable of the graph: it has {names}")
    cells, _ = counted(table, used)
    added = _answers(graph, theta, read_evidence(graph, cells), asked)
    there = set(map(str, names))
    taken = [name for name in added if name in there]
    if taken:
        raise ValueError(
            f"the table has a column {taken[0]!r} already: rename it, or drop it before scoring"
        )
    return _joined(frame, cells, added) if lazy else _beside(table, frame, added)


def _answers(
    graph: Graph, theta: Theta, evidence: Evidence, asked: Sequence[str]
) -> dict[str, Any]:
    """The new columns, in their order."""
    form = as_normal(graph)
    found: dict[str, Any] = {}
    for variable in asked:
        states = form.states(variable)
        p: Array = posterior(graph, theta, evidence, variable)
        for k, state in enumerate(states):
            found[f"{variable}={state}"] = np.ascontiguousarray(p[:, k])
        words = [state if isinstance(state, str | int | float) else str(state) for state in states]
        found[variable] = np.array(words)[p.argmax(axis=-1)]
    found[LOGLIK] = loglik(graph, theta, evidence)
    return found


def _beside(table: Table, frame: Any, added: Mapping[str, Any]) -> Any:
    """The columns of a table in memory and the new ones."""
    if not is_frame(frame):
        return {**columns_of(table), **added}
    if frame.implementation.is_pandas_like():  # the rows keep their labels
        native = frame.to_native()
        words = {k: v.astype(object) for k, v in added.items() if v.dtype.kind == "U"}
        return native.assign(**{**added, **words})
    return frame.with_columns(*_series(added, frame.implementation)).to_native()


def _joined(frame: Any, cells: Mapping[str, Any], added: Mapping[str, Any]) -> Any:
    """A lazy table joined with the answers by the read cells; here blanks equal blanks."""
    import narwhals as nw

    keys, library = list(cells), frame.implementation
    rows = nw.concat([column.to_frame() for column in cells.values()], how="horizontal")
    rows = rows.with_columns(*_series(added, rows.implementation)).to_native()
    native = frame.to_native()
    if library.is_polars():
        order = {"nulls_equal": True, "maintain_order": "left"}
        return native.join(rows.lazy(), on=keys, how="left", **order)
    if library.is_dask():  # part by part, so that no row is moved
        joined = partial(_part, keys=keys, rows=rows)
        return native.map_partitions(joined, meta=joined(native._meta))
    if library.is_duckdb():  # SQL finds the variable ``rows`` by its name
        same = " AND ".join(f"t.{_quoted(k)} IS NOT DISTINCT FROM a.{_quoted(k)}" for k in keys)
        new = ", ".join(f"a.{_quoted(name)}" for name in added)
        return native.query("_fgn", f"SELECT t.*, {new} FROM _fgn t LEFT JOIN rows a ON {same}")
    raise ValueError(
        f"the table is lazy, of {library}: score knows polars, DuckDB and Dask; collect it, or "
        "write it to Parquet and open that"
    )


def _part(part: Any, *, keys: list[str], rows: Any) -> Any:
    """A part of a Dask table with its answers; pandas joins blanks to blanks."""
    found = part.merge(rows, on=keys, how="left")
    found.index = part.index
    return found


def _quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _series(added: Mapping[str, Any], library: Any) -> list[Any]:
    """The new columns as series of a data frame library."""
    import narwhals as nw

    return [
        nw.new_series(name, v.tolist() if v.dtype.kind == "U" else v, backend=library)
        for name, v in added.items()
    ]
