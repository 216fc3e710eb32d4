"""The claims ledger at a glance (section 8).

Vocabulary
    row    a claim; a mark for each of its settings, with the interval of its share
    needs  the share that the paper's word asks for, a tick across the row
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT

from ..claims import Finding
from .panels import axes, framed, sheet

ROW = 0.24
"""Height of a row in inches."""

WORDS, PLOT = 5.2, 4.6
"""Width of the statements at the left and of the plot, in inches."""

LETTERS = 92
"""A statement of more letters goes on in a second line."""


def draw_ledger(findings: Sequence[Finding], fig: Figure | None = None) -> Figure:
    """The share of the seeds that passed, for each claim and setting.

    A filled disc passes: its whole interval lies above the tick. A hollow diamond does not.
    """
    height = ROW * len(findings)
    wide = WORDS + PLOT + 0.2
    fig = sheet(fig, wide, height + 0.9)
    ax = axes(fig, (WORDS, 0.5, PLOT, height))
    for row, finding in enumerate(findings):
        needs = finding.claim.needs
        ax.plot([needs] * 2, [row - 0.4, row + 0.4], color=LIGHT.ink, linewidth=1.2)
        for m in finding.measured:
            low, high = m.interval
            passes = low > needs
            mark = LIGHT.belief if passes else LIGHT.backward
            ax.plot([low, high], [row, row], color=mark.color, linewidth=1.2)
            ax.plot(m.share, row, "o" if passes else "D", color=mark.color, markersize=6,
                    markerfacecolor=mark.color if passes else LIGHT.ground)  # fmt: skip
    framed(ax, LIGHT, xlabel="share of the seeds that passed", xlim=(-0.02, 1.02))
    ax.set_ylim(len(findings) - 0.5, -0.5)
    rows = [fill(f"{f.claim.says}  ({f.claim.section})", LETTERS) for f in findings]
    ax.set_yticks(range(len(findings)), rows, fontsize=7.5)
    ax.set_ylabel("what the paper states (and in which section)")
    ax.yaxis.set_label_coords(-(WORDS - 0.15) / PLOT, 0.5)
    ax.set_xticks([0, 0.5, 0.9, 1], ["0", "50 %", "90 %", ""])
    fig.text(WORDS / wide, 1 - 0.2 / (height + 0.9), "filled: holds   hollow: does not   "
             "tick: the share asked for", fontsize=9, color=LIGHT.ink)  # fmt: skip
    return fig
