"""What a claim is, how it is measured, and what counts as a verdict.

Vocabulary
    claim     a statement of the paper, and a check that a single seed passes or fails
    setting   the conditions of a check: most claims are checked under more than one
    needs     the share of the seeds that the paper's word asks for: "consistently" nearly all of
              them, "most of the time" and "typically" more than half
    verdict   *holds* where the whole interval lies above ``needs`` in every setting, *holds under*
              the settings where it does, else *does not hold here*
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..experiments.words import wilson

ALWAYS = 0.9
"""What "consistently", "in all cases" and plain statements ask for: more than nine in ten."""

MOSTLY = 0.5
"""What "usually", "typically", "often" and "most of the time" ask for."""

Check = Callable[[], np.ndarray]
"""Runs the seeds, and says which passed."""

Settings = tuple[tuple[str, Check], ...]


@dataclass(frozen=True)
class Measured:
    """One setting: how many of the seeds passed, and a 95 % interval for their share."""

    setting: str
    passed: int
    seeds: int

    @property
    def share(self) -> float:
        return self.passed / self.seeds

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.passed, self.seeds)


@dataclass(frozen=True)
class Finding:
    """A claim and what was measured."""

    claim: Claim
    measured: tuple[Measured, ...]

    @property
    def verdict(self) -> str:
        passing = [m.setting for m in self.measured if m.interval[0] > self.claim.needs]
        if len(passing) == len(self.measured):
            return "holds"
        return f"holds under {' and '.join(passing)}" if passing else "does not hold here"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in our words, with the settings that it is checked under.

    ``measure()`` runs the checks; ``why`` says in a few words what is behind the result.
    """

    name: str
    section: str
    says: str
    needs: float
    settings: Settings
    why: str

    def measure(self) -> Finding:
        measured = []
        for label, check in self.settings:
            passed = np.asarray(check())
            if passed.ndim != 1 or passed.dtype != bool:
                raise ValueError(f"claim {self.name!r}: its check gave {passed.dtype} "
                                 f"{passed.shape}, expected a bool for each seed")  # fmt: skip
            measured.append(Measured(label, int(passed.sum()), len(passed)))
        return Finding(self, tuple(measured))


def under(check: Callable[..., np.ndarray], *settings: tuple[object, ...]) -> Settings:
    """The settings of a claim: each a label, and the arguments that its check then takes."""
    return tuple((str(label), partial(check, *arguments)) for label, *arguments in settings)


def text(findings: Sequence[Finding], width: int = 96) -> str:
    """The findings as text: the claim and its verdict, then a line for each setting."""
    lines: list[str] = []
    for finding in findings:
        claim = finding.claim
        lines += textwrap.wrap(f"{claim.section}  {claim.name}: {claim.says}", width,
                               subsequent_indent="     ")  # fmt: skip
        lines.append(f"     verdict: {finding.verdict}")
        for m in finding.measured:
            low, high = m.interval
            share = f"{m.share:4.0%} of {m.seeds} seeds ({low:.0%} to {high:.0%})"
            lines.append(f"     {share}  {m.setting}")
        lines += textwrap.wrap(claim.why, width, initial_indent="     ", subsequent_indent="     ")
        lines.append("")
    return "\n".join(lines).rstrip()


def summary(findings: Sequence[Finding]) -> str:
    """One line for each claim: section, name, verdict."""
    wide = max(len(f.claim.name) for f in findings)
    return "\n".join(f"{f.claim.section:<4} {f.claim.name:<{wide}}  {f.verdict}" for f in findings)
