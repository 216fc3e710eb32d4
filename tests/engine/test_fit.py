"""``fit``: histories, stops, warnings, progress."""

import json
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from checks import close

import fgnwidgets as fg
from fgnwidgets import RULES, BayesGraph, ImpossibleEvidence, fit
from fgnwidgets.learning.fit import Learner
from fgnwidgets.learning.run import Ending
from fgnwidgets.learning.task import LearningTask

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
TABLE = {"X": [0, 1, 1, 0, 1, 0], "Y": [2, 0, 1, 2, 1, 0]}


def test_a_run_holds_every_restart_and_every_epoch():
    run = fit(GRAPH, TABLE, n_epochs=7, restarts=4, tol=0, record=["loglik", "aggregated", "theta"])
    found = list(fg.epochs(GRAPH, TABLE, n_epochs=7, restarts=4))
    assert run.n_epochs == 7
    close(run.loglik, [epoch.loglik for epoch in found], 0)
    close(run.aggregated, [epoch.aggregated for epoch in found], 0)
    for name in run.theta:
        close(run.theta[name], [epoch.theta[name] for epoch in found], 0)
        close(run.final[name], found[-1].theta[name], 0)
    assert run.reason == "all 7 epochs were done"


def test_the_best_restart_is_the_one_with_the_largest_final_loglik():
    run = fit(GRAPH, TABLE, restarts=6, n_epochs=3)
    assert np.isclose(run.final_loglik[run.best], run.final_loglik.max(), rtol=1e-9, atol=0)
    for name, matrix in run.best_theta.items():
        close(matrix, run.final[name][run.best], 0)
    close(fg.loglik(GRAPH, run.best_theta, TABLE).sum(), run.final_loglik[run.best])


def test_only_what_is_asked_for_is_recorded():
    run = fit(GRAPH, TABLE, n_epochs=3, record="loglik")
    assert run.theta == {}
    assert run.aggregated.size == 0
    assert run.loglik.shape == (len(run.loglik), 10)
    with pytest.raises(
        ValueError, match="record holds 'weights': expected aggregated, loglik, theta"
    ):
        fit(GRAPH, TABLE, record=["weights"])


@pytest.mark.parametrize("accelerate", [False, True])
def test_the_run_stops_when_no_restart_has_anything_to_gain_and_says_so(accelerate):
    run = fit(GRAPH, TABLE, tol=1e-4, n_epochs=1000, accelerate=accelerate)
    assert run.settled.all() and run.n_epochs < 1000
    top = fit(GRAPH, TABLE, theta=run.final, restarts=10, tol=0, n_epochs=500).final_loglik
    assert (top - run.final_loglik <= 3e-4 * 6).all()
    assert run.reason == (
        "no restart's loglik has more than 0.0001 per sample left to gain after epoch "
        f"{run.n_epochs}"
    )


def test_tol_counts_per_unit_of_weight():
    light = fit(GRAPH, TABLE, tol=1e-4, restarts=3)
    heavy = fit(GRAPH, TABLE, tol=1e-4, restarts=3, weight=[1000] * 6)
    assert light.n_epochs == heavy.n_epochs


def test_a_tol_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="tol is nan: expected a number >= 0"):
        fit(GRAPH, TABLE, tol=np.nan)


def test_test_histories_are_there_only_with_a_test_weight():
    assert fit(GRAPH, TABLE, n_epochs=2).test_loglik is None
    run = fit(GRAPH, TABLE, n_epochs=2, weight=[1, 1, 1, 1, 0, 0], test_weight=[0, 0, 0, 0, 1, 1])
    assert run.test_loglik.shape == run.test_aggregated.shape == run.loglik.shape
    close(
        run.test_loglik[-1, 0],
        fg.loglik(GRAPH, {n: m[0] for n, m in run.final.items()}, TABLE)[4:].sum(),
    )


def test_identical_states_are_warned_of():
    run = fit(GRAPH, TABLE, theta=fg.uniform_theta(GRAPH), restarts=1, n_epochs=5)
    assert any(w.startswith("states 0 and 1 of S are identical") for w in run.warnings)
    assert not any("identical" in w for w in fit(GRAPH, TABLE, n_epochs=50).warnings)


def test_a_state_that_stands_for_no_sample_is_warned_of():
    theta = {"S": [[1 - 1e-9, 1e-9]], "X|S": [[0.4, 0.6], [0.5, 0.5]]}
    run = fit(GRAPH, TABLE, theta=theta, restarts=1, n_epochs=1)
    assert any(w.startswith("state 1 of S stands for") for w in run.warnings)


def test_warnings_call_hidden_states_what_the_graph_calls_them():
    graph = BayesGraph({"S": ("tea", "coffee"), "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
    alike = fit(graph, TABLE, theta=fg.uniform_theta(graph), restarts=1, n_epochs=5)
    assert any(w.startswith("states tea and coffee of S are identical") for w in alike.warnings)
    theta = {"S": [[1 - 1e-9, 1e-9]], "X|S": [[0.4, 0.6], [0.5, 0.5]]}
    empty = fit(graph, TABLE, theta=theta, restarts=1, n_epochs=1)
    assert any(w.startswith("state coffee of S stands for") for w in empty.warnings)


def test_a_dropped_restart_is_warned_of_and_never_the_best():
    y = np.array([[[0, 1, 0], [0, 0, 1]], [[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]]])
    run = fit(GRAPH, TABLE, theta={"Y|S": y}, restarts=2, n_epochs=5)
    assert any(w.startswith("restart 0 gave a sample probability zero") for w in run.warnings)
    assert run.best == 1


def test_a_run_that_still_falls_is_warned_of():
    rng = np.random.default_rng(0)
    table = {"X": rng.integers(0, 2, 40), "Y": rng.integers(0, 3, 40)}
    runs = [fit(GRAPH, table, "vit", n_epochs=n, restarts=1, tol=0, seed=3) for n in range(1, 12)]
    for run in runs:
        fell = run.loglik[-1, 0] < run.loglik[-2, 0] - 1e-6
        assert any("has not settled" in w for w in run.warnings) == fell
    assert any(run.loglik[-1, 0] < run.loglik[-2, 0] - 1e-6 for run in runs)


def test_a_hidden_variable_is_learned_from_a_frame_in_three_lines():
    frame = pd.DataFrame(
        {"X": ["a", "b", None, "a"] * 5, "Y": pd.Categorical(["u", "v", "v", None] * 5)}
    )
    graph = BayesGraph.from_table(frame, {"X": "S", "Y": "S"}, hidden={"S": 2})
    run = fit(graph, frame)
    assert fg.posterior(graph, run.best_theta, frame, "S").shape == (20, 2)


def test_a_run_can_be_sent_to_another_process():
    run = fit(GRAPH, TABLE, n_epochs=2, record=["loglik", "theta"])
    again = pickle.loads(pickle.dumps(run))
    assert again.graph == GRAPH
    close(again.loglik, run.loglik, 0)


def test_a_run_shows_itself_in_one_line():
    text = repr(fit(GRAPH, TABLE, n_epochs=2, restarts=3, tol=0))
    assert text.startswith("Run('ml', 2 epochs, 3 restarts, best loglik -")
    assert text.endswith("; all 2 epochs were done)")


def test_a_bar_is_shown_only_in_long_runs(monkeypatch, capsys):
    monkeypatch.setattr("fgnwidgets.progress.PROGRESS_DELAY", 3600.0)
    fit(GRAPH, TABLE, n_epochs=5, progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("fgnwidgets.progress.PROGRESS_DELAY", -1.0)
    fit(GRAPH, TABLE, n_epochs=5, tol=0, progress=True)
    assert "5/5" in capsys.readouterr().err
    fit(GRAPH, TABLE, n_epochs=5, progress=False)
    assert capsys.readouterr().err == ""
    assert "tqdm" in sys.modules


def test_a_watch_sees_every_epoch_of_the_run_and_changes_nothing_of_it():
    seen = []
    watched = fit(GRAPH, TABLE, n_epochs=20, tol=0, restarts=3, watch=seen.append)
    plain = fit(GRAPH, TABLE, n_epochs=20, tol=0, restarts=3)
    assert [epoch.n for epoch in seen] == list(range(21))
    assert np.array_equal([epoch.loglik for epoch in seen], plain.loglik)
    assert np.array_equal(watched.loglik, plain.loglik)
    assert (watched.reason, watched.warnings) == (plain.reason, plain.warnings)
    for name, matrix in plain.final.items():
        assert np.array_equal(watched.final[name], matrix)
        assert np.array_equal(seen[-1].theta[name], matrix)


def test_a_watch_that_returns_true_ends_the_run_there():
    run = fit(GRAPH, TABLE, n_epochs=50, tol=0, watch=lambda epoch: epoch.n == 7)
    assert run.n_epochs == 7
    assert run.reason == "it was stopped after epoch 7"
    as_long = fit(GRAPH, TABLE, n_epochs=7, tol=0)
    for name, matrix in as_long.final.items():
        assert np.array_equal(run.final[name], matrix)
    assert fit(GRAPH, TABLE, n_epochs=9, tol=0, watch=lambda epoch: epoch.n).n_epochs == 9


@pytest.mark.parametrize("stop", [3, 10, 25, None])
def test_a_watch_of_short_starts_counts_on_where_the_best_go_on(stop):
    seen = []

    def watch(epoch):
        seen.append((epoch.n, len(epoch.loglik)))
        return epoch.n == stop

    how = {"n_epochs": 100, "tol": 0, "starts": 6, "keep": 2}
    run = fit(GRAPH, TABLE, watch=watch, **how)
    last = 100 if stop is None else stop
    assert seen == [(n, 6 if n <= 10 else 2) for n in range(last + 1)]
    assert run.loglik.shape == (last + 1, 2)
    assert run.start_loglik.shape == (6,)
    for name, matrix in run.final.items():
        assert len(matrix) == len(run.counts[name]) == 2
    exact = [fg.loglik(GRAPH, {k: m[r] for k, m in run.final.items()}, TABLE) for r in (0, 1)]
    close(run.final_loglik, np.array([np.sum(values) for values in exact]))


def test_one_epoch_of_short_starts_keeps_the_best_of_them():
    run = fit(GRAPH, TABLE, n_epochs=1, starts=6, keep=2)
    assert {len(matrix) for matrix in run.final.values()} == {2}
    assert run.dropped.shape == (2,)


def test_a_watch_that_cannot_be_called_is_refused_and_what_it_raises_comes_out():
    with pytest.raises(ValueError, match="watch is 3: expected a function of an Epoch"):
        fit(GRAPH, TABLE, watch=3)

    def broken(epoch):
        raise KeyError(epoch.n)

    with pytest.raises(KeyError):
        fit(GRAPH, TABLE, watch=broken)


def test_the_best_of_restarts_that_differ_by_rounding_is_the_first_of_them():
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    run = fit(graph, {"X": [0, 0, 1]}, restarts=8, n_epochs=50, progress=False)
    assert np.ptp(run.final_loglik) < 1e-12  # one observed variable: every restart fits it alike
    assert run.best == 0


def test_a_run_says_by_a_value_how_it_ended_and_a_file_keeps_it(tmp_path):
    done = fit(GRAPH, TABLE, n_epochs=3, tol=0)
    settled = fit(GRAPH, TABLE, n_epochs=500, tol=1e-3)
    stopped = fit(GRAPH, TABLE, n_epochs=9, tol=0, watch=lambda epoch: epoch.n == 2)
    assert [run.ending for run in (done, settled, stopped)] == [
        Ending.DONE, Ending.SETTLED, Ending.STOPPED
    ]  # fmt: skip
    fg.save(tmp_path / "run.json", stopped)
    assert fg.load(tmp_path / "run.json").ending is Ending.STOPPED
    older = json.loads((tmp_path / "run.json").read_text())
    del older["ending"]  # as files of earlier versions are
    (tmp_path / "run.json").write_text(json.dumps(older))
    assert fg.load(tmp_path / "run.json").ending is Ending.STOPPED


def test_epochs_of_impossible_evidence_are_refused_once_and_then_over():
    graph = BayesGraph({"S": 2, "A": 2}, {"A": "S"})
    theta = {"S": [[1.0, 0.0]], "A|S": np.eye(2)}
    task = LearningTask(
        graph=graph, table={"A": [1, 1]}, rule=RULES["ml"], restarts=1, seed=0, theta=theta,
        constants={},
    )  # fmt: skip
    learner = Learner(task.problem(), 6)
    with pytest.raises(ImpossibleEvidence, match="sample 0"):
        next(learner)
    assert next(learner, None) is None and learner.empty


def test_one_iterator_learns_a_task_can_be_stopped_and_gives_the_run_of_fit():
    task = LearningTask(graph=GRAPH, table=TABLE, restarts=2, seed=4)
    whole = Learner(task.problem(), 6)
    assert [epoch.n for epoch in whole] == [*range(7)]
    again = fit(GRAPH, TABLE, restarts=2, seed=4, n_epochs=6, tol=0)
    close(whole.run().loglik, again.loglik)
    assert whole.run().warnings == again.warnings
    part = Learner(task.problem(), 6)
    next(part), next(part)
    part.stop()
    assert next(part, None) is None
    close(part.run().loglik, again.loglik[:2])
