"""Threads: the same bits for any number of them, and nothing of a process is changed for good."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from latent_classes import classes, drawn

import fgnwidgets as fg
from fgnwidgets.inference import propagation
from fgnwidgets.learning import em, workers
from fgnwidgets.learning.workers import one_thread_of_blas, read_workers, side_by_side

ITEMS = {f"X{k}": 3 for k in range(6)}
GRAPH = classes(3, ITEMS)
THETA = fg.random_theta(GRAPH, np.random.default_rng(0))
TABLE = drawn(GRAPH, THETA, 700, 1, ITEMS)
DRAW = np.random.default_rng(2)

CASES = {
    "many rows": {"restarts": 70},
    "tables": {"restarts": 5, "weight": DRAW.random((5, 700))},
    "more tables than a chunk holds": {"restarts": 150, "weight": DRAW.random((150, 700))},
    "n_it": {"restarts": 64, "n_it": 3},
    "rules": {"rule": ("ml", "kl", "vit", "var") * 20, "restarts": None},
    "test weights": {"restarts": 70, "test_weight": DRAW.random(700)},
    "accelerated": {"restarts": 70, "tol": 1e-5, "n_epochs": 60},
    "starts": {"restarts": None, "starts": 80, "keep": 70, "n_epochs": 14},
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Pieces of few rows, so that small tables have many."""
    propagation.pieces.cache_clear()
    monkeypatch.setattr("fgnwidgets.inference.propagation.CHUNK", 2048)
    monkeypatch.setattr("fgnwidgets.inference.propagation.LEAST", 64)
    monkeypatch.setattr(em, "CHUNK", 2048)
    monkeypatch.setattr(em, "LEAST", 64)
    yield
    propagation.pieces.cache_clear()


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_no_bit_depends_on_the_number_of_workers(options):
    how = {"n_epochs": 4, "tol": 0, **options}
    one, *others = (fg.fit(GRAPH, TABLE, workers=count, **how) for count in (1, 2, 3, None))
    for other in others:
        np.testing.assert_array_equal(other.loglik, one.loglik)
        np.testing.assert_array_equal(other.aggregated, one.aggregated)
        for name, m in one.final.items():
            np.testing.assert_array_equal(other.final[name], m)
            np.testing.assert_array_equal(other.counts[name], one.counts[name])


def test_several_threads_learn_and_a_chain_too():
    busy = set()

    def seen(*given, **named):
        busy.add(threading.current_thread().name)
        return weighted(*given, **named)

    weighted = em.weighted  # of what every piece of an E-step gives
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(em, "weighted", seen)
        fg.fit(GRAPH, TABLE, restarts=40, n_epochs=20, tol=0, workers=3)
    others = busy - {threading.current_thread().name}
    assert others and all("fgnwidgets" in name for name in others)
    assert others != busy  # who calls works, too
    chain = fg.hmm(2, 3, 70)
    rows = fg.sequences([DRAW.integers(0, 3, 70).tolist() for _ in range(150)])
    one, two = (fg.fit(chain, rows, restarts=40, n_epochs=3, workers=n) for n in (1, 2))
    np.testing.assert_array_equal(one.loglik, two.loglik)


def test_epochs_resume_and_replicates_have_the_same_bits():
    one, two = (list(fg.epochs(GRAPH, TABLE, restarts=70, n_epochs=3, workers=n)) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.loglik, b.loglik)
    run = fg.fit(GRAPH, TABLE, restarts=3, n_epochs=40)
    ends = [fg.resume(run, 5, tol=0, workers=n).final_loglik for n in (1, 2)]
    np.testing.assert_array_equal(*ends)
    errors = [fg.bootstrap(run, n=60, n_epochs=20, workers=n).se["S"] for n in (1, 2)]
    np.testing.assert_array_equal(*errors)
    small = fg.fit(classes(2, ITEMS), TABLE, restarts=3, n_epochs=40)
    tests = [fg.blrt(small, run, n=12, restarts=2, n_epochs=20, workers=k).null for k in (1, 2)]
    np.testing.assert_array_equal(*tests)
    fits = [fg.goodness(small, bootstrap=12, n_epochs=20, workers=k).null_g2 for k in (1, 2)]
    np.testing.assert_array_equal(*fits)
    models = {k: classes(k, ITEMS) for k in (1, 2)}
    held = [
        fg.compare(models, TABLE, folds=5, restarts=2, n_epochs=20, workers=k)["held_out"]
        for k in (1, 2)
    ]
    np.testing.assert_array_equal(*held)


def test_a_rule_of_a_readers_own_is_called_in_one_thread():
    threads = set()

    def step(theta, f, b, weight):
        threads.add(threading.get_ident())
        return theta * ((f * weight) @ b.swapaxes(-1, -2))

    fg.fit(GRAPH, TABLE, fg.Rule("mine", step), restarts=40, n_epochs=2, workers=3)
    assert threads == {threading.get_ident()}


def test_impossible_rows_are_told_as_by_one_worker():
    theta = {name: m.copy() for name, m in THETA.items()}
    theta["X0|S"][:] = [1.0, 0.0, 0.0]
    said = []
    for count in (1, 2):
        with pytest.raises(fg.ImpossibleEvidence) as error:
            fg.fit(GRAPH, TABLE, theta=theta, restarts=70, workers=count)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_an_error_in_a_part_comes_out_and_the_others_are_left():
    done = []

    def work(part):
        if part == 1:
            raise ValueError("of part 1")
        time.sleep(0.001)
        done.append(part)

    with pytest.raises(ValueError, match="of part 1"):
        side_by_side(2, work, range(1000))
    assert len(done) < 999
    assert side_by_side(2, lambda part: -part, range(50)) == [-part for part in range(50)]


def test_parts_that_have_parts_of_their_own_do_not_wait_for_each_other():
    def work(part):
        return sum(side_by_side(2, lambda k: k * part, range(5)))

    assert side_by_side(2, work, range(20)) == [10 * part for part in range(20)]


def test_what_is_ignored_by_errstate_is_ignored_in_every_thread():
    def divide(part):
        return np.ones(1) / (np.zeros(1) + 0 * part)

    with np.errstate(divide="ignore"):
        side_by_side(2, divide, range(8))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        side_by_side(2, divide, range(8))


def test_blas_has_one_thread_meanwhile_and_then_what_it_had():
    read, write = workers._blas()
    if read is None:
        pytest.skip("this BLAS cannot be asked for its threads")
    before = read()
    try:
        write(2)
        had = read()
        seen = side_by_side(2, lambda part: read(), range(4))
        assert seen == [1] * 4 and read() == had
        with one_thread_of_blas():
            with one_thread_of_blas():
                assert read() == 1
            assert read() == 1
        assert read() == had
        with pytest.raises(ValueError, match="x"), one_thread_of_blas():
            raise ValueError("x")
        assert read() == had
    finally:
        write(before)


def test_blas_of_numpy_is_known():
    name = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    if name == "scipy-openblas" and sys.platform.startswith("linux"):
        assert workers._blas()[0] is not None


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "two", True])
def test_a_number_of_workers_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match="workers is .*: expected"):
        fg.fit(GRAPH, TABLE, workers=wrong)


def test_there_are_as_many_workers_as_cores_and_one_where_python_has_no_threads(monkeypatch):
    assert read_workers(None) == workers.cores() >= 1
    assert read_workers(7) == 7
    workers.cores.cache_clear()
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert read_workers(None) == read_workers(7) == 1
    workers.cores.cache_clear()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_learns_with_threads_of_its_own():
    program = textwrap.dedent(
        """
        import os, sys
        import numpy as np
        import fgnwidgets as fg
        graph = fg.BayesGraph({"S": 2, "X": 3, "Y": 3}, {"X": "S", "Y": "S"})
        rng = np.random.default_rng(0)
        table = {"X": rng.random((40_000, 3)), "Y": rng.random((40_000, 3))}
        def ends():
            return fg.fit(graph, table, restarts=2, n_epochs=2, workers=2).final_loglik
        before = ends()
        child = os.fork()
        if child == 0:
            os._exit(0 if (ends() == before).all() else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
