"""Mark a class: run the students' copies, judge their answers, and make a table.

In the order of reading: ``handed_in`` finds the copies and their exercises, ``cells`` chooses the
cells to run, ``kernel`` runs them within limits, in a process that ``confine`` shuts in, ``inside``
hands over answers as ``values``, and ``table`` judges them and collects the marks, which ``record``
writes as they come.
"""

from .confine import Way
from .record import Mark, write_csv
from .table import BrokenOff, Limits, mark

__all__ = ["BrokenOff", "Limits", "Mark", "Way", "mark", "write_csv"]
