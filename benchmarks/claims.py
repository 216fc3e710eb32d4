"""The claims ledger once more, on other seeds, by a program that shares no code with it.

Every claim, in the paper's settings and in those that were added: its stored share of runs with a
95 % interval, the share that this program finds, and whether the two agree. What learns is written
out in ``plain_trees.py``, what each claim asks in ``claims_block.py`` and ``claims_graphs.py``.

    python benchmarks/claims.py                  the whole ledger, some minutes
    python benchmarks/claims.py vit deep         the claims whose names hold a word

Two shares agree if they are at most three standard errors of the two together apart: chance alone
breaks that for one setting in 370. ``claims.txt`` is what the last run printed.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import claims_block
import claims_graphs
from which_rule import DATA

CLAIMS = {**claims_block.CLAIMS, **claims_graphs.CLAIMS}
APART = 3.0


def interval(share, n):
    """Wilson's 95 % interval of a share of ``n`` independent runs."""
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    wide = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - wide), min(1.0, middle + wide)


def independent_runs(passed):
    """How many runs ``(tables, starts)`` are worth: as many as would spread like the tables."""
    share, tables = passed.mean(), len(passed)
    if passed.size == tables or share in (0, 1):
        return float(tables)
    spread = passed.mean(axis=1).var(ddof=1) / tables
    return float(np.clip(share * (1 - share) / max(spread, 1e-12), tables, passed.size))


def apart(one, n_one, two, n_two):
    """In standard errors; one run in 200 is granted to a share of nothing or all."""
    both = (one * n_one + two * n_two) / (n_one + n_two)
    return abs(one - two) / math.sqrt(max(both * (1 - both), 0.005) * (1 / n_one + 1 / n_two))


def stored():
    """By claim and setting, the share of the ledger and how many independent runs it is worth.

    The real tables are the same for both programs, so that only the starts are random.
    """
    ledger = json.loads((DATA / "findings.json").read_text(encoding="utf-8"))["claims"]
    return {
        name: {
            row[0]: (row[1] / row[2], row[2] if on_real_tables(name, row[0]) else row[4])
            for row in claim["settings"]
        }
        for name, claim in ledger.items()
    }


def on_real_tables(name, setting):
    return getattr(CLAIMS[name][setting][1], "family", "") == "real"


def again(name, setting, most=None):
    """The share that this program finds, on at most so many tables, and the runs it is worth."""
    check, case = CLAIMS[name][setting]
    if most is not None:
        field = "tables" if hasattr(case, "tables") else "seeds"
        case = replace(case, **{field: min(most, getattr(case, field))})
    passed = np.asarray(check(case))
    passed = passed.reshape(len(passed), -1)
    n = passed.size if on_real_tables(name, setting) else independent_runs(passed)
    return passed.mean(), n


def compared(words=()):
    """Claim, setting, stored share and runs, this program's, and the standard errors between."""
    for name, settings in stored().items():
        if words and not any(word in name for word in words):
            continue
        for setting, old in settings.items():
            new = again(name, setting)
            yield name, setting, old, new, apart(*old, *new)


def main(words):
    begin, last, odd, all_ = time.time(), "", 0, 0
    print(f"{'':62}  stored (95 %)      here (95 %)")
    for name, setting, old, new, errors in compared(words):
        if name != last:
            print(name)
        last, all_, odd = name, all_ + 1, odd + (errors > APART)
        shares = (f"{share:4.0%} ({low:4.0%} to{high:5.0%})" for share, (low, high) in
                  ((share, interval(share, n)) for share, n in (old, new)))  # fmt: skip
        verdict = "agree" if errors <= APART else f"{errors:.1f} ERRORS APART"
        print(f"    {setting:56}{'  '.join(shares)}  {verdict}", flush=True)
    print(f"{all_ - odd} of {all_} settings agree; {time.time() - begin:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
