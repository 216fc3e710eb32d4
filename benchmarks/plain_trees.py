"""The four rules on any tree of discrete variables, written from the paper's text in plain NumPy.

It shares no code with the library or the course; ``claims.py`` recomputes the ledger with it.

Vocabulary
    tree    {variable: (size, its parents)}, parents in front of their children, no cycle; what
            nobody descends from may be observed
    x       the different rows, {observed variable: codes ``(n,)``}
    w       how often each table has each row, ``(R, n)``: R runs go side by side
    th      {variable: P(variable | parents)}, ``(R, M_parents, M)``; of several parents the first
            varies slowest, and a root has one parent value
    lam     what is seen below a variable, pi what is seen everywhere else, as a message to a child
"""

from __future__ import annotations

import math

import numpy as np

DELTA = 1e-6
RULES = ("ml", "kl", "vit", "var")


def share(v, axis=-1):
    """SumProduct to one along an axis; zeros stay."""
    s = v.sum(axis=axis, keepdims=True)
    return v / np.where(s > 0, s, 1)


def parents_size(tree, v):
    return math.prod(tree[u][0] for u in tree[v][1])


def shown(tree, x):
    """Of each observed variable, a one for the value that a row has: ``(1, n, M)``."""
    return {v: np.eye(tree[v][0])[codes][None] for v, codes in x.items()}


class Messages:
    """What every block hears: ``f[v]`` ``(R, n, M_parents)`` and ``b[v]`` ``(R, n, M)``."""

    def __init__(self, tree, th, x):
        self.tree, self.th = tree, th
        self.children = {u: [v for v in tree if u in tree[v][1]] for u in tree}
        self.seen = shown(tree, x)
        self.ups, self.downs = {}, {}
        self.n = len(next(iter(x.values())))
        self.b = {v: self.lam(v) for v in tree}
        self.f = {v: self.above(v) for v in tree}

    def lam(self, v, but=None):
        """The product of what the children say of ``v``, but for one, and of what is seen of it."""
        found = self.seen.get(v, np.ones((1, self.n, self.tree[v][0])))
        for child in self.children[v]:
            if child != but:
                found = found * self.up(child, v)
        return share(found)

    def up(self, v, to):
        """What the block of ``v`` says of its parent ``to``."""
        if (v, to) not in self.ups:
            parents = self.tree[v][1]
            told = self.lam(v) @ self.th[v].swapaxes(-1, -2)
            told = told.reshape(*told.shape[:2], *(self.tree[u][0] for u in parents))
            for k, u in enumerate(parents):
                if u != to:
                    shape = [*told.shape[:2], *(1 for _ in parents)]
                    pi = self.pi(u, v)
                    shape[0], shape[2 + k] = len(pi), pi.shape[-1]
                    told = told * pi.reshape(shape)
            others = tuple(2 + k for k, u in enumerate(parents) if u != to)
            self.ups[v, to] = share(told.sum(axis=others))
        return self.ups[v, to]

    def pi(self, u, child):
        """What a child hears of its parent ``u``."""
        if (u, child) not in self.downs:
            self.downs[u, child] = share(self.above(u) @ self.th[u] * self.lam(u, child))
        return self.downs[u, child]

    def above(self, v):
        """The product over the parents of what each says, as one vector; of a root, one."""
        found = np.ones((len(self.th[v]), self.n, 1))
        for u in self.tree[v][1]:
            pi = self.pi(u, v)
            found = (found[..., None] * pi[:, :, None, :]).reshape(*found.shape[:2], -1)
        return share(found)


def aggregated(tree, th, x):
    """Of every row the paper's sum over the columns, ``(R, n)``: each one given all the others."""
    heard = Messages(tree, th, x)
    with np.errstate(divide="ignore"):
        return sum(np.log(value(heard, v, x)) for v in x)


def exact(tree, th, x):
    """Of every row the log-likelihood, ``(R, n)``: each column given those in front of it."""
    names, found = list(x), 0.0
    for k, v in enumerate(names):
        heard = Messages(tree, th, {u: x[u] for u in names[: k + 1]})
        with np.errstate(divide="ignore"):
            found = found + np.log(value(heard, v, x))
    return found


def value(heard, v, x):
    """The probability that the messages give to the value of ``v`` in each row, ``(R, n)``."""
    told = share(heard.f[v] @ heard.th[v])
    return told[:, np.arange(len(x[v])), x[v]]


def hardest(p, luck=None):
    """A one for the largest value, of equal ones the first, or with ``luck`` any of them."""
    top = p >= p.max(axis=-1, keepdims=True) * (1 - 1e-9)
    if luck is not None:
        top = top * (1 + luck.random(p.shape))
    return np.eye(p.shape[-1])[top.argmax(axis=-1)]


def step(rule, n_it, th, f, b, w, *, delta=DELTA, keep=False, luck=None):
    """One M-step of a block, ``(R, M_X, M_Y)``; a row without counts keeps what it was."""
    runs = len(w)
    f, b = (np.broadcast_to(v, (runs, *v.shape[1:])) for v in (f, b))
    ft = f.swapaxes(-1, -2)
    if rule == "vit":
        e_x = (hardest(f, luck) + (0 if keep else delta)).swapaxes(-1, -2)
        return rows_of(e_x @ (w[..., None] * (hardest(b, luck) + delta)), th)
    if rule == "var":
        counts = ft @ (w[..., None] * b)
        return rows_of(counts + delta * ((not keep) | (counts.sum(-1, keepdims=True) > 0)), th)
    for _ in range(n_it):
        told = f @ th
        if rule == "ml":
            told = (told * b).sum(axis=-1, keepdims=True)
        ratio = b / np.maximum(told, 1e-290)  # nothing is said: th is 0 wherever f and b are not
        th = rows_of(th * (ft @ (w[..., None] * ratio)), th)
    return th


def rows_of(counts, old):
    s = counts.sum(axis=-1, keepdims=True)
    return np.where(s > 0, counts / np.where(s > 0, s, 1), old)


def random_rows(tree, rngs, power=1):
    """Random matrices, a generator for each run; the entries may be raised to a power."""
    return {
        v: share(np.stack([rng.random((parents_size(tree, v), m)) for rng in rngs]) ** power)
        for v, (m, _) in tree.items()
    }


def drawn(tree, th, n, rng):
    """``n`` rows of all variables from one model, {variable: codes}."""
    found = {}
    for v, (m, parents) in tree.items():
        row = np.zeros(n, dtype=int)
        for u in parents:
            row = row * tree[u][0] + found[u]
        up_to = th[v][row].cumsum(axis=1)
        found[v] = np.minimum((rng.random((n, 1)) > up_to).sum(axis=1), m - 1)
    return found


def first_messages(tree, samples, rng, rows):
    """The paper's start: every message in a hidden branch is random, and what is seen is seen."""
    heard = {}
    for v, (m, parents) in tree.items():
        f = share(rng.random((rows, parents_size(tree, v)))) if parents else np.ones((rows, 1))
        heard[v] = f, np.eye(m)[samples[v]] if v in samples else share(rng.random((rows, m)))
    return heard


def begun(tree, tables, masks, rngs, rule, n_it, options):
    """The matrices after the first M-step, which takes messages that are random, table by table."""
    found = []
    for samples, mask, rng in zip(tables, masks, rngs, strict=True):
        heard = first_messages(tree, samples, rng, len(mask))
        found.append({
            v: step(rule, n_it, np.full((1, parents_size(tree, v), m), 1 / m),
                    *(side[None] for side in heard[v]), mask[None], **options)
            for v, (m, _) in tree.items()
        })  # fmt: skip
    return {v: np.concatenate([th[v] for th in found]) for v in tree}


def folded(tables, masks):
    """The different rows of all tables, and how often each one has them, by its mask."""
    names = list(tables[0])
    stacked = np.concatenate([np.stack([t[v] for v in names], 1) for t in tables])
    rows, which = np.unique(stacked, axis=0, return_inverse=True)
    w = np.zeros((len(tables), len(rows)))
    run = np.repeat(np.arange(len(tables)), [len(m) for m in masks])
    np.add.at(w, (run, which.ravel()), np.concatenate(masks))
    return dict(zip(names, rows.T, strict=True)), w


def learned(tree, tables, masks, seeds, rule, n_it, epochs, start, **options):
    """Epoch by epoch the matrices of all runs; epoch 0 is where they begin."""
    x, w = folded(tables, masks)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    if start == "messages":
        yield {v: np.full((len(w), parents_size(tree, v), m), 1 / m) for v, (m, _) in tree.items()}
        th = begun(tree, tables, masks, rngs, rule, n_it, options)
    else:
        th = random_rows(tree, rngs)
    yield th
    for _ in range(epochs - (start == "messages")):
        heard = Messages(tree, th, x)
        th = {v: step(rule, n_it, th[v], heard.f[v], heard.b[v], w, **options) for v in tree}
        yield th
