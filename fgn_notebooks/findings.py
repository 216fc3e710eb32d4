"""The claims ledger as it was measured, from a small file, and as tables (section 8).

Measuring all of it takes minutes: ``python -m fgn_notebooks.findings`` does it anew, on all
processors, with a progress bar, and writes the file; with names of claims behind it, theirs alone.
A single claim takes seconds:
``claims.claim("var-fails").measure()``.

Vocabulary
    finding   a claim with what was measured, and the verdict (``claims``)
    stored    the findings of the file, with the versions and the seeds that they were measured with
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import fgnwidgets
from fgn_notebooks.claims import ALWAYS, Claim, Finding, Measured, claim, ledger
from fgn_notebooks.claims.ledger import in_words, material
from fgn_notebooks.experiments.words import text_table

FILE = Path(__file__).with_name("data") / "findings.json"
FIELDS = ("setting", "passed", "runs", "tables", "worth", "ours")
At = tuple[str, str, str]
"""The name of a claim, and knob and label of one of its checks."""

SEEDS = "table k has the number k: it draws the model, the rows and the first start; start j of it "
SEEDS += "has the seed k + 10000 j; messages k have the seed k"


def stored() -> tuple[Finding, ...]:
    """The findings of the file, for the claims and in the order of the ledger.

    Raises
    ------
    ValueError
        if the file and the ledger do not name the same claims, settings and sweeps.
    """
    known = json.loads(FILE.read_text(encoding="utf-8"))["claims"]
    if list(known) != [c.name for c in ledger()]:
        raise ValueError(_not_of_this_ledger("other claims"))
    return tuple(_finding(c, known[c.name]) for c in ledger())


def provenance() -> dict[str, str]:
    """With which versions and seeds the stored findings were measured."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    return {**known["versions"], "seeds": known["seeds"]}


def write(findings: Iterable[Finding], path: Path = FILE, *, rest: bool = False) -> None:
    """Write findings as :func:`stored` reads them, a line for each setting.

    With ``rest`` the file keeps what it has of other claims.
    """
    versions = {
        "fgnwidgets": fgnwidgets.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    whole = {
        f.claim.name: {
            "settings": [_row(m) for m in f.measured],
            "sweeps": {knob: [_row(m) for m in points] for knob, points in f.sweeps.items()},
        }
        for f in findings
    }
    if rest:
        whole = json.loads(path.read_text(encoding="utf-8"))["claims"] | whole
    content = json.dumps({"versions": versions, "seeds": SEEDS, "claims": whole}, indent=1)
    path.write_text(_a_line_each(content) + "\n", encoding="utf-8")


def measured(names: Sequence[str] | None = None, *, progress: bool = False) -> Iterator[Finding]:
    """Measure claims anew, with their sweeps, on all processors, as they come."""
    # Late: a browser, which reads the stored findings, has no processes.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    wanted = {c.name: c for c in ledger() if names is None or c.name in names}
    jobs = _jobs(wanted.values())
    left = {name: len(c.checks) for name, c in wanted.items()}
    found: dict[str, dict[tuple[str, str], Measured]] = {name: {} for name in wanted}
    # Processes are spawned, as on every system they can be: they import the ledger by themselves.
    with (
        tqdm(total=sum(map(len, jobs)), unit="setting", disable=not progress) as bar,
        ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool,
    ):
        for done in as_completed([pool.submit(_measure, job) for job in jobs]):
            for (name, knob, label), m in done.result():
                found[name][knob, label] = m
                if len(found[name]) == left[name]:
                    yield wanted[name].finding(found[name])
                bar.update()


def _jobs(claims: Iterable[Claim]) -> list[list[At]]:
    """What shares its runs is one job; the last sections first, whose jobs are the longest."""
    jobs: dict[Any, list[At]] = {}
    for c in reversed(tuple(claims)):
        for (knob, label), setting in c.checks.items():
            jobs.setdefault(material(setting.check), []).append((c.name, knob, label))
    return list(jobs.values())


def table(findings: Sequence[Finding], *, ours: bool = False) -> str:
    """Findings in Markdown: section, statement, what it needs, what was measured, verdict.

    The paper's settings; or, with ``ours``, those that we have added, each with its verdict.
    """
    head = "| Section | The paper states | Needs | Measured | Verdict |"
    if ours:
        head = "| Section | Claim | Our setting | Measured | Verdict |"
    rows = [head, "| :-- | :-- | :-- | :-- | :-- |"]
    for finding in findings:
        c = finding.claim
        if ours:
            rows += [
                f"| {c.section} | {c.name} | {m.setting} | {_share(m)} | {m.verdict(c.needs)} |"
                for m in finding.measured
                if m.ours
            ]
            continue
        given = [m for m in finding.measured if not m.ours]
        shares = "<br>".join(f"{_share(m)}, {m.setting}" for m in given)
        rows.append(
            f"| {c.section} | {c.says} | {in_words(c.needs)} | {shares} | {_verdicts(finding)} |"
        )
    return "\n".join(rows)


def short(findings: Sequence[Finding]) -> str:
    """A line for each claim in Markdown: the statement, what it needs, the first setting."""
    rows = ["| The paper states | Needs | Measured | Verdict |", "| :-- | :-- | --: | :-- |"]
    for f in findings:
        needs = in_words(f.claim.needs)
        rows.append(f"| {f.claim.says} | {needs} | {_share(f.measured[0])} | {_verdicts(f)} |")
    return "\n".join(rows)


def shares(*wanted: str) -> str:
    """The stored shares of claims, a line for each setting, as chapters quote them.

    ``"claim"`` asks for all settings of a claim, ``"claim: setting"`` for one of them.
    """
    known = {f.claim.name: f for f in stored()}
    lines = []
    for name, _, setting in (words.partition(": ") for words in wanted):
        found = [m for m in known[name].measured if setting in ("", m.setting)]
        if not found:
            settings = "; ".join(m.setting for m in known[name].measured)
            raise ValueError(f"{name!r} has no setting {setting!r}: it has {settings}")
        lines += [f"{name:<22} {_share(m):>20}  {m.setting}" for m in found]
    return "\n".join(lines)


def beside(heads: Sequence[str], *rows: Sequence[str]) -> str:
    """Stored shares side by side: in each row a claim, then one of its settings for each head."""
    known = {f.claim.name: {m.setting: m for m in f.measured} for f in stored()}
    cells = [(name, *(_share(known[name][setting]) for setting in own)) for name, *own in rows]
    return text_table(("", *heads), cells)


def _verdicts(finding: Finding) -> str:
    strict = ""
    if finding.claim.needs == ALWAYS and finding.strict != finding.verdict:
        strict = f" ({finding.strict} at 95 %)"
    return f"**{finding.verdict}**{strict}"


def _share(m: Measured) -> str:
    low, high = m.interval
    return f"{m.share:.0%} ({low:.0%} to {high:.0%})"


def _measure(job: Sequence[At]) -> list[tuple[At, Measured]]:
    """In a worker."""
    return [(at, claim(at[0]).measure_at(*at[1:])) for at in job]


def _row(m: Measured) -> list[Any]:
    return [m.setting, m.passed, m.runs, m.tables, round(m.worth, 1), m.ours]


def _finding(c: Claim, known: Mapping[str, Any]) -> Finding:
    settings = tuple(Measured(*row) for row in known["settings"])
    sweeps = {k: tuple(Measured(*row) for row in rows) for k, rows in known["sweeps"].items()}
    if [m.setting for m in settings] != [s.label for s in c.settings]:
        raise ValueError(_not_of_this_ledger(f"other settings of {c.name!r}"))
    if {k: [m.setting for m in v] for k, v in sweeps.items()} != {
        s.knob: [label for label, _ in s.points] for s in c.sweeps
    }:
        raise ValueError(_not_of_this_ledger(f"other sweeps of {c.name!r}"))
    return Finding(c, settings, sweeps)


def _not_of_this_ledger(what: str) -> str:
    return (
        f"{FILE.name} is not of this ledger, it has {what}: run python -m fgn_notebooks.findings "
        "to write it"
    )


def _a_line_each(content: str) -> str:
    """Rows of numbers on one line: a change of one is a change of a line."""
    lines: list[str] = []
    row: list[str] | None = None
    for line in content.splitlines():
        if row is not None:
            row.append(line.strip())
            if line.strip() in ("]", "],"):
                lines.append(" ".join(row).replace("[ ", "[").replace(" ]", "]"))
                row = None
        elif line.strip() == "[" and lines:
            row = [line.rstrip()]
        else:
            lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    chosen = sys.argv[1:]
    found = {f.claim.name: f for f in measured(chosen or None, progress=True)}
    write([found[c.name] for c in ledger() if c.name in found], rest=bool(chosen))
