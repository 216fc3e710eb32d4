"""The map that goes with a picture: pixels and values as they were drawn."""

import math

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from fgn_notebooks import labs
from fgnwidgets.draw.names import name_parts
from fgnwidgets.widgets import FigureImage
from fgnwidgets.widgets.lab.picture_map import MOST, picture_map


def drawn(figure, fine=1.0):
    """Draw it, then its map, and its curves with their numbers as a page reads them."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    found, raw = picture_map(figure, fine)
    numbers = np.frombuffer(raw, np.float32)
    curves = []
    for curve in found["curves"]:
        rows = curve["parts"] + 1
        own = numbers[curve["start"] : curve["start"] + rows * curve["count"]]
        curves.append({**curve, "rows": own.reshape(rows, curve["count"])})
    return found, curves, np.asarray(canvas.buffer_rgba())[..., :3]


def place(ax, x, y):
    """Where the page puts a value: a share of the box, on a scale that is linear or not."""

    def share(value, low, high, scale):
        value, low, high = (
            map(math.log, (value, low, high)) if scale == "log" else (value, low, high)
        )
        return (value - low) / (high - low)

    left, top, right, bottom = ax["box"]
    return left + (right - left) * share(x, *ax["x"]), bottom + (top - bottom) * share(y, *ax["y"])


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("fine", [1.0, 2.0])
def test_the_page_finds_a_point_where_its_pixels_are(scale, fine):
    figure = Figure(figsize=(4, 3), dpi=100 * fine)
    ax = figure.add_axes((0.2, 0.15, 0.7, 0.7))
    ax.set(xscale=scale, yscale=scale, xlim=(1, 50), ylim=(200, 2))  # y downwards
    ax.plot([7.0], [31.0], "s", color="red", markersize=6, mew=0)
    found, (curve,), pixels = drawn(figure, fine)
    red = np.argwhere((pixels == (255, 0, 0)).all(axis=2)).mean(axis=0)[::-1] + 0.5
    assert place(found["axes"][0], *curve["rows"][:, 0]) == pytest.approx(red / fine, abs=0.6)
    assert curve["kind"] == "points" and curve["color"] == "#ff0000"


def test_curves_carry_their_labels_values_and_whether_they_count_epochs():
    figure = Figure()
    ax, other, hidden = figure.subplots(1, 3)
    values = np.array([-5.25, -3.5, -3.125])
    ax.plot(values, label="ML")
    ax.plot([0.5, 1.5], [-4, -4])
    ax.axhline(-4)  # in other coordinates: no curve
    ax.set_xlabel("epoch")
    other.scatter([1, 2], [3, 4], label="runs")
    hidden.plot([1, 2])
    hidden.set_visible(False)
    found, curves, _ = drawn(figure)
    assert [(c["label"], c["kind"], c["byEpoch"], c["axes"]) for c in curves] == [
        ("ML", "line", True, 0),
        ("", "line", True, 0),
        ("runs", "points", False, 1),
    ]
    assert np.array_equal(curves[0]["rows"], [[0, 1, 2], values])
    assert np.array_equal(curves[2]["rows"], [[1, 2], [3, 4]])
    assert len(found["axes"]) == 2


def test_a_bundle_of_lines_shares_its_epochs_and_a_mosaic_has_its_cells():
    figure = Figure()
    ax = figure.add_subplot()
    x = np.arange(4.0) + 10
    lines = [np.column_stack([x, x * k]) for k in range(3)]
    ax.add_collection(LineCollection(lines, colors="blue", label="KL", gid="epoch"))
    squares = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([[[0, 0]], [[2, 0]]])
    cells = PolyCollection(squares, label="ML")
    cells.set_array([0.25, 0.75])
    ax.add_collection(cells)
    _, (bundle, mosaic), _ = drawn(figure)
    assert bundle["parts"] == 3 and bundle["byEpoch"] and bundle["label"] == "KL"
    assert np.array_equal(bundle["rows"], [x, 0 * x, x, 2 * x])
    assert mosaic["kind"] == "cells"
    assert np.array_equal(mosaic["rows"], [[0, 2], [0, 0], [1, 3], [1, 1], [0.25, 0.75]])


def test_a_long_curve_is_thinned_and_its_first_value_stays():
    figure = Figure()
    figure.add_subplot().plot(np.arange(100_000.0))
    _, (curve,), _ = drawn(figure)
    assert curve["rows"].size <= MOST and curve["rows"][1, 0] == 0


def test_a_picture_brings_its_map_and_a_lab_every_rule_on_each_of_its_axes():
    lab = labs.one_hidden_variable()
    rules = {"ML", "KL", "VIT", "VAR"}
    by_axes = {}
    for curve in lab.picture.map["curves"]:
        by_axes.setdefault(curve["axes"], set()).add(curve["label"])
    assert by_axes[0] >= rules and by_axes[1] >= rules and by_axes[2] >= rules
    assert len(lab.picture.numbers) < 100_000  # bytes: a map is light


def test_the_map_is_that_of_the_picture_on_show():
    def draw(result, fig=None):
        fig = Figure() if fig is None else fig
        fig.add_subplot().plot(result, label="a")
        return fig

    image = FigureImage()
    for values in ([1, 2, 3], [4, 5]):
        image.draw(draw, values)
        ((count, start),) = [(c["count"], c["start"]) for c in image.map["curves"]]
        numbers = np.frombuffer(image.numbers, np.float32)
        assert numbers[start + count :].tolist() == values


def test_bars_cells_and_contours_have_their_values_and_the_names_that_they_were_given():
    figure = Figure(figsize=(6, 3), dpi=100)
    left, right, last = figure.subplots(1, 3)
    name_parts(left.bar([1, 2], [0.25, 0.5], label="seen"), ["day 1", ("day 2", "rain")])
    left.axvspan(0, 1)  # no bar
    right.barh([0, 1], [3.0, 1.0], left=1)
    mesh = right.pcolormesh([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    name_parts(mesh, list("abcdef"))
    last.contour([[0, 0, 0], [0, 2, 0], [0, 0, 0]], [1.0]).set_label("half")
    _, (seen, lying, cells, ring), _ = drawn(figure)
    assert seen["names"] == [["day 1"], ["day 2", "rain"]] and seen["label"] == "seen"
    assert seen["rows"][4].tolist() == [0.25, 0.5] and "names" not in lying
    assert pytest.approx(np.array([[0.6, 0, 1.4, 0.25], [1.6, 0, 2.4, 0.5]])) == seen["rows"][:4].T
    assert lying["rows"][4].tolist() == [3.0, 1.0]
    assert [name for (name,) in cells["names"]] == list("abcdef")
    assert cells["rows"][:, 5] == pytest.approx([2, 1, 3, 2, 0.6])
    assert ring["label"] == "half" and ring["kind"] == "line"
    assert abs(ring["rows"] - 1).sum(axis=0) == pytest.approx(0.5)  # half way to the middle


def test_paths_that_a_figure_draws_itself_are_curves_and_areas_without_an_edge_are_none():
    figure = Figure(figsize=(3, 3), dpi=100)
    ax = figure.subplots()
    corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]
    ax.add_collection(
        PathCollection([Path(corners)], facecolors="none", edgecolors="red", transform=ax.transData)
    )
    ax.add_collection(PathCollection([Path(corners)], edgecolors="none", transform=ax.transData))
    _, (line,), _ = drawn(figure)
    assert line["kind"] == "line" and line["color"] == "#ff0000"
    assert line["rows"].T.tolist() == corners


def test_axes_that_are_kept_forget_the_bars_of_the_picture_before():
    lab, counts = labs.weather(), set()
    for stays in (0.6, 0.8, 0.9):
        lab.set(stays=stays)
        (figure, _), *_ = lab.picture._figures.values()
        counts |= {len(figure.axes[0].containers), len(lab.picture.map["curves"])}
    assert len(counts) == 1 and min(counts) > 0
