"""Drawings of graphs, read back from the axes: nothing overlaps, nothing is cut off."""

from io import BytesIO
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from drawn import faults, random_forest, texts
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from tiers import mostly_slow

from fgnwidgets import BayesGraph, Block, Branch, NormalGraph, propagate, random_theta
from fgnwidgets.draw import DARK, LIGHT, draw_bayes, draw_normal, layout_bayes, layout_normal
from fgnwidgets.draw.graph import layout_flows
from fgnwidgets.draw.measures import node_label
from fgnwidgets.draw.names import maths, message

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
@pytest.mark.parametrize("seed", mostly_slow(range(2), 0))
def test_a_normal_graph_of_up_to_30_variables_has_no_fault(n, seed):
    assert faults(draw_normal(random_forest(n, seed))) == []


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", range(2))
def test_a_bayesian_graph_of_up_to_30_variables_has_no_fault(n, seed):
    assert faults(draw_bayes(random_forest(n, seed))) == []


@pytest.mark.parametrize("n", mostly_slow([1, 4, 9, 16], 1, 4, 9))
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


def test_states_without_labels_are_counted_from_0_and_product_spaces_are_not():
    form = BayesGraph({"S": 3, "T": 4, "X": 2}, {"X": ("S", "T")}).normal_form()
    messages = propagate(form, random_theta(form, np.random.default_rng(0)))
    ax = draw_normal(form, messages=messages)
    assert faults(ax) == []
    shown = sorted(text for text in texts(ax.figure) if text.isdigit())
    assert shown == sorted("012" + "0123" + "01")  # S, T and X, not the twelve pairs


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


def test_letters_of_a_new_figure_can_be_read():
    messages = propagate(STUDENT, THETA)
    for ax in (draw_normal(STUDENT, messages=messages), draw_bayes(STUDENT, messages=messages)):
        states = {label for branch in STUDENT.variables.values() for label in branch.states}
        for text in ax.texts:
            least = {"=": 9, "": 0}.get(text.get_text(), 6 if text.get_text() in states else 8)
            assert text.get_fontsize() >= least, text.get_text()  # points


ALIKE = BayesGraph(dict.fromkeys("ABCDEF", 2), {"B": "A", "C": "A", "D": "B", "E": ("C", "F")})
"""All names are as wide as each other: swapped ones lie on nothing."""


@pytest.mark.parametrize("bars", [False, True])
def test_a_name_stands_in_its_variable_and_beside_its_own_branch_and_block(bars):
    messages = propagate(ALIKE, random_theta(ALIKE, np.random.default_rng(0))) if bars else None
    at = {t.get_text(): t.get_position() for t in draw_bayes(ALIKE, messages=messages).texts}
    for name, (x, y) in layout_bayes(ALIKE, bars=bars).positions.items():
        assert np.abs(np.subtract(at[maths(name)], (x, y))).max() <= (0.5 if bars else 0.01)
    form = ALIKE.normal_form()
    layout = layout_normal(form, bars=bars)
    at = {t.get_text(): t.get_position() for t in draw_normal(ALIKE, messages=messages).texts}
    for name, path in layout.paths.items():
        x, y = at[maths(name)]
        column = next(u for (u, _), (v, _) in pairwise(path) if u == v)
        assert 0 < x - column < 0.1 and path[0][1] < y < path[-1][1], name
    for node in form.nodes:
        if node_label(node):
            off = np.subtract(at[maths(node_label(node))], layout.positions[node.name])
            assert 0.2 < off[0] < 0.3 and off[1] == 0, node.name


@pytest.mark.parametrize("seed", range(3))
def test_the_head_of_a_branch_is_at_the_lower_end_of_its_vertical_part_and_points_down(seed):
    graph = random_forest(8, seed).normal_form()
    heads = [
        path.vertices[:3]
        for polygons in draw_normal(graph).collections
        if isinstance(polygons, PolyCollection)
        for path in polygons.get_paths()
    ]
    found = {tuple(np.round(corners[np.argmax(corners[:, 1])], 6)) for corners in heads}
    wanted = set()
    for path in layout_normal(graph).paths.values():
        (x, top), (_, foot) = next((a, b) for a, b in pairwise(path) if a[0] == b[0])
        wanted.add((round(x, 6), round(max(top, foot), 6)))
    assert found == wanted
    assert all(np.sort(corners[:, 1])[1] < corners[:, 1].max() - 0.1 for corners in heads)


def places(ax, mark) -> list[tuple[float, float]]:
    """The left upper corners of the bars in a colour, one after the other."""
    return [
        tuple(path.vertices.min(axis=0))
        for bars in ax.collections
        if isinstance(bars, PolyCollection)
        and bars.get_facecolor()[0][:3] == pytest.approx(to_rgb(mark.color))
        for path in bars.get_paths()
        if len(path.vertices) == 5
    ]


def test_forward_backward_line_and_belief_stand_in_this_order_with_the_first_state_on_top():
    bayes = BayesGraph({"S": ("low", "mid", "high"), "X": ("no", "yes")}, {"X": "S"})
    messages = propagate(bayes, random_theta(bayes, np.random.default_rng(0)))
    ax = draw_normal(bayes, messages=messages)
    marks = (LIGHT.forward, LIGHT.backward, LIGHT.belief)
    forward, backward, belief = (np.array(places(ax, mark)) for mark in marks)
    line = layout_normal(bayes.normal_form(), bars=True).paths["S"][0][0]
    assert (forward[:, 0] < backward[:, 0]).all() and (backward[:, 0] < line).all()
    assert (belief[:, 0] > line).all()
    labels = {t.get_text(): t.get_position() for t in ax.texts}
    for rows, states in ((slice(0, 3), ("low", "mid", "high")), (slice(3, 5), ("no", "yes"))):
        for tops in (forward, backward, belief):
            assert (np.diff(tops[rows, 1]) > 0).all()  # downwards
        for (x, top), state in zip(belief[rows], states, strict=True):
            assert labels[state][0] > x and 0 < labels[state][1] - top < 0.16


def test_f_goes_down_at_the_left_of_its_branch_and_b_up_at_the_right_each_with_its_name():
    form = BayesGraph({"S": 2, "X": 2}, {"X": "S"}).normal_form()
    ax, layout = draw_normal(form, flows=True), layout_flows(form)
    names = {text.get_text(): text.get_position() for text in ax.texts}
    arrows = [(n.xyann, n.xy, n.arrowprops["color"]) for n in ax.texts if hasattr(n, "arrowprops")]
    for branch in ("S", "X"):
        line = layout.paths[branch][0][0]
        for letter, mark, side in (("f", LIGHT.forward, -1), ("b", LIGHT.backward, 1)):
            x, y = names[message(letter, branch)]
            (tail, tip) = next(
                (tail, tip)
                for tail, tip, color in arrows
                if color == mark.color and min(tail[1], tip[1]) < y < max(tail[1], tip[1])
            )
            assert 0 < side * (tip[0] - line) < side * (x - line)
            assert tip[0] == tail[0] and side * (tail[1] - tip[1]) > 0.3


def test_a_matrix_fills_its_block_with_the_first_state_of_its_input_on_top():
    form = STUDENT.normal_form()
    at = layout_normal(form).positions
    meshes = [c for c in draw_normal(STUDENT, theta=THETA).collections if isinstance(c, QuadMesh)]
    named = [node for node in form.nodes if node.theta]
    assert len(meshes) == len(named)
    for node in named:
        (x, y), matrix = at[node.name], np.asarray(THETA[node.theta]).reshape(node.shape)
        (mesh,) = (m for m in meshes if np.allclose(m.get_coordinates().mean((0, 1)), (x, y)))
        corners = mesh.get_coordinates()
        assert np.allclose(
            [corners[0, 0], corners[-1, -1]], [(x - 0.2, y - 0.2), (x + 0.2, y + 0.2)]
        )
        np.testing.assert_array_equal(mesh.get_array().reshape(matrix.shape), matrix)


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
