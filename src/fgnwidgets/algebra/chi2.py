"""The chi-square distribution's upper tail, without SciPy.

It is the regularised incomplete gamma function Q(a, x), with a = df / 2 and half the statistic as x
(Abramowitz and Stegun, 26.4.19): by its power series below x = a + 1 and by its continued fraction
above (6.5.29, 6.5.31).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LARGE = 1e5
"""Above so many degrees of freedom the cube root is normal (Wilson and Hilferty 1931): the error of
p is below 1e-7 there."""

EPS = 1e-16
"""A term below this share of the sum ends a series."""


@dataclass(frozen=True)
class ChiSquare:
    """A test: a statistic, its degrees of freedom, and ``p``, the upper tail of chi-square.

    ``p`` is NaN where ``df`` is not above zero, or where the statistic has no such distribution.
    """

    statistic: float
    df: int
    p: float

    def __str__(self) -> str:
        p = "p < 0.0001" if self.p < 1e-4 else f"p = {self.p:.4f}"
        return f"chi-square {self.statistic:.4f} with {self.df} degrees of freedom, {p}"


def chi2_sf(x: float, df: float) -> float:
    """P(chi-square with ``df`` degrees of freedom > ``x``), with a relative error below 1e-10.

    NaN where ``x`` is NaN or ``df`` is not above zero: there is no such distribution.
    """
    if math.isnan(x) or not df > 0:
        return math.nan
    if x <= 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    if df > LARGE:
        if df > 1e300:  # an integer that no float can hold
            return 1.0
        spread = 2 / (9 * df)
        return math.erfc(((x / df) ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread)) / 2
    a, half = df / 2, x / 2
    log_front = a * math.log(half) - half - math.lgamma(a)
    if half < a + 1:
        return 1 - math.exp(log_front) * _series(a, half)
    return math.exp(log_front) * _fraction(a, half)


def _series(a: float, x: float) -> float:
    """``sum_k x^k / (a (a + 1) ... (a + k))``."""
    term = total = 1 / a
    k = a
    while term > EPS * total:
        k += 1
        term *= x / k
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    """The continued fraction of Gamma(a, x) / (x^a e^-x), by the method of Lentz."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    value = d
    k = 0
    while True:
        k += 1
        top = k * (a - k)
        b += 2
        d = 1 / (top * d + b)
        c = b + top / c
        value *= c * d
        if abs(c * d - 1) < 4 * EPS:
            return value
