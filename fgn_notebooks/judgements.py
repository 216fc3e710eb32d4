"""What chapter 15 found, measured once and stored: ``python -m fgn_notebooks.judgements``.

Measuring takes about three minutes on a quiet machine; ``which_rule.judged(case)`` does a single
case in seconds.

Vocabulary
    judgement  a case, a contender, its loss in millinats per row, its error, and the share of the
               judging rows that it called impossible
    group      cases of one kind: of a known truth, or of a real table with few or many rows
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from fgn_notebooks.experiments import which_rule
from fgn_notebooks.experiments.which_rule import NAMES, Case, judges_case, papers_case, real_case
from fgn_notebooks.experiments.words import text_table

FILE = Path(__file__).parent / "data" / "judgements.csv"
FEW = 50


@dataclass(frozen=True)
class Judgement:
    """The mean loss in millinats per row, above the truth's or above the best contender's."""

    group: str
    case: str
    contender: str
    loss: float
    error: float
    impossible: float


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Every case with its group; a case is made when it is called."""
    for n in (50, 200, 1000):
        yield "paper's model", partial(papers_case, n)
    for n in (50, 200, 1000):
        yield "seven judges", partial(judges_case, n)
    for name, (table, counts) in which_rule.real_tables().items():
        yield "real, few", partial(real_case, f"{name}, 50", table, counts, FEW)
    for name, (table, counts) in which_rule.real_tables().items():
        half = int(counts.sum()) // 2
        yield "real, half", partial(real_case, f"{name}, half", table, counts, half)
    for name in ("carcinoma", "titanic"):
        table, counts = which_rule.real_tables()[name]
        for k in (2, 5):
            half = int(counts.sum()) // 2
            yield "other sizes", partial(real_case, f"{name}, {k} states", table, counts, half, k)


def stored() -> tuple[Judgement, ...]:
    """The judgements as they were measured."""
    lines = [v for v in FILE.read_text(encoding="utf-8").splitlines() if not v.startswith("#")]
    return tuple(
        Judgement(r["group"], r["case"], r["contender"], *(float(r[k]) for k in NUMBERS))
        for r in csv.DictReader(lines)
    )


NUMBERS = ("loss", "error", "impossible")


def grid(found: Sequence[Judgement], what: str = "loss") -> dict[str, dict[str, float]]:
    """By case and contender, one of the numbers."""
    named: dict[str, dict[str, float]] = {}
    for j in found:
        named.setdefault(j.case, {})[j.contender] = getattr(j, what)
    return named


def table(found: Sequence[Judgement], group: str) -> str:
    """Contenders by cases of a group, in millinats; a star marks the best of each case."""
    losses = grid([j for j in found if j.group == group])
    best = {case: min(v, key=lambda name: v[name]) for case, v in losses.items()}
    rows = [
        (
            name,
            *(f"{v[name]:.0f}{'*' if best[case] == name else ' '}" for case, v in losses.items()),
        )
        for name in NAMES
    ]
    return text_table(("millinats per row", *losses), rows)


def ranks(found: Sequence[Judgement], groups: Sequence[str]) -> Mapping[str, tuple[float, float]]:
    """By contender, its mean place (1 is the best) and its worst loss above the best of a case."""
    losses = grid([j for j in found if j.group in groups])
    values = np.array([[v[name] for name in NAMES] for v in losses.values()])
    places = 1 + values.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    behind = (values - values.min(axis=1, keepdims=True)).max(axis=0)
    return {n: (float(places[:, k].mean()), float(behind[k])) for k, n in enumerate(NAMES)}


def measure() -> Iterator[Judgement]:
    """Every case anew, which takes some minutes."""
    for group, make in cases():
        result = which_rule.judged(make())
        for k, name in enumerate(NAMES):
            numbers = result.mean[k], result.error[k], result.impossible[k]
            yield Judgement(group, result.case.name, name, *map(float, numbers))


def main() -> None:
    """Measure all and store it."""
    lines = [
        "# Chapter 15: 12 deals a case, 4 starts, 100 epochs; python -m fgn_notebooks.judgements"
    ]
    lines.append(",".join(("group", "case", "contender", *NUMBERS)))
    for j in measure():
        words = ",".join(f'"{v}"' for v in (j.group, j.case, j.contender))
        lines.append(f"{words},{j.loss:.2f},{j.error:.2f},{j.impossible:.5f}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
