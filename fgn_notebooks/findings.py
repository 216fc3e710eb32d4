"""The stored measurements of the claims ledger, and tables of them (section 8).

All claims take minutes to measure. ``python -m fgn_notebooks.findings`` measures them on all
processors and writes the file; names of claims after the command select those. A single claim
takes seconds: ``claims.claim("var-fails").measure()``.

Vocabulary
    finding   a claim with what was measured, and the verdict (``claims``)
    stored    a finding of the file, which also holds versions and seeds
"""

from __future__ import annotations

import json
import os
import platform
import re
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
At = tuple[str, str, str]
"""One check: the name of its claim, its knob, and its label."""

SEEDS = "table k has the number k: it draws the model, the rows and the first start; start j of it "
SEEDS += "has the seed k + 10000 j; messages k have the seed k"


def stored() -> tuple[Finding, ...]:
    """The stored findings, in the order of the ledger.

    Raises :class:`ValueError` if the file and the ledger differ in claims, settings or sweeps.
    """
    known = json.loads(FILE.read_text(encoding="utf-8"))["claims"]
    if list(known) != [c.name for c in ledger()]:
        raise ValueError(_not_of_this_ledger("other claims"))
    return tuple(_finding(c, known[c.name]) for c in ledger())


def provenance() -> dict[str, str]:
    """The versions and seeds with which the stored findings were measured."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    return {**known["versions"], "seeds": known["seeds"]}


def write(findings: Iterable[Finding], path: Path = FILE, *, rest: bool = False) -> None:
    """Write findings for :func:`stored`; with ``rest`` the file keeps those of other claims."""
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
    path.write_text(_rows_on_one_line(content) + "\n", encoding="utf-8")


def measured(names: Sequence[str] | None = None, *, progress: bool = False) -> Iterator[Finding]:
    """Measure claims and their sweeps on all processors; yields each finding when it is done.

    ``names`` are those of the claims, all by default.
    """
    # Imported here because in a browser, where only stored findings are read, it fails.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    wanted = {c.name: c for c in ledger() if names is None or c.name in names}
    jobs = _jobs(wanted.values())
    left = {name: len(c.checks) for name, c in wanted.items()}
    found: dict[str, dict[tuple[str, str], Measured]] = {name: {} for name in wanted}
    # Processes are spawned on every system, so that all systems behave alike.
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
    """Checks grouped by the runs that they share; the longest jobs, of the last sections, first."""
    jobs: dict[Any, list[At]] = {}
    for c in reversed(tuple(claims)):
        for (knob, label), setting in c.checks.items():
            jobs.setdefault(material(setting.check), []).append((c.name, knob, label))
    return list(jobs.values())


def table(findings: Sequence[Finding], *, ours: bool = False) -> str:
    """A table of findings in Markdown: section, statement, what it needs, shares, verdict.

    The shares are those of the paper's settings. With ``ours`` there is a row for each setting that
    we have added instead.
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
    """A table in Markdown with a line for each claim: its first setting, and the verdict."""
    rows = ["| The paper states | Needs | Measured | Verdict |", "| :-- | :-- | --: | :-- |"]
    for f in findings:
        needs = in_words(f.claim.needs)
        rows.append(f"| {f.claim.says} | {needs} | {_share(f.measured[0])} | {_verdicts(f)} |")
    return "\n".join(rows)


def shares(*wanted: str) -> str:
    """The stored shares of claims as text for chapters, a line for each setting.

    ``"claim"`` selects all settings of a claim, ``"claim: setting"`` one of them.
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
    """A text table of stored shares; a row names a claim, and its setting for each head."""
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
    """Measure the checks of one job; runs in a worker process."""
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


def _rows_on_one_line(content: str) -> str:
    """Indented JSON with every innermost list on one line, for readable diffs."""
    innermost = re.compile(r"\[\n +([^\[\]]*)\n +\]")
    return innermost.sub(lambda row: "[" + re.sub(r"\n +", " ", row[1]) + "]", content)


if __name__ == "__main__":
    chosen = sys.argv[1:]
    found = {f.claim.name: f for f in measured(chosen or None, progress=True)}
    write([found[c.name] for c in ledger() if c.name in found], rest=bool(chosen))
