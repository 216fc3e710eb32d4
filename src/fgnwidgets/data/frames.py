"""Tables of every kind as columns by name.

Vocabulary
    table    a row per sample, a column per variable; also a mapping of single cells
    frame    a table of any data frame library, read through narwhals
    lazy     a frame that is not in memory: its own engine counts equal rows, and only the different
             ones are read
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..arguments import listing, meant, wrong
from .columns import is_frame, is_lazy, narwhal, twice
from .names import read_numbers

Table = Any
"""A mapping of columns, a data frame of any library, a list of dicts, a structured array, or a pair
``(array, names)``."""


def columns(table: Table) -> dict[str, Any]:
    """The columns of a table in memory by name, unread. A lazy table is refused.

    So is a table that has no columns, with rows or without, unless it is an empty mapping: that is
    no evidence, which holds for whatever number of rows. (Where rows are asked for their answers,
    :func:`rows_without_columns` comes first.)
    """
    mapping = isinstance(table, Mapping)
    pairs = _of_mapping(table) if mapping else _pairs(table)
    if not (pairs or mapping):
        raise _no_columns(table)
    named: dict[str, Any] = {}
    for key, column in pairs:
        name = str(key)
        if name in named:
            raise twice(name)
        named[name] = column
    return named


_columns = columns  # for functions that have an argument of this name


def weighted_columns(
    table: Table, columns: Iterable[str] | None = None, weight: str | ArrayLike | None = None
) -> tuple[dict[str, Any], Any]:
    """The columns that are used, and the weights of their rows: ``(columns, weight)``.

    ``columns`` names those to use, by default all. ``weight`` holds the weights, or names the
    column that does, which is then no variable. A table in memory keeps its rows, and a weight of
    None stays None. A lazy table is grouped and counted (its weights are summed) by its own engine:
    only the different rows come into memory, in no particular order.
    """
    frame = None if isinstance(table, Mapping) else narwhal(table)
    if is_lazy(frame):
        return _count_lazy(frame, columns, weight)
    cells = _columns(table)
    if columns is None and not isinstance(weight, str):
        return cells, weight
    used = {name: cells[name] for name in _used(list(cells), columns, weight)}
    if cells and not used:
        raise _nothing_used()
    if isinstance(weight, str):
        numbers = read_numbers(cells[weight], f"weight: the column {weight!r}")
        good = (numbers >= 0) & (numbers < np.inf)  # NaN fails both
        if not good.all():
            at = int(np.argmin(good))
            raise _no_weights(weight, f" (sample {at} has {numbers[at]})")
        return used, numbers
    return used, weight


def _count_lazy(frame: Any, columns: Any, weight: Any) -> tuple[dict[str, Any], Array]:
    """The different rows of a lazy frame as columns, and how often each is there."""
    import narwhals as nw

    frame = _without_dictionaries(_called_by_text(frame))
    if not (weight is None or isinstance(weight, str)):
        raise ValueError(
            f"weight is a {type(weight).__name__}: the rows of a lazy table have no places, so its "
            "weights are a column of it, weight='name'"
        )
    schema = frame.collect_schema()
    native = {str(name): name for name in schema}
    used = [native[name] for name in _used(list(native), columns, weight)]
    if not used:
        raise _nothing_used()
    if frame.implementation.is_duckdb():
        _refuse_alike([*used, *([] if weight is None else [weight])], list(native))
    n, w, least, some = "n", "w", "min", "count"
    # Names such as "age.group" or "x " would be SQL when DuckDB groups by them.
    plain = {name: f"v{k}" for k, name in enumerate(used)}
    sums, rows = [nw.len().alias(n)], frame.select(*used).rename(plain)
    objects = False
    if weight is not None:
        kind = schema[native[weight]]
        # Dask makes text of objects, such as Decimals.
        objects = frame.implementation.is_dask() and kind in (nw.String, nw.Object)
        if not (objects or kind.is_numeric() or kind in (nw.Boolean, nw.Unknown)):
            raise _no_numbers(weight, kind)
        numbers = nw.col(native[weight]).cast(nw.Float64).alias(unused(w, native))
        rows = frame.select(*used, numbers).rename({**plain, unused(w, native): w})
        x = nw.col(w)
        sums += [x.sum(), x.min().alias(least), x.count().alias(some)]
    # In polars only the streaming engine counts without all rows in memory.
    how = {"engine": "streaming"} if frame.implementation.is_polars() else {}
    try:
        rows_counted = rows.group_by(*plain.values()).agg(*sums).collect(**how)
    except ModuleNotFoundError as error:  # narwhals reads DuckDB's result through PyArrow
        raise ModuleNotFoundError(
            f"{error}: the table's engine hands over what it counted by {error.name}; "
            f"pip install {error.name}",
            name=error.name,
        ) from None
    except ValueError as error:  # the text is no number
        if not objects:
            raise
        raise _no_numbers(str(weight), "text") from error
    if not len(rows_counted):
        raise ValueError("the table is empty: it has columns but no rows")
    counts: Array = rows_counted[n].to_numpy().astype(np.float64)
    if weight is not None:
        full = bool((rows_counted[some].to_numpy() == counts).all())
        counts = rows_counted[w].to_numpy().astype(np.float64)
        if not (full and (rows_counted[least].to_numpy() >= 0).all() and (counts < np.inf).all()):
            raise _no_weights(weight)
    return {str(name): rows_counted[v].alias(name) for name, v in plain.items()}, counts


def _refuse_alike(used: Iterable[str], there: Sequence[str]) -> None:
    """Refuse a column that DuckDB would take for another one: to it ``N`` and ``n`` are one."""
    for name in used:
        for other in there:
            if other != name and other.casefold() == name.casefold():
                raise ValueError(
                    f"the table has the columns {name!r} and {other!r}, which differ in capitals "
                    "alone and are one name to DuckDB: rename one of them in the query, or read "
                    "the table into memory"
                )


def _called_by_text(frame: Any) -> Any:
    """A frame of Dask with text for the names of its columns, of which some may be numbers."""
    if not frame.implementation.is_dask():
        return frame
    native = frame.to_native()
    odd = {name: str(name) for name in native.columns if not isinstance(name, str)}
    return narwhal(native.rename(columns=odd)) if odd else frame


def _without_dictionaries(frame: Any) -> Any:
    """A frame of Dask with Categoricals for dictionaries of Arrow, which Dask cannot group.

    A dictionary of which parts have different ones was made for storage: it becomes plain values.
    """
    if not frame.implementation.is_dask():
        return frame
    native = frame.to_native()
    names = dictionaries(native)
    if not names:
        return frame
    parts = native.map_partitions(_levels_of, names, meta=("levels", object)).compute()
    some = [levels for levels in parts if levels is not None]
    declared = [name for k, name in enumerate(names) if len({levels[k] for levels in some}) == 1]
    meta = decoded(native._meta, names, declared)
    return narwhal(native.map_partitions(decoded, names, declared, meta=meta))


def dictionaries(part: Any) -> list[Any]:
    """The columns of a data frame of pandas, or of Dask, that are dictionaries of Arrow."""
    kinds = ((name, getattr(kind, "pyarrow_dtype", None)) for name, kind in part.dtypes.items())
    return [
        name for name, kind in kinds if hasattr(kind, "value_type") and hasattr(kind, "ordered")
    ]


def _levels_of(part: Any, names: Sequence[Any]) -> Any:
    """The values of each dictionary in a part of a table, as text; None in a part without rows."""
    levels = [
        str(part[name].array.__arrow_array__().unify_dictionaries().chunk(0).dictionary.to_pylist())
        for name in names
        if len(part)
    ]
    return type(part[names[0]])([tuple(levels) if len(part) else None], dtype=object)


def decoded(part: Any, names: Sequence[Any], declared: Sequence[Any] = ()) -> Any:
    """A data frame of pandas with plain values for dictionaries of Arrow, or with Categoricals for
    those that are ``declared``."""
    part = part.copy(deep=False)
    for name in names:
        cells = part[name].array.__arrow_array__()
        cells = cells if name in declared else cells.cast(cells.type.value_type)
        part[name] = cells.to_pandas().set_axis(part.index)
    return part


def rows_without_columns(table: Any) -> int:
    """The number of rows of a table without columns, such as a data frame of which none is left.

    0 for a table with columns, for a lazy one, and for an empty mapping, which is no table.
    """
    if isinstance(table, Mapping) or is_lazy(narwhal(table)) or _pairs(table):
        return 0
    try:
        return len(table[0] if isinstance(table, tuple) else table)
    except TypeError:
        return int(getattr(table, "num_rows", 0))


def _no_columns(table: Any) -> ValueError:
    """The error for a table without columns, whose rows, if it has any, observe nothing."""
    rows = rows_without_columns(table)
    had = "no rows and no columns" if not rows else f"no columns, but {rows} rows"
    return ValueError(
        f"the table has {had}: expected a column for each variable that is observed; {{}} is no "
        "evidence at all"
    )


def _nothing_used() -> ValueError:
    return ValueError("no column of the table is used: name those that are variables")


def lazy_rows(table: Table, weight: str) -> int:
    """The number of rows of a lazy table with a weight above zero, counted by its engine."""
    import narwhals as nw

    frame = narwhal(table)
    native = {str(name): name for name in frame.collect_schema()}
    live = frame.filter(nw.col(native[weight]).cast(nw.Float64) > 0)
    return int(live.select(nw.len().alias("n")).collect()["n"].to_numpy()[0])


def _no_weights(name: str, example: str = "") -> ValueError:
    return ValueError(
        f"weight: the column {name!r} has cells that are empty, negative or not finite{example}: "
        "expected a number >= 0 in every row"
    )


def _no_numbers(name: str, kind: Any) -> ValueError:
    return ValueError(f"weight: the column {name!r} holds {kind}: expected numbers")


def _used(there: list[str], columns: Any, weight: Any) -> list[str]:
    """The names of the columns to be read as variables, of those that are there."""
    weights = [weight] if isinstance(weight, str) else []
    rest = [name for name in there if name not in weights]
    given = rest if columns is None else read_columns(columns)
    if isinstance(columns, set | frozenset):  # a set has no order, so the table's is taken
        given = sorted(given, key=lambda name: there.index(name) if name in there else -1)
    names = set(there)  # a chain may have ten thousand columns
    for what, asked in (("columns", given), ("weight", weights)):
        for name in asked:
            if name not in names:
                raise ValueError(
                    f"{what} names {name!r}: the columns of the table are {listing(there)}"
                    + meant(name, there)
                )
    return list(dict.fromkeys(given))


def read_columns(columns: Any) -> list[str]:
    """The names of columns as text. They may be numbers, as in a table without a heading."""
    names: list[Any] = [columns]
    if not isinstance(columns, str | Mapping) and not is_frame(narwhal(columns)):
        with suppress(TypeError):  # a single number
            names = list(columns)
    for name in names:
        if not isinstance(name, str | int | np.integer) or isinstance(name, bool):
            raise wrong("columns", columns, "the names of columns")
    return [str(name) for name in names]


def unused(word: str, names: Iterable[str]) -> str:
    """A name that no column has, in capitals neither: to DuckDB ``N`` and ``n`` are one."""
    there = {name.casefold() for name in names}
    while word.casefold() in there:
        word += "_"
    return word


def _of_mapping(table: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """Names and columns of a mapping."""
    for name, column in table.items():
        if isinstance(column, Mapping | set | frozenset):
            kind = type(column).__name__
            raise ValueError(f"column {name!r} is a {kind}: expected cells in an order")
    same_rows({repr(name): column for name, column in table.items()}, "columns ")
    return table.items()


def _pairs(table: Table) -> list[tuple[Any, Any]]:
    """Names and columns of any other table in memory."""
    if isinstance(table, np.ndarray) and table.dtype.names:
        return [(name, table[name]) for name in table.dtype.names]
    if isinstance(table, tuple) and len(table) == 2:
        if isinstance(table[1], str) or not isinstance(table[1], Iterable):
            raise ValueError(
                f"the table is a pair with {table[1]!r}: expected (array, names), a name for every "
                "column"
            )
        array, names = np.ma.asanyarray(table[0]), list(table[1])
        if array.dtype.kind in "US" and not isinstance(table[0], np.ndarray):
            array = np.array(table[0], dtype=object)  # numbers beside words stay numbers
        if array.ndim != 2 or array.shape[1] != len(names):
            raise ValueError(
                f"the array has shape {array.shape}: expected (N, {len(names)}), a column per name"
            )
        return list(zip(names, array.T, strict=True))
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        if not table:
            raise ValueError("the table is empty: it is a list without rows")
        keys = dict.fromkeys(key for row in table for key in row)
        return [(key, [row.get(key) for row in table]) for key in keys]
    frame = narwhal(table)
    if is_lazy(frame):
        raise ValueError(
            f"the table is a lazy {type(table).__name__}, whose rows are not read one by one: what "
            "counts rows (fit, distinct, from_table) lets its engine group equal ones, score "
            "joins results to its rows, and a table that fits into memory can be collected first"
        )
    if not is_frame(frame):
        file = isinstance(table, str | os.PathLike)
        raise ValueError(
            f"the table is a {type(table).__name__}: expected a mapping of columns, a DataFrame, a "
            "list of dicts, a structured array, or a pair (array, names)"
            + ("; read the file first, as by pandas.read_csv or duckdb.read_csv" if file else "")
        )
    return [(series.name, series) for series in frame.iter_columns()]


def in_memory(table: Table, order: bool = False) -> tuple[Table, frozenset[str]]:
    """A table whose rows can be read one by one, and the columns whose categories are declared.

    A lazy table is collected, as its engine does it: by polars, by Dask as pandas, by DuckDB as a
    table of Arrow, in which an ENUM is no longer one. ``order`` refuses rows without an order.
    """
    frame = narwhal(table)
    if not is_lazy(frame):
        return table, frozenset()
    if order and not (frame.implementation.is_polars() or frame.implementation.is_dask()):
        raise ValueError(
            f"the rows of a lazy {type(table).__name__} have no order: name the column of time"
        )
    import narwhals as nw

    schema = frame.collect_schema()
    declared = frozenset(str(name) for name, dtype in schema.items() if dtype == nw.Enum)
    return frame.collect().to_native(), declared


def beside(table: Table, added: Mapping[str, Any]) -> Any:
    """A table in memory with columns added: a data frame of its kind, or else a dict."""
    frame = narwhal(table)
    if not is_frame(frame):
        return {**columns(table), **added}
    if frame.implementation.is_pandas_like():  # the rows keep their labels
        native = frame.to_native()
        words = {k: v.astype(object) for k, v in added.items() if v.dtype.kind == "U"}
        return native.assign(**{**added, **words})
    return frame.with_columns(*as_series(added, frame.implementation)).to_native()


def as_series(added: Mapping[str, Any], library: Any) -> list[Any]:
    """New columns as series of a data frame library."""
    import narwhals as nw

    return [
        nw.new_series(name, v.tolist() if v.dtype.kind in "UO" else v, backend=library)
        for name, v in added.items()
    ]


def same_rows(named: Mapping[str, Any], what: str = "") -> None:
    """Refuse columns of pandas that have equally many rows but not the same row labels in order.

    Such columns may have been sorted or filtered apart, and would be put together by mistake.
    """
    indices: Any = ((name, getattr(column, "index", None)) for name, column in named.items())
    labelled = [(name, index) for name, index in indices if hasattr(index, "equals")]
    for name, other in labelled[1:]:
        first, index = labelled[0]
        if len(other) == len(index) and not other.equals(index):
            raise ValueError(
                f"{what}{first} and {name} have different row labels: align them, or "
                "call reset_index(drop=True) on both where rows belong together by order"
            )
