"""Wald tests of equalities between estimates, and odds ratios, from a covariance of the estimates.

Vocabulary
    entry       one number of a learned matrix, named ``(matrix, given, state)`` by labels
    hypothesis  a linear equation ``R g = q`` of functions g of the entries: the entries themselves,
                or their log-odds ``log(p / (1 - p))``
    odds ratio  ``(p[x, y] / p[x, r]) / (p[s, y] / p[s, r])`` for the reference row s, and the
                reference state r

With the covariance V of g, the statistic ``(R g - q)^T (R V R^T)^-1 (R g - q)`` has, in large
samples under the hypothesis, a chi-square distribution with as many degrees of freedom as
``R V R^T`` has rank (Wald 1943).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.arrays import Array
from ..algebra.chi2 import chi2_sf
from ..arguments import listing, shown, wrong
from ..report import Report

SCALES = ("log-odds", "probability")

SINGULAR = 1e-10
"""An eigenvalue of ``R V R^T``, scaled to a unit diagonal, below this counts as zero."""

Entry = tuple[Any, ...]
Hypothesis = tuple[Any, Any]


@dataclass(frozen=True, repr=False)
class WaldTest(Report):
    """The ``statistic``, its degrees of freedom ``df``, and the p-value ``p``."""

    statistic: float
    df: int
    p: float
    scale: str

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        rows: list[list[object]] = [
            ["chi-square", self.statistic],
            ["degrees of freedom", self.df],
            ["p", self.p],
        ]
        return f"Wald test on the scale of {_plural(self.scale)}", ["", ""], rows


@dataclass(frozen=True, eq=False, repr=False)
class OddsRatios(Report):
    """Odds ratios of a matrix, arrays ``(M_X, M_Y)`` in the order of ``given`` and ``states``.

    ``se`` are the standard errors of ``log(values)``; ``low`` and ``high`` the ends of intervals,
    and ``p`` the p-values of the hypothesis that the ratio is 1 (Wald). They are NaN where one of
    the four numbers has no error, and in the row ``reference`` and the column ``reference_state``.
    """

    matrix: str
    given: tuple[Any, ...]
    states: tuple[Any, ...]
    reference: Any
    reference_state: Any
    level: float
    values: Array
    se: Array
    low: Array
    high: Array
    p: Array

    def rows(self) -> list[tuple[Any, ...]]:
        """``(given, state, odds ratio, low, high, p)`` for every ratio that is not 1 by choice."""
        numbers = self.values, self.low, self.high, self.p
        return [
            (given, state, *(float(v[x, y]) for v in numbers))
            for x, given in enumerate(self.given)
            for y, state in enumerate(self.states)
            if not same_label(given, self.reference) and not same_label(state, self.reference_state)
        ]

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        title = (
            f"Odds ratios of {self.matrix}, against {_text(self.reference)} and state "
            f"{_text(self.reference_state)}"
        )
        heads = ["given", "state", "odds ratio", "low", "high", "p"]
        return title, heads, [[_text(x), _text(y), *rest] for x, y, *rest in self.rows()]


def wald(
    names: Sequence[Entry],
    estimates: Array,
    covariance: Array,
    hypotheses: Any,
    scale: str,
    why: Sequence[str],
) -> WaldTest:
    """The test of ``hypotheses`` about the entries ``names``; ``why`` one has no error, else ""."""
    if not isinstance(scale, str) or scale not in SCALES:
        raise wrong("scale", scale, "'log-odds' or 'probability'")
    matrix, value = _equations(names, hypotheses, scale)
    used = np.flatnonzero(matrix.any(axis=0)).tolist()
    if lost := [k for k in used if why[k]]:
        raise ValueError(
            f"hypotheses: {shown_entry(names[lost[0]])} has no error ({why[lost[0]]}): leave out "
            "what is about it"
        )
    p, slope = estimates[used], np.ones(len(used))
    g = p
    if scale == "log-odds":
        g, slope = np.log(p / (1 - p)), 1 / (p * (1 - p))
    scaled = covariance[np.ix_(used, used)] * slope * slope[:, None]
    equations = matrix[:, used]
    off = equations @ g - value
    spread = equations @ scaled @ equations.T
    width = np.sqrt(np.maximum(np.diag(spread), 0))
    width = np.where(width > 0, width, 1.0)
    values, vectors = np.linalg.eigh(spread / width / width[:, None])
    sharp = values > SINGULAR * max(values.max(initial=0.0), 1e-300)
    along = vectors.T @ (off / width)
    if (np.abs(along[~sharp]) > 1e-6 * max(1.0, float(np.abs(along).max(initial=0.0)))).any():
        raise ValueError(
            "hypotheses contradict each other, or say of a fixed sum that it is another: expected "
            "equations that can hold at the same time"
        )
    statistic = float((along[sharp] ** 2 / values[sharp]).sum())
    df = int(sharp.sum())
    if not df:
        raise ValueError("hypotheses say nothing of the estimates: they hold whatever these are")
    return WaldTest(statistic, df, chi2_sf(statistic, df), scale)


def _equations(names: Sequence[Entry], hypotheses: Any, scale: str) -> tuple[Array, Array]:
    """R ``(r, E)`` and q ``(r,)`` of the hypotheses."""
    expected = (
        "a list of pairs (entry, entry) or (entry, probability), with entries (matrix, given, "
        "state); or ({entry: coefficient, ...}, value)"
    )
    if isinstance(hypotheses, np.ndarray):
        numbers = hypotheses.dtype.kind in "iuf" and bool(np.isfinite(hypotheses).all())
        if not numbers or hypotheses.ndim != 2 or hypotheses.shape[1] != len(names):
            raise ValueError(
                f"hypotheses are an array of {hypotheses.dtype} of shape {hypotheses.shape}: "
                f"expected finite numbers (r, {len(names)}), a coefficient for every one of "
                ".entries, in their order"
            )
        return hypotheses.astype(np.float64), np.zeros(len(hypotheses))
    odd = not isinstance(hypotheses, list | tuple) or not hypotheses
    if odd or _find(names, hypotheses) is not None:
        raise wrong("hypotheses", hypotheses, expected)
    several = [hypotheses] if _is_pair(hypotheses, names) else list(hypotheses)
    matrix, value = np.zeros((len(several), len(names))), np.zeros(len(several))
    for row, one in enumerate(several):
        name = f"hypotheses[{row}]"
        pair = one if isinstance(one, list | tuple) and len(one) == 2 else None
        if pair is None or pair[0] == {}:
            raise wrong(name, one, expected)
        left, right = pair
        if isinstance(left, Mapping):
            for entry, coefficient in left.items():
                matrix[row, place(names, entry, name)] += _number(
                    coefficient, f"{name}: a coefficient"
                )
            value[row] = _number(right, f"{name}: the value")
            continue
        matrix[row, place(names, left, name)] += 1.0
        if isinstance(right, tuple | list):
            matrix[row, place(names, right, name)] -= 1.0
            continue
        p = _number(right, f"{name}: the probability")
        if not 0 < p < 1:
            raise wrong(f"{name}: the probability", right, "a number between 0 and 1")
        value[row] = math.log(p / (1 - p)) if scale == "log-odds" else p
    return matrix, value


def _is_pair(given: Any, names: Sequence[Entry]) -> bool:
    """True if this is one hypothesis, and no list of them."""
    if len(given) != 2:
        return False
    left = given[0]
    return isinstance(left, Mapping) or _find(names, left) is not None


def _number(value: Any, name: str) -> float:
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number):
            return number
    raise wrong(name, value, "a finite number")


def place(names: Sequence[Entry], entry: Any, name: str) -> int:
    """The index of an entry among ``names``, by its labels; an error calls it ``name``."""
    index = _find(names, entry)
    if index is None:
        raise ValueError(
            f"{name}: the entry {shown(entry)} is none of the run's: expected (matrix, given, "
            f"state), such as {shown_entry(names[0])}; the matrices are "
            f"{listing(dict.fromkeys(name for name, *_ in names))}"
        )
    return index


def _find(names: Sequence[Entry], entry: Any) -> int | None:
    if not isinstance(entry, tuple | list) or not 2 <= len(entry) <= 3:
        return None
    # a source has one row, without a label, which may be left out
    whole = (entry[0], "", entry[1]) if len(entry) == 2 else tuple(entry)
    for k, name in enumerate(names):
        if all(same_label(a, b) for a, b in zip(name, whole, strict=True)):
            return k
    return None


def same_label(one: Any, other: Any) -> bool:
    """True if two labels are equal in type and value; whole numbers of NumPy are whole numbers."""
    if isinstance(other, np.generic):
        other = other.item()
    if isinstance(one, np.generic):
        one = one.item()
    if isinstance(one, tuple) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same_label, one, other))
    return type(one) is type(other) and bool(one == other)


def shown_entry(entry: Entry) -> str:
    """An entry in a message."""
    return shown(tuple(entry))


def odds(
    matrix: str,
    given: tuple[Any, ...],
    states: tuple[Any, ...],
    theta: Array,
    covariance: Array,
    estimated: Array,
    reference: Any,
    reference_state: Any,
    level: float,
) -> OddsRatios:
    """The odds ratios of a matrix ``theta`` ``(M_X, M_Y)``.

    ``covariance`` is ``(M_X, M_Y, M_X, M_Y)``, and ``estimated`` says which entries have an error.
    """
    from statistics import NormalDist  # slow to import: it needs fractions and decimals

    if len(given) < 2 or len(states) < 2:
        raise ValueError(
            f"matrix is {matrix!r}, which has shape {theta.shape}: an odds ratio compares two rows "
            "and two states"
        )
    s = _reference(given, reference, "reference", "a row")
    r = _reference(states, reference_state, "reference_state", "a state")
    at = NormalDist().inv_cdf(0.5 + level / 2)
    values, se = np.full(theta.shape, np.nan), np.full(theta.shape, np.nan)
    values[s], values[:, r] = 1.0, 1.0
    for x, y in np.ndindex(*theta.shape):
        four = [(x, y), (s, r), (x, r), (s, y)]
        if x == s or y == r:
            continue
        rows, columns = np.array(four).T
        p = theta[rows, columns]
        if not estimated[rows, columns].all():
            continue
        values[x, y] = p[0] * p[1] / (p[2] * p[3])
        slope = np.array([1.0, 1.0, -1.0, -1.0]) / p
        v = covariance[rows[:, None], columns[:, None], rows, columns]
        se[x, y] = np.sqrt(max(slope @ v @ slope, 0.0))
    logs = np.log(values)
    z = np.abs(logs) / np.where(se > 0, se, np.nan)
    p_values = np.array([math.erfc(v / math.sqrt(2)) for v in z.ravel()]).reshape(z.shape)
    return OddsRatios(
        matrix,
        given,
        states,
        given[s],
        states[r],
        level,
        values,
        se,
        np.exp(logs - at * se),
        np.exp(logs + at * se),
        p_values,
    )


def _reference(labels: tuple[Any, ...], wanted: Any, name: str, what: str) -> int:
    if wanted is None:
        return 0
    for k, label in enumerate(labels):
        if same_label(label, wanted):
            return k
    raise ValueError(f"{name} is {shown(wanted)}: expected {what}, one of {listing(labels)}")


def _text(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _plural(scale: str) -> str:
    return "probabilities" if scale == "probability" else scale
