"""The ledger's claims about a single block (sections 3 to 6), written from their own words.

Every check gives a bool for each seed; nothing here is imported from the library or the course.

Vocabulary
    pairs   N pairs of messages for each seed, f ``(seeds, N, M_X)`` and b ``(seeds, N, M_Y)``; they
            depend on each other where they are kept with the probability f^T theta b
    ends    by rule the log-likelihood that its matrix reaches
    flat    the likeliest matrix with equal rows; what is above it is gained
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
from plain_trees import RULES, share, step

SEED = 6
STEPS = 100


@dataclass(frozen=True)
class Pairs:
    sharp: float = 1.0
    n: int = 200
    m_x: int = 3
    m_y: int = 3
    depend: bool = False
    split: bool = False
    seeds: int = 100
    steps: int = STEPS


def drawn(case):
    """f, b, and a random matrix for each seed."""
    each = [one_draw(case, np.random.default_rng([SEED, k])) for k in range(case.seeds)]
    return [np.stack(part) for part in zip(*each, strict=True)]


def one_draw(case, rng):
    true = share(rng.random((case.m_x, case.m_y)) ** 4)
    f, b = np.empty((0, case.m_x)), np.empty((0, case.m_y))
    while len(f) < case.n:
        new = [share(share(rng.random((2 * case.n, m))) ** case.sharp)
               for m in (case.m_x, case.m_y)]  # fmt: skip
        kept = rng.random(2 * case.n) < ((new[0] @ true) * new[1]).sum(axis=1)
        if not case.depend:
            kept[:] = True
        f, b = np.vstack([f, new[0][kept]]), np.vstack([b, new[1][kept]])
    return f[: case.n], b[: case.n], share(rng.random((case.m_x, case.m_y)))


def loglik(th, f, b):
    return np.log((f @ th * b).sum(axis=-1)).sum(axis=-1)


@lru_cache(maxsize=64)
def runs(case):
    """All rules from uniform matrices; ML and KL with the curve of their iterations."""
    f, b, reference = drawn(case)
    half = case.n // 2 if case.split else case.n
    f, b, f_test, b_test = f[:, :half], b[:, :half], f[:, half:], b[:, half:]
    w = np.ones(f.shape[:2])
    th = {"reference": reference}
    curve, judged = {}, {}
    for rule in RULES:
        now = np.full((case.seeds, case.m_x, case.m_y), 1 / case.m_y)
        values, new = [loglik(now, f, b)], [loglik(now, f_test, b_test)]
        for _ in range(case.steps if rule in ("ml", "kl") else 1):
            now = step(rule, 1, now, f, b, w)
            values.append(loglik(now, f, b))
            new.append(loglik(now, f_test, b_test))
        th[rule], curve[rule], judged[rule] = now, np.stack(values), np.stack(new)
    row = step("ml", STEPS, np.full((case.seeds, 1, case.m_y), 1 / case.m_y),
               np.ones((case.seeds, half, 1)), b, w)  # fmt: skip
    flat = np.repeat(row, case.m_x, axis=1)
    return SimpleNamespace(
        th=th, curve=curve, judged=judged, f=f, b=b,
        ends={name: loglik(m, f, b) for name, m in th.items()},
        tested={name: loglik(m, f_test, b_test) for name, m in th.items()},
        gain={name: loglik(m, f, b) - loglik(flat, f, b) for name, m in th.items()},
        span={name: np.ptp(m, axis=(1, 2)) for name, m in th.items()},
        worth=np.maximum(loglik(flat, f_test, b_test), -(case.n - half) * np.log(case.m_y)) + 1,
    )  # fmt: skip


def most(values, *names):
    return np.max([values[name] for name in names], axis=0)


def made(r, rule):
    """The share of its own rise that a rule has made, ``(iterations, seeds)``."""
    rise = r.curve[rule][-1] - r.curve[rule][0]
    return (r.curve[rule] - r.curve[rule][0]) / np.where(rise > 0, rise, np.inf)


def normalization(case):
    r = runs(case)
    return (r.gain["kl"] < 0.9 * r.gain["ml"]) & (r.gain["ml"] > 1e-6)


def rises(case):
    r = runs(case)
    return (np.diff(r.curve["ml"], axis=0) > -1e-9).all(axis=0) & (r.gain["ml"] > 1e-6)


def few_steps(case):
    r = runs(case)
    return (made(r, "ml")[10] >= 0.9) & (r.gain["ml"] > 1e-6)


def few_steps_on_new(case):
    r = runs(case)
    ten, hundred = r.judged["ml"][10], r.judged["ml"][-1]
    return (ten > hundred - 0.01 * abs(hundred)) & (r.gain["ml"] > 1e-6)


def normalization_on_new(case):
    r = runs(case)
    ml, kl = (r.tested[rule] - r.worth + 1 for rule in ("ml", "kl"))
    return (kl < 0.9 * ml) & (ml > 1)


def vit_as_ml(case):
    """A hundredth of ML's likelihood of new samples at most; rows that are equal do not count."""
    r = runs(case)
    close = r.tested["vit"] > r.tested["ml"] - 0.01 * abs(r.tested["ml"])
    return close & (np.ptp(r.th["vit"], axis=1).max(axis=1) > 1e-6)


def mean_as_mode(case):
    f, b, _ = drawn(case)
    counts = f.swapaxes(1, 2) @ b
    return abs(share(counts + 1) - share(counts)).max(axis=(1, 2)) < 0.02


def counting(case):
    f, b, _ = drawn(case)
    f, b = (np.eye(v.shape[-1])[v.argmax(axis=-1)] for v in (f, b))
    pairs = share(f.swapaxes(1, 2) @ b)
    start = np.full(pairs.shape, 1 / case.m_y)
    off = [abs(step(rule, 5, start, f, b, np.ones(f.shape[:2])) - pairs) for rule in RULES]
    return np.max(off, axis=(0, 2, 3)) < 1e-4


def ml_first(case):
    ends = runs(case).ends
    return ends["ml"] > most(ends, "kl", "vit", "var", "reference") + 1e-9


def kl_second(case):
    ends = runs(case).ends
    return ends["kl"] > most(ends, "vit", "var", "reference")


def vit_above(case):
    ends = runs(case).ends
    return ends["vit"] > ends["var"]


def closer(case):
    """From smooth messages to the same ones sharpened by 20."""
    gap = [np.ptp([runs(replace(case, sharp=s)).ends[rule] for rule in RULES], axis=0)
           for s in (1.0, 20.0)]  # fmt: skip
    return gap[1] < gap[0]


def alike(case):
    th = runs(case).th
    return np.max([abs(th[rule] - th["ml"]) for rule in RULES], axis=(0, 2, 3)) < 0.05


def kl_sooner(case):
    r = runs(case)
    needs = {rule: (made(r, rule) >= 0.95).argmax(axis=0) for rule in ("ml", "kl")}
    above = np.minimum(r.ends["ml"], r.ends["kl"]) > r.ends["var"] + 1e-6
    return (needs["kl"] < needs["ml"]) & above


def ml_wider(case):
    r = runs(case)
    return (r.span["ml"] > most(r.span, "kl", "vit", "var")) & (r.gain["ml"] > 1e-6)


def same_on_test(case):
    r = runs(case)
    close = abs(r.ends["ml"] - r.tested["ml"]) < 0.01 * abs(r.ends["ml"])
    return close & (r.tested["ml"] > r.worth)


def order_on_test(case):
    r = runs(case)
    return (r.tested["ml"] > most(r.tested, "kl", "vit", "var")) & (r.tested["ml"] > r.worth)


SMOOTH, SHARP = Pairs(), Pairs(20.0)
LARGE = Pairs(m_x=5, m_y=4, n=500)
LEVELS = {
    "EX=EY=1, 3 x 3, N=200": SMOOTH,
    "EX=EY=20": SHARP,
    "EX=EY=5": Pairs(5.0),
    "EX=EY=1, 5 x 4, N=500": LARGE,
    "EX=EY=20, 5 x 4, N=500": replace(LARGE, sharp=20.0),
    "EX=EY=1, messages that depend, N=1000": Pairs(n=1000, depend=True, seeds=60),
    "EX=EY=20, messages that depend": Pairs(20.0, depend=True),
}


def halves(n, depend=False, seeds=100):
    return Pairs(n=n, split=True, depend=depend, seeds=seeds)


NEW = {
    "EX=EY=1, 200 new samples": halves(400),
    "EX=EY=1, 1000 new samples, messages that depend": halves(2000, True, seeds=60),
}


def of(check, settings):
    return {label: (check, case) for label, case in settings.items()}


CLAIMS = {
    "normalization-crucial": of(normalization, LEVELS) | of(normalization_on_new, NEW),
    "ml-rises": of(rises, LEVELS),
    "ml-few-steps": of(few_steps, LEVELS) | of(few_steps_on_new, NEW),
    "vit-sharp-or-many": of(vit_as_ml, {
        "EX=EY=20, N=200, 200 new samples": Pairs(20.0, n=400, split=True),
        "EX=EY=1, N=2000, 2000 new samples": halves(4000, seeds=50),
        "EX=EY=20, N=200, 200 new samples, messages that depend":
            Pairs(20.0, n=400, split=True, depend=True),
        "EX=EY=1, N=20000, 20000 new samples, messages that depend":
            Pairs(n=40_000, split=True, depend=True, seeds=10, steps=50),
        "EX=EY=20, N=20000, 20000 new samples, messages that depend":
            Pairs(20.0, n=40_000, split=True, depend=True, seeds=10, steps=50)}),
    "mean-like-mode": of(mean_as_mode, {"EX=EY=1, N=200": SMOOTH, "EX=EY=20, N=20":
                                        Pairs(20.0, n=20)}),
    "all-count": of(counting, {"3 x 3, N=200": SMOOTH, "5 x 4, N=500": LARGE}),
    "ml-best": of(ml_first, LEVELS),
    "kl-next": of(kl_second, LEVELS),
    "vit-above-var": of(vit_above, LEVELS),
    "sharper-closer": of(closer, {
        "3 x 3, EX=EY from 1 to 20": SMOOTH, "5 x 4, EX=EY from 1 to 20": LARGE,
        "messages that depend": Pairs(depend=True)}),
    "alike-when-sharp": of(alike, {
        "EX=EY=20, 3 x 3, N=200": SHARP, "EX=EY=100": Pairs(100.0),
        "EX=EY=20, messages that depend": Pairs(20.0, depend=True)}),
    "kl-faster": of(kl_sooner, LEVELS),
    "ml-wider": of(ml_wider, LEVELS),
    "generalizes": of(same_on_test, {
        "N=200": halves(200), "N=6000": halves(6000, seeds=20),
        "N=200, messages that depend": halves(200, True),
        "N=2000, messages that depend": halves(2000, True, 50),
        "N=6000, messages that depend": halves(6000, True, 20)}),
    "same-order-on-test": of(order_on_test, {
        "N=200": halves(200), "N=2000": halves(2000, seeds=50),
        "N=200, messages that depend": halves(200, True),
        "N=2000, messages that depend": halves(2000, True, 50)}),
}  # fmt: skip
