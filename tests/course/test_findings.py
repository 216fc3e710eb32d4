"""The stored findings are those of the ledger, and the chapter's pictures show what they say."""

import json
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tiers import mostly_slow

from fgn_notebooks import findings
from fgn_notebooks.claims import FAILS, HOLDS, UNDECIDED, Finding, Measured, claim, ledger
from fgn_notebooks.figures.ledger import draw_knob, draw_knobs, draw_ledger
from fgnwidgets.draw import LIGHT

STORED = {finding.claim.name: finding for finding in findings.stored()}
AGAIN = ("normalization-crucial", "ml-best", "vit-above-var", "alike-when-sharp")


@pytest.mark.parametrize("name", mostly_slow(AGAIN, *AGAIN[1:]))
def test_a_stored_share_is_what_is_measured(name):
    """On another machine rounding may decide for a run or two in a hundred."""
    now = claim(name).measure()
    for new, old in zip(now.measured, STORED[name].measured, strict=True):
        assert (new.setting, new.runs, new.tables, new.ours) == (
            old.setting, old.runs, old.tables, old.ours,
        )  # fmt: skip
        assert abs(new.share - old.share) <= 0.03


def test_what_processes_measure_is_what_the_claims_measure_by_themselves():
    names = ("mean-like-mode", "all-count")
    found = {f.claim.name: f for f in findings.measured(names)}
    assert set(found) == set(names)
    for name in names:
        assert found[name] == claim(name).measure(sweeps=True)


def test_every_check_is_measured_once_and_checks_on_the_same_runs_together():
    jobs = findings._jobs(ledger())
    each = [at for job in jobs for at in job]
    assert len(each) == len(set(each)) == sum(len(c.checks) for c in ledger())
    where = {at: k for k, job in enumerate(jobs) for at in job}
    assert where["ml-kl-best", "", "M_S=2"] == where["smooth-mismatched", "", "M_S=2"]
    assert where["deep-ml-kl-best", "Nit", "5"] == where["deep-smooth", "Nit", "5"]


def test_every_sweep_of_the_ledger_is_stored():
    for finding in STORED.values():
        assert set(finding.sweeps) == {sweep.knob for sweep in finding.claim.sweeps}


def test_findings_are_read_as_they_were_written_with_versions_and_seeds(tmp_path, monkeypatch):
    monkeypatch.setattr(findings, "FILE", tmp_path / "findings.json")
    findings.write(STORED.values(), tmp_path / "findings.json")
    assert findings.stored() == tuple(STORED.values())
    said = findings.provenance()
    assert said["numpy"] == np.__version__ and "seed" in said["seeds"]


def test_a_browser_which_has_no_processes_reads_the_stored_findings():
    without = "import sys; sys.modules['_multiprocessing'] = None; "
    read = "from fgn_notebooks import findings; print(len(findings.stored()))"
    done = subprocess.run([sys.executable, "-c", without + read], capture_output=True, text=True)
    assert done.stdout.strip() == str(len(STORED)), done.stderr


def test_some_findings_are_written_into_those_of_the_others(tmp_path, monkeypatch):
    file = tmp_path / "findings.json"
    monkeypatch.setattr(findings, "FILE", file)
    findings.write(STORED.values(), file)
    other = finding("ml-best", 7)
    changed = Finding(other.claim, other.measured, STORED["ml-best"].sweeps)
    findings.write([changed], file, rest=True)
    assert findings.stored() == tuple(
        changed if f.claim.name == "ml-best" else f for f in STORED.values()
    )


def test_a_file_of_another_ledger_is_refused_with_the_way_out(tmp_path, monkeypatch):
    file = tmp_path / "findings.json"
    monkeypatch.setattr(findings, "FILE", file)
    findings.write(list(STORED.values())[1:], file)
    with pytest.raises(ValueError, match=r"run python -m fgn_notebooks\.findings"):
        findings.stored()
    findings.write(STORED.values(), file)
    content = json.loads(file.read_text())
    content["claims"]["ml-best"]["settings"][0][0] = "elsewhere"
    file.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="other settings of 'ml-best'"):
        findings.stored()


def finding(name: str, *passed: int) -> Finding:
    settings = claim(name).settings
    shares = [*passed, *[0] * (len(settings) - len(passed))]
    return Finding(
        claim(name),
        tuple(Measured(s.label, n, 200, 200, 200.0, s.ours)
              for s, n in zip(settings, shares, strict=True)), {},
    )  # fmt: skip


def test_a_chapter_quotes_all_settings_of_a_claim_or_one():
    first, second = findings.shares("deep-mismatch").splitlines()
    (m, _) = STORED["deep-mismatch"].measured
    assert first.split()[:2] == ["deep-mismatch", f"{m.share:.0%}"] and first.endswith(m.setting)
    assert findings.shares("deep-mismatch: and smooth") == second
    with pytest.raises(ValueError, match="it has ML and KL are the best; and smooth"):
        findings.shares("deep-mismatch: and rough")


def test_shares_of_several_settings_stand_side_by_side():
    head, row = findings.beside(("one", "two"), ("kl-next", "EX=EY=20", "EX=EY=5")).splitlines()
    by_setting = {m.setting: m for m in STORED["kl-next"].measured}
    assert head.split() == ["one", "two"] and row.startswith("kl-next")
    assert row.index(f"{by_setting['EX=EY=20'].share:.0%} (") < row.index(
        f"{by_setting['EX=EY=5'].share:.0%} ("
    )


def test_the_table_shows_what_is_needed_share_interval_and_verdict_of_the_paper_s_settings():
    row = findings.table([finding("kl-next", 100, 180)]).splitlines()[-1]
    assert "KL *usually* comes next. | more than half |" in row
    assert "50% (43% to 57%), EX=EY=1" in row and "90% (85% to 93%), EX=EY=20" in row
    assert row.count("<br>") == 1 and "**undecided**" in row
    ours = findings.table([finding("kl-next", 100, 180)], ours=True).splitlines()[2:]
    assert len(ours) == sum(s.ours for s in claim("kl-next").settings)
    strict = findings.table([finding("ml-best", 190)]).splitlines()[-1]
    assert "**holds** (undecided at 95 %)" in strict


def test_the_short_table_has_a_line_for_each_claim_with_its_first_setting_alone():
    head, _, one, other = findings.short([finding("kl-next", 100, 180), finding("ml-best", 190)]
                                         ).splitlines()  # fmt: skip
    assert head.count("|") == one.count("|") == other.count("|") == 5
    assert "| more than half | 50% (43% to 57%) | **undecided** |" in one and "90%" not in one
    assert "| more than 90% | 95% (91% to 97%) | **holds** (undecided at 95 %) |" in other


def test_the_picture_of_the_ledger_gives_each_verdict_its_mark():
    shown = finding("kl-next", 150, 100, 20)
    ax = draw_ledger([shown]).axes[0]
    (words,) = (label.get_text().replace("\n", " ") for label in ax.get_yticklabels())
    assert words == "KL usually comes next.  (6)"
    marks = [line for line in ax.lines if line.get_marker() in ("o", "s", "D")]
    by_share = {round(float(m.get_xdata()[0]), 2): m for m in marks}
    for value, shape, filled in ((0.75, "o", True), (0.5, "s", False), (0.1, "D", False)):
        mark = by_share[value]
        assert mark.get_marker() == shape
        assert (to_hex(mark.get_markerfacecolor()) != to_hex(LIGHT.ground)) is filled
    assert by_share[0.75].get_markersize() > by_share[0.1].get_markersize()  # ours are small


def test_the_pictures_of_one_claim_stand_in_lines_that_say_what_their_height_is():
    shown = STORED["var-fails"]
    drawn = draw_knobs(shown, across=3).axes
    assert [ax.get_xlabel() for ax in drawn] == list(shown.sweeps)
    assert [k for k, ax in enumerate(drawn) if ax.get_ylabel()] == list(range(0, len(drawn), 3))
    tops = [ax.get_position().y1 for ax in drawn]
    assert tops[0] == tops[2] > tops[3]


def test_one_knob_has_a_picture_with_the_share_of_every_setting():
    shown = STORED["deep-ml-kl-best"]
    (ax,) = draw_knob(shown, "Nit").axes
    drawn = [line for line in ax.lines if line.get_marker() in ("o", "s", "D")]
    assert [float(line.get_ydata()[0]) for line in drawn] == [m.share for m in shown.sweeps["Nit"]]
    assert [t.get_text() for t in ax.get_xticklabels()] == [m.setting for m in shown.sweeps["Nit"]]
    with pytest.raises(ValueError, match="not measured along 'luck': expected one of Nit, "):
        draw_knob(shown, "luck")


def test_the_lead_of_ml_and_kl_on_the_deeper_graph_ends_with_many_steps():
    """The knob that turns the paper's main claim, with margins."""
    shares = {m.setting: m.share for m in STORED["deep-ml-kl-best"].sweeps["Nit"]}
    assert min(shares["1"], shares["2"], shares["3"]) > 0.65
    assert max(shares["10"], shares["20"]) < 0.4
    assert STORED["deep-ml-kl-best"].flips


def test_all_three_verdicts_occur():
    verdicts = {m.verdict(f.claim.needs) for f in STORED.values() for m in f.measured}
    assert verdicts == {HOLDS, UNDECIDED, FAILS}
