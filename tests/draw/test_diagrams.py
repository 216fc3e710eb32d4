"""The paper's eight diagrams: what they show, that nothing collides, and how they look.

The stored pictures are compared without their texts: fonts may differ, a node may not move. What
the texts say, and that they have room, is tested apart. New pictures: ``pytest tests/draw
--mpl-generate-path=tests/draw/baseline``.
"""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from drawn import drawn, faults, texts
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import Circle, Ellipse, Rectangle
from matplotlib.testing.compare import calculate_rms
from matplotlib.text import Annotation, Text
from tiers import mostly_slow

from fgn_notebooks import figures
from fgnwidgets.draw import LIGHT
from fgnwidgets.draw.measures import BLOCK, DIVERTER
from fgnwidgets.draw.names import maths

NUMBERS = range(1, 9)
TOLERANCE = 1


def figure(number: int, fig: Figure | None = None) -> Figure:
    return getattr(figures, f"figure_{number}")(fig)


def without_texts(fig: Figure) -> Figure:
    for text in fig.findobj(Text):
        if not isinstance(text, Annotation):
            text.set_visible(False)
    return fig


def pixels(fig: Figure) -> np.ndarray:
    data = BytesIO()
    fig.savefig(data, format="png")
    data.seek(0)
    return (255 * imread(data)).astype(np.uint8)


def count(fig: Figure, kind) -> list[int]:
    """Patches of a kind on each axes."""
    return [sum(type(p) is kind for p in ax.patches) for ax in fig.axes]


def squares(fig: Figure, half: float) -> list[int]:
    """Squares with such a half side on each axes: blocks and sources, or ``=`` boxes."""
    return [
        sum(p.get_width() == pytest.approx(2 * half) for p in ax.patches if type(p) is Rectangle)
        for ax in fig.axes
    ]


@pytest.mark.mpl_image_compare(tolerance=TOLERANCE)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_diagram_looks_as_it_was_approved(number):
    return without_texts(figure(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_diagram_has_no_fault(number):
    fig = figure(number)
    assert [fault for ax in fig.axes for fault in faults(ax)] == []


@pytest.mark.parametrize("number", range(1, 7))
def test_the_titles_of_a_diagram_are_clear_of_its_panels(number):
    fig = figure(number)
    panels = [box for ax in fig.axes for _, box in drawn(ax).texts]
    assert len(fig.texts) == len(fig.axes)
    for title in fig.texts:
        box = title.get_window_extent()
        assert not any(box.overlaps(panel) for panel in panels)
        assert box.x0 >= 0 and box.x1 <= fig.bbox.x1 and box.y1 <= fig.bbox.y1


@pytest.mark.parametrize("number", mostly_slow(NUMBERS, 2, 4, 6))
def test_a_diagram_fits_a_given_figure_of_another_shape(number):
    fig = Figure(figsize=(7, 7))
    assert figure(number, fig) is fig
    assert [fault for ax in fig.axes for fault in faults(ax)] == []


@pytest.mark.parametrize("number", NUMBERS)
def test_a_diagram_stands_on_an_opaque_light_ground(number):
    corner = pixels(figure(number))[0, 0]
    assert tuple(corner) == (255, 255, 255, 255)


def test_figure_1_names_both_messages_of_every_branch():
    shown = texts(figure(1))
    branches = ["X", *(f"X^{{({k})}}" for k in range(4)), "Y"]
    assert {f"${letter}_{{{b}}}$" for letter in "fb" for b in branches} <= set(shown)


def test_figure_2_has_a_source_a_diverter_and_a_block_for_each_child():
    fig = figure(2)
    assert count(fig, Ellipse) == [4, 0]
    assert squares(fig, BLOCK) == [0, 1 + 3] and squares(fig, DIVERTER) == [0, 1]
    assert count(fig, Circle) == [0, 3]
    names = ["π S", *(f"P(X{k}|S)" for k in (1, 2, 3)), *(f"S({k})" for k in range(4))]
    assert {maths(name) for name in names} <= set(texts(fig))


def test_figure_3_shades_the_three_blocks_of_the_product_space_and_no_other():
    fig = figure(3)
    shade = [
        sum(p.get_facecolor()[:3] == pytest.approx(to_rgb(LIGHT.shade)) for p in ax.patches)
        for ax in fig.axes
    ]
    assert shade == [0, 3, 0]


@pytest.mark.parametrize(
    ("number", "variables", "blocks", "diverters"),
    # sources and blocks, one per variable; a diverter per branching variable; for every product
    # space its two shaded blocks and their diverter
    [(4, 7, 7, 3), (5, 8, 8 + 2 * 2, 2 + 2)],
)
def test_a_tree_and_a_forest_have_all_their_parts(number, variables, blocks, diverters):
    fig = figure(number)
    assert count(fig, Ellipse) == [variables, 0]
    assert squares(fig, BLOCK) == [0, blocks] and squares(fig, DIVERTER) == [0, diverters]


def test_figure_6_adds_a_diverter_and_an_open_branch():
    fig = figure(6)
    before, after = count(fig, Circle)
    assert (before, after) == (2, 3)
    assert {maths(f"X({k})") for k in range(3)} <= set(texts(fig))


def test_figure_8_shows_a_matrix_shared_by_all_copies():
    shown = texts(figure(8))
    assert sum("Theta)" in text for text in shown) == 3  # the blocks
    assert {r"$\Theta[1]$", r"$\Theta[2]$", r"$\Theta[N]$", r"$\pi_\Theta$"} <= set(shown)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_comparison_sees_a_block_that_moved_by_a_tenth_of_a_step(number):
    stored = imread(
        Path(__file__).parent / f"baseline/test_a_diagram_looks_as_it_was_approved_{number}.png"
    )
    good = (255 * stored).astype(np.uint8)
    fig = without_texts(figure(number))
    assert calculate_rms(good, pixels(fig)) < TOLERANCE
    ax = fig.axes[-1]
    moved = ax.patches[0]
    assert type(moved) is not Ellipse
    offset = 0.1 * (ax.transData.transform((1, 0)) - ax.transData.transform((0, 0)))
    moved.set_transform(moved.get_transform() + _shift(offset))
    assert calculate_rms(good, pixels(fig)) > TOLERANCE


def _shift(offset):
    from matplotlib.transforms import Affine2D

    return Affine2D().translate(*offset)


def test_another_font_changes_nothing_that_is_compared():
    plain, other = figure(5), figure(5)
    for text in other.findobj(Text):
        text.set_fontfamily("DejaVu Serif")
        text.set_math_fontfamily("dejavuserif")
    assert calculate_rms(pixels(plain), pixels(other)) > TOLERANCE
    assert calculate_rms(pixels(without_texts(plain)), pixels(without_texts(other))) == 0
