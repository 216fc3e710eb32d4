"""Every report as columns, as a data frame and as LaTeX, where no cell means anything to TeX."""

import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from latent_classes import ITEMS, TRUE, TWO, classes, drawn

import fgnwidgets as fg
from fgnwidgets.report import Report, latex_text

TABLE = drawn(TWO, TRUE, 200, 0, "ABCD")
RUN = fg.fit(TWO, TABLE)
ONE = fg.fit(classes(1, ITEMS), TABLE)
REPORTS = {
    "summary": RUN.summary(),
    "standard_errors": fg.standard_errors(RUN),
    "bootstrap": fg.bootstrap(RUN, n=5),
    "identified": fg.identified(RUN),
    "residuals": fg.residuals(RUN),
    "blrt": fg.blrt(ONE, RUN, n=3, restarts=1),
    "compare": fg.compare({"one": classes(1, ITEMS), "two": TWO}, TABLE, folds=0, restarts=2),
    "goodness": fg.goodness(RUN, bootstrap=3),
    "classification": fg.classification(RUN),
    "outcome": fg.three_step(RUN, {**TABLE, "z": TABLE["A"] + 0.5}, "z", correction="bch"),
    "covariates": fg.three_step(RUN, {**TABLE, "z": range(200)}, covariates="z"),
    "invariance": fg.invariance(TWO, {**TABLE, "g": ["a", "b"] * 100}, "g", restarts=1),
    "informative": fg.informative(TWO, RUN, {"A": [1]}, "S"),
    "sensitivity": fg.sensitivity(TWO, RUN, {"A": [1]}, {"S": 0}),
    "odds_ratios": fg.standard_errors(RUN).odds_ratios("A|S"),
}


class Odd(Report):
    def _table(self):
        return (
            r"100 % of $\alpha$",
            ["a_b", "x^2", ""],
            [[r"\{~}", 1.5, "<&>"], ["[k]", 10**20, "#"]],
        )

    def _notes(self):
        return ("p < 0.05 & more",)


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_has_columns_of_one_length_with_names_of_their_own(name):
    report = REPORTS[name]
    found = report.to_dict()
    assert len({len(column) for column in found.values()}) == 1 and all(found)
    frame = report.to_frame()
    assert isinstance(frame, pd.DataFrame) and list(frame) == list(found)
    assert frame.attrs["title"] == repr(report).split("\n")[0]
    assert frame.attrs["notes"] == list(report._notes())
    assert pl.DataFrame(found, strict=False).shape == frame.shape


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_is_a_table_for_booktabs_with_the_numbers_that_it_prints(name):
    report = REPORTS[name]
    text = report.to_latex(label="tab:fit")
    lines = text.split("\n")
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1
    assert r"\label{tab:fit}" in lines
    width = len(re.search(r"begin{tabular}{(\w+)}", text)[1])
    body = [line for line in lines if line.endswith(r"\\")]
    _, heads, rows = report._table()
    assert len(body) == len(rows) + any(heads)
    assert {len(re.split(r"(?<!\\)&", line)) for line in body} == {width} == {len(heads)}
    bare = re.sub(r"\\text\w+{}|\\[&%$#_{}]", "", text)  # what is left has no sign unescaped
    assert not re.search(r"[%$#_^~|<>]", bare.replace(r"\label", ""))


def test_reports_give_numbers_that_are_not_rounded():
    two = fg.residuals(RUN)
    assert REPORTS["residuals"].to_dict()["residual"] == [v for *_, v in two.worst(6)]
    found = dict(zip(*REPORTS["summary"].to_dict().values(), strict=True))
    assert found["log-likelihood"] == RUN.final_loglik[RUN.best]
    errors = REPORTS["standard_errors"]
    assert errors.to_dict()["error"][0] == errors.se["S"][0, 0]
    assert list(errors.to_frame()) == [
        "matrix",
        "given",
        "state",
        "estimate",
        "error",
        "low",
        "high",
        "why",
    ]
    frame = REPORTS["goodness"].to_frame()
    assert frame["statistic"][0] == REPORTS["goodness"].g2
    assert REPORTS["compare"].to_dict() == dict(REPORTS["compare"].columns)


@pytest.mark.parametrize("name", REPORTS)
def test_no_report_gives_numbers_as_text(name):
    words = [v for column in REPORTS[name].to_dict().values() for v in column if type(v) is str]
    assert not [word for word in words if re.fullmatch(r"-?\d+\.\d+( %)?|nan|-", word)]


def test_what_is_informative_and_sensitive_is_given_whole():
    wide = classes(2, dict.fromkeys("ABCDEFGHIJKL", 2))
    theta = fg.random_theta(wide, np.random.default_rng(0))
    told = fg.informative(wide, theta, {"A": [1]}, "S")
    assert len(told._table()[2]) == 10
    found = told.to_dict()
    assert found["variable"] == list(told.bits) and found["bits"] == list(told.bits.values())
    top = told.posterior.argmax()
    least = [told.span(v)[0, top] for v in told.bits]
    assert len(least) == 11 and found[f"P(S = {top}) at least"] == least
    cells = fg.sensitivity(
        wide, theta, {"A": [1], "B": [0], "C": [1], "D": [0], "E": [1], "F": [1]}, {"S": 0}
    )
    assert len(cells._table()[2]) == 10
    found = cells.to_dict()
    assert len(found["cell"]) == 13  # of the prior one, and of each observed item two
    assert found["derivative"] == [row[4] for row in cells.cells(99)]
    assert cells.to_frame()["derivative"].dtype == float


def test_residuals_show_ten_pairs_and_give_all():
    items = dict.fromkeys("ABCDEF", 2)
    table = drawn(
        classes(1, items), {"S": [[1.0]], **{f"{v}|S": [[0.5, 0.5]] for v in items}}, 60, 0, items
    )
    found = fg.residuals(fg.fit(classes(1, items), table))
    assert len(found._table()[2]) == 10 and len(found.to_frame()) == 15


def test_signs_that_tex_reads_are_escaped_in_title_heads_cells_and_notes():
    text = Odd().to_latex()
    assert r"\caption{100 \% of \$\textbackslash{}alpha\$}" in text
    assert r"a\_b & x\textasciicircum{}2 &  \\" in text
    assert (
        r"\textbackslash{}\{\textasciitilde{}\} & 1.5000 & \textless{}\&\textgreater{} \\" in text
    )
    assert r"{}[k] & 1.000e+20 & \# \\" in text
    assert r"\footnotesize p \textless{} 0.05 \& more" in text
    assert list(Odd().to_dict()) == ["a_b", "x^2", "column 3"]
    assert latex_text("ä\nß") == "ä ß"


def test_a_caption_of_ones_own_is_text_too_and_a_label_is_a_name():
    assert r"\caption{R\&D}" in Odd().to_latex(caption="R&D")
    for bad in ("a{b", "a%b", ""):
        with pytest.raises(ValueError, match="label is"):
            Odd().to_latex(label=bad)
    with pytest.raises(ValueError, match="caption is 5"):
        Odd().to_latex(caption=5)


def test_without_pandas_the_way_out_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame needs pandas .*pip install pandas.*to_dict"):
        RUN.summary().to_frame()
    assert RUN.summary().to_dict()["quantity"][0].startswith("samples")
