"""Read tables of every kind as columns of codes: the only package that knows data frames.

Read it in this order: ``columns`` (a column as its different values and a code for each cell),
``names`` (labels compared by type), ``answers`` (codes for no answer), ``frames`` (tables of every
kind, lazy ones counted by their own engine), ``long`` (a row for each visit as a row for each
sequence, and back), ``times`` (one time), ``clock`` (the order of times), ``steps`` (their
distances), ``reading`` (what cells say about a variable), ``text`` (files of comma-separated
values). NumPy is all it imports, and narwhals when the first data frame is given.
"""

from .answers import Missing, from_one, no_answers, read_missing
from .columns import is_cell
from .frames import (
    Table,
    columns,
    lazy_rows,
    read_columns,
    rows_without_columns,
    same_rows,
    weighted_columns,
)
from .names import aligned_matrix, has_names, is_missing, row_order
from .reading import alike, is_full, labels, like_weights, many_states, read_column
from .text import parse_csv, read_csv

__all__ = [
    "Missing",
    "Table",
    "aligned_matrix",
    "alike",
    "columns",
    "from_one",
    "has_names",
    "is_cell",
    "is_full",
    "is_missing",
    "labels",
    "lazy_rows",
    "like_weights",
    "many_states",
    "no_answers",
    "parse_csv",
    "read_column",
    "read_columns",
    "read_csv",
    "read_missing",
    "row_order",
    "rows_without_columns",
    "same_rows",
    "weighted_columns",
]
