"""The same work written by hand in plain NumPy: what the engine is measured against.

Each function knows its one graph and nothing else: no checks, no names, messages unnormalised where
that is safe. They are the fastest NumPy that we know of, and an independent check of the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Theta = Mapping[str, Array]


def fold(columns: Sequence[NDArray[np.intp]], sizes: Sequence[int]) -> tuple[list[Array], Array]:
    """The distinct rows as delta functions ``(M, K)``, and their counts ``(K,)``."""
    code = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        code = code * size + column
    counts = np.bincount(code)
    rows = np.flatnonzero(counts)
    states = np.unravel_index(rows, sizes)
    return [np.eye(m)[:, s] for m, s in zip(sizes, states, strict=True)], counts[rows] * 1.0


def one_latent_em(
    theta: Theta, columns: Sequence[NDArray[np.intp]], n_epochs: int
) -> tuple[Theta, Array]:
    """EM of a hidden S with the children X1, X2, X3, and the log-likelihood of every epoch."""
    evidence, counts = fold(columns, [theta[f"X{i}|S"].shape[1] for i in (1, 2, 3)])
    prior, children = theta["S"][0], [theta[f"X{i}|S"] for i in (1, 2, 3)]
    history = []
    for n in range(n_epochs + 1):
        said = [t.dot(e) for t, e in zip(children, evidence, strict=True)]
        joint = prior[:, None] * said[0] * said[1] * said[2]
        q = joint.sum(axis=0)
        history.append(counts.dot(np.log(q)))
        if n < n_epochs:
            expected = joint * (counts / q)
            total = expected.sum(axis=1)
            prior = total / counts.sum()
            children = [expected.dot(e.T) / total[:, None] for e in evidence]
    names = ("S", "X1|S", "X2|S", "X3|S")
    return dict(zip(names, (prior[None], *children), strict=True)), np.array(history)


def one_latent_loglik(theta: Theta, columns: Sequence[NDArray[np.intp]]) -> float:
    """The log-likelihood of the whole table under one set of matrices."""
    return float(one_latent_em(theta, columns, 0)[1][0])


def ml_in_chunks(theta: Array, f: Array, b: Array) -> Array:
    """One step of ML on soft messages ``(M, N)``, in chunks that stay in cache."""
    size = min(16384, 1_000_000 // theta.size)
    back = np.ascontiguousarray(theta.T)
    counts = np.zeros_like(theta)
    for at in range(0, f.shape[1], size):
        fc, bc = f[:, at : at + size], b[:, at : at + size]
        forward = back @ fc
        forward *= bc
        counts += fc @ (bc / np.add.reduce(forward, axis=0)).T
    theta = theta * counts
    return theta / theta.sum(axis=1, keepdims=True)


def deep_ml(
    theta: Theta, columns: Sequence[NDArray[np.intp]], n_epochs: int, n_it: int
) -> tuple[Theta, Array]:
    """ML on the graph of section 7.2: messages by hand, then every matrix ``n_it`` times."""
    t = {name: np.array(matrix) for name, matrix in theta.items()}
    s1, s2, s3 = (t[name].shape[1] for name in ("S1", "S2", "S3"))
    y2 = t["Y2|S1,S2"].shape[1]
    (e1, e2, e3), counts = fold(columns, [t[x].shape[1] for x in ("X1|Y1", "X2|Y1", "X3|Y2,S3")])
    k = len(counts)
    one = np.ones((1, k))
    history = []
    for n in range(n_epochs + 1):
        p1, p2, p3 = t["S1"].T, t["S2"].T, t["S3"].T
        from_x1, from_x2 = t["X1|Y1"].dot(e1), t["X2|Y1"].dot(e2)
        b_y1 = from_x1 * from_x2
        b_s1_left = t["Y1|S1"].dot(b_y1)
        b_y2s3 = t["X3|Y2,S3"].dot(e3).reshape(y2, s3, k)
        b_y2 = (b_y2s3 * p3).sum(axis=1)
        b_s1s2 = t["Y2|S1,S2"].dot(b_y2).reshape(s1, s2, k)
        b_s1_right = (b_s1s2 * p2).sum(axis=1)
        b_s1 = b_s1_left * b_s1_right
        history.append(counts.dot(np.log((p1 * b_s1).sum(axis=0))))
        if n == n_epochs:
            break
        f_s1_left, f_s1_right = p1 * b_s1_right, p1 * b_s1_left
        f_y1 = t["Y1|S1"].T.dot(f_s1_left)
        f_s1s2 = (f_s1_right[:, None] * p2).reshape(s1 * s2, k)
        f_y2 = t["Y2|S1,S2"].T.dot(f_s1s2)
        f_y2s3 = (f_y2[:, None] * p3).reshape(y2 * s3, k)
        pairs = {
            "S1": (one, b_s1),
            "S2": (one, (b_s1s2 * f_s1_right[:, None]).sum(axis=0)),
            "S3": (one, (b_y2s3 * f_y2[:, None]).sum(axis=0)),
            "Y1|S1": (f_s1_left, b_y1),
            "Y2|S1,S2": (f_s1s2, b_y2),
            "X1|Y1": (f_y1 * from_x2, e1),
            "X2|Y1": (f_y1 * from_x1, e2),
            "X3|Y2,S3": (f_y2s3, e3),
        }
        for name, (f, b) in pairs.items():
            matrix, weighted = t[name], b * counts
            for _ in range(n_it):
                q = (matrix.T.dot(f) * b).sum(axis=0)
                matrix = matrix * f.dot((weighted / q).T)
                matrix /= matrix.sum(axis=1, keepdims=True)
            t[name] = matrix
    return t, np.array(history)
