"""The pictures that stored notebooks hold in the place of live views."""

import base64
import io

import matplotlib
import numpy as np
import PIL.Image
import pytest
from matplotlib.figure import Figure
from student import THETA, student
from waves import wave_lab

from fgnwidgets import BayesGraph, fit, uniform_theta
from fgnwidgets.draw import LIGHT
from fgnwidgets.widgets import FigureImage, GraphEditor, GraphView, LearningView
from fgnwidgets.widgets.page.stored_picture import stored_picture

WORDS = "A picture: run this cell (Shift+Enter), then click."


def pixels(stored):
    return np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(stored))).convert("RGB"))


def plot(width=4.0):
    figure = Figure(figsize=(width, 2), dpi=50)
    figure.add_subplot().plot([1, 3, 2])
    return figure


def test_words_stand_above_the_picture_and_change_nothing_of_it():
    bare, told = pixels(stored_picture(plot())), pixels(stored_picture(plot(), WORDS))
    assert bare.shape == (100, 200, 3)
    off = np.abs(told[-100:].astype(int) - bare)
    assert off.max() <= 24 and off.mean() < 0.2  # of 255: each has 64 colours of its own
    strip = told[:-100]
    assert strip.std() > 10 and (strip[0] == strip[0, 0]).all()  # ink, and none at the edge


def test_the_picture_of_a_graph_shows_its_matrices_as_the_living_one_does():
    graph = BayesGraph({"A": 2, "B": 2}, {"B": "A"})
    sure = [[1.0, 0.0], [0.0, 1.0]]
    dark = np.array(matplotlib.colormaps[LIGHT.matrix](1.0)[:3]) * 255
    found = []
    for matrix in (sure, [[0.5, 0.5]] * 2):
        view = GraphView(graph, {"A": [[0.5, 0.5]], "B|A": matrix})
        shown = pixels(view._repr_mimebundle_()[0]["image/png"]).astype(float)
        found.append(int((np.abs(shown - dark).max(axis=2) < 6).sum()))
    assert found[0] > 100 and found[1] == 0


@pytest.mark.filterwarnings("error")
def test_letters_that_the_font_lacks_are_no_news_for_the_reader():
    graph = BayesGraph({"所得": ("低い", "高い"), "🙂": 2}, {"🙂": "所得"})
    for form in ("normal", "bayes"):
        view = GraphView(graph, uniform_theta(graph), form=form)
        assert pixels(view._repr_mimebundle_()[0]["image/png"]).size
    picture = FigureImage()

    def draw(result, fig=None):
        fig = fig or Figure(figsize=(4, 2))
        fig.text(0.5, 0.5, result)
        return fig

    picture.draw(draw, "所得")


@pytest.mark.parametrize("width", [0.8, 1.7, 3.0, 9.0])
def test_words_take_as_many_lines_as_they_need(width):
    told = pixels(stored_picture(plot(width), WORDS, 100))
    strip = told[:-200]
    ground = strip[0, 0].astype(int)
    right = np.abs(strip[:, -3:].astype(int) - ground).max()
    assert right < 40  # nothing runs out of the picture


@pytest.mark.parametrize("kind", ["graph", "editor", "lab", "picture of a lab", "learning view"])
def test_every_stored_picture_has_two_dots_for_each_of_the_page(kind):
    run = fit(
        student(), {"G": [0, 1, 2, 0]}, n_epochs=2, record=("loglik", "theta"), progress=False
    )
    made = {
        "graph": lambda: GraphView(student(), THETA),
        "editor": lambda: GraphEditor(student(), theta=THETA),
        "lab": wave_lab,
        "picture of a lab": lambda: wave_lab().picture,
        "learning view": lambda: LearningView(run),
    }
    data, told = made[kind]()._repr_mimebundle_()
    high, wide, _ = pixels(data["image/png"]).shape
    assert wide == pytest.approx(2 * told["image/png"]["width"], abs=2)
    assert high > 2 * 80


def test_the_picture_of_a_living_graph_says_how_it_comes_to_life():
    data, size = GraphView(student(), THETA)._repr_mimebundle_()
    stored = pixels(data["image/png"])
    strip = stored[: round(0.3 * 192)]
    assert strip.std() > 10
    assert stored.shape[1] == pytest.approx(2 * size["image/png"]["width"], abs=2)
