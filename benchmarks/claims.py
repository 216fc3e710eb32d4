"""Claims of section 7.1 once more, by the plain program of ``which_rule.py``, on other seeds.

It shares no code with the library or the ledger: it draws its own tables from the paper's matrices,
starts from messages of its own, and does what each claim says in its own words.

    python benchmarks/claims.py         100 tables: a minute
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from which_rule import DATA, PAPER, messages, said, share, step

N, EPOCHS, K, NIT, SEED = 400, 60, 4, 3, 71
SIZES = (2, 2, 3)
RULES = ("ml", "kl", "vit", "var")


def drawn(rng):
    """A table of N rows: codes by sample."""
    pi, th = PAPER
    s = rng.choice(4, N, p=pi)
    return np.stack([[rng.choice(m, p=t[k]) for k in s] for m, t in zip(SIZES, th, strict=True)], 1)


def learned(rule, x, rng, k=K, n_it=NIT):
    """The matrices after all epochs; the first step takes messages that are random."""
    th = [np.full((k, m), 1 / m) for m in SIZES]
    f = [share(rng.random((k, len(x)))) for _ in SIZES]
    pi, th = step(rule, n_it, 0.0, np.full(k, 1 / k), th, x, np.ones(len(x)), f,
                  share(rng.random((k, len(x)))))  # fmt: skip
    rows, counts = np.unique(x, axis=0, return_counts=True)
    for _ in range(EPOCHS - 1):
        pi, th = step(rule, n_it, 0.0, pi, th, rows, counts, *messages(pi, th, rows))
    return pi, th


def values(pi, th, x):
    """The aggregated log-likelihood and the exact one."""
    f, _ = messages(pi, th, x)
    p = said(th, x)
    cells = sum(np.log((a * b).sum(axis=0)).sum() for a, b in zip(f, p, strict=True))
    return cells, np.log(pi @ np.prod(p, axis=0)).sum()


def floor(x):
    """Every column by its own shares."""
    return sum(
        (c * np.log(c / len(x))).sum()
        for c in (np.unique(x[:, j], return_counts=True)[1] for j in range(x.shape[1]))
    )


def passed(tables, seed=SEED):
    """By claim, which tables pass."""
    found = {name: [] for name in CLAIMS}
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        x = drawn(rng)
        seeds = rng.integers(2**31, size=2)
        ends, exact, prior, span = {}, {}, {}, {}
        for rule in RULES:
            pi, th = learned(rule, x, np.random.default_rng(seeds[0]))
            ends[rule], exact[rule] = values(pi, th, x)
            prior[rule] = abs(pi - 1 / K).max()
            all_of = np.concatenate([t.ravel() for t in th])
            span[rule] = all_of.max() - all_of.min()
        low = floor(x)
        up = {rule: exact[rule] > low + 1 for rule in RULES}
        two = values(*learned("ml", x, np.random.default_rng(seeds[1]), k=2), x)[0]
        seven = values(*learned("ml", x, np.random.default_rng(seeds[1]), k=7), x)[0]
        worse = max(ends["vit"], ends["var"])
        top = min(ends["ml"], ends["kl"])
        found["ml-kl-best"].append(top > worse and up["ml"] and up["kl"])
        found["ml-kl-alike"].append(
            abs(ends["ml"] - ends["kl"]) < 0.01 * abs(ends["ml"]) and up["ml"] and up["kl"]
        )
        found["vit-second"].append(top > ends["vit"] > ends["var"] and up["vit"])
        found["var-fails"].append(exact["var"] - low < 0.1 * (exact["ml"] - low))
        found["priors-uniform: KL"].append(prior["kl"] < 0.05)
        found["priors-uniform: ML"].append(prior["ml"] < 0.05)
        found["wider-range"].append(
            min(span["ml"], span["kl"]) > max(span["vit"], span["var"]) and up["ml"] and up["kl"]
        )
        found["too-few-states"].append(two < ends["ml"] - 0.01 * abs(ends["ml"]))
        found["too-many-states"].append(abs(seven - ends["ml"]) < 0.01 * abs(ends["ml"]))
    return found


CLAIMS = ("ml-kl-best", "ml-kl-alike", "vit-second", "var-fails", "priors-uniform: KL",
          "priors-uniform: ML", "wider-range", "too-few-states", "too-many-states")  # fmt: skip


def stored():
    """The ledger's share and number of runs, in the paper's setting."""
    ledger = json.loads((DATA / "findings.json").read_text(encoding="utf-8"))["claims"]
    found = {}
    for name in CLAIMS:
        claim, _, setting = name.partition(": ")
        rows = ledger[claim]["settings"]
        row = next((r for r in rows if r[0] == setting), rows[0])
        found[name] = row[1] / row[2], row[2]
    return found


def main(tables=100):
    for (name, each), (share_, runs) in zip(passed(tables).items(), stored().values(), strict=True):
        here = np.mean(each)
        both = (here * tables + share_ * runs) / (tables + runs)
        error = np.sqrt(max(both * (1 - both), 0.005) * (1 / tables + 1 / runs))
        print(f"{name:20} ledger {share_:4.0%}   here {here:4.0%}   "
              f"{abs(here - share_) / error:.1f} errors apart")  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
