"""Readers of arguments: one for counts, one for numbers, one for arrays, one for generators.

Every entry point reads what it is given through these, so that a mistake is always answered in the
same words: the argument's name, what was found, what was expected.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Seed = int | np.random.SeedSequence


def shown(value: Any) -> str:
    """A value in a message: short, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = "?"
    kind = type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}... ({kind})"


def read_count(value: Any, name: str, least: int = 0) -> int:
    """A whole number of at least ``least``; ``2.0`` and ``True`` are none."""
    try:
        if isinstance(value, bool | np.bool_) or np.ndim(value):
            raise TypeError
        count = operator.index(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} is {shown(value)}: expected a whole number >= {least}"
        ) from None
    if count < least:
        raise ValueError(f"{name} is {count}: expected at least {least}")
    return count


def read_number(value: Any, name: str, what: str = "a number >= 0") -> float:
    """One finite number >= 0; ``what`` says in the message what it is for."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and number >= 0:
            return number
    raise ValueError(f"{name} is {shown(value)}: expected {what}")


def read_array(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Finite numbers >= 0 as an array of floats; the values of a float array are not copied."""
    if not (isinstance(values, np.ndarray) and values.dtype == np.float64):
        try:
            given = np.asarray(values)
            if given.dtype.kind not in "buif" and given.size:
                given = np.asarray(values, dtype=object)
                if not all(isinstance(v, int | float | np.number) for v in given.ravel()):
                    raise TypeError
            values = given.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is not an array of numbers: found {shown(values)}") from None
    if values.size and not (values.min() >= 0 and values.max() < np.inf):  # NaN fails both
        at = tuple(int(k) for k in np.argwhere(~((values >= 0) & (values < np.inf)))[0])
        where = f"[{at[0]}]" if len(at) == 1 else ""
        says = f"holds {values[at]}" if len(at) > 1 else f"is {values[at]}"
        raise ValueError(f"{name}{where} {says}: expected finite numbers >= 0")
    return np.asarray(values)


def read_generator(rng: Any, name: str = "rng") -> np.random.Generator:
    """A random generator, as ``np.random.default_rng(seed)`` makes it."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise ValueError(
        f"{name} is {shown(rng)}: expected a generator, np.random.default_rng(seed) makes one"
    )


def read_seeds(seed: Any, restarts: int) -> list[np.random.SeedSequence]:
    """A seed sequence for every restart.

    An integer or a ``SeedSequence`` has a child for each restart, and is not changed by it. In a
    list there is one entry for each restart: an integer stands for its first child, a
    ``SeedSequence`` for itself.
    """
    if isinstance(seed, list | tuple):
        if len(seed) != restarts:
            raise ValueError(f"seed has {len(seed)} entries for {restarts} restarts: one each")
        return [
            s if isinstance(s, np.random.SeedSequence) else _children(s, 1)[0] for s in seed
        ]
    return _children(seed, restarts)


def _children(seed: Any, count: int) -> list[np.random.SeedSequence]:
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(read_count(seed, "seed"))
    # As ``seed.spawn(count)`` of a new sequence, which would change the one that it is asked of.
    return [
        np.random.SeedSequence(
            seed.entropy, spawn_key=(*seed.spawn_key, k), pool_size=seed.pool_size
        )
        for k in range(count)
    ]


def read_names(names: Any, name: str, *, sets: bool = False) -> tuple[str, ...]:
    """One name or a sequence of names; ``sets`` where their order says nothing."""
    if isinstance(names, str):
        return (names,)
    ordered = isinstance(names, Sequence) or (sets and isinstance(names, set | frozenset))
    if ordered and all(isinstance(n, str) for n in names):
        return tuple(names)
    raise ValueError(f"{name} is {shown(names)}: expected a name, or a sequence of names")
