"""Figures 9 to 15: how they look, that they show the experiments' numbers, and their captions.

The stored pictures are compared without their texts, as fonts may differ; that texts stay on the
sheet is tested apart. New pictures: ``pytest tests/course/test_figures_9_to_15.py
--mpl-generate-path=tests/draw/baseline``.
"""

import math
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legible import meeting
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from fgn_notebooks import claims, experiments, figures, findings
from fgn_notebooks.figures import (
    bayesian,
    deeper_graph,
    hidden_variable,
    ledger,
    products,
    racing,
)
from fgn_notebooks.figures.panels import columns, likelihoods, spaced, thinned
from fgn_notebooks.figures.single_block import (
    draw_one_block,
    draw_one_block_ranking,
    draw_sharpening,
)
from fgnwidgets.draw import LIGHT

NUMBERS = range(9, 16)
DRAWN = {
    "one block": (draw_one_block, lambda k: experiments.one_block(seed=k, n_iterations=30)),
    "one block, split": (
        draw_one_block,
        lambda k: experiments.one_block(seed=k, n_iterations=30, split=True, m_x=4),
    ),
    "ranking": (
        draw_one_block_ranking,
        lambda k: experiments.one_block_ranking(seed=k, n_seeds=8, n_iterations=10),
    ),
    "sharpening": (
        draw_sharpening,
        lambda k: experiments.sharpening(seed=k, n_seeds=2, n_iterations=10),
    ),
    "one hidden": (
        hidden_variable.draw_one_hidden,
        lambda k: experiments.one_hidden(seed=k, n_epochs=20, restarts=1 + 2 * k),
    ),
    "coefficients": (
        hidden_variable.draw_one_hidden_coefficients,
        lambda k: experiments.one_hidden(seed=k, n_epochs=20),
    ),
    "scatter": (
        hidden_variable.draw_n_it_scatter,
        lambda k: experiments.n_it_scatter(seed=k, n_epochs=10),
    ),
    "deeper": (
        deeper_graph.draw_deeper,
        lambda k: experiments.deeper(seed=k, n_epochs=30 + 20 * k),
    ),
    "bayesian": (bayesian.draw_bayesian_block, lambda k: experiments.bayesian_block(seed=k)),
    "bayesian, deltas": (
        bayesian.draw_bayesian_block,
        lambda k: experiments.bayesian_block(seed=k, exponent=math.inf),
    ),
    "bayesian, sharpened": (
        bayesian.draw_bayesian_sharpening,
        lambda k: experiments.bayesian_sharpening(seed=k, n_seeds=3, grid=21),
    ),
    "products": (
        products.draw_product_space,
        lambda k: experiments.product_space(sizes=(2, 2 + k, 2)),
    ),
    "race": (racing.draw_race, lambda k: experiments.race(seed=k, n_epochs=10)),
}


@pytest.fixture(params=DRAWN)
def drawing(request):
    """A draw function, and a maker of results, each of which is made once."""
    draw, _ = DRAWN[request.param]
    return draw, partial(result, request.param)


@cache
def result(name, seed):
    return DRAWN[name][1](seed)


@cache
def of_paper(number):
    """A figure that is looked at, and not changed."""
    return getattr(figures, f"figure_{number}")()


def pixels(fig: Figure) -> np.ndarray:
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(int)


@pytest.mark.mpl_image_compare(tolerance=3, savefig_kwargs={"dpi": 60})
@pytest.mark.parametrize("number", NUMBERS)
def test_a_plot_looks_as_it_was_approved(number):
    fig = getattr(figures, f"figure_{number}")()
    for text in fig.findobj(Text):
        text.set_visible(False)
    return fig


@pytest.mark.parametrize("number", NUMBERS)
def test_a_plot_keeps_its_texts_on_the_sheet(number):
    assert off_sheet(of_paper(number)) == []


def test_a_drawing_keeps_its_texts_on_the_sheet_and_off_each_other(drawing):
    draw, make = drawing
    fig = draw(make(0))
    assert off_sheet(fig) == [] and meeting(fig) == []


@pytest.mark.parametrize("number", range(1, 16))
def test_no_text_of_a_figure_of_the_paper_lies_on_another(number):
    assert meeting(of_paper(number)) == []


def test_no_text_of_the_ledger_lies_on_another():
    found = findings.stored()
    assert meeting(ledger.draw_ledger(found)) == []
    swept = [finding for finding in found if finding.sweeps]
    assert [f.claim.name for f in swept if meeting(ledger.draw_knobs(f))] == []


def test_a_text_on_another_is_found():
    fig = draw_one_block(experiments.one_block(n_iterations=5))
    assert meeting(fig) == []
    fig.axes[0].xaxis.set_label_coords(0.5, -0.03)  # over the numbers of its ticks
    assert meeting(fig) != []


def test_a_text_or_an_axis_off_the_sheet_is_found():
    fig = draw_one_block(experiments.one_block(n_iterations=5))
    assert off_sheet(fig) == []
    fig.text(0.99, 0.5, "cut off")
    assert [name.partition(":")[0] for name in off_sheet(fig)] == ["cut off"]
    fig.axes[0].set_position((-0.05, 0.5, 0.3, 0.3))
    assert len(off_sheet(fig)) == 2


def off_sheet(fig: Figure) -> list[str]:
    """The axes and texts that reach over an edge of the figure, with all their labels."""
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    parts = {f"{k} {ax.get_title('left')}": ax for k, ax in enumerate(fig.axes) if ax.get_visible()}
    parts |= {text.get_text(): text for text in fig.texts}
    width, height = fig.bbox.size
    over = []
    for name, part in parts.items():
        box = part.get_tightbbox(canvas.get_renderer())
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            over.append(f"{name}: {box.extents}")
    return over


def test_drawing_again_gives_what_a_new_figure_gives(drawing):
    """Labs keep one figure: nothing of an earlier result may stay on it."""
    draw, make = drawing
    kept = draw(make(1))
    assert draw(make(0), kept) is kept
    np.testing.assert_array_equal(pixels(kept), pixels(draw(make(0))))


def test_a_picture_stands_on_an_opaque_light_ground(drawing):
    draw, make = drawing
    assert tuple(pixels(draw(make(0)))[0, 0]) == (255, 255, 255, 255)


def test_a_rule_is_drawn_in_its_colour_with_its_values():
    result = experiments.one_hidden(n_epochs=20)
    ax = figures.figure_11(seed=0).axes[0]
    whole = experiments.one_hidden()
    by_colour = {to_hex(line.get_color()).upper(): line for line in ax.lines}
    for rule in result.rules:
        line = by_colour[LIGHT.rule(rule).color.upper()]
        np.testing.assert_array_equal(line.get_ydata(), whole.curve(rule, "aggregated"))
        assert line.get_marker() == LIGHT.rule(rule).marker


def test_a_start_far_below_is_cut_off_and_a_near_one_is_not():
    for start, shown in ((-1000.0, False), (-12.0, True)):
        curve = np.array([start, -10.0, -5.0, -4.0])
        ax = likelihoods(Figure().add_subplot(), {"ml": curve})
        assert (ax.get_ylim()[0] < start) == shown


def test_thinned_curves_keep_both_ends_and_their_values():
    values = np.arange(601.0) ** 2
    at, shown = thinned(values)
    assert len(at) <= 150 and (at[0], at[-1]) == (0, 600)
    np.testing.assert_array_equal(shown, values[at])


def test_every_caption_says_what_to_see_and_names_claims_of_the_ledger():
    known = {claim.name for claim in claims.ledger()}
    assert list(figures.CAPTIONS) == list(NUMBERS)
    for caption in figures.CAPTIONS.values():
        assert caption.look and caption.paper and caption.here
        assert caption.claims and set(caption.claims) <= known
        assert str(caption).count("\n") == 2


def test_a_race_shows_the_epoch_that_it_is_asked_for():
    result = experiments.race(n_epochs=10)
    fig = racing.draw_race(result, epoch=4)
    assert max(len(line.get_xdata()) for line in fig.axes[0].lines) == 5
    assert fig.axes[0].get_xlim() == (0, 10)
    later = racing.draw_race(result)
    assert later.axes[0].get_ylim() == fig.axes[0].get_ylim()  # nothing jumps while it plays


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_names_at_the_ends_of_curves_are_moved_apart_and_no_further_than_they_must(heights):
    room, rising = 0.08, sorted(heights)
    found = np.array(spaced(rising, room))
    assert (found >= 0).all()
    assert (np.diff(found) >= room - 1e-12).all()
    clear = np.diff([-np.inf, *rising, np.inf]) > room * len(rising)  # nobody near on this side
    alone = clear[:-1] & clear[1:]
    np.testing.assert_array_equal(found[alone], np.array(rising)[alone])


@pytest.mark.parametrize("bit", [-1e-12, 0, 1e-12])
def test_names_of_curves_that_end_together_have_one_order_whatever_their_last_bits(bit):
    ax = Figure().add_subplot()
    curves = {"ml": np.array([-2.0, -1.0]), "kl": np.array([-3.0, -1.0 + bit])}
    likelihoods(ax, curves, levels={"floor": -1.0 - bit}, limits=(-3, 0))
    named = sorted(ax.texts, key=lambda text: -text.get_position()[1])
    assert [text.get_text() for text in named] == ["ML", "KL", "floor"]


def test_lines_that_swing_to_the_end_get_a_lens_and_still_ones_do_not():
    """The lens holds the last epochs as they are, drawn wide."""
    still, swinging = np.full((61, 2, 2), 0.3), np.full((61, 2, 2), 0.3)
    swinging[::2] = 0.7
    ax = columns(Figure().add_subplot(), {"ml": still, "vit": swinging}, ticks=False)
    assert "last 6" in [text.get_text() for text in ax.texts]
    (shade,) = (patch for patch in ax.patches if patch.get_alpha())
    left, right = shade.get_x(), shade.get_x() + shade.get_width()
    assert left > 60  # the column of VIT, which is the second
    paths = [path.vertices for lines in ax.collections for path in lines.get_paths()]
    glass = [path for path in paths if path[0, 0] == pytest.approx(left)]
    assert len(glass) == 4  # one for each coefficient
    for at, values in (path.T for path in glass):
        assert at[-1] == pytest.approx(right)
        np.testing.assert_allclose(values, [0.3, 0.7] * 3)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_plot_says_what_its_axes_measure(number):
    """Plots that stand on each other share the words of the lowest."""
    plots = of_paper(number).axes
    assert all(ax.get_ylabel() for ax in plots)
    assert sum(bool(ax.get_xlabel()) for ax in plots) == (2 if number == 12 else len(plots))
