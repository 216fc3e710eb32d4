"""What chapter 15 found, measured once and stored: ``python -m fgn_notebooks.judgements``.

Measuring takes about six minutes on a quiet machine; ``which_rule.judged(case)`` does a single
case in seconds.

Vocabulary
    judgement  a case, a contender, its loss in millinats per row, its error, and the share of the
               judging rows that it called impossible
    group      cases of one kind: of a known truth, or of a real table with few or many rows
    schedule   of stepwise EM or annealing (``experiments.schedules``), judged like a contender
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from fgn_notebooks.experiments import which_rule
from fgn_notebooks.experiments.schedules import ANNEALED, SCHEDULES, STEPWISE, judged_schedules
from fgn_notebooks.experiments.which_rule import (
    NAMES,
    Case,
    Judged,
    judges_case,
    papers_case,
    real_case,
)
from fgn_notebooks.experiments.words import text_table

FILE = Path(__file__).parent / "data" / "judgements.csv"
SCHEDULES_FILE = FILE.with_name("schedules.csv")
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


def stored(file: Path = FILE) -> tuple[Judgement, ...]:
    """The judgements as they were measured; those of the schedules are in ``SCHEDULES_FILE``."""
    lines = [v for v in file.read_text(encoding="utf-8").splitlines() if not v.startswith("#")]
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


def schedules_table(found: Sequence[Judgement], tried: Sequence[Judgement]) -> str:
    """Schedules by groups: the mean of the millinats behind ML with half a count.

    The best of a grid is taken case by case, as nobody can who does not know the judging rows.
    The last column is the share of all cases in which it is behind.
    """
    losses, others = grid(found), grid(tried)
    groups = dict.fromkeys(j.group for j in tried)
    cases = {g: dict.fromkeys(j.case for j in tried if j.group == g) for g in groups}
    lines = {name: [name] for name in SCHEDULES} | {
        "best of stepwise, case by case": list(STEPWISE),
        "best of annealing, case by case": list(ANNEALED),
        "ML, Nit 1": ["ML, Nit 1"],
    }
    rows = []
    for title, names in lines.items():
        behind = {
            c: min((others[c] | losses[c])[name] for name in names) - losses[c]["ML, half a count"]
            for c in others
        }
        means = (f"{np.mean([behind[c] for c in cases[g]]):.0f}" for g in groups)
        rows.append((title, *means, f"{np.mean([v > 0 for v in behind.values()]):.0%}"))
    return text_table(("millinats behind", *groups, "behind in"), rows)


def measure() -> Iterator[tuple[list[Judgement], list[Judgement]]]:
    """Contenders and schedules of one case after the other, which takes some minutes."""
    for group, make in cases():
        case = make()
        result = which_rule.judged(case)
        best = result.loss[np.argmin(result.loss.mean(axis=1))]
        yield (
            list(_judgements(group, NAMES, result, best)),
            list(_judgements(group, SCHEDULES, judged_schedules(case), best)),
        )


def _judgements(
    group: str, names: Iterable[str], found: Judged, best: np.ndarray
) -> Iterator[Judgement]:
    """In millinats; ``best`` is the loss of the best contender, ``(deals,)``."""
    from_here = 0 if found.case.entropy is not None else best.mean()
    mean = 1000 * (found.loss.mean(axis=1) - from_here)
    error = 1000 * (found.loss - best).std(axis=1, ddof=1) / math.sqrt(len(best))
    for name, *numbers in zip(names, mean, error, found.impossible, strict=True):
        yield Judgement(group, found.case.name, name, *map(float, numbers))


def main() -> None:
    """Measure all and store it."""
    head = "# Chapter 15: 12 deals a case, 4 starts, 100 epochs; python -m fgn_notebooks.judgements"
    whole = list(measure())
    for file, part in ((FILE, 0), (SCHEDULES_FILE, 1)):
        lines = [head, ",".join(("group", "case", "contender", *NUMBERS))]
        for j in (j for both in whole for j in both[part]):
            words = ",".join(f'"{v}"' for v in (j.group, j.case, j.contender))
            lines.append(f"{words},{j.loss:.2f},{j.error:.2f},{j.impossible:.5f}")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
