"""The stored findings are those of the ledger, and the chapter's pictures show what they say."""

import pytest
from matplotlib.colors import to_hex

from fgn_notebooks import findings
from fgn_notebooks.claims import Finding, Measured, claim, ledger
from fgn_notebooks.figures.ledger import draw_ledger
from fgnwidgets.draw import LIGHT

STORED = {finding.claim.name: finding for finding in findings.stored()}


@pytest.mark.parametrize("name", [c.name for c in ledger()])
def test_a_stored_finding_is_what_is_measured(name):
    """On another machine rounding may decide for a seed or two, but for no verdict."""
    now = claim(name).measure()
    assert now.verdict == STORED[name].verdict
    for new, old in zip(now.measured, STORED[name].measured, strict=True):
        assert (new.setting, new.seeds) == (old.setting, old.seeds)
        assert abs(new.passed - old.passed) <= 2


def test_findings_are_read_as_they_were_written(tmp_path, monkeypatch):
    monkeypatch.setattr(findings, "FILE", tmp_path / "findings.csv")
    findings.write(STORED.values(), tmp_path / "findings.csv")
    assert findings.stored() == tuple(STORED.values())


def test_a_file_of_another_ledger_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(findings, "FILE", tmp_path / "findings.csv")
    findings.write(list(STORED.values())[1:], tmp_path / "findings.csv")
    with pytest.raises(ValueError, match=r"run python -m fgn_notebooks\.findings"):
        findings.stored()


def test_the_table_shows_share_interval_and_verdict_of_a_claim():
    one = claim("kl-next")
    settings = [label for label, _ in one.settings]
    finding = Finding(one, tuple(Measured(label, 100, 200) for label in settings))
    row = findings.table([finding]).splitlines()[-1]
    assert row.count("50% (43% to 57%)") == len(settings)
    assert "**does not hold here**" in row


def test_the_picture_of_the_ledger_fills_the_marks_of_settings_that_pass():
    shown = [STORED["priors-uniform"], STORED["var-fails"]]
    ax = draw_ledger(shown).axes[0]
    marks = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    filled = [to_hex(m.get_markerfacecolor()) != to_hex(LIGHT.ground) for m in marks]
    assert filled == [False, True, False, True, True]  # priors: ML, KL, VIT, VAR
    assert [round(float(m.get_xdata()[0]), 2) for m in marks][-1] == 1
    words = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert words[1] == f"{shown[1].claim.says} (7.1)".replace(" (", "  (")
