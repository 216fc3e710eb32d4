"""Figures of a reader's own graph: many children with long names; the beginning of a race."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from tiers import slow

from fgn_notebooks import experiments, labs
from fgn_notebooks.figures.deeper_graph import draw_deeper
from fgn_notebooks.figures.maps import brief
from fgn_notebooks.figures.racing import draw_race
from fgnwidgets import RULES, BayesGraph
from fgnwidgets.draw import DARK, LIGHT
from fgnwidgets.draw.names import length

NAMES = [f"characteristic number {k}" for k in range(12)]
GRAPH = BayesGraph({"cause": 2, **dict.fromkeys(NAMES, 2)}, dict.fromkeys(NAMES, "cause"))
ROWS = {name: np.arange(60) % (2 + k) % 2 for k, name in enumerate(NAMES)}


def contrast(one, two):
    """The ratio of WCAG 2."""

    def light(color):
        linear = [
            v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(color)
        ]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    low, high = sorted(map(light, (one, two)))
    return (high + 0.05) / (low + 0.05)


def words(figure):
    """Colours of the words of a figure, but for shares that stand on the cells of a map."""
    found = [*figure.texts]
    for ax in figure.axes:
        found += [t for t in ax.texts if not t.get_text().endswith("%")]
        found += [ax._left_title]
        if ax.axison:
            found += [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label]
    return {text.get_color() for text in found if text.get_text()}


def last(results):
    if hasattr(results, "facts"):
        return results
    *_, final = results
    return final


def boxes(figure):
    """The texts of a figure with their boxes in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [*figure.texts]
    for ax in figure.axes:
        texts += [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax._left_title]
    return [(t.get_text(), t.get_window_extent(renderer)) for t in texts if t.get_text()]


def meeting(found):
    """Names that share more than a pixel each way."""
    return [
        (one, other)
        for (one, a), (other, b) in combinations(found, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]


@pytest.mark.parametrize("draw", ["race", "deeper"])
def test_no_name_lies_over_another_one_and_all_are_told_apart(draw):
    if draw == "race":
        figure = draw_race(last(experiments.race(graph=GRAPH, data=ROWS, n_epochs=3)))
    else:
        figure = draw_deeper(last(experiments.deeper(graph=GRAPH, data=ROWS, n_epochs=3)))
    found = boxes(figure)
    assert len(found) > 20
    assert meeting(found) == []
    (one, _), (other, box) = found[:2]
    assert (one, other) in meeting([(one, box), *found[1:]])  # it can fail
    if draw == "race":
        words = [text for text, _ in found if "…" in text]
        assert len(set(words)) == len(NAMES)
        assert {words.count(word) for word in words} == {len(RULES)}  # at the map of each rule


def test_the_names_of_one_picture_all_have_their_parents_or_none_has():
    own = ["tired", "sad", "loss of appetite"]
    rows = {name: np.arange(60) % (2 + k) % 2 for k, name in enumerate(own)}
    for names in (own, own[:2]):
        part = BayesGraph({"S": 2} | dict.fromkeys(names, 2), dict.fromkeys(names, "S"))
        table = {name: rows[name] for name in names}
        figure = draw_race(last(experiments.race(graph=part, data=table, n_epochs=3)))
        shown = {text for text, _ in boxes(figure) if text.partition("|")[0] in names}
        assert shown == ({"tired|S", "sad|S"} if names == own[:2] else {"tired", "sad"})


def test_what_a_plot_of_a_deeper_graph_is_called_stands_on_it_and_not_below():
    figure = draw_deeper(last(experiments.deeper(n_epochs=3)))
    titles = dict(boxes(figure))
    places = {ax._left_title.get_text(): ax.get_window_extent() for ax in figure.axes}
    assert [name for name in places if name.startswith("P(")] == list(places)[1:]
    for name, own in places.items():
        above = [box.y0 for box in places.values() if box.y0 >= own.y1]
        assert 0 < titles[name].y0 - own.y1 < min(above, default=1e9) - titles[name].y1
    assert len({round(box.x0) for box in places.values()}) == 3  # they stand in columns


@pytest.mark.parametrize("name", [*NAMES, "X1|S", "a", "WWWWWWWWWWWW|S", "x" * 40])
@pytest.mark.parametrize("most", [3, 5, 9, 30])
def test_a_brief_name_fits_and_keeps_its_ends(name, most):
    child = name.partition("|")[0]
    short = brief(name, most)
    assert length(short) <= most
    if "…" in short:
        head, tail = short.split("…")
        assert child.startswith(head) and child.endswith(tail)
    else:
        assert short in (name, child)


def test_a_race_begins_with_a_mark_for_every_rule_in_sight():
    result = last(experiments.race(n_epochs=10))
    ax = draw_race(result, epoch=0).axes[0]
    low, high = ax.get_ylim()
    starts = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert len(starts) == len(result.rules)
    for line in starts:
        (y,) = line.get_ydata()
        assert low <= y <= high
        assert line.get_marker() != "None" and not line.get_clip_on()


def test_the_names_of_levels_stand_beside_their_lines_while_a_race_plays():
    result = last(experiments.race(n_epochs=60))
    for epoch in (0, 1, 2, 30, 60):
        figure = draw_race(result, epoch=epoch)
        ax = figure.axes[0]
        names = {text.get_text(): text.get_position()[1] for text in ax.texts}
        low, high = ax.get_ylim()
        for name, level in (("floor", result.levels.floor), ("ceiling", result.levels.ceiling)):
            # no further than a stack of five names has to be pushed apart
            assert abs(names[name] - (level - low) / (high - low)) < 0.25, (epoch, name)


def test_ends_by_nit_opens_with_several_runs_of_each_nit():
    lab = labs.one_hidden_variable()
    lab.set(view="ends by Nit", n_epochs=5)
    assert lab.result.loglik.shape[1] == 10
    lab.set(runs=3)
    assert lab.result.loglik.shape[1] == 3


@pytest.mark.parametrize(
    "name",
    [
        *("bayesian_learning", "product_space", "race"),
        *(
            pytest.param(name, marks=slow)
            for name in ("one_block", "one_hidden_variable", "deeper_graph")
        ),
    ],
)
def test_every_picture_of_a_lab_is_dark_on_a_dark_page_and_light_again(name):
    lab = getattr(labs, name)()
    small = {"n_epochs": 10} if "n_epochs" in lab.controls else {}
    views = lab.controls["view"].options if "view" in lab.controls else (None,)
    for view in views:
        lab.set(**small, **({"view": view} if view else {}))
        light = bytes(lab.picture.value)
        lab.picture.look = {"dark": True, "width": 0, "ratio": 1}
        drawing, result, options = lab.picture._last
        draw = drawing.draw
        figure = draw(result, None, **options, theme=DARK)
        inks = {t.get_color() for ax in figure.axes for t in ax.texts} | {
            line.get_color() for ax in figure.axes for line in ax.lines
        }
        assert min(contrast(ink, DARK.ground) for ink in words(figure)) >= 4.5
        figure = draw(result, None, **options)
        assert min(contrast(ink, LIGHT.ground) for ink in words(figure)) >= 4.5
        assert not inks & {LIGHT.ink, LIGHT.muted, LIGHT.ml.color, LIGHT.kl.color, LIGHT.vit.color}
        assert bytes(lab.picture.value) != light
        lab.picture.look = {"dark": False, "width": 0, "ratio": 1}
        assert bytes(lab.picture.value) == light  # nothing of the dark one stays
