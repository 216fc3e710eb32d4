"""Standard errors of learned matrices from the observed information, and intervals.

Vocabulary
    information   minus the second derivatives of ``loglik`` in the free numbers, at its maximum
    bound         0 or 1. For a number that learning drives there, the curvature of ``loglik`` says
                  nothing about its error
    loose         a number that the data cannot fix (:mod:`.identified`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..border.run import Run, read_run
from ..engine.arrays import Array
from ..engine.graph import as_normal
from ..readers import shown as shown_value
from .families import family, row_states
from .identified import identified
from .report import Report
from .scores import Entries, clamped, information

ON_BOUND = 1e-7
"""A number below this counts as 0."""

NEAR_BOUND, FALLING = 1e-3, 0.02
"""A number below ``NEAR_BOUND`` that an epoch would shrink by more than the share ``FALLING`` is on
its way to 0, and counts as 0."""

FLAT = 1e-6
"""Curvature below this part of the largest, in scaled coordinates, counts as none."""

UNSETTLED = 0.05
"""If a Newton step would still gain more ``loglik`` than this, learning has stopped too early."""

NOT_COUNTS = (
    "the weights are not whole numbers, so they are no counts of equal rows, as n, the criteria "
    "and standard errors take them: bootstrap(run, table, weight=...) draws rows with their weights"
)

NEAR, WIDE = 0.1, 2.0
"""A number within ``NEAR`` of 0 or 1 whose error in ``log(p / (1 - p))`` is above ``WIDE`` is given
no error. So large an error means that about ``1 / WIDE**2``, a quarter of a sample, speaks for the
number. Then ``loglik`` is no parabola around it, and the interval reaches from 50 times smaller to
50 times larger odds. In 250 simulated tables of 200 rows, errors from 1 to 1.5 gave intervals with
a median width of 0.09; errors above 2 occurred at four numbers below 0.01, and gave widths from 0.3
to 1."""

NOT_LEARNED = "not learned"
BOUND = "on its bound"
NEARLY = "near its bound: bootstrap"
LOOSE = "the data cannot fix it"
NO_MAXIMUM = "no maximum of loglik"


@dataclass(frozen=True, repr=False)
class Errors(Report):
    """Estimates ``theta`` with their standard errors ``se``, arrays ``(M_X, M_Y)`` by matrix.

    Where a number has no error, ``se[name]`` is NaN and ``why[name]`` gives the reason; elsewhere
    that is "". ``how`` says how the errors were found. After a bootstrap ``replicates[name]`` is
    ``(n, M_X, M_Y)``, with states numbered as the run's.
    """

    run: Run
    how: str
    theta: Mapping[str, Array]
    se: Mapping[str, Array]
    why: Mapping[str, NDArray[np.str_]]
    replicates: Mapping[str, Array] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def interval(self, level: float = 0.95) -> dict[str, Array]:
        """The low and high ends of intervals, ``(2, M_X, M_Y)`` by matrix; NaN without an error.

        After a bootstrap they are quantiles of the replicates. Otherwise they are normal intervals
        of ``log(p / (1 - p))`` by the delta method, which stay between 0 and 1.
        """
        if not isinstance(level, float) or not 0 < level < 1:
            raise ValueError(f"level is {shown_value(level)}: expected a number between 0 and 1")
        from statistics import NormalDist  # slow to import: it needs fractions and decimals

        tail = (1 - level) / 2
        found = {}
        for name, se in self.se.items():
            if self.replicates:
                ends = np.quantile(self.replicates[name], [tail, 1 - tail], axis=0)
                found[name] = np.where(np.isnan(se), np.nan, ends)
                continue
            p = np.where(np.isnan(se), 0.5, self.theta[name])
            centre = np.log(p / (1 - p))
            far = NormalDist().inv_cdf(1 - tail) * se / (p * (1 - p))
            # the logistic function, written so that it cannot overflow
            found[name] = (1 + np.tanh(np.stack([centre - far, centre + far]) / 2)) / 2
        return found

    def rows(self, level: float = 0.95) -> list[tuple[Any, ...]]:
        """``(matrix, given, state, estimate, error, low, high, why)`` for every number."""
        form = as_normal(self.run.graph)
        intervals, found = self.interval(level), []
        for name, theta in self.theta.items():
            node = form.users[name][0]
            given, states = row_states(form, node), form.states(family(form, node)[1])
            for (x, y), p in np.ndenumerate(theta):
                low, high = intervals[name][:, x, y]
                numbers = (float(p), float(self.se[name][x, y]), float(low), float(high))
                found.append((name, given[x], states[y], *numbers, str(self.why[name][x, y])))
        return found

    def _table(self) -> tuple[str, list[str], list[tuple[Any, ...]]]:
        heads = ["matrix", "given", "state", "estimate", "error", "low", "high", ""]
        return self.how, heads, [tuple(map(_cell, row)) for row in self.rows()]

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4f}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def standard_errors(run: Run) -> Errors:
    """Standard errors of a run's best matrices from the observed information (exact derivatives).

    A number on its bound has no error, nor has one that the data cannot fix; ``why`` says which.
    The same goes for a number so near its bound that its interval would cover nearly everything:
    use the quantiles of ``bootstrap`` for it. Pseudo-counts are taken for the prior that they are.

    Weights are taken for counts of equal rows. The weights of a survey are not counts: if they are
    not whole, a warning says so. Whole ones, such as 100 for everyone, cannot be told from counts,
    so divide them by their mean. In both cases use ``bootstrap`` with the table.

    Raises ``ValueError`` for rules other than "ml", which do not end at a maximum of ``loglik``.
    """
    best = read_run(run).best
    rule = run.rule if isinstance(run.rule, str) else run.rule[best]
    if rule != "ml":
        raise ValueError(
            f"the run was learned by {rule!r}, which ends at no maximum of loglik: its curvature "
            "says nothing of errors; bootstrap(run) works with every rule"
        )
    known, theta = Entries(run.free), run.best_theta
    curvature, gradient = information(clamped(run), run.weight, theta, known)
    alpha = known.flat(_alpha(run, known))
    flat = known.flat(theta)
    if alpha.any():  # add the derivatives of the prior, sum alpha log theta
        safe = np.maximum(flat, 1e-300)
        gradient = gradient + alpha / safe
        curvature = curvature + np.diag(alpha / safe**2)
    bound = _on_bound(known, theta, known.by_name(gradient)) if not alpha.any() else {}
    moves = {name: ~on for name, on in bound.items()} or None
    basis = known.coordinates(theta, moves)
    why = np.where(basis.any(axis=1), "", NOT_LEARNED).astype(object)
    if bound:
        why[known.flat(bound) > 0] = BOUND
    variance, flat_ones, bent, gain = _invert(basis, curvature, gradient)
    fixed = identified(run)
    loose = known.flat(fixed.loose) > 0
    why[(why == "") & (loose | flat_ones)] = LOOSE
    if bent:
        why[why == ""] = NO_MAXIMUM
    error = np.sqrt(np.maximum(variance, 0))
    near = np.minimum(flat, 1 - flat) < NEAR
    why[(why == "") & near & (error > WIDE * flat * (1 - flat))] = NEARLY
    se = np.where(why == "", error, np.nan)
    warnings = [fixed.warning, "" if run.counted else NOT_COUNTS]
    if gain > UNSETTLED:
        warnings.append(
            f"loglik could still rise by about {gain:.3g}: run more epochs, or with a smaller "
            "tol, before errors are read off"
        )
    return Errors(
        run,
        "Standard errors from the observed information",
        {name: theta[name] for name in known.free},
        known.by_name(se),
        {name: reasons.astype(str) for name, reasons in known.by_name(why).items()},
        warnings=tuple(w for w in warnings if w),
    )


def _alpha(run: Run, known: Entries) -> dict[str, Array]:
    """The pseudo-counts of every matrix, ``(M_X, M_Y)``."""
    given = run.told.get("alpha")
    found = {}
    for name, free in known.free.items():
        own = given.get(name) if isinstance(given, Mapping) else given
        found[name] = np.broadcast_to(np.asarray(0.0 if own is None else own, float), free.shape)
    return found


def _on_bound(
    known: Entries, theta: Mapping[str, Array], gradient: Mapping[str, Array]
) -> dict[str, NDArray[np.bool_]]:
    """The numbers that are on their bound, True in ``(M_X, M_Y)`` by matrix.

    A number is at 0, or so near that learning still drives it there. If all others of its row are,
    a number is at 1. An epoch of EM multiplies a number by its derivative of ``loglik``, divided by
    the mean derivative of its row: so the derivatives tell which numbers fall.
    """
    found = {}
    for name, free in known.free.items():
        mean = (theta[name] * gradient[name]).sum(axis=-1, keepdims=True)
        factor = gradient[name] / np.where(mean > 0, mean, 1)
        low = (theta[name] < ON_BOUND) | ((theta[name] < NEAR_BOUND) & (factor < 1 - FALLING))
        alone = (free & ~low).sum(axis=-1, keepdims=True) == 1
        found[name] = free & (low | (alone & low.any(axis=-1, keepdims=True)))
    return found


def _invert(
    basis: Array, curvature: Array, gradient: Array
) -> tuple[Array, NDArray[np.bool_], bool, float]:
    """Invert the information in the coordinates ``basis`` ``(E, n_free)``.

    Returns the variance of every entry ``(E,)``; which entries move along a direction without
    curvature ``(E,)``; whether ``loglik`` bends upwards somewhere, so that this is no maximum; and
    what a Newton step would still gain.
    """
    count = len(basis)
    if not basis.shape[1]:
        return np.zeros(count), np.zeros(count, dtype=bool), False, 0.0
    inner = basis.T @ curvature @ basis
    bend = np.abs(np.diag(inner))
    scale = 1 / np.sqrt(np.maximum(bend, 1e-12 * bend.max() + 1e-300))
    values, vectors = np.linalg.eigh(inner * scale * scale[:, None])
    sharp = values > FLAT * values.max()
    outer = (basis * scale) @ vectors  # how every entry moves along each direction
    variance = (outer[:, sharp] ** 2 / values[sharp]).sum(axis=1)
    idle = np.linalg.norm(outer[:, ~sharp], axis=1)
    flat = idle > 1e-3 * max(idle.max(initial=0.0), 1e-300)
    slope = ((basis.T @ gradient) * scale) @ vectors
    gain = float((slope[sharp] ** 2 / values[sharp]).sum() / 2)
    return variance, flat, bool(values.min() < -1e-4 * values.max()), gain
