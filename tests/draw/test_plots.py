"""Plots of matrices, beliefs and learning: the numbers that they show."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from drawn import texts
from matplotlib.colors import same_color

from fgnwidgets import BayesGraph, fit, propagate, random_theta, sample
from fgnwidgets.draw import (
    DARK,
    LIGHT,
    draw_belief,
    draw_coefficients,
    draw_curves,
    draw_matrix,
    draw_restarts,
    draw_theta,
    matrix_table,
)

BAYES = BayesGraph(
    {"S": 2, "A": ("no", "yes"), "X": ("x1", "x2", "x3")}, {"A": "S", "X": ("S", "A")[:1]}
)
THETA = random_theta(BAYES, np.random.default_rng(3))
TABLE = {k: v for k, v in sample(BAYES, THETA, 60, np.random.default_rng(4)).items() if k != "S"}


@pytest.fixture(scope="module")
def runs():
    return {
        rule: fit(BAYES, TABLE, rule, n_epochs=6, tol=0, restarts=5, progress=False,
                  record=("aggregated", "loglik", "theta"))
        for rule in ("ml", "kl", "vit", "var")
    }  # fmt: skip


def test_a_matrix_shows_every_value_and_the_labels_of_its_states():
    ax = draw_theta(BAYES, THETA, "X|S")
    shown = texts(ax.figure)
    assert [f"{v:.2f}" for v in THETA["X|S"].ravel()] == [t.get_text() for t in ax.texts]
    assert {"x1", "x2", "x3", "0", "1", r"$P(X\,|\,S)$"} <= set(shown)


def test_a_matrix_of_several_parents_has_a_row_for_each_configuration_the_first_varying_slowest():
    bayes = BayesGraph({"B": 2, "A": ("n", "y"), "X": 2}, {"X": ("A", "B")})
    theta = random_theta(bayes, np.random.default_rng(0))
    table = matrix_table(bayes, theta, "X|A,B")
    assert table.rows == ("n, 0", "n, 1", "y, 0", "y, 1")
    assert table.columns == ("0", "1")
    per_parent = {**theta, "X|A,B": theta["X|A,B"].reshape(2, 2, 2)}
    np.testing.assert_array_equal(matrix_table(bayes, per_parent, "X|A,B").matrix, theta["X|A,B"])


def test_the_ink_of_a_value_can_be_read_on_its_cell():
    for theme in (LIGHT, DARK):
        ax = draw_matrix([[0.0, 0.25, 0.5, 0.75, 1.0]], theme=theme)
        cells = ax.images[0].cmap(ax.images[0].norm(ax.images[0].get_array()))[0, :, :3]
        for text, cell in zip(ax.texts, cells, strict=True):
            ink = 0.0 if same_color(text.get_color(), "#1A1A1A") else 1.0
            assert abs(ink - cell @ [0.2126, 0.7152, 0.0722]) > 0.4


def test_a_large_matrix_is_a_picture_without_numbers():
    assert len(draw_matrix(np.full((30, 30), 1 / 30)).texts) == 0


def test_a_matrix_table_is_text_in_a_terminal_and_escaped_html_in_a_notebook():
    bayes = BayesGraph({"S": ("<b>", "$")})
    table = matrix_table(bayes, {"S": [[0.25, 0.75]]}, "S")
    assert repr(table).split() == ["P(S)", "<b>", "$", "0.2500", "0.7500"]
    assert "&lt;b&gt;" in table._repr_html_() and "<b>" not in table._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theta": np.zeros((2, 3, 4))}, r"theta has shape \(2, 3, 4\)"),
        ({"theta": np.eye(2), "rows": ["a"]}, "1 labels of rows were given, theta has 2"),
        ({"theta": np.eye(2), "columns": "abc"}, "3 labels of columns"),
    ],
)
def test_what_is_no_matrix_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_matrix(**arguments)


def test_an_unknown_matrix_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no matrix 'Z': the graph has S, A\|S, X\|S"):
        matrix_table(BAYES, THETA, "Z")
    with pytest.raises(ValueError, match=r"theta\['X\|S'\] has shape \(4, 3\): expected \(2, 3\)"):
        matrix_table(BAYES, {**THETA, "X|S": np.zeros((4, 3))}, "X|S")


def widths(ax, mark):
    return [p.get_width() for p in ax.patches if same_color(p.get_facecolor(), mark.color)]


def test_a_belief_is_drawn_with_both_messages_and_its_prior_behind():
    prior, known = propagate(BAYES, THETA), propagate(BAYES, THETA, {"A": ["yes"]})
    ax = draw_belief(known["S"], prior=prior["S"])
    np.testing.assert_allclose(widths(ax, LIGHT.forward), known["S"].f[:, 0])
    np.testing.assert_allclose(widths(ax, LIGHT.backward), known["S"].b[:, 0])
    np.testing.assert_allclose(widths(ax, LIGHT.belief), known["S"].p[:, 0])
    ghosts = [p.get_width() for p in ax.patches if same_color(p.get_facecolor(), LIGHT.ghost)]
    np.testing.assert_allclose(ghosts, prior["S"].p[:, 0])


def test_beliefs_of_several_samples_are_a_heat_map_and_one_of_them_is_bars():
    messages = propagate(BAYES, THETA, {"A": ["yes", "no", "yes"]})
    image = draw_belief(messages["X"]).images[0].get_array()
    np.testing.assert_array_equal(image, messages["X"].p)
    ax = draw_belief(messages["X"], sample=1)
    np.testing.assert_allclose(widths(ax, LIGHT.belief), messages["X"].p[:, 1])
    assert {"x1", "x2", "x3"} <= set(texts(ax.figure))


def test_a_batch_of_beliefs_is_refused():
    batch = random_theta(BAYES, np.random.default_rng(0), (2,))
    with pytest.raises(ValueError, match="of the batch"):
        draw_belief(propagate(BAYES, batch)["S"])


def test_curves_of_all_rules_have_their_marks_and_the_best_restart_in_front(runs):
    ax = draw_curves(runs)
    labelled = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in labelled] == ["ML", "KL", "VIT", "VAR"]
    for line, (rule, run) in zip(labelled, runs.items(), strict=True):
        mark = LIGHT.rule(rule)
        assert (line.get_color(), line.get_marker()) == (mark.color, mark.marker)
        np.testing.assert_array_equal(line.get_ydata(), run.loglik[:, run.best])
    drawn = [tuple(line.get_ydata()) for line in ax.lines]
    for run in runs.values():
        assert all(drawn.count(tuple(history)) > 0 for history in run.loglik.T)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ML", "KL", "VIT", "VAR"]


def test_arrays_and_references_can_be_drawn_as_curves():
    ax = draw_curves({"mine": [1.0, 2.0, 3.0]}, reference={"bound": 4.0})
    mine, bound = (
        next(line for line in ax.lines if line.get_label() == label) for label in ("mine", "bound")
    )
    np.testing.assert_array_equal(mine.get_ydata(), [1, 2, 3])
    assert set(bound.get_ydata()) == {4.0}
    assert ax.get_ylim()[1] > 4


def test_a_deep_start_does_not_flatten_what_follows():
    ax = draw_curves({"ml": [-1000.0, -12.0, -11.0, -10.0]})
    assert -13 < ax.get_ylim()[0] < -12
    assert draw_curves({"ml": [-13.0, -12.0, -11.0, -10.0]}).get_ylim()[0] < -13


def test_the_wanted_history_is_drawn_and_a_missing_one_is_an_error(runs):
    ax = draw_curves(runs["kl"], what="aggregated")
    assert ax.get_ylabel() == "aggregated log-likelihood"
    np.testing.assert_array_equal(
        ax.lines[-1].get_ydata().max(), runs["kl"].aggregated[:, ax_best(runs["kl"])].max()
    )
    with pytest.raises(ValueError, match="'kl' has no test_loglik: it was not recorded"):
        draw_curves(runs["kl"], what="test_loglik")
    with pytest.raises(ValueError, match="what is 'speed': expected loglik"):
        draw_curves(runs["kl"], what="speed")


def ax_best(run) -> int:
    return int(np.argmax(run.aggregated[-1]))


def test_the_histogram_counts_every_restart(runs):
    ax = draw_restarts(runs["ml"])
    assert sum(p.get_height() for p in ax.patches) == 5
    assert f"best {runs['ml'].final_loglik.max():.6g}" == ax.get_title(loc="right")


def with_ends(run, ends):
    """The run as if its restarts had ended at these log-likelihoods."""
    loglik = np.repeat(np.array([ends]), 2, axis=0)
    return replace(run, loglik=loglik, dropped=np.zeros(len(ends), bool))


def heights(ax) -> list[int]:
    return [int(p.get_height()) for p in ax.patches if p.get_height()]


def test_restarts_that_found_the_same_optimum_are_one_bar_with_plain_numbers_below(runs):
    # 60 samples: ends within 0.006 of each other are the same
    ends = [-1151.2610, -1151.2612, -1151.2655]
    ax = draw_restarts(with_ends(runs["ml"], ends))
    assert heights(ax) == [3]
    bar = next(p for p in ax.patches if p.get_height())
    low, high = ax.get_xlim()
    assert bar.get_x() < -1151.261 < bar.get_x() + bar.get_width() < high < low + 1
    assert bar.get_width() < 0.2 * (high - low)
    ax.figure.draw_without_rendering()
    assert ax.xaxis.get_offset_text().get_text() == ""
    ticks = [t.get_text().replace("\N{MINUS SIGN}", "-") for t in ax.get_xticklabels()]
    inside = [float(t) for t in ticks if low <= float(t) <= high]
    assert len(set(inside)) == len(inside) > 1


def test_no_edge_between_bars_divides_one_optimum_wherever_it_lies(runs):
    spread = np.linspace(0, 0.0059, 12)  # what counts as the same
    for middle in np.linspace(0.3, 2.9, 80):
        ends = [-40, *(-40 - middle - spread), -43.2]
        assert heights(draw_restarts(with_ends(runs["ml"], ends))) == [1, 12, 1], middle


def test_restarts_of_two_optima_are_two_bars_however_near_the_optima_are(runs):
    near, far = [-40.0, -40.002, -40.05, -40.051], [-40.0, -40.002, -49.0]
    assert heights(draw_restarts(with_ends(runs["ml"], near))) == [2, 2]
    assert heights(draw_restarts(with_ends(runs["ml"], far))) == [1, 2]


def test_coefficients_are_one_line_each_with_the_reference_at_the_end(runs):
    history = runs["ml"].theta["X|S"][:, 0]
    ax = draw_coefficients(history, rule="ml", reference=THETA["X|S"], title="P(X|S)")
    lines, reference = ax.lines[:-1], ax.lines[-1]
    drawn = np.sort([line.get_ydata() for line in lines], axis=0)
    np.testing.assert_array_equal(drawn, np.sort(history.reshape(7, 6).T, axis=0))
    np.testing.assert_array_equal(reference.get_ydata(), THETA["X|S"].ravel())
    with pytest.raises(ValueError, match=r"history has shape \(7, 5, 2, 3\)"):
        draw_coefficients(runs["ml"].theta["X|S"])


def test_a_plot_on_given_axes_stays_there_and_in_its_theme(runs):
    for draw, data in (
        (draw_curves, MappingProxyType(runs)),
        (draw_restarts, runs["ml"]),
        (draw_coefficients, runs["ml"].theta["X|S"][:, 0]),
        (draw_belief, propagate(BAYES, THETA)["S"]),
        (draw_matrix, np.eye(2)),
    ):
        first = draw(data, theme=DARK)
        assert draw(data, first, theme=DARK) is first
        assert same_color(first.get_facecolor(), DARK.ground)
        first.figure.draw_without_rendering()
