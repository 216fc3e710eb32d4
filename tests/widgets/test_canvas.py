"""Texts that are drawn once and stamped again: the picture stays matplotlib's own."""

import numpy as np
import pytest
from matplotlib.axis import XAxis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fgnwidgets.widgets.page import canvas
from fgnwidgets.widgets.page.canvas import Stamp, StampingRenderer, canvas_of

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


def test_level_turned_and_mathematical_texts_that_come_again_are_stamps(monkeypatch):
    for name in ("_stamps", "_met"):
        monkeypatch.setattr(StampingRenderer, name, type(StampingRenderer._stamps)())
    drawn(canvas_of)
    assert not StampingRenderer._stamps  # most numbers come once
    drawn(canvas_of)
    stamps = StampingRenderer._stamps.items()
    stamped = {key[:3] for key, stamp in stamps if isinstance(stamp, Stamp)}
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


def with_axes():
    fig = Figure(figsize=(5, 3), dpi=100)
    for k in range(2):
        ax = fig.add_axes((0.15 + 0.45 * k, 0.2, 0.3, 0.6))
        ax.plot(np.arange(10) ** 2)
        ax.set(xlabel="log-likelihood", ylabel="$f_X$", title="coefficients")
        ax.grid(alpha=0.4)
    return fig


CHANGES = {
    "nothing": lambda ax: None,
    "limits": lambda ax: ax.set_xlim(2, 7),
    "nearly the same limits": lambda ax: ax.set_xlim(2, 7.01),
    "ticks": lambda ax: ax.set_yticks([0, 40, 80], ["low", "middle", "high"]),
    "a tick's colour": lambda ax: ax.get_yticklabels()[1].set_color("red"),
    "a tick's turn": lambda ax: ax.get_xticklabels()[1].set_rotation(40),
    "ticks' colours": lambda ax: ax.tick_params(colors="green"),
    "ticks' lengths": lambda ax: ax.tick_params(length=9, width=3),
    "ticks' letters": lambda ax: ax.tick_params(labelsize=6),
    "ticks far away": lambda ax: ax.tick_params(pad=12),
    "ticks inside": lambda ax: ax.tick_params(direction="in"),
    "ticks above": lambda ax: ax.xaxis.tick_top(),
    "minor ticks": lambda ax: ax.minorticks_on(),
    "the label": lambda ax: ax.set_xlabel("epoch"),
    "the label's colour": lambda ax: ax.xaxis.label.set_color("blue"),
    "the label's place": lambda ax: ax.xaxis.set_label_coords(0.3, -0.2),
    "no grid": lambda ax: ax.grid(False),
    "a dashed grid": lambda ax: ax.grid(True, linestyle="--", color="orange"),
    "a grid above": lambda ax: ax.set_axisbelow(False),
    "a logarithmic axis": lambda ax: ax.set(yscale="log", ylim=(1, 100)),
    "large numbers": lambda ax: ax.set(yscale="linear", ylim=(1e7, 1e7 + 3)),
    "turned round": lambda ax: ax.invert_xaxis(),
    "another place": lambda ax: ax.set_position((0.12, 0.3, 0.35, 0.5)),
    "another ground": lambda ax: ax.set_facecolor("lightgrey"),
    "no axis": lambda ax: ax.xaxis.set_visible(False),
    "another resolution": lambda ax: ax.figure.set_dpi(120),
    "labels in a line": lambda ax: ax.figure.align_xlabels(),
}


def test_axes_that_have_not_changed_are_replayed_and_others_are_drawn_as_matplotlib_does():
    fig = with_axes()
    surface = canvas_of(fig)
    for name, change in CHANGES.items():
        change(fig.axes[0])
        pictures = [np.array(canvas.drawn(surface)) for _ in range(3)]
        expected = shown(FigureCanvasAgg(fig))
        fig.set_canvas(surface)
        assert all(np.array_equal(picture, expected) for picture in pictures), name


def test_an_axis_that_has_not_changed_is_not_drawn_again(monkeypatch):
    fig = with_axes()
    surface = canvas_of(fig)
    canvas.drawn(surface)
    drawn_anew = []
    draw = XAxis.draw
    monkeypatch.setattr(XAxis, "draw", lambda axis, r: (drawn_anew.append(axis), draw(axis, r)))
    canvas.drawn(surface)
    assert drawn_anew == []
    fig.axes[1].set_xlim(0, 3)
    canvas.drawn(surface)
    assert drawn_anew == [fig.axes[1].xaxis]
    assert "draw" not in fig.axes[0].xaxis.__dict__  # the figure is as it was


LAYOUTS = (
    {"ha": "right"},
    {"va": "top"},
    {"text": "two\nlines of $x_1$"},
    {"ma": "right"},
    {"linespacing": 2.5},
    {"rotation": 30},
    {"rotation_mode": "anchor"},
    {"family": "serif"},
    {"parse_math": False},
    {"x": 0.4, "y": 0.3},
)


def test_a_text_lies_as_matplotlib_lays_it_whatever_it_looked_like_before():
    fig = Figure(figsize=(3, 2), dpi=100)
    ax = fig.add_axes((0.1, 0.1, 0.8, 0.8))
    texts = [ax.text(0.5, 0.5, "here"), fig.text(0.5, 0.8, "there")]
    surface = canvas_of(fig)
    for change in LAYOUTS:
        for text in texts:
            text.set(**change)
        pictures = [np.array(canvas.drawn(surface)) for _ in range(2)]
        expected = shown(FigureCanvasAgg(fig))
        fig.set_canvas(surface)
        assert all(np.array_equal(picture, expected) for picture in pictures), change
