"""Standard errors of learned matrices from the observed information, and intervals.

Vocabulary
    information   minus the second derivatives of ``loglik`` in the parameters, at its maximum
    robust        the covariance ``A^-1 B A^-1``, with the information A, and the sum B over rows or
                  clusters of ``u u^T``; u is the derivative of ``loglik`` of a row or a cluster.
                  Also called the sandwich (Huber 1967, White 1982)
    cluster       rows that are not independent of each other: people of a household, sequences of a
                  person. Different clusters are independent
    bound         0 or 1. For a number that learning drives there, the curvature of ``loglik`` says
                  nothing about its error
    loose         a number that the data cannot fix (:mod:`.identified`)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra.arrays import Array, Mask
from ..arguments import shown as shown_value
from ..arguments import wrong
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..learning.run import Run, read_run
from ..report import Report
from .clusters import draws_of, meat
from .families import row_states
from .identified import identified
from .scores import Entries, clamped_rows, information
from .wald import OddsRatios, WaldTest, odds, wald
from .weights import NOT_COUNTS, survey_scale, survey_warning

ON_BOUND = 1e-7
"""A number below this counts as 0."""

NEAR_BOUND, FALLING = 1e-3, 0.02
"""A number below ``NEAR_BOUND`` that an epoch would shrink by more than the share ``FALLING`` is on
its way to 0, and counts as 0."""

FLAT = 1e-6
"""Curvature below this part of the largest, in scaled coordinates, counts as none."""

UNSETTLED = 0.05
"""If a Newton step would still gain more ``loglik`` than this, learning has stopped too early."""

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
    ``(n, M_X, M_Y)``, with states numbered as the run's. ``row_n[name]`` ``(M_X,)`` is how many
    independent samples each row of a matrix rests on. ``covariance`` ``(E, E)`` is that of all
    ``entries``, NaN where there is no error.
    """

    run: Run
    how: str
    theta: Mapping[str, Array]
    se: Mapping[str, Array]
    why: Mapping[str, NDArray[np.str_]]
    replicates: Mapping[str, Array] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    row_n: Mapping[str, Array] = field(default_factory=dict)
    covariance: Array = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def entries(self) -> list[tuple[Any, ...]]:
        """``(matrix, given, state)`` of every number, in the order of ``rows`` and ``cov_params``.

        ``given`` is the state of the parent, a tuple of states of several parents, or "" for the
        one row of a source.
        """
        form = as_normal(self.run.graph)
        entries: list[tuple[Any, ...]] = []
        for name in self.theta:
            node = form.users[name][0]
            given, states = row_states(form, node), form.states(form.family(node)[1])
            entries += [(name, x, y) for x in given for y in states]
        return entries

    def interval(self, level: float = 0.95) -> dict[str, Array]:
        """The low and high ends of intervals, ``(2, M_X, M_Y)`` by matrix; NaN without an error.

        After a bootstrap they are quantiles of the replicates. Otherwise they are normal intervals
        of ``log(p / (1 - p))`` by the delta method, which stay between 0 and 1.

        A number on its bound has no error, but an interval: that of Wilson (1927) for a share of
        the n independent samples that its row rests on (``row_n``), the set of all p with
        ``|p_hat - p| <= z sqrt(p (1 - p) / n)``. For a number at 0 it reaches from 0 to
        ``z^2 / (n + z^2)``; of 25 answers that are all "no", to 0.133 for "yes". After a bootstrap
        it is widened to hold the quantiles of the replicates too. If the parent is hidden, n is the
        expected number of samples in its state. That takes the states of the samples for known, so
        the interval is then rather too short than too long.
        """
        at, tail = _normal(level)
        intervals = {}
        for name, se in self.se.items():
            lost, theta = np.isnan(se), self.theta[name]
            if self.replicates:
                ends = np.quantile(self.replicates[name], [tail, 1 - tail], axis=0)
            else:
                p = np.where(lost, 0.5, theta)
                centre = np.log(p / (1 - p))
                far = at * np.where(lost, 0.0, se) / (p * (1 - p))
                # the logistic function, written so that it cannot overflow
                ends = (1 + np.tanh(np.stack([centre - far, centre + far]) / 2)) / 2
            inside = np.where(lost, np.nan, ends)
            on = self.why[name] == BOUND
            if on.any() and name in self.row_n:
                low, high = wilson(theta, self.row_n[name][:, None], at)
                if self.replicates:
                    low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
                inside = np.where(on, np.stack([low, high]), inside)
            intervals[name] = inside
        return intervals

    def cov_params(self, matrix: str | None = None, other: str | None = None) -> Array:
        """The covariance of the estimates, ``(E, E)`` in the order of ``entries``.

        Of one ``matrix`` it is ``(M_X, M_Y, M_X, M_Y)``; of ``matrix`` and ``other`` it is
        ``(M_X, M_Y, M_X', M_Y')``. The numbers of a row sum to one, so their covariances sum to 0.
        NaN for a number without an error: it is held where it is, and the others' covariances are
        given that.
        """
        if matrix is None:
            if other is not None:
                raise ValueError("other is given without matrix: expected both, or one matrix")
            return self.covariance.copy()
        one = self._span(matrix, "matrix")
        two = one if other is None else self._span(other, "other")
        shape = (*self.theta[matrix].shape, *self.theta[matrix if other is None else other].shape)
        return self.covariance[one, two].reshape(shape)

    def wald_test(self, hypotheses: Any, *, scale: str = "log-odds") -> WaldTest:
        """Test equations between the estimates, all of them at once (Wald).

        ``hypotheses`` is a list of pairs. ``(entry, entry)`` says that two numbers are equal, and
        ``(entry, probability)`` that one has this value. ``({entry: coefficient, ...}, value)`` is
        any linear equation on the scale of the test. An entry is ``(matrix, given, state)``, as in
        ``entries``; a source's may be ``(matrix, state)``. One pair need not be in a list. An array
        ``(r, E)`` of coefficients says that r sums over ``entries`` are 0.

        ``scale`` is "log-odds", ``log(p / (1 - p))``, on which estimates near 0 or 1 are closer to
        normal, or "probability". Equality means the same on both. Degrees of freedom are the rank
        of the equations' covariance, so that one that follows from others does not count.

        Raises ``ValueError`` for a number without an error, and if equations contradict each other.
        """
        flat = np.concatenate([np.zeros(0), *(m.ravel() for m in self.theta.values())])
        why = [str(reason) for reasons in self.why.values() for reason in reasons.ravel()]
        return wald(self.entries, flat, self.covariance, hypotheses, scale, why)

    def odds_ratios(
        self,
        matrix: str,
        *,
        reference: Any = None,
        reference_state: Any = None,
        level: float = 0.95,
    ) -> OddsRatios:
        """The odds ratios of a matrix P(Y | X) with normal intervals of their logarithms.

        That of a row x and a state y is ``(p[x, y] / p[x, r]) / (p[s, y] / p[s, r])``. ``s`` is the
        row ``reference``, such as a class, and ``r`` the ``reference_state``; by default each is
        the first. The error of its logarithm is found by the delta method from ``cov_params``.

        Raises ``ValueError`` for a source, which has one row.
        """
        _normal(level)
        at = self._span(matrix, "matrix")
        theta = self.theta[matrix]
        form = as_normal(self.run.graph)
        node = form.users[matrix][0]
        covariance = self.covariance[at, at].reshape(*theta.shape, *theta.shape)
        return odds(
            matrix,
            tuple(row_states(form, node)),
            tuple(form.states(form.family(node)[1])),
            theta,
            covariance,
            ~np.isnan(self.se[matrix]),
            reference,
            reference_state,
            level,
        )

    def _span(self, matrix: Any, name: str) -> slice:
        """The places of a matrix's entries among all."""
        if not isinstance(matrix, str) or matrix not in self.theta:
            raise wrong(name, matrix, f"one of the matrices {', '.join(self.theta)}")
        names = list(self.theta)
        before = names[: names.index(matrix)]
        at = sum(self.theta[earlier].size for earlier in before)
        return slice(at, at + self.theta[matrix].size)

    def rows(self, level: float = 0.95) -> list[tuple[Any, ...]]:
        """``(matrix, given, state, estimate, error, low, high, why)`` for every number."""
        intervals, rows, entries = self.interval(level), [], iter(self.entries)
        for name, theta in self.theta.items():
            for (x, y), p in np.ndenumerate(theta):
                low, high = intervals[name][:, x, y]
                numbers = (float(p), float(self.se[name][x, y]), float(low), float(high))
                rows.append((*next(entries), *numbers, str(self.why[name][x, y])))
        return rows

    def _table(self) -> tuple[str, list[str], list[tuple[Any, ...]]]:
        heads = ["matrix", "given", "state", "estimate", "error", "low", "high", ""]
        return self.how, heads, [tuple(map(_cell, row)) for row in self.rows()]

    def _notes(self) -> tuple[str, ...]:
        return self.warnings

    def _data(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        return [head or "why" for head in self._table()[1]], self.rows()


def _normal(level: float) -> tuple[float, float]:
    """The normal quantile of an interval's end, and the probability beyond each end."""
    if not isinstance(level, float) or not 0 < level < 1:
        raise ValueError(f"level is {shown_value(level)}: expected a number between 0 and 1")
    from statistics import NormalDist  # slow to import: it needs fractions and decimals

    tail = (1 - level) / 2
    return NormalDist().inv_cdf(1 - tail), tail


def wilson(p: Array, n: Array, at: float) -> tuple[Array, Array]:
    """The low and high ends of Wilson's interval for a share ``p`` of ``n``; ``at`` is z.

    They solve ``(p - x)^2 = z^2 x (1 - x) / n`` for x. With n = 0 they are 0 and 1.
    """
    centre = n * p + at**2 / 2
    far = at * np.sqrt(np.maximum(n * p * (1 - p), 0) + at**2 / 4)
    low, high = (centre - far) / (n + at**2), (centre + far) / (n + at**2)
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4f}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def standard_errors(
    run: Run,
    table: Table | Evidence = None,
    *,
    cluster: str | ArrayLike | None = None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
) -> Errors:
    """Standard errors of a run's best matrices from the observed information (exact derivatives).

    A number on its bound has no error, nor has one that the data cannot fix; ``why`` says which.
    The same goes for a number so near its bound that its interval would cover nearly everything:
    use the quantiles of ``bootstrap`` for it. Pseudo-counts are taken for the prior that they are.
    One long sequence has errors too: as it grows, a hidden Markov model's estimates become normal
    with this covariance (Bickel, Ritov and Ryden 1998).

    Given the ``table`` that the run learned from, with its ``columns`` and its ``weight``, the
    errors are robust: those of the covariance ``G / (G - 1) A^-1 B A^-1``, where A is the
    information and B the sum of ``u u^T`` over G clusters. u is the derivative of ``loglik`` of the
    rows of a cluster with their weights, from which its mean is taken. They hold if the model is
    wrong about how the rows of a cluster depend on each other, and for the weights of a survey,
    whatever their scale.

    ``cluster``   says which rows belong together: people of one household, sequences of one person.
                  It is the name of a column, or an array ``(N,)``. Without it every row is a
                  cluster, and one whose weight is a count as many. Of a lazy table it must be a
                  column

    Without a table, weights are taken for counts of equal rows. If they are not whole, or were said
    to be a survey's (``fit(..., survey=True)``), they are multiplied by a number so that they sum
    to the number of rows, and a warning says so.

    Raises ``ValueError`` for rules other than "ml", which do not end at a maximum of ``loglik``, if
    the run did not learn from this table, and with fewer than two clusters.
    """
    best = read_run(run).best
    rule = run.rule if isinstance(run.rule, str) else run.rule[best]
    if rule != "ml":
        raise ValueError(
            f"the run was learned by {rule!r}, which ends at no maximum of loglik: its curvature "
            "says nothing of errors; bootstrap(run) works with every rule"
        )
    drawn = draws_of(run, table, columns, weight, cluster)
    entries, theta = Entries(run.free), run.best_theta
    scale = survey_scale(run) if drawn is None else 1.0
    weights = scale * run.weight
    curvature, gradient = information(clamped_rows(run), weights, theta, entries)
    alpha = entries.flat(_alpha(run, entries))
    flat = entries.flat(theta)
    if alpha.any():  # add the derivatives of the prior, sum alpha log theta
        safe = np.maximum(flat, 1e-300)
        gradient = gradient + alpha / safe
        curvature = curvature + np.diag(alpha / safe**2)
    bound = _on_bound(entries, theta, entries.by_name(gradient)) if not alpha.any() else {}
    moves = {name: ~on for name, on in bound.items()} or None
    basis = entries.coordinates(theta, moves)
    why = np.where(basis.any(axis=1), "", NOT_LEARNED).astype(object)
    if bound:
        why[entries.flat(bound) > 0] = BOUND
    inverse, flat_ones, bent, gain = _invert(basis, curvature, gradient)
    fixed = identified(run)
    loose = entries.flat(fixed.loose) > 0
    why[(why == "") & (loose | flat_ones)] = LOOSE
    if bent:
        why[why == ""] = NO_MAXIMUM
    if drawn is not None:
        inverse = inverse @ meat(drawn, theta, entries) @ inverse
    error = np.sqrt(np.maximum(np.diag(inverse), 0))
    near = np.minimum(flat, 1 - flat) < NEAR
    why[(why == "") & near & (error > WIDE * flat * (1 - flat))] = NEARLY
    warnings = [fixed.warning]
    if drawn is None:
        warnings.append("" if run.counted else survey_warning(run) or NOT_COUNTS)
    else:
        warnings.append(drawn.warning)
    if gain > UNSETTLED:
        warnings.append(
            f"loglik could still rise by about {gain:.3g}: run more epochs, or with a smaller "
            "tol, before errors are read off"
        )
    reasons = {name: words.astype(str) for name, words in entries.by_name(why).items()}
    return Errors(
        run,
        "Standard errors from the observed information" if drawn is None else drawn.how,
        {name: theta[name] for name in entries.free},
        entries.by_name(np.where(why == "", error, np.nan)),
        reasons,
        warnings=tuple(w for w in warnings if w),
        row_n=row_n(run, scale if drawn is None else drawn.per_weight),
        covariance=np.where((why == "") & (why == "")[:, None], inverse, np.nan),
    )


def row_n(run: Run, scale: float) -> dict[str, Array]:
    """The number of independent samples that each row of a matrix rests on, ``(M_X,)`` by matrix.

    ``scale`` is how many independent samples a weight of one stands for.
    """
    counts = run.best_counts
    return {name: scale * counts[name].sum(axis=-1) for name in run.free}


def _alpha(run: Run, entries: Entries) -> dict[str, Array]:
    """The pseudo-counts of every matrix, ``(M_X, M_Y)``."""
    given = run.settings.get("alpha")
    alpha = {}
    for name, free in entries.free.items():
        value = given.get(name) if isinstance(given, Mapping) else given
        alpha[name] = np.broadcast_to(
            np.asarray(0.0 if value is None else value, float), free.shape
        )
    return alpha


def _on_bound(
    entries: Entries, theta: Mapping[str, Array], gradient: Mapping[str, Array]
) -> dict[str, Mask]:
    """The numbers that are on their bound, True in ``(M_X, M_Y)`` by matrix.

    A number is at 0, or so near that learning still drives it there. If all others of its row are,
    a number is at 1. An epoch of EM multiplies a number by its derivative of ``loglik``, divided by
    the mean derivative of its row: so the derivatives tell which numbers fall.
    """
    bound = {}
    for name, free in entries.free.items():
        mean = (theta[name] * gradient[name]).sum(axis=-1, keepdims=True)
        factor = gradient[name] / np.where(mean > 0, mean, 1)
        low = (theta[name] < ON_BOUND) | ((theta[name] < NEAR_BOUND) & (factor < 1 - FALLING))
        alone = (free & ~low).sum(axis=-1, keepdims=True) == 1
        bound[name] = free & (low | (alone & low.any(axis=-1, keepdims=True)))
    return bound


def _invert(basis: Array, curvature: Array, gradient: Array) -> tuple[Array, Mask, bool, float]:
    """Invert the information in the coordinates ``basis`` ``(E, n_free)``.

    Returns the covariance of the entries ``(E, E)``; which entries move along a direction without
    curvature ``(E,)``; whether ``loglik`` bends upwards somewhere, so that this is no maximum; and
    what a Newton step would still gain.
    """
    count = len(basis)
    if not basis.shape[1]:
        return np.zeros((count, count)), np.zeros(count, dtype=bool), False, 0.0
    inner = basis.T @ curvature @ basis
    bend = np.abs(np.diag(inner))
    scale = 1 / np.sqrt(np.maximum(bend, 1e-12 * bend.max() + 1e-300))
    values, vectors = np.linalg.eigh(inner * scale * scale[:, None])
    sharp = values > FLAT * values.max()
    outer = (basis * scale) @ vectors  # how every entry moves along each direction
    half = outer[:, sharp] / np.sqrt(values[sharp])
    idle = np.linalg.norm(outer[:, ~sharp], axis=1)
    flat = idle > 1e-3 * max(idle.max(initial=0.0), 1e-300)
    slope = ((basis.T @ gradient) * scale) @ vectors
    gain = float((slope[sharp] ** 2 / values[sharp]).sum() / 2)
    return half @ half.T, flat, bool(values.min() < -1e-4 * values.max()), gain
