"""Chapter 15 against a program that shares no code with it: the same from the same start, and alike
on other seeds."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from fgn_notebooks import judgements
from fgn_notebooks.experiments import contenders, which_rule
from fgn_notebooks.experiments.contenders import VB, annealed, annealed_step, in_turn, stepwise
from fgn_notebooks.experiments.schedules import SCHEDULES
from fgnwidgets import RULES, fit, loglik, random_theta, row_normalize

SPEC = importlib.util.spec_from_file_location(
    "plain_which_rule", Path(__file__).parents[2] / "benchmarks" / "which_rule.py"
)
plain = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(plain)

SIZES, K, EPOCHS = {"A": 2, "B": 3, "C": 2}, 3, 100
GRAPH = which_rule.star(SIZES, K)
X = np.indices(tuple(SIZES.values())).reshape(3, -1)
ROWS = dict(zip(SIZES, X, strict=True))
LEARN = np.array([9, 0, 4, 1, 3, 2, 0, 8, 6, 1, 2, 7.0])
START = random_theta(GRAPH, np.random.default_rng(3), (2,))
"""Two starts, side by side."""


def by_hand(name, rng=None):
    """The matrices of the plain program from both starts."""
    ends = []
    for k in range(2):
        th = [START[f"{v}|S"][k] for v in SIZES]
        pi, th = plain.LEARNERS[name](START["S"][k, 0], th, X.T, LEARN, rng)
        ends.append([pi, *th])
    return ends


def assert_alike(theta, ends, places=1e-8):
    for k, (pi, *th) in enumerate(ends):
        np.testing.assert_allclose(theta["S"][k, 0], pi, atol=places)
        for name, block in zip(SIZES, th, strict=True):
            np.testing.assert_allclose(theta[f"{name}|S"][k], block, atol=places)


@pytest.mark.parametrize("contender", which_rule.CONTENDERS, ids=lambda c: c.name)
def test_every_contender_does_what_is_written_out_by_hand(contender):
    both = np.array([LEARN, LEARN])
    options = {"theta": START, "restarts": 2, "weight": both, "n_epochs": EPOCHS, "tol": 0,
               "progress": False}  # fmt: skip
    if contender.rule:
        run = fit(GRAPH, ROWS, contender.rule, n_it=contender.n_it,
                  **({"alpha": contender.alpha} if contender.alpha else {}), **options)  # fmt: skip
        assert_alike(run.final, by_hand(contender.name))
    elif contender.name == "ML, blocks in turn":
        assert_alike(in_turn(GRAPH, ROWS, START, both, EPOCHS), by_hand(contender.name))
    elif contender.name == "ML, annealed":
        assert_alike(annealed(GRAPH, ROWS, START, both), by_hand(contender.name))
    elif contender.name == "ML, stepwise":
        one = {name: v[:1] for name, v in START.items()}
        rng = np.random.default_rng([contenders.SEED, 0])
        found = stepwise(GRAPH, ROWS, one, LEARN[None], EPOCHS)
        assert_alike(found, by_hand(contender.name, rng)[:1])
    else:
        wide = which_rule.with_rest(SIZES, K)
        rest = {n: v if n == "S" else np.concatenate([v, 0 * v[..., :1]], -1)
                for n, v in START.items()}  # fmt: skip
        run = fit(wide, ROWS, VB, a=0.5, **options | {"theta": rest})
        means = {n: row_normalize((v if n == "S" else v[..., :-1]) + 0.5)
                 for n, v in run.counts.items()}  # fmt: skip
        ends = by_hand(contender.name)
        assert_alike(means, ends, 1e-5)


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_does_what_is_written_out_by_hand(name):
    """Each contender's own generator splits its parts, so that both programs have the same."""
    one = {v: m[:1] for v, m in START.items()}
    found = SCHEDULES[name](GRAPH, ROWS, one, LEARN[None], LEARN[None])
    rng = np.random.default_rng([contenders.SEED, 0])
    th = [START[f"{v}|S"][0] for v in SIZES]
    pi, th = plain.SCHEDULES[name](START["S"][0, 0], th, X.T, LEARN, rng)
    assert_alike(found, [[pi, *th]])


def test_the_schedules_of_the_tables_are_among_those_that_were_tried():
    tried = judgements.grid(judgements.stored(judgements.SCHEDULES_FILE))
    tables = judgements.grid(judgements.stored())
    assert list(tried) == list(tables)
    for case, losses in tried.items():
        assert list(losses) == list(SCHEDULES) == list(plain.SCHEDULES)
        assert losses["stepwise, tenths, power 0.7"] == tables[case]["ML, stepwise"]
        assert losses["annealed from 0.6"] == tables[case]["ML, annealed"]


def test_without_heat_annealing_is_em_and_with_heat_nothing_the_shares_are_even():
    rng = np.random.default_rng(0)
    theta, f, b = rng.dirichlet(np.ones(2), 3), rng.random((3, 6)), np.eye(2)[:, [0, 1, 1, 0, 1, 1]]
    weight = rng.random((1, 6))
    np.testing.assert_allclose(
        annealed_step(theta, f, b, weight, heat=1.0), RULES["ml"].step(theta, f, b, weight)
    )
    even = annealed_step(theta, f, b, weight, heat=1e-9)
    np.testing.assert_allclose(even, np.tile(b @ weight[0] / 3, (3, 1)))


def test_one_block_after_the_other_never_loses_likelihood():
    theta, values = START, []
    for _ in range(12):
        theta = in_turn(GRAPH, ROWS, theta, np.array([LEARN, LEARN]), 1)
        values.append(loglik(GRAPH, theta, ROWS) @ LEARN)
    assert (np.diff(values, axis=0) > -1e-9).all()


def test_other_seeds_and_another_program_give_the_same_table():
    """Fewer splits and contenders than in ``benchmarks/which_rule.py``, which does all of it."""
    few = {n: plain.LEARNERS[n] for n in ("ML, Nit 1", "ML, half a count", "VAR")}
    stored = judgements.grid(judgements.stored()), judgements.grid(judgements.stored(), "error")
    for case in ("titanic, half", "paper's, N=50"):
        new = plain.recomputed(case, how_many=6, learners=few, starts=2)
        old = {n: (stored[0][case][n], stored[1][case][n]) for n in new}
        best, found = plain.apart(new, old)
        assert best in ("smoothed table", "ML, half a count")
        for name, (_, _, errors) in found.items():
            assert errors < 4, (case, name)
