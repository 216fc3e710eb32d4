"""``score``: a table with what a model says of each of its rows, wherever the table lies.

Vocabulary
    key      what a cell is joined on: its value, and whether it is blank, so that blanks are equal
    answer   what the model says of one of the different rows; the table's own engine joins it back

The answers are worked out on the different rows, so memory follows them and not the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.bayes import as_normal
from ..engine.evidence import read_evidence
from ..engine.messages import Evidence
from ..engine.posing import Graph
from ..engine.queries import loglik, posterior
from ..engine.readers import read_names
from ..engine.theta import Theta
from ..tables import Table, columns, counted
from ..tables.columns import is_lazy, narwhal

LOGLIK = "loglik"


def score(
    graph: Graph,
    theta: Theta,
    table: Table,
    variables: str | Sequence[str],
    *,
    columns: Iterable[str] | None = None,
) -> Any:
    """The same kind of table with what the model says of each row added.

    For each of ``variables``, such as ``"S"``: a column ``S=low`` with P(S = low | row) for every
    state, and ``S``, the most probable one. Then ``loglik``, log P(row). The columns that the graph
    has are read, or those in ``columns``; the others are passed through. A lazy table stays lazy:
    its engine counts the different rows now, and joins the answers to its rows when it is asked.
    The order of rows is kept where there is one. A mapping of columns gives a dict.

    Raises ``ValueError`` where a name that would be added exists, and
    :class:`ImpossibleEvidence` where a row has probability zero.
    """
    asked = read_names(variables, "variables")
    form = as_normal(graph)
    frame = narwhal(table)
    lazy = is_lazy(frame)
    names = list(frame.collect_schema()) if lazy else list(_columns(table))
    known = {*form.variables, *form.branches} - {*asked}
    used = [n for n in names if str(n) in known] if columns is None else list(columns)
    if not used:
        raise ValueError(f"no column of the table is a variable of the graph: it has {names}")
    if lazy:
        cells, _ = counted(frame, used)
    else:
        cells, _ = counted({str(k): v for k, v in _columns(table).items()}, map(str, used))
    added = _answers(graph, theta, read_evidence(graph, cells), asked)
    taken = [name for name in added if name in set(map(str, names))]
    if taken:
        raise ValueError(
            f"the table has a column {taken[0]!r} already: rename it, or drop it before scoring"
        )
    if lazy:
        return _joined(frame, {str(k): v for k, v in cells.items()}, added)
    return _beside(table, frame, added)


_columns = columns


def _answers(
    graph: Graph, theta: Theta, evidence: Evidence, asked: Sequence[str]
) -> dict[str, Any]:
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
    """The columns of a table in memory with the added ones beside them."""
    if not hasattr(frame, "iter_columns"):
        return {**_columns(table), **added}
    import narwhals as nw

    implementation = frame.implementation
    if implementation.is_pandas_like():  # the rows keep their labels
        native = frame.to_native()
        words = {k: v.astype(object) for k, v in added.items() if v.dtype.kind == "U"}
        return native.assign(**{**added, **words})
    new = [
        nw.new_series(name, v.tolist() if v.dtype.kind == "U" else v, backend=implementation)
        for name, v in added.items()
    ]
    return frame.with_columns(*new).to_native()


def _joined(frame: Any, cells: Mapping[str, Any], added: Mapping[str, Any]) -> Any:
    """A lazy table, its engine asked to join the answers to its rows."""
    import narwhals as nw

    schema = frame.collect_schema()
    keys, drop = [], []
    small: dict[str, Any] = {}
    for k, (name, series) in enumerate(cells.items()):
        value, blank = f"_fgn_key{k}", f"_fgn_blank{k}"
        keys += _keys(nw.col(name), schema[name], value, blank)
        held = series.to_frame().select(*_keys(nw.col(series.name), schema[name], value, blank))
        small[value], small[blank] = held[value].to_list(), held[blank].to_list()
        drop += [value, blank]
    answers = {**small, **{name: v.tolist() for name, v in added.items()}}
    library = frame.implementation
    if library.is_dask():
        return _joined_by_dask(frame.to_native(), keys, drop, answers)
    wide = frame.with_columns(*keys)
    if library.is_polars():
        right = library.to_native_namespace().DataFrame(answers).lazy()
        joined = wide.to_native().join(right, on=drop, how="left", maintain_order="left")
        return joined.drop(drop)
    if not library.is_duckdb():
        raise ValueError(
            f"the table is lazy, of {library}: score knows polars, DuckDB and Dask; collect it, or "
            "write it to Parquet and open that"
        )
    rows = import_module("pyarrow").table(answers)  # the query finds it by its name, on the
    assert rows is not None  # connection that the relation has
    right = nw.from_native(frame.to_native().query("_fgn_rows", "SELECT * FROM rows"))
    return wide.join(right, on=drop, how="left").drop(*drop).to_native()


def _joined_by_dask(
    native: Any, keys: list[Any], drop: list[str], answers: Mapping[str, list[Any]]
) -> Any:
    """Each part of a Dask table with its answers, where the part lies: no row is moved."""
    small = import_module("pandas").DataFrame(dict(answers))
    joined = partial(_part, keys=keys, drop=drop, small=small)
    return native.map_partitions(joined, meta=joined(native._meta))


def _part(part: Any, *, keys: list[Any], drop: list[str], small: Any) -> Any:
    import narwhals as nw

    wide = nw.from_native(part, eager_only=True).with_columns(*keys).to_native()
    wide = wide.astype({name: small[name].dtype for name in drop})
    found = wide.merge(small, on=drop, how="left").drop(columns=drop)
    found.index = part.index
    return found


def _keys(column: Any, dtype: Any, value: str, blank: str) -> list[Any]:
    """Two columns that are equal where two cells are, two blanks too."""
    import narwhals as nw

    empty = column.is_null()
    if dtype.is_float():
        empty = empty | column.is_nan().fill_null(True)
        filled = nw.when(~empty).then(column).otherwise(nw.lit(0.0))
    elif dtype.is_integer():
        filled = column.fill_null(0)
    elif dtype == nw.Boolean:
        filled = column.fill_null(False)
    elif dtype in (nw.String, nw.Categorical, nw.Enum):
        filled = column.cast(nw.String).fill_null("")
    else:
        raise ValueError(
            f"a column that is joined on holds {dtype}: expected words, numbers or truth values; "
            "cast it to words before it is scored"
        )
    return [filled.alias(value), empty.alias(blank)]
