"""Several cores: parts of an E-step side by side on threads, the same bits for any number of them.

NumPy lets go of Python's lock while it computes, so threads do for work that is mostly arrays. The
work is cut in the same parts whatever the number of workers, and what the parts give is added up in
their order. BLAS gets one thread meanwhile: its own would wait for ours, and ours for its.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..arguments import read_count

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")
R = TypeVar("R")


def read_workers(workers: Any) -> int:
    """The number of threads: as said, or, for None, the cores that this process may use."""
    if workers is not None:
        count = read_count(workers, "workers", 1)
        return 1 if sys.platform == "emscripten" else count
    return cores()


@lru_cache(maxsize=1)
def cores() -> int:
    """The cores that this process may use; one where Python has no threads, as in a browser."""
    if sys.platform == "emscripten":
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(workers: int, work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """``[work(part) for part in parts]``, on ``workers`` threads, of which the caller's is one.

    Whoever is free takes the next part. After an error, or Ctrl-C, parts that have not begun are
    left. What is called in one of the threads goes on there.
    """
    if len(parts) < 2 or getattr(_HERE, "busy", False):
        return [work(part) for part in parts]
    with one_thread_of_blas():
        if workers < 2:
            return [work(part) for part in parts]
        done: dict[int, R] = {}
        left = iter(range(len(parts)))  # each number is given to one thread

        def take() -> None:
            _HERE.busy = True
            try:
                for k in left:
                    done[k] = work(parts[k])
            finally:
                _HERE.busy = False
                deque(left, maxlen=0)  # after an error nobody takes another

        # Each in a copy of the context, which holds np.errstate.
        helpers = min(workers, len(parts)) - 1
        others = [_pool(workers).submit(copy_context().run, take) for _ in range(helpers)]
        take()
        for other in others:
            other.result()
        return [done[k] for k in range(len(parts))]


@lru_cache(maxsize=8)
def _pool(workers: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # late, as ctypes: small tables need neither

    return ThreadPoolExecutor(workers - 1, "fgnwidgets")


_HERE = threading.local()


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


_BLAS = threading.Lock()
_before = [0, 0]  # how many ask for one thread now, and how many threads there were before them


@contextmanager
def one_thread_of_blas() -> Iterator[None]:
    """BLAS with one thread, for all of this process, until the last that asks for it is done.

    Known are the OpenBLAS that NumPy brings, others that are called as it, and MKL; any other BLAS
    stays as it is.
    """
    read, write = _blas()
    if read is None or write is None:
        yield
        return
    with _BLAS:
        if _before[0] == 0:
            _before[1] = read()
            if _before[1] > 1:
                write(1)
        _before[0] += 1
    try:
        yield
    finally:
        with _BLAS:
            _before[0] -= 1
            if _before[0] == 0 and _before[1] > 1:
                write(_before[1])


@lru_cache(maxsize=1)
def _blas() -> tuple[Callable[[], int] | None, Callable[[int], None] | None]:
    """The functions that ask BLAS for the number of its threads, and set it."""
    import ctypes

    try:
        # a library finds the names of those that it is linked with
        library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return None, None
    names = [
        (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
        for prefix in ("scipy_", "")
        for suffix in ("64_", "")
    ]
    for ask, tell in [*names, ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads")]:
        if hasattr(library, ask) and hasattr(library, tell):
            read, write = getattr(library, ask), getattr(library, tell)
            read.restype, write.argtypes, write.restype = ctypes.c_int, [ctypes.c_int], None
            return read, write
    return None, None
