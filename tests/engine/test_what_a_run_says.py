"""What a run says of its start and its end: where it should warn, and where it is silent."""

import numpy as np
import pytest

import fgnwidgets as fg

GRAPH = fg.BayesGraph({"S": 6, **{f"x{k}": 3 for k in range(6)}}, {f"x{k}": "S" for k in range(6)})
PAIR = fg.BayesGraph({"S": 2, "x": 3, "y": 3}, {"x": "S", "y": "S"})
START = {"S": [[0.4, 0.6]], "x|S": [[1, 0, 0], [0.1, 0.2, 0.7]], "y|S": [[0.7, 0.2, 0.1]] * 2}


def draws(graph, n, seed):
    rng = np.random.default_rng(seed)
    table = fg.sample(graph, fg.random_theta(graph, rng), n, rng)
    return {name: column for name, column in table.items() if name != "S"}


SMALL = draws(PAIR, 60, 3)


def zeros(run):
    return [said for said in run.warnings if "zeros" in said]


def test_zeros_that_learning_made_in_short_starts_are_no_zeros_of_the_start(monkeypatch):
    monkeypatch.setattr("fgnwidgets.learning.fit.SHORT", 80)  # long enough to make some
    table = draws(GRAPH, 150, 5)
    run = fg.fit(GRAPH, table, starts=20, keep=4, n_epochs=800, accelerate=False, tol=1e-12)
    assert (run.final["x3|S"] == 0).any()  # else this shows nothing
    assert not zeros(run)
    assert run.n_free == fg.fit(GRAPH, table, restarts=2, n_epochs=2).n_free == 5 + 6 * 6 * 2


def test_zeros_are_told_wherever_a_rule_keeps_them():
    def said(rule="ml", **given):
        return zeros(fg.fit(PAIR, SMALL, rule, theta=START, n_epochs=3, **given))

    assert "2 zeros, which never leave under 'ml'" in said(("vit", "ml"))[0]
    assert "2 zeros, which never leave under 'ml'" in said(("ml", "vit"))[0]
    assert "2 zeros" in said(hold={"x|S": [False, True]})[0]
    assert "1 zeros" in said(alpha={"x|S": [[1, 0.5, 0], [1, 1, 1]]})[0]
    assert not said("vit") + said("var") + said(alpha=0.1) + said(hold={"x|S": [True, False]})


def test_what_no_restart_can_move_is_not_free():
    def free(**given):
        return fg.fit(PAIR, SMALL, theta=START, n_epochs=1, **given).free["x|S"].tolist()

    stays, moves = [True, False, False], [True, True, True]
    assert free() == [stays, moves]
    assert free(alpha={"x|S": [[1, 0.5, 0], [1, 1, 1]]}) == [[True, True, False], moves]
    assert free(rule=("ml", "vit")) == free(rule=("vit", "ml")) == [moves, moves]


def test_without_an_epoch_nothing_is_said_of_ends():
    run = fg.fit(PAIR, SMALL, n_epochs=0)
    assert run.n_epochs == 0 and not any("found only once" in said for said in run.warnings)
    run = fg.fit(PAIR, SMALL, n_epochs=0, starts=4, keep=2)
    assert run.n_epochs == 0 and run.final["S"].shape == (2, 1, 2)
    assert run.start_loglik.shape == (4,) and run.reason == "all 0 epochs were done"


def test_a_run_that_settled_is_not_said_to_fall():
    # from the truth VAR sinks, so slowly at last that it settles
    truth = {"S": [0.4, 0.6], "x|S": [[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]]}
    truth["y|S"] = [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]
    table = fg.sample(PAIR, truth, 200, np.random.default_rng(0))
    given = {"theta": truth, "restarts": 1}
    table.pop("S")
    run = fg.fit(PAIR, table, "var", tol=1e-5, **given)
    assert "left to gain" in run.reason and not run.warnings
    assert run.loglik[-1, 0] < run.loglik[-2, 0] - 1e-4
    run = fg.fit(PAIR, table, "var", tol=0, n_epochs=run.n_epochs, **given)
    assert any("still fell" in said for said in run.warnings)


def test_as_many_go_on_as_there_are():
    assert fg.fit(PAIR, SMALL, starts=2, n_epochs=3).final["S"].shape == (2, 1, 2)
    assert fg.fit(PAIR, SMALL, starts=5, n_epochs=3).final["S"].shape == (3, 1, 2)


def test_starts_with_weights_of_their_own_are_refused_before_they_run():
    seen = []
    with pytest.raises(ValueError, match="different problems"):
        fg.fit(PAIR, SMALL, starts=4, keep=2, weight=np.ones((4, 60)), watch=seen.append)
    assert not seen
