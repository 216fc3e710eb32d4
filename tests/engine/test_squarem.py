"""SQUAREM and the end of learning: never down, to the ends of EM, and not before they are there."""

import functools
import pickle

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import assume, given
from hypothesis import strategies as st
from latent_classes import SLIDES, classes, drawn
from strategies import as_evidence, cases, matrices, seeds
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets.learning import em, settling
from fgnwidgets.learning.settling import extrapolated, lengths

QUESTIONS = {f"X{k}": 2 for k in range(8)}
SURVEY = classes(3, QUESTIONS)
PAIR = fg.BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
ROWS = {"X": [0, 1, 1, 0, 1, 0], "Y": [2, 0, 1, 2, 1, 0]}


def survey(seed=0, n=300, blanks=0.2):
    """Three classes that eight questions hardly tell apart, with blanks: EM takes hundreds."""
    rng = np.random.default_rng(seed)
    theta = {"S": np.full((1, 3), 1 / 3)}
    for name in QUESTIONS:
        yes = np.clip(0.5 + 0.25 * rng.standard_normal(3), 0.05, 0.95)
        theta[f"{name}|S"] = np.stack([yes, 1 - yes], axis=1)
    table = drawn(SURVEY, theta, n, seed, QUESTIONS)
    return {name: np.where(rng.random(n) < blanks, -1, codes) for name, codes in table.items()}


TABLE = survey()


@functools.cache
def slow(accelerate):
    return fg.fit(SURVEY, TABLE, restarts=4, n_epochs=5000, accelerate=accelerate)


def objective(run, alpha=0.0):
    """``loglik`` by epoch, with the log of the prior."""
    total = run.loglik.copy()
    for m in run.theta.values():
        with np.errstate(divide="ignore"):
            total += np.where(np.greater(alpha, 0), alpha * np.log(m), 0.0).sum(axis=(-2, -1))
    return total


def never_falls(values):
    steps = np.diff(values, axis=0)
    assert np.all(steps >= -1e-10 * (1 + np.abs(values[:-1])))


# One cycle


@given(seed=seeds, ratio=st.floats(0.05, 0.999))
def test_where_all_errors_shrink_alike_one_proposal_is_the_end(seed, ratio):
    rng = np.random.default_rng(seed)
    end = fg.row_normalize(rng.random((2, 3, 4)) + 0.5)
    off = rng.random((2, 3, 4)) - 0.5
    off = 0.05 * (off - off.mean(axis=-1, keepdims=True))
    steps = [{"X": end + ratio**k * off} for k in range(3)]
    s, growing = lengths(*steps)
    assert not growing.any() and lengths(*steps[::-1])[1].all()
    np.testing.assert_allclose(s, 1 / (1 - ratio), rtol=1e-6)
    found, proposed = extrapolated(*steps, s)
    close(found["X"], end, 1e-7)
    assert proposed.all()


@given(seed=seeds)
def test_a_proposal_is_a_matrix_however_far_its_step_would_lead(seed):
    rng = np.random.default_rng(seed)
    first, second, third = ({"X": fg.row_normalize(rng.random((3, 2, 3)) ** 8)} for _ in range(3))
    for one in (second, third):
        one["X"][:, 0] = first["X"][:, 0]  # a row that stays
    found, proposed = extrapolated(first, second, third, rng.random(3) * 1e4 + 1)
    assert (found["X"] >= 0).all()
    np.testing.assert_allclose(found["X"].sum(axis=-1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found["X"][:, 0], first["X"][:, 0])
    np.testing.assert_array_equal(found["X"][~proposed], third["X"][~proposed])


# Never down


@given(case=cases(max_variables=5), seed=seeds, weighted=st.booleans(), prior=st.booleans())
def test_the_objective_never_falls_and_rows_stay_distributions(case, seed, weighted, prior):
    assume(case.table)
    rng = np.random.default_rng(seed)
    shapes = case.graph.normal_form().matrices
    theta = {
        name: fg.row_normalize(rng.random((3, *shape)) + 1e-3) for name, shape in shapes.items()
    }
    held = {name: rng.random(shape[0]) < 0.3 for name, shape in shapes.items()}
    weight = rng.random(case.n) + 0.1 if weighted else None
    alpha = {name: rng.random(shape) for name, shape in shapes.items()} if prior else None
    run = fg.fit(
        case.graph, as_evidence(case), theta=theta, restarts=3, hold=held, alpha=alpha,
        weight=weight, accelerate=True, n_epochs=40, record=("loglik", "theta"),
    )  # fmt: skip
    total = run.loglik.copy()
    for name, m in run.theta.items():
        np.testing.assert_allclose(m.sum(axis=-1), 1.0, rtol=0, atol=1e-12)
        assert (m >= 0).all()
        np.testing.assert_array_equal(m[:, :, held[name]], m[:1, :, held[name]].repeat(len(m), 0))
        if prior:
            free = ~held[name][:, None] & (alpha[name] > 0)
            total += (alpha[name] * np.log(m)).sum(axis=(-2, -1), where=free)
    never_falls(total)


def test_tied_blocks_tables_and_priors_are_the_same_way_up():
    chain = fg.hmm(2, 3, 5)
    rng = np.random.default_rng(4)
    table = fg.sequences([rng.integers(0, 3, 5).tolist() for _ in range(40)])
    how = {"restarts": 4, "accelerate": True, "record": ("loglik", "theta")}
    never_falls(objective(fg.fit(chain, table, **how)))
    never_falls(objective(fg.fit(chain, table, alpha=0.3, **how), 0.3))
    weight = rng.integers(0, 4, (4, 40)).astype(float)
    run = fg.fit(chain, table, weight=weight, n_epochs=3000, **how)
    never_falls(objective(run))
    for r in range(4):  # each of the tables by itself
        start = {name: m[0, r] for name, m in run.theta.items()}
        alone = fg.fit(
            chain, table, weight=weight[r], theta=start, restarts=1, accelerate=True, n_epochs=3000
        )
        close(alone.final_loglik[0], run.final_loglik[r], 1e-4)


def test_with_pseudo_counts_loglik_may_fall_and_the_penalised_one_does_not():
    how = {"restarts": 4, "accelerate": True, "n_epochs": 800, "record": ("loglik", "theta")}
    run = fg.fit(SURVEY, TABLE, alpha=2.0, **how)
    never_falls(objective(run, 2.0))
    em = fg.fit(SURVEY, TABLE, alpha=2.0, restarts=4, n_epochs=8000, tol=1e-11, accelerate=False)
    close(run.final_loglik, em.final_loglik, 1e-2)


# The same ends


def test_its_ends_are_fixed_points_of_the_papers_epoch_by_enumeration():
    run = fg.fit(PAIR, ROWS, restarts=3, tol=1e-12, n_epochs=20000, accelerate=True)
    seen = {name: np.eye(n)[ROWS[name]].T for name, n in (("X", 2), ("Y", 3))}
    for r in range(3):
        theta = {name: m[r] for name, m in run.final.items()}
        after = oracles.epoch(PAIR, theta, seen, np.ones(6), "ml")
        for name, matrix in after.items():
            close(matrix, theta[name], 1e-5)


def test_the_gradient_is_zero_at_its_end():
    run = slow(True)
    graph, best = run.graph, run.best_theta
    for name in ("S", "X0|S", "X3|S"):
        rate = run.best_counts[name].sum(axis=-1, keepdims=True)
        along = np.array([1.0, -1.0, *[0.0] * (best[name].shape[1] - 2)])
        ends = []
        for h in (1e-5, -1e-5):
            inside = (best[name].min(axis=-1) > 1e-3)[:, None]
            moved = {**best, name: best[name] + h * along * inside}
            ends.append((fg.loglik(graph, moved, run.rows) * run.weight).sum())
        slope = (ends[0] - ends[1]) / 2e-5
        assert abs(slope) < 1e-3 * rate.sum()


def test_it_ends_where_em_ends_in_far_fewer_epochs():
    em, ours = slow(False), slow(True)
    assert not em.accelerated and ours.accelerated
    assert em.settled.all() and ours.settled.all()
    close(ours.final_loglik, em.final_loglik, 1e-3)
    assert 3 * ours.n_epochs < em.n_epochs


def test_on_the_pathologists_slides_it_finds_what_em_finds():
    graph = classes(4, dict.fromkeys(SLIDES, 2))
    em = fg.fit(graph, SLIDES, restarts=6, n_epochs=20000, accelerate=False)
    ours = fg.fit(graph, SLIDES, restarts=6, n_epochs=20000)
    close(ours.final_loglik.max(), em.final_loglik.max(), 1e-4)


def test_what_is_impossible_under_a_proposal_drops_no_restart():
    # a zero that never leaves, beside rows that need all that is not zero
    theta = {"S": [[0.5, 0.5]], "X|S": [[1.0, 0.0], [0.3, 0.7]], "Y|S": [[0.2, 0.3, 0.5]] * 2}
    run = fg.fit(PAIR, ROWS, theta=theta, restarts=1, accelerate=True, tol=1e-10, n_epochs=3000)
    assert not run.dropped.any() and run.final["X|S"][0, 0, 1] == 0
    never_falls(run.loglik)


# When it is taken


def test_it_is_taken_where_one_looks_for_the_end_alone():
    assert fg.fit(PAIR, ROWS).accelerated
    assert fg.fit(PAIR, ROWS, starts=4, keep=2).accelerated
    assert fg.fit(PAIR, ROWS, alpha=0.5).accelerated
    for options in (
        {"tol": 0, "n_epochs": 5},
        {"watch": lambda epoch: None},
        {"record": ("theta",)},
        {"rule": "kl"},
        {"rule": ("ml", "vit")},
        {"n_it": 2},
        {"accelerate": False},
    ):
        assert not fg.fit(PAIR, ROWS, **options).accelerated


def test_what_is_not_em_and_what_is_no_answer_are_refused():
    with pytest.raises(ValueError, match="accelerate is True with rule 'vit' and n_it 1: SQUAREM"):
        fg.fit(PAIR, ROWS, "vit", accelerate=True)
    with pytest.raises(ValueError, match="n_it 3"):
        fg.fit(PAIR, ROWS, n_it=3, accelerate=True)
    with pytest.raises(ValueError, match="accelerate is 'yes': expected True, False or None"):
        fg.fit(PAIR, ROWS, accelerate="yes")


def test_without_acceleration_every_epoch_is_one_of_the_iterator():
    run = fg.fit(SURVEY, TABLE, restarts=3, accelerate=False, record=("loglik", "theta"))
    plain = fg.epochs(SURVEY, TABLE, restarts=3, n_epochs=run.n_epochs)
    last = [np.flatnonzero(np.diff(run.loglik[:, r]))[-1] + 1 for r in range(3)]
    for epoch, loglik in zip(plain, run.loglik, strict=True):
        for r in range(3):
            if epoch.n <= last[r]:
                close(epoch.loglik[r], loglik[r], 1e-9)
                close(epoch.theta["S"][r], run.theta["S"][epoch.n, r], 1e-9)


# The end


@pytest.mark.parametrize("accelerate", [False, True])
def test_what_is_left_to_gain_is_what_tol_says(accelerate):
    run = slow(accelerate)
    samples = run.weight.sum()
    top = fg.fit(SURVEY, TABLE, theta=run.final, restarts=4, tol=0, n_epochs=3000)
    left = (top.final_loglik - run.final_loglik) / samples
    assert (left <= (20 if accelerate else 1.5) * 1e-8).all()


def test_the_last_step_alone_would_have_stopped_far_below():
    # what the rule is for: EM's last gain is a hundredth of what is left
    run = slow(False)
    gains, left = np.diff(run.loglik, axis=0), run.loglik[-1] - run.loglik[1:]
    first = [int(np.flatnonzero(gains[:, r] < 1e-8 * 300)[0]) for r in range(4)]
    assert max(left[first[r], r] for r in range(4)) > 1e-4


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("rows", mostly_slow([300, 3000], 300))
def test_a_restart_that_has_settled_is_computed_no_further(accelerate, rows, monkeypatch):
    batches = []

    def seen(problem, theta, **options):
        batches.append(problem.restarts)
        return em_step(problem, theta, **options)

    em_step = settling.em_step
    monkeypatch.setattr(settling, "em_step", seen)
    table = TABLE if rows == 300 else {k: np.tile(v, 10) for k, v in TABLE.items()}
    run = fg.fit(SURVEY, table, restarts=4, n_epochs=5000, accelerate=accelerate)
    assert batches == sorted(batches, reverse=True)
    ends = [int((run.loglik[:, r] != run.loglik[-1, r]).sum()) for r in range(4)]
    assert len(set(ends)) > 1
    # the epoch in which a restart comes to its end, and refused ones, are part of its own
    assert sum(ends) <= sum(batches) <= sum(ends) + 4 * 12 < 4 * (max(ends) + 1)


@pytest.mark.parametrize("accelerate", [False, True])
def test_a_slice_of_restarts_that_has_settled_stays_until_the_others_have(accelerate, monkeypatch):
    whole = slow(accelerate)
    monkeypatch.setattr(em.Problem, "bytes_of_a_restart", 100)
    monkeypatch.setattr(em, "WORKSPACE", 100)
    run = fg.fit(SURVEY, TABLE, restarts=4, n_epochs=5000, accelerate=accelerate)
    assert run.settled.all() and run.ending is whole.ending
    moving = (run.loglik != run.loglik[-1]).sum(axis=0)  # epochs of each, which differ
    assert moving.max() == run.n_epochs and len(set(moving.tolist())) > 1
    close(run.final_loglik, whole.final_loglik, 1e-5)


def test_restarts_beside_each_other_end_as_each_by_itself():
    together = slow(True)
    for r, child in enumerate(np.random.SeedSequence(0).spawn(4)):
        alone = fg.fit(SURVEY, TABLE, restarts=1, n_epochs=5000, seed=[child])
        close(alone.final_loglik[0], together.final_loglik[r], 1e-5)


@pytest.mark.parametrize("accelerate", [False, True])
def test_a_restart_that_settles_first_keeps_its_place_and_the_others_theirs(accelerate):
    ends = fg.fit(SURVEY, TABLE, theta=slow(True).final, restarts=4, tol=1e-11, n_epochs=5000).final
    starts = [{name: m[0] for name, m in ends.items()}]
    starts += [fg.random_theta(SURVEY, np.random.default_rng(seed)) for seed in (1, 2)]
    theta = {name: np.stack([start[name] for start in starts]) for name in ends}
    how = {"n_epochs": 14, "accelerate": accelerate}
    run = fg.fit(SURVEY, TABLE, theta=theta, restarts=3, **how)
    assert run.settled.tolist() == [True, False, False]
    for r, start in enumerate(starts):
        alone = fg.fit(SURVEY, TABLE, theta=start, restarts=1, **how)
        close(run.loglik[: len(alone.loglik), r], alone.loglik[:, 0], 1e-8)
        for name, m in alone.final.items():
            close(run.final[name][r], m[0], 1e-6)


def test_a_saddle_on_which_em_stands_still_is_an_end():
    uniform = fg.uniform_theta(PAIR)
    for accelerate in (False, True):
        run = fg.fit(PAIR, ROWS, theta=uniform, restarts=1, accelerate=accelerate)
        assert run.n_epochs < 10 and run.settled.all()


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_every_rule_comes_to_an_end(rule):
    run = fg.fit(PAIR, ROWS, rule, restarts=3, n_epochs=3000, tol=1e-6, accelerate=False)
    assert run.ending is type(run.ending).SETTLED


def test_a_run_that_ends_unsettled_says_so_in_its_warnings():
    run = fg.fit(SURVEY, TABLE, restarts=4, n_epochs=30)
    assert not run.settled.any() and run.reason == "all 30 epochs were done"
    assert any("30 epochs" in said or "n_epochs=60" in said for said in run.warnings)
    whole = slow(True)
    ends = [int((whole.loglik[:, r] != whole.loglik[-1, r]).sum()) for r in range(4)]
    late = fg.fit(SURVEY, TABLE, restarts=4, n_epochs=max(ends) - 3)
    assert not late.settled.all()
    assert any("not settled" in said or "still rose" in said for said in late.warnings)
    assert not any("settled" in said for said in whole.warnings)
    tables = fg.fit(SURVEY, TABLE, weight=np.ones((2, 300)), restarts=2, n_epochs=30)
    assert any("2 of 2 tables had not settled" in said for said in tables.warnings)
    assert not any("settled" in said for said in fg.fit(PAIR, ROWS, tol=0, n_epochs=3000).warnings)


# Going on


@pytest.mark.parametrize("cut", mostly_slow([0, 3, 7, 8, 9, 20, 41, 60], 0, 8, 41))
@pytest.mark.parametrize("options", [{}, {"restarts": 1}, {"alpha": 0.3}, {"accelerate": False}])
def test_a_resumed_run_is_the_one_that_never_stopped(cut, options, tmp_path):
    how = {"restarts": 4, "tol": 1e-5, **options}
    whole = fg.fit(SURVEY, TABLE, n_epochs=150, **how)
    part = fg.fit(SURVEY, TABLE, n_epochs=cut, **how)
    fg.save(tmp_path / "run.json", part)
    for one in (part, pickle.loads(pickle.dumps(part)), fg.load(tmp_path / "run.json")):
        if part.settled.all():
            assert part.n_epochs == whole.n_epochs
            continue
        again = fg.resume(one, 150 - cut)
        np.testing.assert_array_equal(again.loglik, whole.loglik)
        np.testing.assert_array_equal(again.settled, whole.settled)
        assert again.reason == whole.reason and again.accelerated == whole.accelerated
        for name, m in whole.final.items():
            np.testing.assert_array_equal(again.final[name], m)


def test_an_interrupt_holds_where_every_restart_is(monkeypatch):
    how = {"restarts": 4, "tol": 1e-5, "n_epochs": 150}
    whole, em_step, calls = fg.fit(SURVEY, TABLE, **how), settling.em_step, []

    def pressed(problem, theta, **options):
        calls.append(1)
        if len(calls) == 24:
            raise KeyboardInterrupt
        return em_step(problem, theta, **options)

    monkeypatch.setattr(settling, "em_step", pressed)
    with pytest.raises(fg.Interrupted) as stop:
        fg.fit(SURVEY, TABLE, **how)
    monkeypatch.undo()
    assert stop.value.run.n_epochs == 22
    again = fg.resume(stop.value.run, 150 - 22)
    np.testing.assert_array_equal(again.loglik, whole.loglik)


def test_a_run_of_another_tolerance_goes_on_from_all_restarts():
    run = fg.fit(SURVEY, TABLE, restarts=4, tol=1e-3)
    assert run.settled.all()
    finer = fg.resume(run, 3000, tol=1e-8)
    assert finer.settled.all() and (finer.final_loglik > run.final_loglik).all()
    assert fg.resume(run).n_epochs == run.n_epochs + 1
    onwards = fg.resume(run, 9, tol=0)
    assert not onwards.accelerated and (onwards.final_loglik > run.final_loglik).all()


def test_matrices_of_a_run_without_a_stop_are_those_of_the_iterator():
    theta = matrices(PAIR, 3, zeros=0)
    run = fg.fit(PAIR, ROWS, theta=theta, restarts=1, tol=0, n_epochs=12)
    *_, last = fg.epochs(PAIR, ROWS, theta=theta, restarts=1, n_epochs=12)
    for name, m in run.final.items():
        np.testing.assert_array_equal(m, last.theta[name])
