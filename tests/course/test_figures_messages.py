"""The small figures of chapter 03 show the numbers that they are given."""

import numpy as np
from matplotlib.figure import Figure

from fgn_notebooks.figures import messages

STRENGTH = np.linspace(0.5, 1, 6)
CURVES = {"C = 0": np.linspace(0.8, 0.4, 6), "C = 1": np.linspace(0.5, 0.4, 6)}
ERRORS = {"two sweeps": np.array([0.8, 0.7, 0.7, 1e-17]), "flooding": np.array([0.8, 0.2, 0.0])}


def lines(figure: Figure) -> list[np.ndarray]:
    return [line.get_xydata() for line in figure.axes[0].lines]


def test_the_valve_draws_every_belief_against_the_strength_and_names_it():
    figure = messages.valve(STRENGTH, CURVES, "P(A = 0)")
    first, second, closed = lines(figure)
    assert np.array_equal(first, np.column_stack([STRENGTH, CURVES["C = 0"]]))
    assert np.array_equal(second, np.column_stack([STRENGTH, CURVES["C = 1"]]))
    assert closed.tolist() == [[1.0, 0.4]]
    words = {text.get_text() for text in figure.axes[0].texts}
    assert words == {"C = 0", "C = 1", "closed"}


def test_the_rounds_draw_each_error_at_its_round_and_rounding_as_exact():
    figure = messages.rounds(ERRORS, diameter=2)
    sweeps, flooding, diameter = lines(figure)
    assert sweeps.tolist() == [[0, 0.8], [1, 0.7], [2, 0.7], [3, 0]]
    assert flooding.tolist() == [[0, 0.8], [1, 0.2], [2, 0]]
    assert (diameter[:, 0] == 2).all()
    legend = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert legend == ["two sweeps", "flooding"]


def test_a_given_figure_is_drawn_on_and_returned():
    for draw in (
        lambda fig: messages.valve(STRENGTH, CURVES, "P", fig),
        lambda fig: messages.rounds(ERRORS, 2, fig),
    ):
        fig = Figure(figsize=(6, 3))
        assert draw(fig) is fig
        assert draw(fig) is fig and len(fig.axes) == 1


def test_two_curves_differ_by_more_than_their_colour():
    for figure in (messages.valve(STRENGTH, CURVES, "P"), messages.rounds(ERRORS, 2)):
        first, second = figure.axes[0].lines[:2]
        assert first.get_linestyle() != second.get_linestyle()
