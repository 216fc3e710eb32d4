"""Experiments whose results arrive: run one to its end, or watch it grow.

Vocabulary
    stream   the same result again and again, each time with more epochs or seeds in it; a result
             on the way says in ``progress`` how much of what there is
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar

Result = TypeVar("Result")

BATCH_WORK = 10_000_000
"""Multiplications that are done between two results of a stream: some ten milliseconds."""


def streamed(stream: Callable[..., Iterator[Result]]) -> Callable[..., Result]:
    """Make a function that returns a stream's last result; the stream is its ``stream``."""

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
    """Seeds from ``seed`` on, so many at a time that a batch takes a moment; ``work`` is one's."""
    size = min(max(BATCH_WORK // work, 1), most)
    for first in range(0, n_seeds, size):
        yield range(seed + first, seed + min(first + size, n_seeds))
