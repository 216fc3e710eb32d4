"""What differs where Python runs inside a web page, put right by importing this module.

The chapters of the site import it in their first cell; on any other Python it does nothing.
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
"""The cell that a chapter of the site begins with."""


def prepare() -> None:
    """No remark on fonts that a page reads anew at each visit, and no thread for progress bars."""
    from tqdm import tqdm

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    tqdm.monitor_interval = 0  # its monitor would be a thread, and a page has none


if sys.platform == "emscripten":
    prepare()
