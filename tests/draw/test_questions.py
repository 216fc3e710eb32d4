"""Pictures of what to observe next and of what a posterior depends on show the numbers."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation, Text

import fgnwidgets as fg
from fgnwidgets.draw import DARK, LIGHT, draw_informative, draw_sensitivity

QUESTION = "How do you feel today, all in all, when you think of it? ($)"
GRAPH = fg.BayesGraph(
    {
        "Kind": ("well", "ill"),
        "Fever": ("no", "yes"),
        QUESTION: 3,
        "Test": ("negative", "positive"),
        "Coin": 2,
    },
    {
        "Fever": "Kind",
        QUESTION: ("Kind", "Fever"),
        "Test": "Kind",
    },
).merged()
QUESTION = GRAPH.bayes.variables[
    "How do you feel today, all in all, when you think of it? ($)"
].name
THETA = {
    "Kind": [[0.9, 0.1]],
    "Fever|Kind": [[0.95, 0.05], [0.4, 0.6]],
    f"{QUESTION}|Kind,Fever": [[0.1, 0.3, 0.6], [0.5, 0.4, 0.1], [0.4, 0.4, 0.2], [0.8, 0.1, 0.1]],
    "Test|Kind": [[0.99, 0.01], [0.1, 0.9]],
    "Coin": [[0.5, 0.5]],
}
TOLD = fg.informative(GRAPH, THETA, {"Fever": "yes"}, "Kind")
ASKED = fg.sensitivity(GRAPH, THETA, {"Fever": "yes", QUESTION: 0}, {"Kind": "ill"})


def without_texts(ax):
    for text in ax.figure.findobj(Text):
        if not isinstance(text, Annotation):
            text.set_visible(False)
    return ax.figure


@pytest.mark.mpl_image_compare(tolerance=1)
def test_bars_of_information_look_as_they_were_approved():
    return without_texts(draw_informative(TOLD))


@pytest.mark.mpl_image_compare(tolerance=1)
def test_a_tornado_looks_as_it_was_approved():
    return without_texts(draw_sensitivity(ASKED))


def overlapping(labels, figure):
    FigureCanvasAgg(figure).draw()
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    return sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bars_are_as_long_as_the_information_and_say_its_share(theme):
    ax = draw_informative(TOLD, theme=theme)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [*TOLD.bits.values()])
    assert [t.get_text() for t in ax.texts] == [f"{100 * v:.1f} %" for v in TOLD.share.values()]
    assert ax.get_yticklabels()[0].get_text() == "Test"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first is at the top
    assert overlapping([*ax.get_yticklabels(), *ax.texts], ax.figure) == 0
    box = ax.title.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= ax.figure.bbox.x1
    assert len(draw_informative(TOLD, count=2).patches) == 2
    known = fg.informative(GRAPH, {**THETA, "Kind": [[1, 0]]}, None, "Kind")
    assert not list(draw_informative(known).texts)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_tornado_reaches_from_the_posterior_to_both_ends_the_longest_bar_first(theme):
    ax = draw_sensitivity(ASKED, change=0.2, theme=theme)
    cells = ASKED.cells(10, 0.2)
    ends = [{bar.get_x(), bar.get_x() + bar.get_width()} for bar in ax.patches]
    assert all(any(np.isclose(ASKED.value, end) for end in pair) for pair in ends)
    reached = sorted(
        next((e for e in pair if not np.isclose(e, ASKED.value)), ASKED.value) for pair in ends
    )
    np.testing.assert_allclose(reached, sorted(v for c in cells for v in c[5:]))
    rows = np.abs([bar.get_width() for bar in ax.patches]).reshape(2, -1).sum(axis=0)
    assert (np.diff(rows) <= 1e-12).all()
    labels = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    assert "Kind: ill" in labels and "Fever|Kind: yes | well" in labels
    long = [label for label in labels if label.startswith("How do you feel")]
    assert len(long) == len({*long}) == 6 and long[0].endswith(": 0 | ill, yes")
    assert f"{ASKED.value:.4f}" in ax.get_title()
    assert overlapping(ax.get_yticklabels(), ax.figure) == 0
    box = ax.title.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= ax.figure.bbox.x1
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["cell −20 %", "cell +20 %"]
