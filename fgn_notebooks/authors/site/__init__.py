"""The course as a web site: pages by Sphinx, and chapters that run in the reader's browser.

In the order of reading: ``notebooks`` prepares stored chapters, ``overview`` and ``reference``
write pages about them, ``pages`` builds all pages, ``lite`` and ``wheels`` add what runs in a
browser, and ``serving`` serves the site on this machine.
"""

from .pages import build, write
from .serving import server

__all__ = ["build", "server", "write"]
