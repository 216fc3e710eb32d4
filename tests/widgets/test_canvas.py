"""Texts that are drawn once and stamped again: the picture stays matplotlib's own."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fgnwidgets.widgets import canvas
from fgnwidgets.widgets.canvas import StampingRenderer, canvas_of

WORDS = ["-217.5", "log-likelihood", "Affe Avokado", "state 3 of S", "  ", "fi fl ffi", "WAVE To"]


def crowded(move=0.0):
    """Texts at many places between the pixels, on lines and on each other, level and turned."""
    fig = Figure(figsize=(5, 3), dpi=100)
    ax = fig.add_axes((0.2, 0.2, 0.5, 0.6))
    ax.plot(np.arange(10) ** 2 + move)
    ax.set_title("coefficients", loc="left", fontsize=10)  # two of its letters touch
    ax.set_xlabel("epoch", fontweight="bold")
    for k, word in enumerate(WORDS):
        ax.text(0.1 * k + 0.013, 0.12 * k + 0.007 + move / 40, word, transform=ax.transAxes,
                color=f"C{k}", alpha=None if k % 2 else 0.4, fontsize=7 + k,
                style="italic" if k == 3 else "normal")  # fmt: skip
    ax.text(2, 40, "cut off", clip_on=True, fontsize=40)
    fig.text(-0.02, 0.5, "over the edge")
    fig.text(0.95, 0.97, "over the corner")
    fig.text(0.1, 0.05, r"$f_X$, EX = 3")
    for k, turn in enumerate((50, 90, -30, 180, 213)):
        fig.text(0.9, 0.3 + 0.11 * k + move / 50, "turned", rotation=turn, color=f"C{k}")
    fig.text(0.02, 0.8, r"$\frac{a}{b_Y}$, up", rotation=90)
    return fig


def drawn(make, move=0.0):
    return shown(make(crowded(move)))


def shown(surface):
    surface.draw()
    return np.array(surface.buffer_rgba())


@pytest.mark.parametrize("move", [0.0, 3.3])
def test_a_stamped_picture_is_the_one_that_matplotlib_draws_the_first_time_and_the_next(move):
    expected = drawn(FigureCanvasAgg, move)
    for _ in range(3):
        assert np.array_equal(drawn(canvas_of, move), expected)


def test_level_turned_and_mathematical_texts_are_stamps(monkeypatch):
    monkeypatch.setattr(StampingRenderer, "_stamps", type(StampingRenderer._stamps)())
    drawn(canvas_of)
    stamped = {key[:3] for key, stamp in StampingRenderer._stamps.items() if stamp is not None}
    for turn in (50.0, 90.0):
        assert ("turned", turn, False) in stamped
    assert ("$f_X$, EX = 3", 0.0, True) in stamped


def test_one_figure_drawn_again_shows_its_new_words_sizes_and_colours():
    fig = crowded()
    canvas_of(fig).draw()
    for change in ({"text": "other"}, {"size": 15}, {"color": "red"}, {"weight": "bold"}):
        for text in fig.axes[0].texts:
            text.set(**change)
        assert np.array_equal(shown(canvas_of(fig)), shown(FigureCanvasAgg(fig))), change


def test_a_figure_of_another_size_gets_another_sheet():
    fig = crowded()
    canvas_of(fig).draw()
    fig.set_size_inches(2, 2)
    surface = canvas_of(fig)
    surface.draw()
    assert np.asarray(surface.buffer_rgba()).shape == (200, 200, 4)


def test_only_so_many_stamps_are_kept(monkeypatch):
    monkeypatch.setattr(canvas, "MOST_STAMPS", 5)
    monkeypatch.setattr(StampingRenderer, "_stamps", type(StampingRenderer._stamps)())
    for _ in range(2):
        assert np.array_equal(drawn(canvas_of), drawn(FigureCanvasAgg))
        assert len(StampingRenderer._stamps) <= 5
