"""One column as its different values, and for every cell the index of its value.

Work per *different* value is cheap, and done in Python. Work per cell is left to the library that
holds the cells, so that a column of 20 million words takes a second or two. Data frames of all
libraries are read through narwhals, which is imported with the first one; no data frame library is
imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..algebra.arrays import Index, Label


class Variable(Protocol):
    """A variable as this package needs it: its name, its number of states, and their labels.

    ``missing`` are the codes by which its columns say that nothing is known.
    """

    @property
    def variable(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def states(self) -> tuple[Label, ...]: ...
    @property
    def missing(self) -> tuple[Label, ...]: ...


CELLS = 1 << 16
"""The most cells that are Python objects at one time: an array of words is not copied whole."""


@dataclass(frozen=True, eq=False)
class Column:
    """``values[codes[n]]`` is cell ``n``, and ``codes[n]`` is -1 where the cell is empty.

    The codes are integers of whatever width the library of the cells uses. ``declared`` says that
    the values are categories: all the states there are, in their order. Such are a Categorical of
    pandas, an Enum of polars, a dictionary of Arrow (also as a type of pandas), an ENUM of DuckDB,
    and what Dask makes of these. A Categorical of polars has no order but that of text, and a
    dictionary of which parts have different ones was made for storage: neither is declared.
    """

    codes: Any
    values: list[Any]
    declared: bool = False


def narwhal(value: Any) -> Any:
    """A data frame or series of any library as narwhals sees it; None where it is neither."""
    root = type(value).__module__.partition(".")[0]
    if root in ("builtins", "numpy") or isinstance(value, Column | Mapping):
        return None
    import narwhals as nw

    library: Any = sys.modules.get(root)
    if root == "pandas" and getattr(value, "ndim", 0) == 1:  # an Index, a Categorical
        value = library.Series(value)
    elif root == "pyarrow" and isinstance(value, library.Array):
        value = library.chunked_array([value])
    elif root == "pyarrow" and isinstance(value, library.RecordBatch):
        value = library.Table.from_batches([value])
    try:
        frame = nw.from_native(value, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        names = list(map(str, getattr(value, "column_names", None) or value.columns))
        raise twice(next(name for name in names if names.count(name) > 1)) from None
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def categories(column: Any) -> list[Any] | None:
    """The declared categories of a column in their order, without blanks; None if it has none."""
    values = read(column)
    if not isinstance(values, Column) or not values.declared:
        return None
    return [value for value in values.values if value is not None]


def twice(name: str) -> ValueError:
    """The error for a table with two columns of one name, to be raised."""
    return ValueError(f"the table has two columns called {name!r}: every column needs its own name")


def is_frame(frame: Any) -> bool:
    """True if what :func:`narwhal` found is a data frame in memory."""
    return hasattr(frame, "iter_columns")


def is_lazy(frame: Any) -> bool:
    """True if what :func:`narwhal` found is a table that is not in memory."""
    return hasattr(frame, "collect_schema") and not is_frame(frame)


def is_cell(column: Any) -> bool:
    """True if this is a single cell, which holds for all samples, and not a column."""
    if isinstance(column, Column) or hasattr(type(column), "columns"):
        return False
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        return True
    return getattr(column, "ndim", 1) == 0


def read(column: Any) -> Any:
    """A column as an array of numbers, a :class:`Column`, or a data frame of narwhals.

    Numbers keep their mask: empty cells of a data frame come as a masked array.
    """
    if isinstance(column, Column):
        return column
    if isinstance(column, np.ndarray):
        column = column if column.ndim else column[None]
        if column.dtype.kind in "biuf" or column.ndim != 1:
            return column
        if column.dtype.kind in "mM":
            column = column.astype(f"{column.dtype.kind}8[us]")  # nanoseconds would become integers
        return _from_cells(column)
    if is_cell(column):
        column = [column]
    if not isinstance(column, list | tuple):
        frame = narwhal(column)
        if is_frame(frame):
            return frame
        if is_lazy(frame) or hasattr(column, "compute"):
            raise ValueError(
                f"a column is a lazy {type(column).__name__}: give its table as a whole, whose "
                "engine then counts the rows"
            )
        if frame is not None:
            return _from_series(frame)
        column = list(column)
    kinds = set(map(type, column))
    if kinds and all(issubclass(k, int | float | np.integer | np.floating) for k in kinds):
        array = np.array(column)
        if array.dtype.kind in "iuf" and bool not in kinds:
            return array
    return _from_cells(column)


def by_value(values: Any) -> Column:
    """A column of numbers as its different values; NaN and masked cells are empty."""
    if isinstance(values, Column):
        return values
    v, missing = unmasked(values)
    if not missing.any():
        different, codes = _ranks(v)
    else:
        codes = np.full(len(v), -1, dtype=np.intp)
        different, codes[~missing] = _ranks(v[~missing])
    return Column(codes, different.tolist())


def unmasked(values: Any) -> tuple[Any, Any]:
    """The numbers of an array without its mask, and True where one is masked or NaN."""
    v, missing = np.ma.getdata(values), np.ma.getmaskarray(values)
    return v, missing | np.isnan(v) if v.dtype.kind == "f" else missing


def _ranks(v: Any) -> tuple[Any, Index]:
    """The different numbers in order, and the index of each number among them.

    Whole numbers from a range not much larger than their count are looked up in a table, which is
    faster than to sort them.
    """
    if v.dtype.kind == "b":
        different, codes = _ranks(v.view(np.uint8))
        return different.astype(bool), codes
    low, high = (v.min().item(), v.max().item()) if v.size else (0, 0)
    if -CELLS < low <= high < max(CELLS, 4 * v.size):
        at = v.astype(np.intp)
        if v.dtype.kind != "f" or (at == v).all():
            start = min(0, int(low))
            at -= start
            seen = np.zeros(int(high) - start + 1, dtype=bool)
            seen[at] = True
            place: Index = np.cumsum(seen) - 1
            return (np.flatnonzero(seen) + start).astype(v.dtype), place[at]
    different = np.unique(v)
    return different, np.searchsorted(different, v)


def _from_cells(cells: Any) -> Column:
    """A column of Python objects, which are equal if type and value are, a chunk at a time."""
    number: dict[Any, int] = {}
    values: list[Any] = []
    codes = np.empty(len(cells), dtype=np.intp)
    for start in range(0, len(cells), CELLS):
        part = cells[start : start + CELLS]
        part = part.tolist() if isinstance(part, np.ndarray) else part
        try:  # if all were seen before, this is a loop in C
            places = np.fromiter(map(number.__getitem__, part), np.intp, len(part))
        except (KeyError, TypeError):
            keys = list(map(_key, part))
            for key, cell in zip(keys, part, strict=True):
                if number.setdefault(key, len(values)) == len(values):
                    values.append(cell.as_py() if hasattr(cell, "as_py") else cell)
            places = np.fromiter(map(number.__getitem__, keys), np.intp, len(part))
        codes[start : start + len(part)] = places
    return Column(codes, values)


def _key(cell: Any) -> Any:
    """The key of a cell, its type and value, so True, 1 and 1.0 are three values.

    Text is its own key, which saves a pair for every cell.
    """
    if isinstance(cell, str):
        return cell
    if cell is None or cell is np.ma.masked:
        return None
    if isinstance(cell, float | np.floating) and cell != cell:
        return None  # NaN does not equal itself
    try:
        hash(cell)
    except TypeError:  # a likelihood vector equals no other
        return type(cell), id(cell)
    return type(cell), cell


def _from_series(series: Any) -> Any:
    """A column of a data frame; its own library finds the different values where it can."""
    import narwhals as nw

    dtype, native, library = series.dtype, series.to_native(), series.implementation
    categories = dtype in (nw.Categorical, nw.Enum)
    if library.is_pandas_like() and not isinstance(native.dtype, np.dtype):
        stored = getattr(native.dtype, "pyarrow_dtype", None)
        if stored is not None and (categories or dtype.is_nested() or _in_runs(stored)):
            return _from_series(narwhal(native.array.__arrow_array__()))
        if categories:
            return Column(native.cat.codes.to_numpy(), native.cat.categories.tolist(), True)
        return _factorized(native)
    if dtype in (nw.Int128, nw.UInt128):  # NumPy has none
        return _from_cells(series.to_list())
    if (dtype.is_numeric() and dtype != nw.Decimal) or dtype == nw.Boolean:
        empty = series.is_null()
        if not empty.any():
            return series.to_numpy()
        filled = series.fill_null(False if dtype == nw.Boolean else 0)
        return np.ma.MaskedArray(filled.to_numpy(), empty.to_numpy())
    if library.is_pandas_like():
        words = library.to_native_namespace().api.types.infer_dtype(native) == "string"
        return _factorized(native) if words else _from_cells(native.to_numpy())
    if library.is_polars() and (categories or dtype == nw.String):
        return _from_polars(series if categories else series.cast(nw.Categorical))
    plain = library.is_pyarrow() and not dtype.is_nested() and not _in_runs(native.type)
    if plain and len(series):
        first = native.chunk(0)
        declared = categories and all(p.dictionary.equals(first.dictionary) for p in native.chunks)
        if categories and not declared:
            native = native.cast(native.type.value_type)
        encoded = native if declared else native.dictionary_encode()
        whole = encoded.chunk(0) if encoded.num_chunks == 1 else encoded.combine_chunks()
        codes, values = whole.indices, whole.dictionary.to_pylist()
        codes = codes.cast("int64").fill_null(-1) if codes.null_count else codes
        return Column(codes.to_numpy(zero_copy_only=False), values, declared)
    return _from_cells(series.to_list())


def _in_runs(kind: Any) -> bool:
    """True for a type of Arrow that stores equal cells in a row as one, which cannot be encoded."""
    return hasattr(kind, "run_end_type")


def _factorized(native: Any) -> Column:
    codes, different = native.factorize()
    return Column(codes, different.tolist())


def _from_polars(series: Any) -> Column:
    """A Categorical or an Enum of polars.

    Categoricals number their values together, so one column uses only some of the numbers.
    """
    import narwhals as nw

    def physical(s: Any) -> Any:
        return nw.from_native(s.to_native().to_physical(), series_only=True).cast(nw.UInt32)

    if series.dtype == nw.Enum:
        values: list[Any] = list(series.dtype.categories)
    else:
        different = series.unique().drop_nulls()
        label = dict(zip(physical(different).to_list(), different.to_list(), strict=True))
        values = [label.get(number) for number in range(max(label, default=-1) + 1)]
    codes = physical(series).fill_null(len(values)).to_numpy()
    return Column(codes, [*values, None], series.dtype == nw.Enum)
