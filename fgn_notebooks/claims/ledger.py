"""Claims, how they are measured, and how a verdict is reached.

Vocabulary
    claim        a statement of the paper, and a check that a single run passes or fails
    cast         the rules that play the parts of ML, KL, VIT and VAR in a check
    null         a rule that learns nothing, put into a part to see whether the check can fail
    setting      the conditions of a check; the paper's own come first, the others are *ours*
    needs        the share of runs that must pass: nearly all for a plain statement, more than half
                 for one that the paper qualifies ("*often*", between asterisks)
    verdict      *holds* if the whole 95 % interval of the share lies above ``needs``, *does not
                 hold* if it lies below, and *undecided* if ``needs`` is inside
    sweep        the check repeated along one knob (a field or a threshold), to see what changes
                 its verdict
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from fgnwidgets import RULES, Rule

from ..experiments.words import PAPERS, wilson
from .nulls import NULLS

ALWAYS = 0.9
"""The share that plain statements need. It was 0.95 for the first ledger, and was lowered to 0.9
when its numbers were known; so the verdicts at both are shown."""

STRICT = 0.95
"""The share that plain statements needed in the first ledger."""

MOSTLY = 0.5
"""The share that a qualified statement needs."""

QUALIFIERS = ("usually", "generally", "most of the time", "typically", "often", "tend to",
              "slightly")  # fmt: skip
"""Words that qualify a statement, in ``says`` between asterisks; they render the paper's."""

HOLDS, UNDECIDED, FAILS = "holds", "undecided", "does not hold"

Cast = tuple[Rule, ...]
"""The rules in the parts of ML, KL, VIT and VAR, in this order."""

PAPER: Cast = tuple(RULES[name] for name in PAPERS)

Check = Callable[[Cast], Any]
"""A function that runs these rules and returns which runs passed: ``(tables,)`` or ``(tables,
starts)``."""


@dataclass(frozen=True)
class Setting:
    """The conditions of a check; ``ours`` if they are not the paper's."""

    label: str
    check: Check
    ours: bool = False


@dataclass(frozen=True)
class Sweep:
    """A check along one knob: the label of each value, and the check with it."""

    knob: str
    points: tuple[tuple[str, Check], ...]


@dataclass(frozen=True)
class Measured:
    """The number of runs of a setting that passed.

    ``worth`` is the number of independent runs that say as much as these, which is less than
    ``runs`` if several starts share a table (:func:`worth`).
    """

    setting: str
    passed: int
    runs: int
    tables: int
    worth: float
    ours: bool = False

    @property
    def share(self) -> float:
        return self.passed / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.share * self.worth, self.worth)

    def verdict(self, needs: float) -> str:
        low, high = self.interval
        return HOLDS if low > needs else FAILS if high < needs else UNDECIDED


@dataclass(frozen=True)
class Finding:
    """A claim and what was measured; ``sweeps`` by knob, empty where they were left out."""

    claim: Claim
    measured: tuple[Measured, ...]
    sweeps: Mapping[str, tuple[Measured, ...]]

    @property
    def verdict(self) -> str:
        """The verdict of the paper's own setting, the first."""
        return self.measured[0].verdict(self.claim.needs)

    @property
    def strict(self) -> str:
        """The verdict if a plain statement needed 95 %."""
        return self.measured[0].verdict(STRICT if self.claim.needs == ALWAYS else self.claim.needs)

    @property
    def flips(self) -> tuple[str, ...]:
        """The knobs and values in the sweeps at which the opposite verdict is measured."""
        opposite = {HOLDS: FAILS, FAILS: HOLDS}.get(self.verdict)
        return tuple(
            f"{knob} {m.setting}"
            for knob, points in self.sweeps.items()
            for m in points
            if ": " not in knob and m.verdict(self.claim.needs) == opposite
        )


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in our words, with the settings in which it is checked.

    ``why``      an explanation of what was measured
    ``well``     the parts of which the claim says that they do well: nulls in them must fail
    """

    name: str
    section: str
    says: str
    settings: tuple[Setting, ...]
    why: str
    well: tuple[str, ...] = ()
    sweeps: tuple[Sweep, ...] = ()

    @cached_property
    def needs(self) -> float:
        found = re.findall(r"\*(.+?)\*", self.says)
        if odd := [word for word in found if word not in QUALIFIERS]:
            raise ValueError(
                f"claim {self.name!r} qualifies by {odd[0]!r}: expected one of "
                f"{', '.join(QUALIFIERS)}"
            )
        return MOSTLY if found else ALWAYS

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def checks(self) -> Mapping[tuple[str, str], Setting]:
        """Everything that is measured, by knob and label; the settings themselves have knob ""."""
        return {("", s.label): s for s in self.settings} | {
            (sweep.knob, label): Setting(label, check)
            for sweep in self.sweeps
            for label, check in sweep.points
        }

    def measure(self, *, sweeps: bool = False) -> Finding:
        """Run the settings, and the sweeps if asked for."""
        wanted = [at for at in self.checks if sweeps or not at[0]]
        return self.finding({at: self.measure_at(*at) for at in wanted})

    def measure_at(self, knob: str, label: str) -> Measured:
        """Run one of the ``checks``."""
        setting = self.checks[knob, label]
        return self._measured(setting.label, setting.check, setting.ours)

    def finding(self, measured: Mapping[tuple[str, str], Measured]) -> Finding:
        """The finding of what was measured, by knob and label; without sweeps if they were not."""
        sweeps = {
            sweep.knob: tuple(measured[sweep.knob, label] for label, _ in sweep.points)
            for sweep in self.sweeps
            if (sweep.knob, sweep.points[0][0]) in measured
        }
        return Finding(self, tuple(measured["", s.label] for s in self.settings), sweeps)

    def nulls(self, most: int | None = None) -> dict[str, Measured]:
        """The first setting, with nulls in the parts that do well, by the name of the null.

        The nulls give the uniform matrix, a random matrix, and the floor, at which no variable
        tells anything about another. Empty if the claim says of no rule that it does well. ``most``
        limits the number of tables or seeds.
        """
        check = self.settings[0].check
        check = check if most is None else on_fewer(check, most)
        return {
            name: self._measured(
                name, check, cast=tuple(null if r in self.well else RULES[r] for r in PAPERS)
            )
            for name, null in (NULLS.items() if self.well else ())
        }

    def _measured(
        self, label: str, check: Check, ours: bool = False, cast: Cast = PAPER
    ) -> Measured:
        passed = np.asarray(check(cast))
        if passed.ndim not in (1, 2) or passed.dtype != bool or not passed.size:
            raise ValueError(
                f"claim {self.name!r}: its check gave {passed.dtype} {passed.shape}, expected a "
                "bool for each table, or for each table and start"
            )
        tables = passed.reshape(len(passed), -1)
        return Measured(label, int(tables.sum()), tables.size, len(tables), worth(tables), ours)


def worth(passed: np.ndarray) -> float:
    """The number of independent runs that say as much as the runs ``(tables, starts)``.

    The variance of a share of n independent runs is ``p (1 - p) / n``. This is solved for n, with
    the variance between the shares of the tables. The result is at least the number of tables and
    at most that of runs. With one table, a real one, only the starts are random, and each counts.
    """
    share, tables = passed.mean(), len(passed)
    if tables in (1, passed.size):
        return float(passed.size)
    if share in (0, 1):
        return float(tables)
    variance = passed.mean(axis=1).var(ddof=1) / tables
    runs = share * (1 - share) / variance if variance > 0 else passed.size
    return float(np.clip(runs, tables, passed.size))


def under(
    check: Callable[..., Any], *settings: tuple[Any, ...], ours: int = 0
) -> tuple[Setting, ...]:
    """Settings from pairs of a label and the check's arguments; the last ``ours`` are ours."""
    made = [Setting(str(label), partial(check, *arguments)) for label, *arguments in settings]
    first = len(made) - ours
    return tuple(replace(s, ours=k >= first) for k, s in enumerate(made))


def on_fewer(check: Check, most: int) -> Check:
    """The check of a setting from :func:`under`, on the first ``most`` of its tables or seeds."""
    if not isinstance(check, partial):
        return check
    case, *rest = check.args
    (field,) = {"tables", "seeds"} & {f.name for f in fields(case)}
    fewer = {field: min(most, getattr(case, field))}
    return partial(check.func, replace(case, **fewer), *rest)


def material(check: Check) -> Any:
    """The case of a check from :func:`under`; checks of one case share their runs."""
    return check.args[0] if isinstance(check, partial) else check


def along(
    check: Callable[..., Any], case: Any, knob: str, field: str, values: Mapping[str, Any]
) -> Sweep:
    """A sweep over the values of one field of a case."""
    return Sweep(
        knob,
        tuple((label, partial(check, replace(case, **{field: v}))) for label, v in values.items()),
    )


def of(part: str, *sweeps: Sweep) -> tuple[Sweep, ...]:
    """Sweeps of a check about one part only, while the first setting is about several."""
    return tuple(replace(sweep, knob=f"{part}: {sweep.knob}") for sweep in sweeps)


def threshold(
    check: Callable[..., Any], case: Any, what: str, argument: str, *values: float
) -> Sweep:
    """A sweep over the number that a check compares with."""
    points = ((f"{v:g}", partial(check, case, **{argument: v})) for v in values)
    return Sweep(f"threshold, {what}", tuple(points))


def plain(says: str) -> str:
    """A statement without the asterisks around its qualifier."""
    return says.replace("*", "")


def in_words(needs: float) -> str:
    """``needs`` in words."""
    return "more than half" if needs == MOSTLY else f"more than {needs:.0%}"


def lines_of(finding: Finding) -> Iterator[str]:
    """A line for each setting: share, interval, verdict."""
    for m in finding.measured:
        low, high = m.interval
        runs = f"{m.runs} runs" if m.tables == m.runs else f"{m.runs} runs on {m.tables} tables"
        if m.tables == 1:
            runs = f"{m.runs} starts"
        yield (
            f"{m.share:4.0%} of {runs} ({low:.0%} to {high:.0%}) {m.verdict(finding.claim.needs)}: "
            f"{m.setting}{' (ours)' if m.ours else ''}"
        )
