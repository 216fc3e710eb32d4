"""A run goes on as if it had never stopped, and Ctrl-C loses nothing."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Rule

GRAPH = BayesGraph({"S": 3, "T": 2, "X": 2, "Y": 3, "Z": 2}, {"X": "S", "Y": "S", "Z": ("S", "T")})
LOOP = BayesGraph({"S": 2, "X": 2, "Y": 2, "Z": 2}, {"X": "S", "Y": "S", "Z": ("X", "Y")}).merged()
ROWS = np.random.default_rng(0)
TABLE = {name: ROWS.integers(-1, 2, 60) for name in "XYZ"}


def own_step(theta, f, b, weight):
    return theta * ((f * weight) @ b.swapaxes(-1, -2))


CASES = {
    "ml": {},
    "one restart": {"restarts": 1},
    "all histories": {"record": ("aggregated", "loglik", "theta")},
    "no aggregated": {"record": ("loglik",)},
    "n_it": {"n_it": 3},
    "kl": {"rule": "kl"},
    "vit with ties": {"rule": "vit", "ties": "random"},
    "var": {"rule": "var", "alpha": 0.5},
    "several rules": {"rule": ("ml", "var", "ml", "kl"), "n_it": (1, 1, 2, 2), "restarts": None},
    "weights": {"weight": ROWS.random(60), "test_weight": ROWS.random(60)},
    "tables": {"weight": ROWS.random((4, 60))},
    "held rows": {"hold": {"X|S": [True, False, False]}, "alpha": {"Y|S": np.ones((3, 3))}},
    "starts": {"restarts": None, "starts": 12, "keep": 4},
    "from messages": {"start": "messages"},
    "a rule of one's own": {"rule": Rule("mine", own_step)},
}


def same(one, two, *, but=()):
    """Whether two runs are the same to the bit."""
    for name in (
        "loglik",
        "aggregated",
        "test_loglik",
        "test_aggregated",
        "dropped",
        "start_loglik",
        "repeated",
    ):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), name)
    for name in ("theta", "final", "counts", "free"):
        left, right = getattr(one, name), getattr(two, name)
        assert left.keys() == right.keys()
        for key in left:
            np.testing.assert_array_equal(left[key], right[key], f"{name}[{key}]")
    for name in {"reason", "warnings", "rule", "separate_tables", "counted", "n_its"} - {*but}:
        assert getattr(one, name) == getattr(two, name), name


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
@pytest.mark.parametrize("cut", [0, 1, 13])
def test_a_resumed_run_is_the_one_that_never_stopped(options, cut):
    how = {"restarts": 4, "tol": 0, "seed": 3, **options}
    whole = fg.fit(GRAPH, TABLE, n_epochs=30, **how)
    if "starts" in options and cut < 10:
        cut = 10  # shorter starts are other starts
    part = fg.fit(GRAPH, TABLE, n_epochs=cut, **how)
    again = fg.resume(part, 30 - cut)
    same(again, whole)
    same(
        fg.resume(
            pickle.loads(pickle.dumps(part)) if "mine" not in str(options) else part, 30 - cut
        ),
        whole,
    )


def test_what_is_known_of_a_start_is_that_of_the_first_run():
    """Where nothing is hidden one epoch makes all restarts alike, and zeros of what was not seen:
    that they are so when the second run begins is no start of theirs."""
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    how = {"table": {"S": [0, 0, 1], "X": [0, 0, 1]}, "restarts": 3, "tol": 0}
    whole, part = (fg.fit(graph, n_epochs=n, **how) for n in (4, 1))
    assert (part.final["X|S"] == np.eye(2)).all()
    again = fg.resume(part, 3)
    same(again, whole)
    assert not again.repeated.any()
    assert all(mask.all() for mask in again.movable.values())


def test_a_merged_graph_and_a_chain_go_on_too():
    chain = fg.hmm(2, 3, 80)
    rows = np.random.default_rng(0)
    for graph, table in (
        (LOOP, {"S": [0, 1, 1, 0], "Z": [0, 1, 1, 1]}),
        (chain, fg.sequences([rows.integers(0, 3, n).tolist() for n in (80, 33)])),
    ):
        whole = fg.fit(graph, table, n_epochs=12, restarts=2, tol=0)
        same(fg.resume(fg.resume(fg.fit(graph, table, n_epochs=3, restarts=2, tol=0), 4), 5), whole)


def test_a_run_that_settled_stops_again_and_goes_on_without_a_tolerance():
    run = fg.fit(GRAPH, TABLE, restarts=2, n_epochs=2000, tol=1e-4)
    assert "left to gain" in run.reason
    more = fg.resume(run)
    assert more.n_epochs == run.n_epochs + 1
    assert more.tol == run.tol == 1e-4
    assert fg.resume(run, 7, tol=0).n_epochs == run.n_epochs + 7
    assert fg.resume(run, 7, tol=0).reason == f"all {run.n_epochs + 7} epochs were done"
    seen = []
    fg.resume(run, 3, tol=0, watch=lambda epoch: seen.append(epoch.n))
    assert seen == [run.n_epochs + k for k in (1, 2, 3)]


def test_what_is_no_run_is_refused():
    with pytest.raises(ValueError, match="run is {}: expected a Run, as fit gives it"):
        fg.resume({})


@pytest.mark.parametrize("options", [{}, {"restarts": None, "starts": 12, "keep": 4}])
@pytest.mark.parametrize("at", [0, 4, 15])
def test_an_interrupt_holds_the_run_so_far_and_it_can_go_on(options, at):
    how = {"restarts": 4, "tol": 0, **options}

    def press(epoch):
        if epoch.n == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        fg.fit(GRAPH, TABLE, n_epochs=30, watch=press, **how)
    assert isinstance(stop.value, fg.Interrupted)
    run = stop.value.run
    assert run.n_epochs == at
    assert run.reason == f"it was stopped by Ctrl-C after epoch {at}"
    assert run.reason in str(stop.value)
    assert pickle.loads(pickle.dumps(stop.value)).run.n_epochs == at
    if at > 10 or not options:
        same(fg.resume(run, 30 - at), fg.fit(GRAPH, TABLE, n_epochs=30, **how))
    with pytest.raises(fg.Interrupted) as later:
        fg.resume(run, 9, watch=lambda epoch: press(epoch._replace(n=epoch.n - 2)))
    assert later.value.run.n_epochs == at + 2


def test_an_interrupt_before_the_first_epoch_is_a_plain_one():
    def step(theta, f, b, weight):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        fg.fit(GRAPH, TABLE, Rule("slow", step))
    assert not isinstance(stop.value, fg.Interrupted)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to another process")
def test_a_real_ctrl_c_gives_the_run_so_far(tmp_path):
    program = textwrap.dedent(
        """
        import signal
        import numpy as np
        import fgnwidgets as fg

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has none
        rows = np.random.default_rng(0)
        table = {f"X{k}": rows.integers(0, 2, 3000) for k in range(12)}
        graph = fg.BayesGraph({"S": 3, **dict.fromkeys(table, 2)}, dict.fromkeys(table, "S"))
        said = lambda epoch: print(epoch.n, flush=True)
        try:
            fg.fit(graph, table, n_epochs=20_000, tol=0, watch=said)
        except KeyboardInterrupt as stop:
            run = stop.run
        whole = fg.fit(graph, table, n_epochs=run.n_epochs + 2, tol=0)
        again = fg.resume(run, 2)
        assert np.array_equal(again.loglik, whole.loglik)
        print(run.reason, len(run.loglik))
        """
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.strip() == "5":
                process.send_signal(signal.SIGINT)
                break
        *_, last = process.stdout.read().splitlines()
        assert process.wait() == 0
    words = last.split()
    assert words[:-1] == f"it was stopped by Ctrl-C after epoch {int(words[-1]) - 1}".split()


def test_a_notebook_has_the_run_where_python_keeps_the_last_error():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.user_ns.update(fg=fg, GRAPH=GRAPH, TABLE=TABLE)
    shell.run_cell(
        "def press(epoch):\n    if epoch.n == 3:\n        raise KeyboardInterrupt\n"
        "run = fg.fit(GRAPH, TABLE, watch=press)"
    )
    assert "run" not in shell.user_ns
    shell.run_cell("import sys\nrun = sys.last_value.run")
    assert shell.user_ns["run"].n_epochs == 3


# Runs as files


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_a_run_comes_back_from_a_file_to_the_bit_and_goes_on(tmp_path, options):
    if "mine" in str(options):
        return
    how = {"restarts": 4, "tol": 1e-9, "seed": 3, **options}
    run = fg.fit(GRAPH, TABLE, n_epochs=12, **how)
    fg.save(tmp_path / "run.json", run)
    again = fg.load(tmp_path / "run.json")
    same(again, run)
    assert isinstance(again, fg.Run)
    assert again.graph == run.graph
    assert again.rules == run.rules
    assert again.tol == run.tol
    assert again.rows.variables == run.rows.variables
    for name, codes in run.rows.codes.items():
        np.testing.assert_array_equal(again.rows.codes[name], codes)
    np.testing.assert_array_equal(again.weight, run.weight)
    same(fg.resume(again, 9), fg.resume(run, 9))
    if not run.separate_tables:
        assert str(again.summary()) == str(run.summary())


def test_a_run_is_saved_in_either_order_with_labels_vectors_and_what_is_not_finite(tmp_path):
    graph = BayesGraph({"S": 2, "X": ("no", "yes")}, {"X": "S"})
    table = {"X": [[0.2, 0.8], [1.0, 0.0], [0.1, 0.3]]}
    run = fg.fit(graph, table, restarts=2, n_epochs=3)
    odd = fg.fit(
        graph, {"X": ["no", "yes"]}, restarts=2, n_epochs=2,
        theta={"X|S": [[[1.0, 0.0], [1.0, 0.0]], [[0.5, 0.5], [0.1, 0.9]]]},
    )  # fmt: skip
    assert odd.dropped.tolist() == [True, False]
    for one in (run, odd):
        fg.save(one, tmp_path / "run.json")
        again = fg.load(str(tmp_path / "run.json"))
        same(again, one)
        for name, v in one.rows.vectors.items():
            np.testing.assert_array_equal(again.rows.vectors[name], v)
    merged = fg.fit(LOOP, {"S": [0, 1], "Z": [1, 0]}, restarts=2, n_epochs=3, tol=0)
    fg.save(tmp_path / "run.json", merged)
    same(fg.resume(fg.load(tmp_path / "run.json"), 2), fg.resume(merged, 2))
    close_to = fg.load(tmp_path / "run.json")
    assert close_to.graph == LOOP


def test_a_rule_of_ones_own_is_not_in_the_file_and_that_is_said(tmp_path):
    from dataclasses import replace

    mine = Rule("mine", own_step)
    run = fg.fit(GRAPH, TABLE, mine, restarts=2, n_epochs=4, tol=0)
    with pytest.warns(UserWarning, match="the rule 'mine' is a function of yours, which no file"):
        fg.save(tmp_path / "run.json", run)
    again = fg.load(tmp_path / "run.json")
    same(again, run)
    with pytest.raises(ValueError, match="the rule 'mine' is a function, which no file holds"):
        fg.resume(again, 2)
    same(fg.resume(replace(again, rules=(mine, mine)), 2), fg.resume(run, 2))
    other = replace(again, rules=(mine, Rule("other", own_step)))
    assert other.rule == ("mine", "other") and "('mine', 'other')" in repr(other)


def test_a_file_of_an_earlier_version_is_read_and_its_run_goes_on(tmp_path):
    import json

    path = tmp_path / "run.json"
    start = {"S": [[0.5, 0.5]], "X1|S": [[1.0, 0.0], [0.3, 0.7]]}
    run = fg.fit(fg.BayesGraph({"S": 2, "X1": 2}, {"X1": "S"}), {"X1": [0, 1, 1]}, theta=start,
                 alpha=0, n_epochs=3)  # fmt: skip
    assert any("never leave" in said for said in run.warnings)
    fg.save(path, run)
    old = json.loads(path.read_text())
    names = {"settings": "told", "separate_tables": "several"}
    old = {names.get(name, name): value for name, value in old.items() if name != "noticed"}
    path.write_text(json.dumps(old))
    again = fg.load(path)
    assert (again.settings, again.separate_tables) == (run.settings, run.separate_tables)
    assert again.warnings == run.warnings
    on, straight = fg.resume(again, 4), fg.resume(run, 4)
    assert on.warnings == straight.warnings
    np.testing.assert_array_equal(on.loglik, straight.loglik)


def test_a_broken_file_of_a_run_is_refused(tmp_path):
    import json

    path = tmp_path / "run.json"
    fg.save(path, fg.fit(GRAPH, TABLE, restarts=2, n_epochs=2))
    whole = json.loads(path.read_text())
    for name in ("model", "final", "rows", "settings", "loglik", "rules"):
        path.write_text(json.dumps({k: v for k, v in whole.items() if k != name}))
        with pytest.raises(ValueError, match=r"run\.json is broken: "):
            fg.load(path)
    path.write_text(json.dumps({**whole, "version": 2}))
    with pytest.raises(ValueError, match="has version 2: this fgnwidgets reads version 1"):
        fg.load(path)
    path.write_text(json.dumps({**whole, "loglik": {**whole["loglik"], "dtype": "object"}}))
    with pytest.raises(ValueError, match="an array holds 'object': expected numbers"):
        fg.load(path)


def test_a_graph_without_its_matrices_is_no_model(tmp_path):
    with pytest.raises(ValueError, match="theta is None: expected the matrices of the graph, or"):
        fg.save(tmp_path / "model.json", GRAPH)
