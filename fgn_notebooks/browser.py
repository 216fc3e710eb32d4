"""Settings for Python inside a web page; importing this module makes them.

The chapters of the site import it in their first cell. On any other Python it does nothing.
"""

import logging
import sys

SETUP = """\
import sys  # in a web page this cell fetches the library; anywhere else it does nothing

if sys.platform == "emscripten":
    import piplite

    await piplite.install("fgnwidgets")
    import fgn_notebooks.browser
"""
"""The first code cell of every chapter on the site."""


def prepare() -> None:
    """Silence matplotlib's note that it builds its font list, and start no thread for tqdm."""
    from tqdm import tqdm

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    tqdm.monitor_interval = 0  # otherwise tqdm starts a thread, and Pyodide has no threads


if sys.platform == "emscripten":
    prepare()
