"""The stored results of chapter 15, and how they were measured.

``python -m fgn_notebooks.judgements`` measures and stores them anew in about six minutes;
``which_rule.judged(case)`` measures a single case in seconds.

Vocabulary
    judgement  the result of a contender in a case: its loss in millinats per row, the error of
               this, and the share of the judging rows to which it gave probability 0
    group      cases of one kind: with a known truth, or from a real table with few or many rows
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
    """One result: the mean loss in millinats per row, above that of the truth if it is known.

    Else it is above that of the best contender. ``error`` is the standard error of the loss, and
    ``impossible`` the share of the judging rows that had probability 0.
    """

    group: str
    case: str
    contender: str
    loss: float
    error: float
    impossible: float


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """The group of every case, with a function that makes the case."""
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
    """The stored judgements of ``FILE`` or ``SCHEDULES_FILE``."""
    lines = [v for v in file.read_text(encoding="utf-8").splitlines() if not v.startswith("#")]
    return tuple(
        Judgement(r["group"], r["case"], r["contender"], *(float(r[k]) for k in NUMBERS))
        for r in csv.DictReader(lines)
    )


NUMBERS = ("loss", "error", "impossible")


def grid(found: Sequence[Judgement], what: str = "loss") -> dict[str, dict[str, float]]:
    """One of the ``NUMBERS`` of judgements, by case and contender."""
    named: dict[str, dict[str, float]] = {}
    for j in found:
        named.setdefault(j.case, {})[j.contender] = getattr(j, what)
    return named


def table(found: Sequence[Judgement], group: str) -> str:
    """A text table of losses, contenders by cases of a group; a star marks the best of a case."""
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
    """By contender, its mean rank (1 is the best) and its worst loss above the best of a case."""
    losses = grid([j for j in found if j.group in groups])
    values = np.array([[v[name] for name in NAMES] for v in losses.values()])
    places = 1 + values.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    behind = (values - values.min(axis=1, keepdims=True)).max(axis=0)
    return {n: (float(places[:, k].mean()), float(behind[k])) for k, n in enumerate(NAMES)}


def schedules_table(found: Sequence[Judgement], tried: Sequence[Judgement]) -> str:
    """A text table of schedules by groups: mean loss above "ML, half a count", in millinats.

    The best of a grid is chosen for each case, which is only possible with the judging rows at
    hand. The last column is the share of all cases with a larger loss.
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
    """Measure case by case; yields the judgements of its contenders and of its schedules."""
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
    """The judgements of one case; ``best`` is the loss of the best contender, ``(splits,)``."""
    from_here = 0 if found.case.entropy is not None else best.mean()
    mean = 1000 * (found.loss.mean(axis=1) - from_here)
    error = 1000 * (found.loss - best).std(axis=1, ddof=1) / math.sqrt(len(best))
    for name, *numbers in zip(names, mean, error, found.impossible, strict=True):
        yield Judgement(group, found.case.name, name, *map(float, numbers))


def main() -> None:
    """Measure all cases and store the judgements."""
    head = (
        "# Chapter 15: 12 splits a case, 4 starts, 100 epochs; python -m fgn_notebooks.judgements"
    )
    whole = list(measure())
    for file, part in ((FILE, 0), (SCHEDULES_FILE, 1)):
        lines = [head, ",".join(("group", "case", "contender", *NUMBERS))]
        for j in (j for both in whole for j in both[part]):
            words = ",".join(f'"{v}"' for v in (j.group, j.case, j.contender))
            lines.append(f"{words},{j.loss:.2f},{j.error:.2f},{j.impossible:.5f}")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
