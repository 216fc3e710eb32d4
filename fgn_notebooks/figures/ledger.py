"""Pictures of the claims ledger: shares and verdicts, and the sweeps (section 8).

Vocabulary
    row     a claim, with a mark and an interval for each of its settings
    needs   the share of runs that a claim needs (``claims.ledger``), a tick across its row
    knob    what a sweep varies; the verdict of a claim may depend on it
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Mark

from ..claims import FAILS, HOLDS, UNDECIDED, Finding, Measured
from ..claims.ledger import plain
from .sheets import SMALL, axes, framed, sheet

ROW = 0.24
"""Height of a row in inches."""

WORDS, PLOT = 5.2, 4.6
"""Width of the statements at the left and of the plot, in inches."""

LETTERS = 78
"""Most characters in a line of a statement."""

MARKS: dict[str, tuple[Mark, str]] = {
    HOLDS: (LIGHT.belief, "o"),
    UNDECIDED: (LIGHT.observed, "s"),
    FAILS: (LIGHT.backward, "D"),
}
"""Colour and shape of a verdict; only one that holds is filled."""

LEGEND = "disc: holds   square: undecided   diamond: does not hold   small: ours   tick: needed"

KNOB_LEGEND = "disc: holds   square: undecided   diamond: does not hold   line: needed"

CELL, LINE = 1.55, 1.2
"""Width and height of a small picture with its margins, in inches."""


def draw_ledger(findings: Sequence[Finding], fig: Figure | None = None) -> Figure:
    """The share of runs that passed, for each claim and setting, and the verdict."""
    height = ROW * len(findings)
    wide = WORDS + PLOT + 0.2
    fig = sheet(fig, wide, height + 0.9)
    ax = axes(fig, (WORDS, 0.5, PLOT, height))
    for row, finding in enumerate(findings):
        needs = finding.claim.needs
        ax.plot([needs] * 2, [row - 0.4, row + 0.4], color=LIGHT.ink, linewidth=1.2)
        for m in finding.measured[::-1]:  # so that the paper's own setting is on top
            _mark(ax, m, row, needs, size=3.5 if m.ours else 6.5)
    framed(ax, LIGHT, xlabel="share of the runs that passed", xlim=(-0.02, 1.02))
    ax.set_ylim(len(findings) - 0.5, -0.5)
    rows = [fill(f"{plain(f.claim.says)}  ({f.claim.section})", LETTERS) for f in findings]
    ax.set_yticks(range(len(findings)), rows, fontsize=7.5)
    ax.set_ylabel("what the paper states (and in which section)")
    ax.yaxis.set_label_coords(-(WORDS - 0.15) / PLOT, 0.5)
    ax.set_xticks([0, 0.5, 0.9, 1], ["0", "50 %", "90 %", ""])
    fig.text(WORDS / wide, 1 - 0.22 / (height + 0.9), LEGEND, fontsize=7.5, color=LIGHT.ink)
    return fig


def _mark(ax: Axes, m: Measured, row: float, needs: float, size: float) -> None:
    low, high = m.interval
    verdict = m.verdict(needs)
    mark, shape = MARKS[verdict]
    ax.plot([low, high], [row, row], color=mark.color, linewidth=1.2 if not m.ours else 0.7)
    ax.plot(m.share, row, shape, color=mark.color, markersize=size,
            markerfacecolor=mark.color if verdict == HOLDS else LIGHT.ground)  # fmt: skip


def draw_knob(finding: Finding, knob: str, fig: Figure | None = None) -> Figure:
    """One knob of a claim in a picture of its own: the share of runs that pass, with intervals.

    Raises ``ValueError`` for a knob along which the claim was not measured.
    """
    if knob not in finding.sweeps:
        raise ValueError(
            f"{finding.claim.name!r} was not measured along {knob!r}: expected one of "
            f"{', '.join(finding.sweeps)}"
        )
    width, height = 6.0, 3.0
    fig = sheet(fig, width, height)
    ax = axes(fig, (0.75, 0.7, width - 0.95, height - 1.35))
    points, needs = finding.sweeps[knob], finding.claim.needs
    framed(ax, LIGHT, xlabel=knob, ylabel="share of the runs that passed")
    ax.axhline(needs, color=LIGHT.ink, linewidth=1)
    _points(ax, points, needs, size=7)
    ax.set_yticks([0, 0.5, 0.9, 1], ["0", "50 %", "90 %", ""])
    ax.set_xticks(range(len(points)), [m.setting for m in points])
    title = fill(f"{plain(finding.claim.says)} (section {finding.claim.section})", 78)
    for y, words in ((height - 0.22, title), (height - 0.47, KNOB_LEGEND)):
        fig.text(0.75 / width, y / height, words, fontsize=SMALL, color=LIGHT.ink)
    return fig


def draw_knobs(finding: Finding, fig: Figure | None = None, *, across: int = 4) -> Figure:
    """The small pictures of one claim, ``across`` of them in a line."""
    lines = -(-len(finding.sweeps) // across)
    height = LINE * lines + 0.1
    fig = sheet(fig, 0.4 + CELL * across, height)
    for k, (knob, points) in enumerate(finding.sweeps.items()):
        line, place = divmod(k, across)
        bottom = height - LINE * (line + 1)
        ax = axes(fig, (0.45 + CELL * place, bottom + 0.34, CELL - 0.3, LINE - 0.6))
        _sweep(ax, knob, points, finding.claim.needs, first=not place)
    return fig


def _sweep(ax: Axes, knob: str, points: Sequence[Measured], needs: float, *, first: bool) -> None:
    """The picture of one knob; the ``first`` of a line has a label of y."""
    framed(ax, LIGHT)
    ax.set_xlabel(knob, fontsize=6.5 if len(knob) > 18 else SMALL, color=LIGHT.ink)
    ax.xaxis.set_label_coords(0.5, 1.32)  # above, so that it is not read as that of the next line
    if first:
        ax.set_ylabel("share", fontsize=SMALL, color=LIGHT.ink)
    ax.axhline(needs, color=LIGHT.ink, linewidth=0.8)
    _points(ax, points, needs, size=3.5)
    ax.set_yticks([0, 1], ["0", "1"], fontsize=7)
    words = [m.setting for m in points]
    long = max(map(len, words)) > 6 and len(words) > 2
    ax.set_xticks(range(len(points)), [_short(w) for w in words], fontsize=6 if long else 7)


def _points(ax: Axes, points: Sequence[Measured], needs: float, size: float) -> None:
    """The shares along a knob, each with its interval and the mark of its verdict."""
    ax.plot(range(len(points)), [m.share for m in points], color=LIGHT.muted, linewidth=0.8)
    for k, m in enumerate(points):
        verdict = m.verdict(needs)
        mark, shape = MARKS[verdict]
        ax.plot([k, k], m.interval, color=mark.color, linewidth=1)
        ax.plot(k, m.share, shape, color=mark.color, markersize=size,
                markerfacecolor=mark.color if verdict == HOLDS else LIGHT.ground)  # fmt: skip
    ax.set_xlim(-0.4, len(points) - 0.6)
    ax.set_ylim(-0.05, 1.05)


def _short(word: str) -> str:
    """A label that fits under a small picture, with a line for each part before a comma."""
    return word.replace("ties ", "").replace("random", "rand.").replace(", ", "\n")
