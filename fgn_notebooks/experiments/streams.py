"""Experiments that can be run to their end or watched while they run.

Vocabulary
    stream   an iterator of results, each with more epochs or seeds than the one before; a result
             says in ``progress`` how much is done
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar

Result = TypeVar("Result")

BATCH_WORK = 10_000_000
"""Multiplications between two results of a stream, which take some ten milliseconds."""


def streamed(stream: Callable[..., Iterator[Result]]) -> Callable[..., Result]:
    """A function that returns the last result of ``stream``, which is its attribute ``stream``."""

    @wraps(stream)
    def run(**arguments: Any) -> Result:
        return deque(stream(**arguments), maxlen=1).pop()

    signature = inspect.signature(stream)
    last = str(signature.return_annotation).removeprefix("Iterator[").removesuffix("]")
    run.__signature__ = signature.replace(return_annotation=last)  # type: ignore[attr-defined]
    run.__annotations__ = {**stream.__annotations__, "return": last}
    run.stream = stream  # type: ignore[attr-defined]
    return run


def batches(seed: int, n_seeds: int, work: int, most: int = 25) -> Iterator[range]:
    """Batches of seeds from ``seed`` on that take a moment each; one seed takes ``work``."""
    size = min(max(BATCH_WORK // work, 1), most)
    for first in range(0, n_seeds, size):
        yield range(seed + first, seed + min(first + size, n_seeds))
