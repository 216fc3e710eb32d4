"""A long computation that is approached: its results for ever larger parts of one argument.

Vocabulary
    whole   what the argument is to be, such as 200 seeds or 300 epochs
    part    what it is in the latest result
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .run_view import SLICE

FIRST_PART = 16
"""The first part is the whole divided by this."""


class Growing(Iterator[Any]):
    """``compute(**arguments)`` for parts of the argument ``name``, and at last for the whole.

    Each part is at least twice the one before. A part that takes no time is followed by all that is
    likely to fit into a slice: what is quick is computed almost at once.
    """

    def __init__(
        self, compute: Callable[..., Any], arguments: Mapping[str, Any], name: str
    ) -> None:
        self._compute, self._arguments = compute, dict(arguments)
        self.name = name
        self.whole = int(arguments[name])
        self.part = 0
        self._next = max(self.whole // FIRST_PART, 1)

    def __next__(self) -> Any:
        if self.part == self.whole:
            raise StopIteration
        part = min(self._next, self.whole)
        begun = time.monotonic()
        result = self._compute(**{**self._arguments, self.name: part})
        took = max(time.monotonic() - begun, 1e-6)
        self.part, self._next = part, max(2 * part, int(part * SLICE / took))
        return result
