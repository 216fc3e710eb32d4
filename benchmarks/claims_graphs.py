"""The ledger's claims about graphs (sections 7.1 to 7.3), written from their own words.

Every check gives a bool for each table, or for each table and start; nothing here is imported from
the library or the course. Models, rows and starts have seeds of their own.

Vocabulary
    case   what the runs of a claim are made of; ``lanes`` are rules with their Nit
    runs   by lane what the checks ask of them, ``(lanes, tables, starts)``
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
from plain_trees import RULES, aggregated, drawn, exact, folded, learned, random_rows, share
from which_rule import PAPER, real

SEED = 71
ML, KL, VIT, VAR = range(4)
NITS = (1, 3, 5, 10, 20)
FOUR = tuple((rule, 3) for rule in RULES)
STEPS = tuple(("ml", n) for n in NITS)
BOTH = tuple((rule, n) for n in NITS for rule in ("ml", "kl"))
FOREST = {"S1": (4, ()), "S2": (2, ()), "S3": (3, ()), "Y1": (3, ("S1",)), "Y2": (4, ("S1", "S2")),
          "X1": (3, ("Y1",)), "X2": (2, ("Y1",)), "X3": (3, ("Y2", "S3"))}  # fmt: skip
REAL = ("carcinoma", "exam", "role_conflict", "schoolboys", "titanic", "hair_eyes")


def star(k, sizes):
    return {"S": (k, ()), **{f"X{j + 1}": (m, ("S",)) for j, m in enumerate(sizes)}}


def graph(text):
    """A tree from ``"S 4; Y 3 S; X1 2 Y"``: variable, size, parents."""
    words = [part.split() for part in text.split(";")]
    return {v: (int(m), tuple(parents)) for v, m, *parents in words}


ONE = star(4, (2, 2, 3))
SIZES = tuple(
    star(k, m)
    for k, m in ((2, (2, 2, 2)), (3, (2, 3, 4)), (3, (2,) * 4), (4, (3, 3, 3)), (5, (2, 4, 5)),
                 (2, (3,) * 4), (4, (2,) * 5), (6, (4, 4, 4)))
)  # fmt: skip
FORESTS = tuple(
    {v: (dict(zip(FOREST, sizes, strict=True))[v], FOREST[v][1]) for v in FOREST}
    for sizes in ((2,) * 8, (3, 3, 3, 3, 3, 4, 4, 4), (2, 4, 2, 4, 3, 5, 3, 2))
)
MISMATCHED = tuple(
    {v: (other.get(v, FOREST[v][0]), FOREST[v][1]) for v in FOREST}
    for other in ({"S1": 2, "Y1": 2}, {"S1": 2, "S2": 3, "S3": 2, "Y1": 4, "Y2": 2},
                  {"Y2": 6, "S3": 4})
)  # fmt: skip
TEN = tuple(map(graph, (
    "S 4; Y1 3 S; Y2 3 S; X1 2 Y1; X2 2 Y1; X3 2 Y2; X4 2 Y2",
    "A 3; B 3 A; C 3 B; X1 3 A; X2 3 B; X3 3 C",
    "A 2; B 2 A; C 2 B; D 2 C; X1 2 A; X2 2 B; X3 2 C; X4 2 D; X5 2 D",
    "S 3; X1 3 S; X2 3 S; X3 3 S; X4 3 S",
    "S 4; X1 2 S; X2 2 S; X3 2 S; X4 2 S; X5 2 S; X6 2 S; X7 2 S",
    "S 2; T 3; Y 3 S T; X1 3 Y; X2 3 Y; X3 2 Y",
    "S 2; T 2; X1 3 S; X2 3 S T; X3 3 T",
    "S 3; A 2 S; B 2 S; C 2 S; X1 2 A; X2 2 A; X3 2 B; X4 2 B; X5 2 C; X6 2 C",
    "S 4; Y 3 S; X1 3 S; X2 3 S; X3 3 Y; X4 3 Y",
    "S 2; T 2; U 2; A 3 S T; B 3 T U; X1 3 A; X2 3 A; X3 3 B; X4 3 B",
)))  # fmt: skip


@dataclass(frozen=True)
class Case:
    family: str = "paper"
    lanes: tuple[tuple[str, int], ...] = FOUR
    tables: int = 60
    starts: int = 1
    n: int = 400
    k: int = 4
    children: int = 3
    epochs: int = 60
    start: str = "messages"
    split: bool = False
    options: tuple[tuple[str, object], ...] = ()


def observed(rows):
    return {v: codes for v, codes in rows.items() if v.startswith("X")}


def tables_of(case):
    """Pairs of a tree that learns and its tables."""
    if case.family == "real":
        found = []
        for name in REAL if case.tables > 1 else REAL[:1]:
            x, sizes, counts = real(name)
            whole = {f"X{j + 1}": np.repeat(x[:, j], counts) for j in range(len(sizes))}
            found.append((star(case.k, sizes), [whole]))
        return found
    wide = star(case.k, (2,) * case.children)
    pairs = {
        "paper": [(ONE, star(case.k, (2, 2, 3)))],
        "random": [(ONE, star(case.k, (2, 2, 3)))],
        "wide": [(wide, wide)],
        "sizes": [(t, t) for t in SIZES],
        "forest": [(FOREST, FOREST)],
        "forests": [(t, t) for t in FORESTS],
        "mismatched": [(FOREST, t) for t in MISMATCHED],
        "ten": [(t, t) for t in TEN],
    }[case.family]
    found = [(tree, []) for _, tree in pairs]
    for number in range(case.tables):
        rng = np.random.default_rng([SEED, number])
        true = pairs[number % len(pairs)][0]
        if case.family == "paper":
            th = dict(zip(ONE, (PAPER[0][None], *PAPER[1]), strict=True))
        else:
            th = {v: t[0] for v, t in random_rows(true, [rng], power=4).items()}
        found[number % len(pairs)][1].append(observed(drawn(true, th, case.n, rng)))
    if case.family == "wide" and case.children > 7:  # such tables have few rows in common
        return [(wide, [table]) for table in found[0][1]]
    return found


def flat(tree, th):
    """The coefficients of all blocks that have parents, ``(runs, all)``."""
    return np.concatenate([th[v].reshape(len(th[v]), -1) for v in tree if tree[v][1]], axis=1)


def independent(w, x, judge):
    """What the rows of ``judge`` are worth when every column has its shares in those of ``w``."""
    total = 0.0
    for column in x.values():
        cells = np.eye(column.max() + 1)[column]
        total = total + times_log(judge @ cells, share(w @ cells)).sum(axis=1)
    return total


def times_log(w, p):
    """``w log p``, nothing where there are no rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(w > 0, w * np.log(p), 0.0)


def one_group(tree, tables, numbers, case):
    """What the checks ask of all lanes on the tables of one tree."""
    each = [table for table in tables for _ in range(case.starts)]
    lengths = [len(next(iter(table.values()))) for table in each]
    masks = [(np.arange(n) < n // (1 + case.split)) * 1.0 for n in lengths]
    x, w = folded(each, masks)
    judge = folded(each, [1 - mask for mask in masks])[1]
    seeds = [[SEED, 1, number, s] for number in numbers for s in range(case.starts)]
    lanes, ends = [], []
    for rule, n_it in case.lanes:
        options = dict(case.options) if rule in ("vit", "var") else {}
        if options.pop("random_ties", False):
            options["luck"] = np.random.default_rng(SEED)
        cells, moved = [], []
        for th in learned(tree, each, masks, seeds, rule, n_it, case.epochs, case.start, **options):
            cells.append(aggregated(tree, th, x))
            moved.append(flat(tree, th))
        lanes.append(summed(tree, th, x, w, judge, cells, np.stack(moved)))
        ends.append(th)
    found = {name: np.stack([lane[name] for lane in lanes], axis=-2) for name in lanes[0]}
    found |= {"floor": independent(w, x, w), "test_floor": independent(w, x, judge),
              "ceiling": times_log(w, share(w)).sum(axis=-1)}  # fmt: skip
    return found, (x, w, ends)


def summed(tree, th, x, w, judge, cells, moved):
    """Of one lane, with the runs at the end of each array."""
    turned = turns(moved[1:])
    marks = moved[[1, max(2, (len(moved) - 1) // 6), -1]]
    way = np.linalg.norm(marks[2] - marks[:2], axis=-1)
    roots = [v for v in tree if not tree[v][1]]
    return {
        "curve": np.stack([weighted(w, c) for c in cells]),
        "tested": np.stack([weighted(judge, c) for c in cells]),
        "exact": weighted(w, exact(tree, th, x)),
        "turns": turned.sum(axis=0).max(axis=-1),
        "late": turned[-10:].sum(axis=0).max(axis=-1),
        "off": np.max([abs(th[v] - 1 / tree[v][0]).max(axis=(1, 2)) for v in roots], axis=0),
        "span": moved[-1].max(axis=-1) - moved[-1].min(axis=-1),
        "to_go": way[1] / np.where(way[0] > 0, way[0], 1),
    }


def weighted(w, values):
    """The sum over the rows, ``(R,)``; a row that a table does not have adds nothing."""
    return (w * np.where(w > 0, values, 0.0)).sum(axis=1)


def turns(moved, size=0.05):
    """Where a coefficient moves by more than so much, and back by as much in the next epoch."""
    d = np.diff(moved, axis=0)
    return (np.minimum(abs(d[1:]), abs(d[:-1])) > size) & (d[1:] * d[:-1] < 0)


@lru_cache(maxsize=64)
def runs(case):
    """By name an array ``([epochs,] lanes, tables, starts)``, or without lanes the levels."""
    parts, number = [], 0
    for tree, tables in tables_of(case):
        numbers = range(number, number + len(tables))
        parts.append(one_group(tree, tables, numbers, case))
        number += len(tables)
    joined = {n: np.concatenate([p[0][n] for p in parts], axis=-1) for n in parts[0][0]}
    shaped = {n: v.reshape(*v.shape[:-1], -1, case.starts) for n, v in joined.items()}
    return SimpleNamespace(**shaped, ends=shaped["curve"][-1], first=parts[0][1])


def learns(r, *lanes):
    """A nat above the floor, in all of these lanes."""
    return (r.exact[list(lanes)] > r.floor + 1).all(axis=0)


def like(a, b, apart=0.01):
    return abs(a - b) < apart * abs(a)


def lead(values):
    return values[[ML, KL]].min(axis=0) > values[[VIT, VAR]].max(axis=0)


def best(case):
    r = runs(case)
    return lead(r.ends) & learns(r, ML, KL)


def best_on_test(case):
    r = runs(case)
    return lead(r.tested[-1]) & (r.tested[-1][[ML, KL]].min(axis=0) > r.test_floor)


def both_alike(case):
    r = runs(case)
    return like(r.ends[ML], r.ends[KL]) & learns(r, ML, KL)


def vit_between(case):
    r = runs(case)
    below = r.ends[VIT] < r.ends[[ML, KL]].min(axis=0)
    return below & (r.ends[VIT] > r.ends[VAR]) & learns(r, VIT)


def var_lost(case):
    r = runs(case)
    way = (r.exact - r.floor) / np.maximum(r.ceiling - r.floor, 1e-9)
    return way[VAR] < 0.1 * way[ML]


def uniform(*lanes):
    return lambda case: (runs(case).off[list(lanes)] < 0.05).all(axis=0)


def nits_alike(*which):
    def check(case):
        r = runs(case)
        ends = r.ends[list(which)]
        return like(ends.max(axis=0), ends.min(axis=0)) & learns(r, *which)

    return check


def three_first(case):
    ends = runs(case).ends
    return ends[1] > ends[[0, 2, 3, 4]].max(axis=0) + 1e-6


def kl_as_ml(*which):
    def check(case):
        r = runs(case)
        return np.all([like(r.ends[2 * p], r.ends[2 * p + 1]) & learns(r, 2 * p, 2 * p + 1)
                       for p in which], axis=0)  # fmt: skip

    return check


def three_places(case):
    found = []
    for ends in runs(case).exact[0]:
        places = 0
        last = -np.inf
        for end in sorted(ends):
            if end >= last + 1:
                places, last = places + 1, end
        found.append(places >= 3)
    return np.array(found)


def other_model(case):
    """As likely as the truth, and another coefficient than its own whatever the states are called.

    The states are called so that they agree best with those of the truth, row by row.
    """
    r = runs(case)
    x, w, ends = r.first
    true = {v: t[None] for v, t in zip(ONE, (PAPER[0][None], *PAPER[1]), strict=True)}
    told = posterior(true, x)[0]
    truth = weighted(w, exact(ONE, true, x))
    found = []
    for t, counts in enumerate(w):
        own = {v: m[t : t + 1] for v, m in ends[ML].items()}
        agree = told.T @ (counts[:, None] * posterior(own, x)[0])
        order = max(itertools.permutations(range(4)), key=lambda o: agree[range(4), o].sum())
        off = max(abs(own[v][0][list(order)] - true[v][0]).max() for v in ("X1", "X2", "X3"))
        found.append(off > 0.1 and r.exact[ML, t, 0] > truth[t] - 1)
    return np.array(found)


def posterior(th, x):
    """P(S | row), ``(R, n, states)``."""
    joint = th["S"][:, 0, None, :]
    for v, codes in x.items():
        joint = joint * th[v][:, :, codes].swapaxes(-1, -2)
    return share(joint)


def wider(case):
    r = runs(case)
    return lead(r.span) & learns(r, ML, KL)


def smooth(case):
    r = runs(case)
    return (r.turns[[ML, KL]] <= 1).all(axis=0) & learns(r, ML, KL)


def smoothest(case):
    r = runs(case)
    return (r.turns[[ML, KL]].max(axis=0) <= np.maximum(r.turns[VIT], 1)) & learns(r, ML, KL)


def vit_swings(case):
    return runs(case).turns[VIT] >= 3


def twenty_swing(case):
    r = runs(case)
    return (r.turns[4] >= 3) & (r.turns[1] <= 1) & learns(r, 1)


def twenty_rest(case):
    r = runs(case)
    return (r.late[4] == 0) & learns(r, 4)


def likelihood_first(case):
    r = runs(case)
    one, some, last = (r.curve[e] for e in (1, max(2, case.epochs // 6), -1))
    left = abs(last - some) / np.where(last != one, abs(last - one), 1)
    return (r.to_go > left)[[ML, KL]].all(axis=0)


def fewer_worse(case):
    two, four = runs(replace(case, k=2)), runs(case)
    return (two.ends[ML] < four.ends[ML] - 0.01 * abs(four.ends[ML])) & learns(four, ML)


def more_alike(case):
    seven, four = runs(replace(case, k=7)), runs(case)
    return like(four.ends[ML], seven.ends[ML]) & learns(seven, ML)


def test_stays(case):
    r = runs(case)
    tested = r.tested[:, ML]
    return like(tested.max(axis=0), tested[-1]) & (tested[-1] > r.test_floor)


def as_on_one(case):
    r = runs(case)
    return best(case) & (r.ends[VIT] > r.ends[VAR])


HERE = Case()
MATRICES, MODELS = Case(start="matrices"), Case("random")
OTHERS = {
    "random matrices at the start": MATRICES,
    "100 random generative models": MODELS,
    "random models of eight other sizes": Case("sizes", tables=64),
    "N=2000": Case(n=2000),
    "random models, 7 binary children": Case("wide", children=7),
    "six real tables, 3 states, 20 starts each": Case("real", tables=6, starts=10, k=3),
}
CARCINOMA = {"carcinoma, 3 states, 100 starts": Case("real", tables=1, starts=60, k=3)}
HALF = Case(n=300, split=True)
STEP = replace(HERE, lanes=STEPS)
STARTS = Case(lanes=(("ml", 3),), starts=10, tables=40)
DEEP = Case("forest", tables=60, n=100, epochs=600)
SHORT = replace(DEEP, epochs=200, tables=40)
DEEP_OTHERS = {
    "random matrices at the start, 200 epochs": replace(SHORT, start="matrices"),
    "three other sets of sizes, 200 epochs": replace(SHORT, family="forests"),
    "N=400, 200 epochs": replace(SHORT, n=400),
}
WRONG, MANY = replace(DEEP, family="mismatched"), Case("ten", tables=60)
KEEP, LUCK = ("keep", True), ("random_ties", True)


def others(lanes=FOUR):
    return {label: replace(case, lanes=lanes) for label, case in OTHERS.items()}


def all_of(check, *settings):
    """By the ledger's label a check and its case."""
    return {label: (check, case) for part in settings for label, case in part.items()}


USUAL = {"N=400, 60 epochs": HERE}
PRIORS = dict(zip(("ML", "KL", "VIT", "VAR"), range(4), strict=True))
MODELS_7_1 = {k: OTHERS[k] for k in list(OTHERS)[:2]}
CLAIMS = {
    "ml-kl-best": all_of(best, {"M_S=4, N=400, 60 epochs": HERE, "M_S=2": Case(k=2),
                                "M_S=7": Case(k=7)}, OTHERS, CARCINOMA),
    "ml-kl-alike": all_of(both_alike, USUAL, OTHERS, CARCINOMA),
    "vit-second": all_of(vit_between, USUAL, {
        "rows that no sample reached keep their values": replace(HERE, options=(KEEP,)),
        "and ties at random": replace(HERE, options=(KEEP, LUCK))}, OTHERS, CARCINOMA),
    "var-fails": all_of(var_lost, USUAL, OTHERS, CARCINOMA, {
        "random models, 15 binary children": Case("wide", children=15, tables=20)}),
    "priors-uniform": {
        "all four, N=400, 60 epochs": (uniform(*range(4)), HERE),
        **{rule: (uniform(k), HERE) for rule, k in PRIORS.items()},
        "KL, M_S=3": (uniform(KL), Case(k=3)),
        "KL, random matrices at the start": (uniform(KL), MATRICES),
        "KL, random generative models": (uniform(KL), MODELS),
        "VAR, random generative models": (uniform(VAR), MODELS)},
    "nit-matters-little": {
        "Nit=1, 3, 5, 10, 20, N=400, 60 epochs": (nits_alike(*range(5)), STEP),
        "Nit=1, 3, 5": (nits_alike(0, 1, 2), STEP),
        **all_of(nits_alike(*range(5)), others(STEPS))},
    "nit-3-preferred": all_of(
        three_first, {"best of Nit=1, 3, 5, 10, 20, N=400, 60 epochs": STEP}, others(STEPS)),
    "kl-alike-by-nit": {
        "Nit=1 to 20, N=400, 60 epochs": (kl_as_ml(*range(5)), replace(HERE, lanes=BOTH)),
        **{f"Nit={n}": (kl_as_ml(k), replace(HERE, lanes=BOTH)) for k, n in enumerate(NITS)},
        "Nit=1, 3, 5, random generative models": (kl_as_ml(0, 1, 2), replace(MODELS, lanes=BOTH))},
    "many-optima": all_of(three_places, {
        "ten starts, M_S=4, Nit=3": STARTS,
        "Nit=20": replace(STARTS, lanes=(("ml", 20),)),
        "Nit=1": replace(STARTS, lanes=(("ml", 1),)),
        "M_S=2": replace(STARTS, k=2),
        "M_S=2, random matrices at the start": replace(STARTS, k=2, start="matrices"),
        "random models, 7 binary children": replace(STARTS, family="wide", children=7)}),
    "another-model": all_of(other_model, USUAL, {"random matrices at the start": MATRICES,
                                                 "N=2000": Case(n=2000)}),
    "wider-range": all_of(wider, USUAL, OTHERS),
    "smooth": all_of(smooth, USUAL, OTHERS),
    "vit-oscillates": all_of(vit_swings, USUAL, OTHERS),
    "large-nit-oscillates": all_of(twenty_swing, {"N=400, 60 epochs": STEP}, others(STEPS)),
    "large-nit-settles": all_of(
        twenty_rest, {"N=400, 60 epochs": STEP, "300 epochs": replace(STEP, epochs=300, tables=36)},
        others(STEPS)),
    "likelihood-first": all_of(likelihood_first, USUAL, OTHERS),
    "too-few-states": all_of(fewer_worse, USUAL, MODELS_7_1),
    "too-many-states": all_of(more_alike, USUAL, MODELS_7_1, {
        "random models, 7 binary children": OTHERS["random models, 7 binary children"]}),
    "smooth-mismatched": all_of(smooth, {
        "M_S=2": Case(k=2), "M_S=7": Case(k=7), "M_S=2, random models": replace(MODELS, k=2),
        "M_S=7, random models": replace(MODELS, k=7)}),
    "150-samples-do": all_of(test_stays, {
        "M_S=4, N=300": HALF, "M_S=9, N=300": replace(HALF, k=9),
        "M_S=4, N=2000": replace(HALF, n=2000),
        "N=300, random matrices at the start": replace(HALF, start="matrices"),
        "N=300, random generative models": replace(HALF, family="random")}),
    "same-on-test": all_of(best_on_test, {
        "M_S=4, N=300": HALF, "M_S=9, N=300": replace(HALF, k=9), "N=2000": replace(HALF, n=2000),
        "N=300, random generative models": replace(HALF, family="random")}),
    "deep-ml-kl-best": all_of(
        best, {"160 generative models, 600 epochs": DEEP}, DEEP_OTHERS),
    "deep-likelihood-first": all_of(
        likelihood_first, {"160 generative models, 600 epochs": DEEP}, DEEP_OTHERS),
    "deep-priors-uniform": {
        "all four, 160 generative models, 600 epochs": (uniform(*range(4)), DEEP),
        **{rule: (uniform(k), DEEP) for rule, k in PRIORS.items()}},
    "deep-smooth": all_of(smoothest, {"160 generative models, 600 epochs": DEEP}, DEEP_OTHERS),
    "deep-vit-oscillates": all_of(vit_swings, {
        "160 generative models, 600 epochs": DEEP,
        "ties at random, 200 epochs": replace(SHORT, options=(LUCK,)),
        "unreached rows keep their values, 200 epochs": replace(SHORT, options=(KEEP,))},
        DEEP_OTHERS),
    "deep-same-on-test": all_of(best_on_test, {
        "100 further rows, 200 epochs": replace(SHORT, n=200, split=True),
        "1000 rows to learn from and to test": replace(SHORT, n=2000, split=True)}),
    "deep-mismatch": {"ML and KL are the best": (best, WRONG), "and smooth": (smooth, WRONG)},
    "other-graphs": {
        "ML and KL are the best, ten graphs, N=400, 60 epochs": (best, MANY),
        "ML and KL are smooth": (smooth, MANY),
        "VIT comes next, VAR last": (as_on_one, MANY),
        "ML and KL are the best, random matrices at the start":
            (best, replace(MANY, start="matrices"))},
}  # fmt: skip
