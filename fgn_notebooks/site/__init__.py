"""The course as a web site: pages by Sphinx, and chapters that run in the reader's browser.

In the order of reading: ``notebooks`` makes stored chapters ready, ``overview`` and ``reference``
write pages about them, ``pages`` has Sphinx build all of it, ``lite`` and ``wheels`` add what runs.
"""

from .pages import build, write

__all__ = ["build", "write"]
