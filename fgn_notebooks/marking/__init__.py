"""Marking: run the copies of a class, and a table of what was right.

In the order of reading: ``handed_in`` finds copies and the exercises in them, ``cells`` chooses
what of a copy has to run, ``kernel`` runs it within limits, ``inside`` judges there, ``table``
collects.
"""

from .table import Limits, Mark, mark, write_csv

__all__ = ["Limits", "Mark", "mark", "write_csv"]
