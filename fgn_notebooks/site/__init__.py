"""The course as a web site: pages by Sphinx, and chapters that run in the reader's browser.

In the order of reading: ``notebooks`` makes stored chapters ready, ``overview`` and ``reference``
write pages about them, ``pages`` has Sphinx build all of it, ``lite`` and ``wheels`` add what runs,
and ``serving`` serves it on this machine.
"""

from .pages import build, write
from .serving import server

__all__ = ["build", "server", "write"]
