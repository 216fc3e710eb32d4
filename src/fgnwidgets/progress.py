"""A progress bar for what takes more than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

PROGRESS_DELAY = 0.5
"""Seconds before a progress bar appears: short runs show none."""


def progress_bar(total: int, wanted: bool | None, unit: str = "epoch") -> Callable[[int], None]:
    """``tick(n)`` after ``n`` units, ``tick(-1)`` at the end; tqdm is imported when a bar is due.

    ``wanted`` None: in a terminal or a notebook.
    """
    shown = wanted if wanted is not None else (sys.stderr.isatty() or "ipykernel" in sys.modules)
    begun = time.monotonic()
    bar = None

    def tick(n: int) -> None:
        nonlocal bar
        if n < 0:
            if bar is not None:
                bar.close()
        elif bar is not None:
            bar.update(n - bar.n)
        elif shown and time.monotonic() - begun > PROGRESS_DELAY:
            from tqdm.auto import tqdm

            bar = tqdm(total=total, initial=n, unit=unit)

    return tick
