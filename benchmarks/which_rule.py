"""Chapter 15's table once more, by a program that shares no code with the library or the course.

It knows one kind of model, a hidden variable above columns that are seen, and writes out for it
what every contender does; it reads the tables from their files. Rows, starts and batches are drawn
from seeds of its own, so its numbers are others, and should agree within their errors.

    python benchmarks/which_rule.py              every case: some minutes
    python benchmarks/which_rule.py titanic      the cases whose names hold a word
    python benchmarks/which_rule.py schedules    other schedules of stepwise EM and annealing

Vocabulary
    x        the different rows, ``(rows, columns)`` of codes; ``learn`` and ``judge`` weigh them
    pi, th   the prior ``(K,)`` and a matrix ``(K, M)`` for each column
"""

from __future__ import annotations

import csv
import itertools
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "fgn_notebooks" / "data"
SPLITS, STARTS, EPOCHS, SEED, DELTA = 12, 4, 100, 20_261, 1e-6
PAPER = (
    np.array([0.25] * 4),
    [
        np.array([[0.1, 0.9], [0.1, 0.9], [0.9, 0.1], [0.3, 0.7]]),
        np.array([[0.1, 0.9], [0.99, 0.01], [0.5, 0.5], [0.2, 0.8]]),
        np.array([[0.1, 0.89, 0.01], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]),
    ],
)


def said(th, x):
    """For each column, P(what the row has | s), ``(K, rows)``."""
    return [t[:, x[:, j]] for j, t in enumerate(th)]


def share(v):
    """Columns that sum to one; a column of zeros stays."""
    s = v.sum(axis=0)
    return v / np.where(s > 0, s, 1)


def rows_of(counts, old):
    """Rows that sum to one; a row without counts keeps what it was."""
    s = counts.sum(axis=-1, keepdims=True)
    return np.where(s > 0, counts / np.where(s > 0, s, 1), old)


def counted(shares, learn, column, m):
    """Shares ``(K, rows)`` added up by the value of a column, ``(K, m)``."""
    return np.stack([(shares * learn)[:, column == v].sum(axis=1) for v in range(m)], axis=1)


def hardened(p):
    """A one where each column is largest, the first of those within rounding; else zeros."""
    hard = np.zeros_like(p)
    hard[(p >= p.max(axis=0) * (1 - 1e-9)).argmax(axis=0), range(p.shape[1])] = 1
    return hard


def messages(pi, th, x):
    """What every block hears: f of each child's block, and what the children say of S."""
    p = said(th, x)
    f = [share(pi[:, None] * np.prod(p[:j] + p[j + 1 :], axis=0)) for j in range(len(p))]
    return f, share(np.prod(p, axis=0))


def step(rule, n_it, a, pi, th, x, learn, f, back):
    """All blocks from the same messages, as the paper has it."""
    new = []
    for j, t in enumerate(th):
        m = t.shape[1]
        if rule == "vit":
            seen = np.eye(m)[:, x[:, j]] + DELTA
            new.append(rows_of((hardened(f[j]) + DELTA) * learn @ seen.T, t))
        elif rule == "var":
            new.append(rows_of(counted(f[j], learn, x[:, j], m) + DELTA, t))
        else:  # the value is seen, so that ML and KL are the same at this block
            for _ in range(n_it):
                t = rows_of(counted(share(f[j] * t[:, x[:, j]]), learn, x[:, j], m) + a, t)
            new.append(t)
    if rule == "vit":
        pi = (hardened(back) + DELTA) @ learn
    elif rule in ("var", "kl"):
        pi = back @ learn + (DELTA if rule == "var" else 0)
    else:
        for _ in range(n_it):
            pi = share(pi[:, None] * back) @ learn + a
            pi = pi / pi.sum()
    return pi / pi.sum(), new


def by_epochs(rule, n_it=1, a=0.0):
    def learned(pi, th, x, learn, rng):
        for _ in range(EPOCHS):
            pi, th = step(rule, n_it, a, pi, th, x, learn, *messages(pi, th, x))
        return pi, th

    return learned


def posterior(pi, th, x, heat=1.0):
    return share((pi[:, None] * np.prod(said(th, x), axis=0)) ** heat)


def in_turn(pi, th, x, learn, rng):
    """The prior first, then one column after the other; posteriors are new each time."""
    th = list(th)
    for _ in range(EPOCHS):
        pi = posterior(pi, th, x) @ learn
        pi = pi / pi.sum()
        for j, t in enumerate(th):
            th[j] = rows_of(counted(posterior(pi, th, x), learn, x[:, j], t.shape[1]), t)
    return pi, th


def annealed(pi, th, x, learn, rng, first=0.6):
    for heat in [first] * 20 + [(1 + first) / 2] * 20 + [1.0] * 60:
        r = posterior(pi, th, x, heat)
        th = [rows_of(counted(r, learn, x[:, j], t.shape[1]), t) for j, t in enumerate(th)]
        pi = r @ learn / learn.sum()
    return pi, th


def stepwise(pi, th, x, learn, rng, power=0.7, many=10):
    """One step on all, then tenths; the statistic moves by (t + 1) ** -0.7."""
    each = np.repeat(np.arange(len(learn)), learn.astype(int))
    kept_pi, kept = None, None
    for t in range(EPOCHS):
        if t == 0:
            part = learn
        else:
            if (t - 1) % many == 0:
                parts = np.array_split(rng.permutation(each), many)
            part = np.bincount(parts[(t - 1) % many], minlength=len(learn)).astype(float)
        r = posterior(pi, th, x)
        n = part.sum()
        now_pi = r @ part / n
        now = [counted(r, part, x[:, j], m.shape[1]) / n for j, m in enumerate(th)]
        step = (t + 1) ** -power
        kept_pi = now_pi if kept_pi is None else kept_pi + step * (now_pi - kept_pi)
        kept = now if kept is None else [o + step * (v - o) for o, v in zip(kept, now, strict=True)]
        pi = kept_pi / kept_pi.sum()
        th = [rows_of(v, old) for v, old in zip(kept, th, strict=True)]
    return pi, th


def psi(v):
    """digamma of one number: up by the recurrence, then the series in 1 / v**2."""
    shift = 0.0
    while v < 12:
        shift -= 1 / v
        v += 1
    return shift + math.log(v) - 1 / (2 * v) - 1 / (12 * v**2) + 1 / (120 * v**4) - 1 / (252 * v**6)


PSI = np.vectorize(psi, otypes=[float])


def bayesian(pi, th, x, learn, rng, a=0.5):
    for _ in range(EPOCHS):
        r = posterior(pi, th, x)
        n_pi = r @ learn + a
        n = [counted(r, learn, x[:, j], t.shape[1]) + a for j, t in enumerate(th)]
        pi = np.exp(PSI(n_pi) - psi(n_pi.sum()))
        th = [np.exp(PSI(v) - PSI(v.sum(axis=1, keepdims=True))) for v in n]
    return n_pi / n_pi.sum(), [v / v.sum(axis=1, keepdims=True) for v in n]


LEARNERS = {
    "ML, Nit 1": by_epochs("ml", 1),
    "ML, Nit 3": by_epochs("ml", 3),
    "ML, Nit 5": by_epochs("ml", 5),
    "ML, Nit 20": by_epochs("ml", 20),
    "KL, Nit 3": by_epochs("kl", 3),
    "VIT": by_epochs("vit"),
    "VAR": by_epochs("var"),
    "ML, blocks in turn": in_turn,
    "ML, stepwise": stepwise,
    "ML, annealed": annealed,
    "ML, a tenth of a count": by_epochs("ml", 1, 0.1),
    "ML, half a count": by_epochs("ml", 1, 0.5),
    "variational Bayes": bayesian,
}
SCHEDULES = {
    f"stepwise, {name}, power {power:g}": partial(stepwise, power=power, many=many)
    for name, many in (("tenths", 10), ("thirds", 3))
    for power in (0.55, 0.7, 0.9)
} | {f"annealed from {heat:g}": partial(annealed, first=heat) for heat in (0.4, 0.6, 0.8)}


def probability(pi, th, x):
    return pi @ np.prod(said(th, x), axis=0)


def smoothed(x, sizes, learn):
    """The constant that predicts best when each row is left out once."""
    n, cells = learn.sum(), math.prod(sizes)
    best, found = -math.inf, None
    for a in np.exp(np.linspace(math.log(0.001), math.log(30), 60)):
        left = sum(c * math.log((c - 1 + a) / (n - 1 + a * cells)) for c in learn if c > 0)
        if left > best:
            best, found = left, (learn + a) / (n + a * cells)
    return found


def independent(x, sizes, learn):
    p = np.ones(len(x))
    for j, m in enumerate(sizes):
        margin = np.array([learn[x[:, j] == v].sum() for v in range(m)]) + 0.5
        p = p * (margin / margin.sum())[x[:, j]]
    return p


def losses(x, sizes, k, learn, judge, rng, learners=LEARNERS, starts=STARTS):
    """Nats per row of every contender on one split, a thousandth of the uniform mixed in."""
    p = {}
    for name, learned in learners.items():
        best = -math.inf
        for _ in range(starts):
            pi = rng.random(k)
            th = [rng.random((k, m)) for m in sizes]
            start = pi / pi.sum(), [t / t.sum(axis=1, keepdims=True) for t in th]
            here = probability(*learned(*start, x, learn, rng), x)
            fit = (learn[learn > 0] * np.log(np.maximum(here[learn > 0], 1e-300))).sum()
            if fit > best:
                best, p[name] = fit, here
    p["smoothed table"] = smoothed(x, sizes, learn)
    p["independence"] = independent(x, sizes, learn)
    cells = math.prod(sizes)
    return {n: -(judge * np.log(0.999 * v + 0.001 / cells)).sum() for n, v in p.items()}


def real(name):
    """Rows of codes, sizes and counts of a table in a file."""
    lines = (DATA / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    head, *body = csv.reader(line for line in lines if not line.startswith("#"))
    many = [int(r[-1]) if head[-1] == "Count" else 1 for r in body]
    cells = [r[:-1] if head[-1] == "Count" else r for r in body]
    states = [sorted(set(column)) for column in zip(*cells, strict=True)]
    counts: dict[tuple[int, ...], int] = {}
    for row, count in zip(cells, many, strict=True):
        code = tuple(s.index(v) for s, v in zip(states, row, strict=True))
        counts[code] = counts.get(code, 0) + count
    return np.array(list(counts)), [len(s) for s in states], np.array(list(counts.values()))


def random_truth(rng):
    """Seven judges of two values under three kinds; entries squared."""
    pi = rng.random(3)
    th = [rng.random((3, 2)) for _ in range(7)]
    squared = [(t / t.sum(axis=1, keepdims=True)) ** 2 for t in th]
    return pi / pi.sum(), [t / t.sum(axis=1, keepdims=True) for t in squared]


def splits(case, rng, how_many=SPLITS):
    """By the name of a stored case: x, sizes, k, learn, judge and the entropy, split by split."""
    name, what = case.rsplit(", ", 1)
    if what.startswith("N="):
        sizes, k = ([2, 2, 3], 4) if name == "paper's" else ([2] * 7, 3)
        x = np.array(list(itertools.product(*map(range, sizes))))
        for _ in range(how_many):
            p = probability(*(PAPER if name == "paper's" else random_truth(rng)), x)
            p = p / p.sum()
            yield x, sizes, k, rng.multinomial(int(what[2:]), p) * 1.0, p, -(p * np.log(p)).sum()
        return
    x, sizes, counts = real("exam" if name == "examination" else name)
    k = int(what.split()[0]) if what.endswith("states") else 3
    n = int(what) if what.isdigit() else counts.sum() // 2
    for _ in range(how_many):
        learn = rng.multivariate_hypergeometric(counts, n) * 1.0
        yield x, sizes, k, learn, (counts - learn) / (counts - learn).sum(), 0.0


def recomputed(case, how_many=SPLITS, learners=LEARNERS, starts=STARTS, seed=SEED):
    """Millinats of every contender above the truth, or as they are, an entry for each split."""
    rng = np.random.default_rng([seed, *map(ord, case)])
    each = [
        (losses(x, sizes, k, learn, judge, rng, learners, starts), entropy)
        for x, sizes, k, learn, judge, entropy in splits(case, rng, how_many)
    ]
    return {n: np.array([1000 * (v[n] - e) for v, e in each]) for n in each[0][0]}


def apart(new, old):
    """By contender: how far behind the best of ``old`` it is, there and here, and what is between.

    That is counted in standard errors of the two together; less than a millinat is no difference.
    """
    best = min(old, key=lambda n: old[n][0])
    found = {}
    for name, values in new.items():
        if name == best:
            continue
        behind = values - new[best]
        error = math.hypot(behind.std(ddof=1) / math.sqrt(len(behind)), old[name][1])
        before, here = old[name][0] - old[best][0], behind.mean()
        found[name] = before, here, abs(here - before) / max(error, 1.0)
    return best, found


def stored(file="judgements.csv"):
    """The chapter's numbers: by case and contender, loss and error."""
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for r in csv.DictReader(line for line in lines if not line.startswith("#")):
        found.setdefault(r["case"], {})[r["contender"]] = float(r["loss"]), float(r["error"])
    return found


def chosen(file, words):
    """The stored cases whose names hold a word, or all."""
    return {c: old for c, old in stored(file).items() if not words or any(w in c for w in words)}


def recomputed_schedules(case):
    half = {"ML, half a count": LEARNERS["ML, half a count"]}
    return recomputed(case, learners=half | SCHEDULES)


def schedules(words=()):
    """By case, how far every schedule is behind ML with half a count, stored and again."""
    near = places = 0
    contenders, cases = stored(), chosen("schedules.csv", words)
    with ProcessPoolExecutor() as pool:
        for (case, old), new in zip(
            cases.items(), pool.map(recomputed_schedules, cases), strict=True
        ):
            base = new.pop("ML, half a count")
            print(f"{case}: millinats behind ML with half a count, stored and again", flush=True)
            for name in SCHEDULES:
                behind = new[name] - base
                before = old[name][0] - contenders[case]["ML, half a count"][0]
                spread = math.hypot(behind.std(ddof=1) / math.sqrt(len(behind)), old[name][1])
                errors = abs(behind.mean() - before) / max(spread, 1.0)
                odd = "" if errors <= 2 else f"   {errors:.1f} errors apart"
                print(f"  {name:28}{before:8.1f}{behind.mean():10.1f}{odd}")
                near, places = near + (errors <= 2), places + 1
    print(f"{near} of {places} distances agree within two standard errors")


def main(words):
    if words[:1] == ["schedules"]:
        schedules(words[1:])
        return
    near = places = same = 0
    cases = chosen("judgements.csv", words)
    with ProcessPoolExecutor() as pool:
        for (case, old), new in zip(cases.items(), pool.map(recomputed, cases), strict=True):
            best, found = apart(new, old)
            print(f"{case}: millinats behind {best}, stored and again", flush=True)
            for name, (before, here, errors) in found.items():
                odd = "" if errors <= 2 else f"   {errors:.1f} errors apart"
                print(f"  {name:24}{before:8.1f}{here:10.1f}{odd}")
            near, places = near + sum(v[2] <= 2 for v in found.values()), places + len(found)
            ours = min(new, key=lambda n: new[n].mean())
            same += ours == best
            print(f"  the best here: {ours}")
    print(f"{near} of {places} distances agree within two standard errors; "
          f"the same contender is the best in {same} of {len(cases)} cases")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
