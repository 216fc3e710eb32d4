"""Read tables of every kind as columns of codes: the only package that knows data frames.

Read it in this order: ``columns`` (a column as its different values and a code for each cell),
``names`` (labels compared by type), ``frames`` (tables of every kind, lazy ones counted by their
own engine), ``reading`` (what cells say about a variable), ``text`` (files of comma-separated
values). NumPy is all it imports, and narwhals when the first data frame is given.
"""

from .columns import is_cell
from .frames import Table, columns, counted, read_columns, same_rows
from .names import aligned_matrix, has_names, is_missing, row_order
from .reading import alike, blank_words, labels, like_weights, many_states, read_column
from .text import parse_csv, read_csv

__all__ = [
    "Table",
    "aligned_matrix",
    "alike",
    "blank_words",
    "columns",
    "counted",
    "has_names",
    "is_cell",
    "is_missing",
    "labels",
    "like_weights",
    "many_states",
    "parse_csv",
    "read_column",
    "read_columns",
    "read_csv",
    "row_order",
    "same_rows",
]
