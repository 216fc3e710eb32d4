"""Readers of arguments, so that every entry point refuses the same mistake in the same words.

A refusal names the argument, what was found, and what was expected (:func:`wrong`).
"""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

PLAIN = re.compile(r"[^\W\d][\w.-]*(\(\d+\))?=?|\([\w,]*\)(\(\d+\))?")
"""A name that needs no quotes: a word, a replica X(1), a product space (A,B)."""

LEAST_TOTAL, MOST_TOTAL = 1e-280, 1e290
"""Bounds of the sum of all weights, where sums of log-likelihoods are to be floats."""

ROW_SUM_TOLERANCE = 1e-8
"""The largest distance of a row's sum from one; typed decimals pass, 0.3 + 0.3 + 0.3 does not."""

Seed: TypeAlias = "int | np.random.SeedSequence"
"""A string, because numpy.random is slow to import."""


def shown(value: Any) -> str:
    """A value in a message: short, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = "?"
    return text if len(text) <= 60 else f"{text[:57]}... ({type(value).__name__})"


def listing(names: Iterable[object]) -> str:
    """Names in a message: ``A, B, 'likes tea'``. Those that are not plain words are quoted."""
    texts = (str(name) for name in names)
    return ", ".join(text if PLAIN.fullmatch(text) else repr(text) for text in texts)


def meant(name: object, names: Iterable[object]) -> str:
    """``"; 'Age' may be meant"`` where one of the known names is nearly this one, else ``""``."""
    from difflib import get_close_matches  # late: for messages alone

    bare = {"".join(str(k).split()).casefold(): str(k) for k in names}
    near = get_close_matches("".join(str(name).split()).casefold(), bare, 1, 0.75)
    return f"; {bare[near[0]]!r} may be meant" if near else ""


def wrong(name: str, value: Any, expected: str, error: type[ValueError] = ValueError) -> ValueError:
    """The error that says what was found and what was expected, to be raised."""
    return error(f"{name} is {shown(value)}: expected {expected}")


def read_count(value: Any, name: str, least: int = 0, error: type[ValueError] = ValueError) -> int:
    """A whole number of at least ``least``. ``2.0`` and ``True`` are refused."""
    try:
        if isinstance(value, bool | np.bool_ | type) or np.ndim(value):
            raise TypeError
        count = operator.index(value)
    except (TypeError, ValueError):
        raise wrong(name, value, f"a whole number >= {least}", error) from None
    if count < least:
        raise wrong(name, value, f"at least {least}", error)
    return count


def read_kind(
    value: Any, name: str, of: Any, expected: str, error: type[ValueError] = ValueError
) -> Any:
    """A value that must be an instance ``of`` a class or several, ``A | None``."""
    if not isinstance(value, of):
        raise wrong(name, value, expected, error)
    return value


def read_word(value: Any, name: str, error: type[ValueError] = ValueError) -> str:
    """A text that is not empty, such as the name of something."""
    if not isinstance(value, str) or not value:
        raise wrong(name, value, "a string that is not empty", error)
    return value


def read_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(name, value, " or ".join(map(repr, choices)))
    return value


def read_levels(values: Any, name: str) -> NDArray[np.float64]:
    """Any numbers as an array of floats, negative ones and NaN included, such as a curve has."""
    try:
        if values is None or isinstance(values, str | bytes | dict):
            raise TypeError
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong(name, values, "an array of numbers") from None


def read_number(value: Any, name: str, what: str = "a number >= 0") -> float:
    """One finite number >= 0; ``what`` is what the error says was expected."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and number >= 0:
            return number
    raise wrong(name, value, what)


def read_flag(value: Any, name: str, error: type[ValueError] = ValueError) -> bool:
    """True or False. Other values are refused, since Python would take "no" for true."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, value, "True or False", error)
    return bool(value)


def read_array(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Finite numbers >= 0 as an array of floats; an array of floats is not copied."""
    if not (type(values) is np.ndarray and values.dtype == np.float64):
        values = _floats(values, name)
    if values.size and not (values.min() >= 0 and values.max() < np.inf):  # NaN fails both
        at = tuple(int(k) for k in np.argwhere(~((values >= 0) & (values < np.inf)))[0])
        where = f"[{at[0]}]" if len(at) == 1 else ""
        says = f"holds {values[at]}" if len(at) > 1 else f"is {values[at]}"
        raise ValueError(f"{name}{where} {says}: expected finite numbers >= 0")
    return values


def _floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Numbers of any kind as an array of floats; words, objects and masked cells are refused."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} has masked cells: expected a number in every cell")
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "buif" and given.size:
            given = np.asarray(values, dtype=object)
            if not all(isinstance(v, int | float | np.number) for v in given.ravel()):
                raise TypeError
        return given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not an array of numbers: found {shown(values)}") from None


def read_matrix(matrix: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A row-stochastic ``(..., M_X, M_Y)`` array of that shape; ``name`` is what errors call it."""
    m = read_array(matrix, name)
    if m.shape[-2:] != shape:
        raise ValueError(f"{name} has shape {m.shape}: expected (..., {shape[0]}, {shape[1]})")
    refuse_rows(m, name)
    return m


def refuse_rows(matrix: NDArray[np.float64], name: str) -> None:
    """Refuse a matrix of which a row does not sum to one."""
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=-1)
    off = np.abs(sums - 1) > ROW_SUM_TOLERANCE
    if off.any():
        at = tuple(int(i) for i in np.argwhere(off)[0])
        raise ValueError(
            f"{name}: row {at[-1]} sums to {sums[at]:.10g}, expected 1: "
            "row_normalize(matrix) scales the rows"
        )


def read_batch(arrays: Mapping[str, NDArray[np.float64]]) -> tuple[int, ...]:
    """The batch axes that named matrices and messages have together."""
    axes = {name: array.shape[:-2] for name, array in arrays.items()}
    try:
        return np.broadcast_shapes(*axes.values())
    except ValueError:
        odd = {name: batch for name, batch in axes.items() if batch}
        raise ValueError(f"the batch axes {odd} do not agree: expected one shape for all") from None


def read_weight(
    weight: ArrayLike | None,
    n: int,
    name: str = "weight",
    restarts: int = 0,
    *,
    summed: bool = True,
) -> NDArray[np.float64] | None:
    """The learning mask L[n] (section 3): ``n`` finite numbers >= 0 that are not all zero.

    With ``restarts`` it may also be ``(restarts, n)``, a row for each restart. Where likelihoods
    are ``summed`` with it, the sum must leave room for them.
    """
    if weight is None:
        return None
    w = read_array(weight, name)
    rows = f", or ({restarts}, {n}), a row for each restart" if restarts else ""
    if w.shape != (n,) and (not restarts or w.shape != (restarts, n)):
        raise ValueError(
            f"{name} has shape {w.shape}: expected ({n},), one number per sample{rows}"
        )
    if not w.any(axis=-1).all():
        raise ValueError(f"{name} is zero for every sample: at least one must count")
    if summed:
        _refuse_totals(w, name)
    return w


def _refuse_totals(weight: NDArray[np.float64], name: str) -> None:
    """Refuse weights of which a sum of log-likelihoods would be no float."""
    with np.errstate(over="ignore"):
        totals = weight.sum(axis=-1).ravel()
    if not (totals.min() >= LEAST_TOTAL and totals.max() <= MOST_TOTAL):
        odd = next(t for t in totals.tolist() if not LEAST_TOTAL <= t <= MOST_TOTAL)
        raise ValueError(
            f"{name} sums to {odd:.4g}: expected between {LEAST_TOTAL:g} and {MOST_TOTAL:g}, as a "
            "log-likelihood of so many samples is no float. Divide all weights by one number, such "
            "as their mean: no matrix depends on it"
        )


def read_generator(rng: Any, name: str = "rng") -> np.random.Generator:
    """A random generator, such as ``np.random.default_rng(seed)``."""
    if not isinstance(rng, np.random.Generator):
        raise wrong(name, rng, "a generator, np.random.default_rng(seed) makes one")
    return rng


def read_seeds(seed: Any, restarts: int) -> list[np.random.SeedSequence]:
    """A seed sequence for every restart.

    An integer or a ``SeedSequence`` gives a child to each restart, and is not changed. A list has
    an entry for each restart: of an integer its first child is taken, of a ``SeedSequence`` itself.
    """
    if isinstance(seed, list | tuple):
        return _seed_of_each(seed, restarts)
    if isinstance(seed, np.random.SeedSequence):
        return _copied(seed).spawn(restarts)  # which changes what the next ``spawn`` returns
    return np.random.SeedSequence(read_count(seed, "seed")).spawn(restarts)


def _copied(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """The same as if it had spawned no children."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)


def _seed_of_each(seeds: Sequence[Any], restarts: int) -> list[np.random.SeedSequence]:
    """The seed sequences of a list with an entry for each restart."""
    if len(seeds) != restarts:
        raise ValueError(f"seed has {len(seeds)} entries for {restarts} restarts: one each")
    return [
        s
        if isinstance(s, np.random.SeedSequence)
        else np.random.SeedSequence(read_count(s, "seed")).spawn(1)[0]
        for s in seeds
    ]


def read_names(names: Any, name: str, *, sets: bool = False) -> tuple[str, ...]:
    """One name or a sequence of names; with ``sets``, whose order does not matter, also a set."""
    if isinstance(names, str):
        return (names,)
    ordered = isinstance(names, Sequence) or (sets and isinstance(names, set | frozenset))
    if ordered and all(isinstance(n, str) for n in names):
        return tuple(names)
    raise wrong(name, names, "a name, or a sequence of names")


def memory() -> float:
    """The bytes that the machine has; infinite where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def refuse_beyond_memory(needed: float, what: str, remedy: str) -> None:
    """Say what would need so many bytes, before they are taken, where the machine has fewer."""
    if needed > memory():
        raise MemoryError(
            f"{what} would need about {needed / 1e9:.3g} GB, the machine has "
            f"{memory() / 1e9:.3g} GB: {remedy}"
        )
