"""Names: the paper's as mathematics, everyone else's as plain text."""

import pytest
from matplotlib.figure import Figure

from fgnwidgets.draw.names import length, maths, matrix_label, message, plain, shortened


@pytest.mark.parametrize(
    ("name", "tex"),
    [
        ("S", "$S$"),
        ("S1", "$S_{1}$"),
        ("X12", "$X_{12}$"),
        ("S1(2)", "$S_{1}^{(2)}$"),
        ("(S1,S2)", "$(S_{1}S_{2})$"),
        ("(S1,S2)(1)", "$(S_{1}S_{2})^{(1)}$"),
        ("P(Y2|S1,S2)", r"$P(Y_{2}\,|\,S_{1}S_{2})$"),
        ("X[3]", "$X[3]$"),
        ("π S1", r"$\pi_{S1}$"),
    ],
)
def test_names_like_the_papers_are_mathematics(name, tex):
    assert maths(name) == tex


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Grade", "Grade"),
        ("x_1", "x_1"),
        ("<b>", "<b>"),
        ("a$b$", r"a\$b\$"),
        ("two\nlines", "two lines"),
        ("Grade(2)", "Grade$^{(2)}$"),
        ("(Grade,S)", "(Grade,S)"),
        ("{", "{"),
        ("", ""),
    ],
)
def test_other_names_are_text(name, text):
    assert maths(name) == text


@pytest.mark.parametrize("name", ["$", "$$", "\\", "\\$", "^_{}", "#%&~", "$x$(1)", "a\\$(3)"])
def test_any_name_can_be_drawn(name):
    figure = Figure()
    figure.text(0.5, 0.5, maths(name))
    figure.text(0.5, 0.2, plain(name))
    figure.draw_without_rendering()


@pytest.mark.parametrize(
    "name",
    ["S1(2)", "(S1,S2)(1)", "P(Y2|S1,S2)", "Intelligence", "WWWWWW", "illicit", "Größe", "a b"],
)
def test_a_name_is_never_wider_than_it_is_taken_to_be(name):
    figure = Figure(dpi=72)
    size = 50.0
    width = figure.text(0, 0, maths(name), fontsize=size).get_window_extent().width
    assert 0.55 * length(name) * size < width <= length(name) * size


def test_a_matrix_is_named_where_its_branches_do_not_say_it():
    assert matrix_label("Y|X", "Y|X", source=False) == "P(Y|X)"
    assert matrix_label("Grade|Effort", "Grade|Effort", source=False) == ""
    assert matrix_label("emission", "Y|X", source=False) == "emission"  # tied under a name
    assert matrix_label("S", "S", source=True) == "π S"
    assert matrix_label("Effort", "Effort", source=True) == "π Effort"
    assert maths("π Effort") == "π Effort"


def test_a_message_has_its_branch_as_an_index():
    assert message("f", "X(1)") == "$f_{X^{(1)}}$"
    assert message("b", "Grade") == "$b$"


def test_a_long_text_is_cut_with_an_ellipsis():
    assert shortened("short", 6) == "short"
    cut = shortened("a very long label", 6)
    assert cut.endswith("…") and length(cut) <= 6
