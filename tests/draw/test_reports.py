"""Pictures of reports: they show the numbers, and no label lies on another one."""

import numpy as np
import pytest
from latent_classes import SLIDES, classes, drawn, slides
from matplotlib.backends.backend_agg import FigureCanvasAgg

import fgnwidgets as fg
from fgnwidgets.draw import DARK, LIGHT, draw_comparison, draw_profile, draw_residuals

WORDS = (
    "strongly disagree",
    "disagree a little, on the whole",
    "neither agree nor disagree with it in any way that matters",
    "agree",
)
QUESTIONS = [
    f"Question {k}: how satisfied are you with the {what} of your town?"
    for k, what in enumerate(["schools and kindergartens", "roads", "parks and other green places"])
]


def survey():
    graph = classes(3, dict.fromkeys([*QUESTIONS, "Q3", "Q4"], WORDS))
    rng = np.random.default_rng(0)
    theta = {"S": [[0.5, 0.3, 0.2]]}
    theta |= {f"{name}|S": rng.dirichlet(np.ones(4), 3) for name in [*QUESTIONS, "Q3", "Q4"]}
    return fg.fit(graph, drawn(graph, theta, 400, 0, [*QUESTIONS, "Q3", "Q4"]))


@pytest.fixture(scope="module")
def run():
    return survey()


def overlapping(labels, figure):
    FigureCanvasAgg(figure).draw()
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    return sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_long_labels_of_a_profile_do_not_overlap(run, theme):
    ax = draw_profile(run, theme=theme)
    assert len(ax.get_yticklabels()) == 5 * (1 + 4)
    assert overlapping(ax.get_yticklabels(), ax.figure) == 0
    ax.tick_params(axis="y", labelsize=17)  # the check can fail
    assert overlapping(ax.get_yticklabels(), ax.figure) > 0


def test_a_profile_has_every_probability_and_every_interval():
    errors = fg.standard_errors(slides(3))
    ax = draw_profile(errors, level=0.9)
    points = {round(float(x[0]), 9) for line in ax.lines for x in [line.get_xdata()] if len(x) == 1}
    theta = errors.theta
    assert {round(float(theta[f"{v}|S"][k, 1]), 9) for v in SLIDES for k in range(3)} <= points
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"{v} = 1" for v in SLIDES]
    segments = [s[:, 0] for c in ax.collections for s in c.get_segments() if s.shape == (2, 2)]
    low, high = errors.interval(0.9)["F|S"][:, 0, 1]
    assert np.isclose(segments, [low, high]).all(axis=1).any()
    assert "44 %" in ax.get_legend().get_texts()[0].get_text()


def test_each_probability_of_a_profile_stands_at_the_height_of_its_category(run):
    ax = draw_profile(run)
    labels = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    heights = dict(zip(labels, ax.get_yticks(), strict=True))
    marks = np.concatenate([line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 4])
    assert labels[-4:] == list(WORDS)  # of the last question, from the top
    assert sorted(heights[word] for word in WORDS) == [heights[word] for word in WORDS]
    for k in range(3):
        for word, p in zip(WORDS, run.best_theta["Q4|S"][k], strict=True):
            off = np.abs(marks - (p, heights[word]))
            assert ((off[:, 0] < 1e-9) & (off[:, 1] < 0.3)).any(), (k, word)


def test_a_profile_calls_hidden_states_what_the_graph_calls_them():
    kinds = ["people who never answer a question in full", "coffee people", "a $5 tea person"]
    graph = fg.BayesGraph({"S": kinds, "A": 2, "B": 2}, {"A": "S", "B": "S"})
    ax = draw_profile(fg.fit(graph, {"A": [0, 1, 0, 1], "B": [0, 1, 1, 1]}, n_epochs=2))
    shown = [text.get_text().replace("\\$", "$") for text in ax.get_legend().get_texts()]
    assert [text.rpartition("  (")[0] for text in shown] == [f"S = {kind}" for kind in kinds]
    FigureCanvasAgg(ax.figure).draw()
    legend = ax.get_legend().get_window_extent()
    assert legend.x1 <= ax.figure.bbox.x1 + 1 and legend.y1 <= ax.figure.bbox.y1 + 1


def test_a_profile_calls_hidden_states_what_their_reader_calls_them():
    ax = draw_profile(slides(3), names=("clear", "disputed", "sick"))
    shown = [text.get_text().rpartition("  (")[0] for text in ax.get_legend().get_texts()]
    assert shown == ["clear", "disputed", "sick"]
    for wrong in (["one", "two"], "abc"):
        with pytest.raises(ValueError, match="a name for each of the 3 states of S"):
            draw_profile(slides(3), names=wrong)


def test_a_profile_of_several_hidden_variables_asks_which_one():
    graph = fg.BayesGraph({"S": 2, "T": 2, "A": 2, "B": 2}, {"T": "S", "A": "S", "B": "T"})
    run = fg.fit(graph, {"A": [0, 1, 0, 1], "B": [0, 1, 1, 1]}, n_epochs=2)
    with pytest.raises(ValueError, match="S, T"):
        draw_profile(run)
    p = fg.posterior(graph, run.best_theta, {"T": [0, 1]}, "A")
    ax = draw_profile(run, "T")
    ends = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 1]
    assert any(np.allclose(x, p[0, 1]) for x in ends)


def test_a_comparison_rings_the_best_model_and_cuts_off_one_that_is_far():
    graphs = {f"{k} kinds": classes(k, dict.fromkeys(SLIDES, 2)) for k in range(1, 6)}
    found = fg.compare(graphs, SLIDES, alpha=0.1, folds=0)
    ax = draw_comparison(found, what="bic")
    rings = [line for line in ax.lines if line.get_markersize() > 10]
    assert [int(line.get_xdata()[0]) for line in rings] == [2]
    assert ax.get_ylim()[1] < 1000
    assert any("1082" in text.get_text() for text in ax.texts)
    assert overlapping(ax.get_xticklabels(), ax.figure) == 0
    with pytest.raises(ValueError, match="two pictures"):
        draw_comparison(found, what=["bic", "loglik"])
    with pytest.raises(ValueError, match="expected aic"):
        draw_comparison(found, what="BIC")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_residual_map_has_all_pairs_and_frames_those_that_stand_out(run, theme):
    found = fg.residuals(slides(2))
    ax = draw_residuals(found, theme=theme)
    across, down = (
        {tick: label.get_text() for tick, label in zip(ticks, labels, strict=True)}
        for ticks, labels in (
            (ax.get_xticks(), ax.get_xticklabels()),
            (ax.get_yticks(), ax.get_yticklabels()),
        )
    )
    pairs = {frozenset((one, two)): value for one, two, value in found.worst(99)}
    shown = {
        frozenset((across[x], down[y])): text.get_text()
        for text in ax.texts
        for x, y in [text.get_position()]
    }
    assert shown == {pair: f"{value:.1f}" for pair, value in pairs.items()}
    framed = {
        frozenset((across[round(x)], down[round(y)]))
        for frame in ax.patches
        for x, y in [np.add(frame.get_xy(), (frame.get_width() / 2, frame.get_height() / 2))]
    }
    assert framed == {pair for pair, value in pairs.items() if value > 3.84} != set()
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {0}  # short names
    ax = draw_residuals(fg.residuals(run), theme=theme)
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert overlapping(labels, ax.figure) == 0


def test_a_profile_of_matrices_alone_is_refused():
    with pytest.raises(ValueError, match="expected a Run, as fit gives it"):
        draw_profile({"S": [[0.5, 0.5]]})
