"""The third step of a three-step analysis: variables outside a model, by its classes.

Vocabulary
    assigned     ``a[n, s]``: whether sample n is assigned to class s, or its posterior
    errors       ``D[k, s] = P(assigned s | class k)``, of the assignment (Bolck, Croon and
                 Hagenaars 2004)
    share        ``r[n, k]``, what of sample n counts for class k. It is ``a`` without a correction;
                 ``a D^-1`` by BCH (Vermunt 2010), which may be negative; by maximum likelihood
                 P(class k | assigned s, outside variable), found by EM
    sandwich     ``A^-1 B A^-1`` with A minus the second derivatives of the log-likelihood and B the
                 squared scores of the samples, summed: errors that need no correct model
    slope        the derivatives of estimates in the entries of ``D``. They tell what the errors of
                 the first step add (Bakk, Oberski and Vermunt 2014)

Every function takes ``weight`` ``(N,)``, and ``square`` ``(N,)``, the weight of a squared score:
the weight itself where it counts equal rows, else its square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index

ROUNDS = 10_000
"""At most so many rounds of EM."""

STILL = 1e-12
"""EM ends when a round gains less log-likelihood than this per sample."""

LEAST = 1e-6
"""No class has a smaller variance than this part of the whole one: its density would have no
bound."""

BOUND = 1e-7
"""A probability below this is on its bound, and has no error."""


@dataclass(frozen=True, eq=False)
class Found:
    """Estimates with their covariance; ``shares`` ``(K,)`` are the sizes of the classes.

    ``estimate`` is ``(K, L)``, ``covariance`` ``(K L, K L)``, and ``slope`` ``(K L, K K)``, all in
    C order.
    """

    estimate: Array
    covariance: Array
    slope: Array
    shares: Array


@dataclass(frozen=True, eq=False)
class Assigned:
    """The samples' assignment ``a`` ``(N, K)``, its errors ``D`` ``(K, K)``, and the weights."""

    a: Array
    errors: Array
    weight: Array
    square: Array

    def shares(self, correction: str) -> Array:
        """``r`` ``(N, K)`` where it does not depend on the outside variable."""
        return np.asarray(self.a @ self.inverse(correction))

    def expected(self, logs: Array) -> tuple[float, Array, list[Array]]:
        """The log-likelihood, ``r``, and by assigned class the posterior ``(N, K)``.

        ``logs`` ``(N, K)`` is the log of ``g``, P(class k) times the density of the outside
        variable in class k. The log-likelihood is ``sum_n w[n] sum_s a[n, s] log sum_k g[n, k] D[k,
        s]``.
        """
        top = logs.max(axis=1, keepdims=True)
        density = np.exp(logs - top)
        total, r, each = float(self.weight @ top[:, 0]), np.zeros_like(self.a), []
        for s, column in enumerate(self.a.T):
            joint = density * self.errors[:, s]
            sums = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
            each.append(joint / sums)
            r += column[:, None] * each[-1]
            total += float((self.weight * column) @ np.log(sums[:, 0]))
        return total, r, each

    def inverse(self, correction: str) -> Array:
        """``D^-1``, with which ``r`` is made; the identity without a correction."""
        whole = np.eye(len(self.errors)) if correction == "none" else np.linalg.inv(self.errors)
        return np.asarray(whole)

    def sandwich(self, score: Array, curvature: Array, each: list[Array]) -> tuple[Array, Array]:
        """The covariance and the slope of estimates at a maximum of the log-likelihood.

        ``score`` ``(N, K, p)`` holds the first derivatives of ``logs``; ``curvature`` ``(p, p)``
        its second ones ``h``, summed with ``w r``. The second derivatives of the log-likelihood are
        ``sum w (sum_k r (h + s s^T) - sum_s a u u^T)`` with ``u = sum_k P(k | s) s`` (Louis 1982).
        """
        bent = curvature.copy()
        gradients = np.zeros((len(score), score.shape[-1]))
        moved = np.zeros((score.shape[-1], *self.errors.shape))
        for s, posterior in enumerate(each):
            rows = np.flatnonzero(self.a[:, s])
            a, p, one = self.a[rows, s], posterior[rows], score[rows]
            mean = np.einsum("nk,nkp->np", p, one)
            part = (self.weight[rows] * a)[:, None] * p
            flat = (one * part[..., None]).reshape(-1, one.shape[-1])
            bent += flat.T @ one.reshape(-1, one.shape[-1])
            bent -= (mean * (self.weight[rows] * a)[:, None]).T @ mean
            gradients[rows] += a[:, None] * mean
            gained = np.einsum("nk,nkp->pk", part, one) - mean.T @ part
            moved[:, :, s] = gained / np.maximum(self.errors[:, s], 1e-300)
        inverse = inverted(-bent)
        meat = (gradients * self.square[:, None]).T @ gradients
        return inverse @ meat @ inverse, inverse @ moved.reshape(len(inverse), -1)


def inverted(information: Array) -> Array:
    """The inverse, of a matrix scaled so that parameters of all sizes are inverted together."""
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(information)), 1e-300))
    inverse = np.linalg.pinv(information * scale * scale[:, None], rcond=1e-12, hermitian=True)
    unscaled: Array = inverse * scale * scale[:, None]
    return unscaled


def means(assigned: Assigned, correction: str, y: Array) -> Found:
    """The weighted means of ``y`` ``(N, L)`` by class, ``sum w r y / sum w r``."""
    r = assigned.shares(correction)
    held = assigned.weight @ r
    m = (r * assigned.weight[:, None]).T @ y / held[:, None]
    away = r[:, :, None] * (y[:, None] - m) / held[:, None]  # what a sample moves the means by
    flat = away.reshape(len(y), -1)
    slope = np.zeros((*m.shape, *assigned.errors.shape))
    if correction != "none":  # r changes by -r_j D^-1[s] where D[j, s] grows
        gained = (r * assigned.weight[:, None]).T @ y
        lost = gained[None, :] - held[None, :, None] * m[:, None]  # (K, K, L): k, j
        inverse = assigned.inverse(correction)
        slope = -np.einsum("sk,kjl->kljs", inverse, lost / held[:, None, None])
    covariance = (flat * assigned.square[:, None]).T @ flat
    return Found(m, covariance, slope.reshape(m.size, -1), held / held.sum())


def proportions(assigned: Assigned, codes: Index, size: int) -> Found:
    """P(outside variable | class) by maximum likelihood, ``(K, L)``, from codes ``(N,)``."""
    classes = assigned.a.shape[1]
    y = np.eye(size)[codes]
    pi, theta = _start(assigned, y)

    def logs() -> Array:
        values: Array = np.log(np.maximum(pi * theta[:, codes].T, 1e-300))
        return values

    before = -np.inf
    for _ in range(ROUNDS):
        total, r, each = assigned.expected(logs())
        held = (r * assigned.weight[:, None]).T @ y
        theta = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
        pi = held.sum(axis=1) / assigned.weight.sum()
        if total - before <= STILL * assigned.weight.sum():
            break
        before = total
    _, r, each = assigned.expected(logs())
    counts = (r * assigned.weight[:, None]).T @ y
    # coordinates: a probability grows as much as the largest one of its row shrinks
    columns = [(k, v) for k in range(classes) for v in _moving(theta[k])]
    first = classes - 1
    score = np.zeros((len(y), classes, first + len(columns)))
    score[:, :, :first] = (np.eye(classes) - pi)[:, 1:]
    bent = np.zeros((score.shape[-1],) * 2)
    bent[:first, :first] = -assigned.weight.sum() * (np.diag(pi) - np.outer(pi, pi))[1:, 1:]
    for at, (k, v) in enumerate(columns, first):
        top = int(theta[k].argmax())
        score[:, k, at] = y[:, v] / theta[k, v] - y[:, top] / theta[k, top]
        for other, (j, u) in enumerate(columns, first):
            if j == k:
                bent[at, other] = -counts[k, top] / theta[k, top] ** 2
                bent[at, other] -= counts[k, v] / theta[k, v] ** 2 if u == v else 0.0
    inner, slope = assigned.sandwich(score, bent, each)
    inner, slope = inner[first:, first:], slope[first:]
    outer = np.zeros((classes, size, len(columns)))
    for at, (k, v) in enumerate(columns):
        outer[k, v, at], outer[k, theta[k].argmax(), at] = 1.0, -1.0
    flat = outer.reshape(-1, len(columns))
    return Found(theta, flat @ inner @ flat.T, flat @ slope, pi)


def _moving(row: Array) -> list[int]:
    """The levels of a row that are free: not on their bound, nor the largest."""
    return [v for v in range(len(row)) if row[v] > BOUND and v != row.argmax()]


def normal(assigned: Assigned, z: Array) -> tuple[Found, Array]:
    """Means of a normal variable ``(N,)`` with a variance for each class, and the variances."""
    classes = assigned.a.shape[1]
    pi, start = _start(assigned, z[:, None])
    m = start[:, 0]
    whole = float(assigned.weight @ (z - assigned.weight @ z / assigned.weight.sum()) ** 2)
    whole /= assigned.weight.sum()
    v = np.full(classes, whole)

    def logs() -> Array:
        values: Array = np.log(pi) - ((z[:, None] - m) ** 2 / v + np.log(2 * np.pi * v)) / 2
        return values

    before = -np.inf
    for _ in range(ROUNDS):
        total, r, each = assigned.expected(logs())
        held = assigned.weight @ r
        m = (assigned.weight * z) @ r / held
        v = np.einsum("n,nk,nk->k", assigned.weight, r, (z[:, None] - m) ** 2) / held
        v = np.maximum(v, LEAST * whole)
        pi = held / held.sum()
        if total - before <= STILL * assigned.weight.sum():
            break
        before = total
    _, r, each = assigned.expected(logs())
    first, k = classes - 1, np.arange(classes)
    away = z[:, None] - m
    score = np.zeros((len(z), classes, first + 2 * classes))
    score[:, :, :first] = (np.eye(classes) - pi)[:, 1:]
    score[:, k, first + k] = away / v
    score[:, k, first + classes + k] = (away**2 / v - 1) / (2 * v)
    bent = np.zeros((score.shape[-1],) * 2)
    bent[:first, :first] = -assigned.weight.sum() * (np.diag(pi) - np.outer(pi, pi))[1:, 1:]
    part = r * assigned.weight[:, None]
    held, slope, square = part.sum(axis=0), (part * away).sum(axis=0), (part * away**2).sum(axis=0)
    at, below = first + k, first + classes + k
    bent[at, at] = -held / v
    bent[at, below] = bent[below, at] = -slope / v**2
    bent[below, below] = held / (2 * v**2) - square / v**3
    inner, slope = assigned.sandwich(score, bent, each)
    means_of = slice(first, first + classes)
    return Found(m[:, None], inner[means_of, means_of], slope[means_of], pi), v


def _start(assigned: Assigned, y: Array) -> tuple[Array, Array]:
    """Shares and means to start EM from: without a correction, a little towards the whole ones."""
    part = assigned.a * assigned.weight[:, None]
    held = part.sum(axis=0) + 1e-9
    whole = assigned.weight @ y / assigned.weight.sum()
    middle = part.T @ y / held[:, None]
    return held / held.sum(), 0.9 * middle + 0.1 * whole


def logits(assigned: Assigned, correction: str, x: Array) -> tuple[Array, Array, Array]:
    """The multinomial logit of the class on ``x`` ``(N, Q)``: coefficients, covariance, slope.

    ``log P(class k) / P(class 0) = x beta_k``: beta ``(K, Q)`` with zeros in row 0, and of the
    others the covariance ``((K - 1) Q, (K - 1) Q)`` and the slope ``((K - 1) Q, K K)``.
    """
    classes = assigned.a.shape[1]
    beta = np.zeros((classes, x.shape[1]))
    if correction == "ml":
        r, before = assigned.a, -np.inf
        for _ in range(ROUNDS):
            beta = _ascend(assigned.weight, x, r, beta)
            total, r, each = assigned.expected(np.log(np.maximum(softmax(x @ beta.T), 1e-300)))
            if total - before <= STILL * assigned.weight.sum():
                break
            before = total
    else:
        r = assigned.shares(correction)
        beta = _ascend(assigned.weight, x, r, beta)
    p = softmax(x @ beta.T)
    bent = -_information(assigned.weight, x, p)
    if correction != "ml":
        gradients = ((r - p)[:, 1:, None] * x[:, None]).reshape(len(x), -1)
        inverse, to = inverted(-bent), assigned.inverse(correction)
        moved = np.zeros((beta[1:].size, *assigned.errors.shape))
        for j in range(classes if correction != "none" else 0):
            for s in range(classes):
                change = -r[:, j, None] * (to[s] - p * to[s].sum())
                moved[:, j, s] = ((change[:, 1:] * assigned.weight[:, None]).T @ x).ravel()
        meat = (gradients * assigned.square[:, None]).T @ gradients
        return beta, inverse @ meat @ inverse, inverse @ moved.reshape(len(inverse), -1)
    score = ((np.eye(classes) - p[:, None])[..., 1:, None] * x[:, None, None]).reshape(
        len(x), classes, -1
    )
    return beta, *assigned.sandwich(score, bent, each)


def softmax(eta: Array) -> Array:
    """``exp(eta) / sum exp(eta)`` along the last axis."""
    power = np.exp(eta - eta.max(axis=-1, keepdims=True))
    p: Array = power / power.sum(axis=-1, keepdims=True)
    return p


def _ascend(weight: Array, x: Array, r: Array, beta: Array) -> Array:
    """The maximum of ``sum_n w[n] (sum_k r[n, k] eta_k - log sum_k exp(eta_k))``, by Newton.

    It is concave even if some ``r`` are negative, because they sum to 1.
    """

    def value(one: Array) -> float:
        eta = x @ one.T
        top = eta.max(axis=1)
        logs = top + np.log(np.exp(eta - top[:, None]).sum(axis=1))
        return float(weight @ ((r * eta).sum(axis=1) - logs))

    now = value(beta)
    for _ in range(50):
        p = softmax(x @ beta.T)
        slope = ((r - p)[:, 1:] * weight[:, None]).T @ x
        bent = _information(weight, x, p)
        bent[np.diag_indices_from(bent)] *= 1 + 1e-10
        step = np.linalg.lstsq(bent, slope.ravel(), rcond=None)[0].reshape(slope.shape)
        gain = now
        for _ in range(40):
            moved = beta.copy()
            moved[1:] += step
            gain = value(moved)
            if gain >= now:
                break
            step = step / 2
        else:
            return beta
        beta, risen, now = moved, gain - now, gain
        if risen <= 1e-13 * weight.sum():
            return beta
    return beta


def _information(weight: Array, x: Array, p: Array) -> Array:
    """Minus the second derivatives of the logit, ``((K - 1) Q, (K - 1) Q)``."""
    size = (p.shape[1] - 1) * x.shape[1]
    blocks = np.zeros((p.shape[1] - 1, x.shape[1]) * 2)
    for j in range(1, p.shape[1]):
        for k in range(1, p.shape[1]):
            each: Any = weight * p[:, j] * ((j == k) - p[:, k])
            blocks[j - 1, :, k - 1] = (x * each[:, None]).T @ x
    return blocks.reshape(size, size)
