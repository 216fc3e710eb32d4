"""Drawings of graphs, read back from the axes: nothing overlaps, nothing is cut off."""

from io import BytesIO

import matplotlib as mpl
import numpy as np
import pytest
from drawn import drawn, faults, random_forest, texts
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from fgnwidgets import BayesGraph, Block, Branch, NormalGraph, propagate, random_theta
from fgnwidgets.draw import DARK, LIGHT, draw_bayes, draw_normal

STUDENT = BayesGraph(
    {
        "Difficulty": ("easy", "hard"),
        "Intelligence": ("low", "high"),
        "Grade": ("A", "B", "C"),
        "SAT": ("bad", "good"),
        "Letter": ("weak", "strong"),
    },
    {"Grade": ("Intelligence", "Difficulty"), "SAT": "Intelligence", "Letter": "Grade"},
)
THETA = random_theta(STUDENT, np.random.default_rng(1))
SIZES = [1, 2, 3, 5, 8, 12, 20, 30]
NASTY = ("<img onerror=alert(1)>", "$x$ & _y_", "a^b {c} \\d", "100%", "#1")


def fills(ax, kind) -> list[tuple[float, ...]]:
    return [p.get_facecolor()[:3] for p in ax.patches if type(p) is kind]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", range(2))
def test_a_normal_graph_of_up_to_30_variables_has_no_fault(n, seed):
    assert faults(draw_normal(random_forest(n, seed))) == []


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", range(2))
def test_a_bayesian_graph_of_up_to_30_variables_has_no_fault(n, seed):
    assert faults(draw_bayes(random_forest(n, seed))) == []


@pytest.mark.parametrize("n", [1, 4, 9, 16])
def test_with_messages_there_is_no_fault_either(n):
    graph = random_forest(n, n)
    theta = random_theta(graph, np.random.default_rng(0))
    prior = propagate(graph, theta)
    messages = propagate(graph, theta, {"V0": [1]})
    assert faults(draw_normal(graph, messages=messages, prior=prior, theta=theta)) == []
    assert faults(draw_bayes(graph, messages=messages, prior=prior)) == []


def test_labels_of_states_and_long_names_have_room():
    messages = propagate(STUDENT, THETA, {"SAT": ["good"], "Grade": ["C"]})
    for ax in (draw_normal(STUDENT, messages=messages), draw_bayes(STUDENT, messages=messages)):
        assert faults(ax) == []
        assert {"easy", "hard", "weak", "strong"} <= set(texts(ax.figure))


def test_a_hundred_variables_are_still_apart():
    assert faults(draw_bayes(random_forest(100, 4))) == []


@pytest.mark.parametrize("size", [(3.0, 3.0), (12.0, 2.0), (6.4, 4.8)])
def test_given_axes_of_any_shape_hold_the_drawing_whole(size):
    ax = Figure(figsize=size).add_axes((0.1, 0.1, 0.8, 0.8))
    assert draw_normal(random_forest(8, 1), ax) is ax
    assert faults(ax) == []


def test_names_of_users_show_as_they_were_written():
    bayes = BayesGraph(dict.fromkeys(NASTY, ("a$b", "<i>")), {NASTY[1]: NASTY[0]})
    theta = random_theta(bayes, np.random.default_rng(0))
    messages = propagate(bayes, theta)
    for ax in (draw_bayes(bayes), draw_bayes(bayes, messages=messages), draw_normal(bayes)):
        assert faults(ax) == []  # drawing it parses every text
    shown = [t.replace(r"\$", "$") for t in texts(draw_bayes(bayes, messages=messages).figure)]
    assert set(NASTY) | {"a$b", "<i>"} <= set(shown)


def test_fixed_blocks_are_grey_and_learned_ones_are_not():
    bayes = BayesGraph({"A": 2, "B": 2, "X": 2}, {"X": ("A", "B")}, fixed="A")
    shaded = [c == pytest.approx(to_rgb(LIGHT.shade)) for c in fills(draw_normal(bayes), Rectangle)]
    assert sum(shaded) == 3  # two product blocks, and the prior that is not learned


def test_every_open_end_has_a_terminal_and_certain_evidence_fills_it():
    x, y = Branch("X", 2), Branch("Y", 2)
    assert len(fills(draw_normal(NormalGraph([Block("Y|X", x, y)])), Circle)) == 2
    messages = propagate(STUDENT, THETA, {"Letter": ["weak"], "SAT": [[0.2, 0.8]]})
    filled = set(fills(draw_normal(STUDENT, messages=messages), Circle))
    hard = [c for c in filled if c == pytest.approx(to_rgb(LIGHT.observed.color))]
    assert len(hard) == 1 and len(filled) == 2  # soft evidence leaves doubt


def test_evidence_on_a_hidden_variable_shows_its_junction():
    messages = propagate(STUDENT, THETA, {"Intelligence": ["high"]})
    names = texts(draw_normal(STUDENT, messages=messages).figure)
    assert any(name.startswith("Intelligence") and "(3)" in name for name in names)
    assert not any("(3)" in name for name in texts(draw_normal(STUDENT).figure))


def lengths(ax, mark) -> list[float]:
    """Lengths of the bars in a colour, in grid steps."""
    return [
        float(np.ptp(path.vertices[:, 0]))
        for bars in ax.collections
        if isinstance(bars, PolyCollection)
        and bars.get_facecolor()[0][:3] == pytest.approx(to_rgb(mark.color))
        for path in bars.get_paths()
        if len(path.vertices) == 5
    ]


def test_bars_are_as_long_as_the_probabilities_that_they_show():
    bayes = BayesGraph({"S": 2, "X": 3}, {"X": "S"})
    theta = {"S": [[0.25, 0.75]], "X|S": [[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]}
    messages = propagate(bayes, theta, {"X": [0]})
    ax = draw_normal(bayes, messages=messages)
    unit = lengths(ax, LIGHT.backward)[2]  # X = 0 is observed: the backward message is (1, 0, 0)
    forward = np.array(lengths(ax, LIGHT.forward)) / unit
    np.testing.assert_allclose(forward, [0.25, 0.75, 0.5, 0.375, 0.125])
    belief = np.array(lengths(ax, LIGHT.belief)) / unit
    np.testing.assert_allclose(belief, [0.1, 0.9, 1, 0, 0], atol=1e-12)


def test_every_theme_paints_its_own_ground_and_ink():
    for theme in (LIGHT, DARK):
        ax = draw_normal(STUDENT, theme=theme)
        assert to_rgb(ax.figure.get_facecolor()) == to_rgb(theme.ground)
        assert ax.figure.get_facecolor()[3] == 1
        assert {text.get_color() for text in ax.texts} == {theme.ink}


def test_drawing_changes_no_setting_of_matplotlib():
    before = dict(mpl.rcParams)
    draw_normal(STUDENT, theta=THETA).figure.savefig(BytesIO())
    assert dict(mpl.rcParams) == before


def test_what_cannot_be_drawn_is_said():
    messages = propagate(STUDENT, THETA, {"SAT": ["good", "bad"]})
    with pytest.raises(ValueError, match="sample is 2: there are 2"):
        draw_bayes(STUDENT, messages=messages, sample=2)
    batch = random_theta(STUDENT, np.random.default_rng(0), (4,))
    with pytest.raises(ValueError, match="pick one graph of the batch"):
        draw_bayes(STUDENT, messages=propagate(STUDENT, batch))
    with pytest.raises(ValueError, match="theta has no matrix 'SAT"):
        draw_normal(STUDENT, theta={k: v for k, v in THETA.items() if "SAT" not in k})


def test_the_checks_themselves_see_every_fault():
    ax = draw_normal(random_forest(6, 2))
    assert faults(ax) == []
    (x, y), (left, right) = ax.texts[0].get_position(), ax.get_xlim()
    second = ax.texts[1].get_position()
    ax.texts[0].set_position(second)
    assert any("overlap" in fault for fault in faults(ax))
    ax.texts[0].set_position((right - 0.01, y))
    assert any("leaves the axes" in fault for fault in faults(ax))
    segment = drawn(ax).segments[0]
    middle = ax.transData.inverted().transform((segment[0] + segment[1]) / 2)
    ax.texts[0].set_position((middle[0] - 0.05, middle[1]))
    assert any("a line goes through text" in fault for fault in faults(ax))
    ax.texts[0].set_position((x, y))
    assert faults(ax) == []
    block = next(p for p in ax.patches if type(p) is Rectangle)
    corner = block.get_xy()
    block.set_xy((middle[0] - 0.1, middle[1] - 0.1))
    assert any("through the node" in fault for fault in faults(ax))
    block.set_xy(corner)
    ax.plot([], [])
    ax.annotate("", (right, middle[1]), (left, middle[1]), arrowprops={"arrowstyle": "-"})
    assert any("cross" in fault for fault in faults(ax))
