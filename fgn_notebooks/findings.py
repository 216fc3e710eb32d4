"""The claims ledger as it was measured, from a small file, and as a table (section 8).

Measuring all of it takes about a minute: ``python -m fgn_notebooks.findings`` does it anew and
writes the file. A single claim takes seconds: ``claims.claim("var-fails").measure()``.

Vocabulary
    finding   a claim with what was measured, and the verdict (``claims``)
    stored    the findings of the file: a line for each setting of each claim
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from tqdm import tqdm

from fgn_notebooks.claims import Claim, Finding, Measured, ledger

FILE = Path(__file__).with_name("data") / "findings.csv"
COLUMNS = ("claim", "setting", "passed", "seeds")


def stored() -> tuple[Finding, ...]:
    """The findings of the file, for the claims and in the order of the ledger.

    Raises
    ------
    ValueError
        if the file and the ledger do not name the same claims and settings.
    """
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [(claim.name, label) for claim in ledger() for label, _ in claim.settings]
    if names != [(row["claim"], row["setting"]) for row in rows]:
        raise ValueError(
            f"{FILE.name} is not of this ledger: run python -m fgn_notebooks.findings to write it"
        )
    lines = iter(rows)
    return tuple(_finding(claim, [next(lines) for _ in claim.settings]) for claim in ledger())


def write(findings: Iterable[Finding], path: Path = FILE) -> None:
    """Write findings as :func:`stored` reads them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for finding in findings:
            for m in finding.measured:
                lines.writerow((finding.claim.name, m.setting, m.passed, m.seeds))


def table(findings: Sequence[Finding]) -> str:
    """Findings in Markdown: section, statement and verdict, and a line for each setting."""
    rows = ["| Section | The paper states | Measured | Verdict |", "| :-- | :-- | :-- | :-- |"]
    for finding in findings:
        claim = finding.claim
        measured = "<br>".join(f"{_share(m)}, {m.setting}" for m in finding.measured)
        rows.append(f"| {claim.section} | {claim.says} | {measured} | **{finding.verdict}** |")
    return "\n".join(rows)


def _share(m: Measured) -> str:
    low, high = m.interval
    return f"{m.share:.0%} ({low:.0%} to {high:.0%})"


def _finding(claim: Claim, rows: Sequence[dict[str, str]]) -> Finding:
    measured = (Measured(r["setting"], int(r["passed"]), int(r["seeds"])) for r in rows)
    return Finding(claim, tuple(measured))


if __name__ == "__main__":
    write([claim.measure() for claim in tqdm(ledger(), unit="claim")])
