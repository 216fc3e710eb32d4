"""Findings in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .ledger import ALWAYS, STRICT, Finding, in_words, lines_of, plain


def text(findings: Sequence[Finding], width: int = 96, *, ours: bool = True) -> str:
    """Each claim, its verdict and what it needs, a line for each setting, and why.

    Without ``ours`` the settings that we have added and the sweeps are left out.
    """
    lines: list[str] = []
    for finding in findings:
        claim = finding.claim
        lines += textwrap.wrap(f"{claim.section}  {claim.name}: {plain(claim.says)}", width,
                               subsequent_indent="     ")  # fmt: skip
        lines.append(f"     {said(finding)}")
        for line, m in zip(lines_of(finding), finding.measured, strict=True):
            if ours or not m.ours:
                lines.append(f"     {line}")
        if finding.flips and ours:
            lines += _wrapped(f"the verdict changes with: {', '.join(finding.flips)}", width)
        lines += _wrapped(claim.why, width)
        lines.append("")
    return "\n".join(lines).rstrip()


def said(finding: Finding) -> str:
    """The verdict, what it needs, and the verdict at 95 % if that is another."""
    strict = (
        f"; with {STRICT:.0%}: {finding.strict}"
        if finding.claim.needs == ALWAYS and finding.strict != finding.verdict
        else ""
    )
    return f"{finding.verdict} (needs {in_words(finding.claim.needs)}{strict})"


def summary(findings: Sequence[Finding]) -> str:
    """One line for each claim: section, name, verdict of the paper's setting."""
    wide = max(len(f.claim.name) for f in findings)
    return "\n".join(f"{f.claim.section:<4} {f.claim.name:<{wide}}  {f.verdict}" for f in findings)


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width, initial_indent="     ", subsequent_indent="     ")
