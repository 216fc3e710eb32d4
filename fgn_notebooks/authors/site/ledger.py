"""The page of the claims ledger: every claim with its settings, and a figure of its sweep."""

from __future__ import annotations

from html import escape
from pathlib import Path

from fgn_notebooks import contents, findings
from fgn_notebooks.claims import FAILS, HOLDS, UNDECIDED, Finding
from fgn_notebooks.claims.ledger import plain
from fgn_notebooks.claims.text import said
from fgn_notebooks.figures.ledger import draw_knobs

COLOURS = {HOLDS: "fgn-yes", UNDECIDED: "fgn-some", FAILS: "fgn-no"}
INTRODUCTION = (
    "What the paper states from its experiments, in our words, and in how many runs each statement "
    "was true. A share is followed by its 95 % interval. A plain statement needs more than 90 % of "
    "the runs; one that the paper qualifies, by words such as *often* or *typically*, needs more "
    "than half. It *holds* if the whole interval lies above that, it does *not hold* if the whole "
    "interval lies below, and otherwise it is *undecided*. The first row is the paper's own "
    "setting and gives the verdict; rows marked *ours* were added. A disagreement is not an error "
    "of the paper: not all of its settings are printed, and some statements need a condition that "
    "the ledger makes visible. [Chapter 14](14_conclusions.ipynb) draws the lessons, the first of "
    "which is about KL: it is the same rule as ML where what returns to a block is hard, and "
    "converges elsewhere where it is not. [Appendix E](E_claims_ledger.ipynb) says how to read all "
    "of it."
)
PICTURES = (
    "Below each table the same check is repeated along one setting after the other, mostly on "
    "random generative models. The height is the share that passes, and the line is what the "
    "claim needs. A disc holds, a square is undecided, and a diamond does not hold."
)


def page(images: Path) -> str:
    """The stored findings as a page in Markdown; its pictures are saved in ``images``."""
    text = ["# The claims ledger", "", INTRODUCTION, "", PICTURES, ""]
    section = ""
    for finding in findings.stored():
        if finding.claim.section != section:
            section = finding.claim.section
            about = contents.SECTIONS.get(section, "")
            text += [f"## Section {section}. {about}".rstrip(". "), ""]
        text += [_claim(finding, images), ""]
    return "\n".join(text)


def _claim(finding: Finding, images: Path) -> str:
    claim = finding.claim
    rows = "".join(
        f"<tr><th scope='row'>{escape(m.setting)}{' (ours)' if m.ours else ''}</th>"
        f"<td>{m.share:.0%}</td><td>{m.interval[0]:.0%} to {m.interval[1]:.0%}</td>"
        f"<td>{m.verdict(claim.needs)}</td></tr>"
        for m in finding.measured
    )
    lines = [
        f"(claim-{claim.name})=",
        f"### {plain(claim.says)}",
        "",
        f'<p class="fgn-verdict {COLOURS[finding.verdict]}">{escape(said(finding))}</p>',
        "",
        "<table class='table'><thead><tr><th scope='col'>setting</th><th scope='col'>share</th>"
        "<th scope='col'>interval</th><th scope='col'>verdict</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>",
        "",
        claim.why,
        "",
    ]
    if finding.flips:
        lines += [f"The verdict changes with: {', '.join(finding.flips)}.", ""]
    if finding.sweeps:
        name = f"claim-{claim.name}.png"
        draw_knobs(finding).savefig(images / name, dpi=110)
        words = "; ".join(
            f"{knob}: {', '.join(f'{m.setting} {m.share:.0%}' for m in points)}"
            for knob, points in finding.sweeps.items()
        )
        lines += [
            f'<img loading="lazy" src="images/{name}" alt="{escape("Share by knob. " + words)}">',
            "",
        ]
    return "\n".join([*lines, f'Measure it anew: `claims.claim("{claim.name}").measure()`'])
