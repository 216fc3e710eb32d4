"""Mark a class: run the students' copies, judge their answers, and make a table.

In the order of reading: ``handed_in`` finds the copies and their exercises, ``cells`` chooses the
cells to run, ``kernel`` runs them within limits, ``inside`` judges answers in the kernel, and
``table`` collects the marks.
"""

from .table import Limits, Mark, mark, write_csv

__all__ = ["Limits", "Mark", "mark", "write_csv"]
