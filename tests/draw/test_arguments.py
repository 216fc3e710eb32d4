"""What no drawing can draw is refused in words, and help stays short."""

import inspect

import numpy as np
import pytest

import fgnwidgets.draw as draw
from fgnwidgets import BayesGraph, fit, informative, propagate, sensitivity

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
RUN = fit(GRAPH, {"X": [0, 1, 1, 0], "Y": [0, 1, 2, 1]}, restarts=2, n_epochs=3, progress=False)
MESSAGES = propagate(GRAPH, RUN, {"X": 0})
GOOD = {
    "bayes": GRAPH,
    "graph": GRAPH,
    "run": RUN,
    "curves": RUN,
    "theta": RUN,
    "name": "X|S",
    "belief": MESSAGES["X"],
    "informative": informative(GRAPH, RUN, {"X": 0}, "S"),
    "sensitivity": sensitivity(GRAPH, RUN, {"X": 0}, {"S": 1}),
    "history": np.ones((3, 2, 2)),
}
THINGS = (None, 5, "x", [1, "a"], {}, GRAPH, RUN, MESSAGES, object(), MESSAGES["X"], np.zeros(3))
DRAWINGS = sorted(name for name in dir(draw) if name.startswith("draw_"))


@pytest.mark.quick
@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: type(thing).__name__)
@pytest.mark.parametrize("name", DRAWINGS)
def test_a_thing_that_is_not_drawn_so_is_refused_in_words(name, thing):
    function = getattr(draw, name)
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    for place in range(len(needed)):
        given = [thing if k == place else GOOD.get(p.name) for k, p in enumerate(needed)]
        try:
            function(*given)
        except (ValueError, TypeError) as error:
            said = str(error)
            assert "expected" in said or "no matrix" in said or "has no" in said, said


@pytest.mark.quick
@pytest.mark.parametrize("name", sorted({*DRAWINGS} - {"draw_comparison", "draw_residuals"}))
def test_an_option_that_is_none_is_refused_in_words(name):
    function = getattr(draw, name)
    known = inspect.signature(function).parameters
    needed = [GOOD[p.name] for p in known.values() if p.default is p.empty]
    if name == "draw_matrix":
        needed = [np.eye(2)]
    options = {"ax": "axes", "theme": "dark", "messages": GRAPH, "prior": 5, "sample": 1.5}
    options |= {"count": None, "change": None}
    for option, wrong in options.items():
        if option in known:
            with pytest.raises(ValueError, match=f"{option} is .*expected"):
                function(*needed, **{option: wrong})


@pytest.mark.quick
@pytest.mark.parametrize("name", DRAWINGS)
def test_the_help_of_a_drawing_fits_a_screen(name):
    assert len(str(inspect.signature(getattr(draw, name)))) < 400
    assert repr(draw.LIGHT) == "LIGHT" and repr(draw.DARK) == "DARK"


@pytest.mark.quick
def test_a_run_stands_for_its_best_matrices():
    one, two = (draw.draw_theta(GRAPH, theta, "X|S") for theta in (RUN, RUN.best_theta))
    assert [t.get_text() for t in one.texts] == [t.get_text() for t in two.texts] != []
    for theta in (RUN, RUN.best_theta):
        shown = [c.get_array() for c in draw.draw_normal(GRAPH, theta=theta).collections]
        for matrix in RUN.best_theta.values():
            assert any(np.array_equal(matrix, cells) for cells in shown if cells is not None)
