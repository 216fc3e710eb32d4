"""The tests are tested: each fault, planted in the engine, must make a named check fail.

A fault replaces the body of a function, so that every reference to it sees the fault; the checks
are those that the tests of the same words call.
"""

from dataclasses import replace

import numpy as np
import pytest
from checks import (
    block_messages_equal_enumeration,
    epoch_equals_enumeration,
    folded_equals_unfolded,
    loglik_equals_enumeration,
    posteriors_equal_enumeration,
    rule_equals_the_papers_loops,
)
from strategies import Case, matrices

from fgnwidgets import BayesGraph, Evidence
from fgnwidgets.engine import evidence, learning, messages, setting, steps

GRAPH = BayesGraph({"S": 3, "X": 3, "Y": 3, "Z": 3}, {"X": "S", "Y": "S", "Z": "Y"})
CODES = {"X": np.array([0, 1, 2, -1]), "Y": np.array([1, -1, 0, 2]), "Z": np.array([2, 0, 1, 1])}
LIKELIHOODS = {
    name: np.where(codes < 0, 1.0, np.arange(3)[:, None] == codes) for name, codes in CODES.items()
}
CASE = Case(GRAPH, matrices(GRAPH, 1, zeros=0.2), CODES, LIKELIHOODS, 4)
RNG = np.random.default_rng(5)
BLOCK = (CASE.theta["X|S"], RNG.random((3, 6)), RNG.random((3, 6)), np.array([1, 2, 0, 1, 3, 1.0]))


def posteriors():
    posteriors_equal_enumeration(CASE)


def block_messages():
    block_messages_equal_enumeration(CASE)


def likelihoods():
    loglik_equals_enumeration(CASE)


def rule(name):
    rule_equals_the_papers_loops(name, *BLOCK)


def epochs():
    epoch_equals_enumeration(CASE, "ml", np.array([1, 2, 1, 3.0]))


def folding():
    folded_equals_unfolded(CASE, "ml", [0, 1, 2, 3, 0, 0, 2])


def planted(monkeypatch, function, fault):
    monkeypatch.setattr(function, "__code__", fault.__code__)


def transpose_theta(monkeypatch):
    def through(theta, f):
        return theta @ f

    def back_through(theta, b):
        return theta.swapaxes(-1, -2) @ b

    planted(monkeypatch, messages.through, through)
    planted(monkeypatch, messages.back_through, back_through)


def divide_instead_of_multiplying_the_others(monkeypatch):
    def multiply_others(vectors, wanted):
        whole = vectors[0]
        for v in vectors[1:]:
            whole = whole * v
        return [whole / vectors[i] for i in wanted]

    planted(monkeypatch, messages.multiply_others, multiply_others)


def drop_the_weight(monkeypatch):
    def in_chunks(theta, f, b, weight):
        return ((f, b, 1.0),)

    planted(monkeypatch, steps.in_chunks, in_chunks)


def kl_with_the_denominator_of_ml(monkeypatch):
    planted(monkeypatch, steps.kl_step, steps.ml_step)


def normalise_the_wrong_axis(monkeypatch):
    def _row_normalized(counts, extra, theta):
        return counts / counts.sum(axis=-2, keepdims=True)

    planted(monkeypatch, steps._row_normalized, _row_normalized)


def skip_the_second_sweep(monkeypatch):
    whole = setting.two_sweep_plan

    def collect_only(graph):
        plan = whole(graph)
        return replace(plan, rounds=plan.rounds[: plan.collecting])

    monkeypatch.setattr(setting, "two_sweep_plan", collect_only)


def fold_without_counts(monkeypatch):
    def fold(rows: Evidence, weights):
        folded, sums = evidence.fold(rows, weights)
        return folded, [np.ones_like(w) for w in sums]

    monkeypatch.setattr(learning, "fold", fold)


FAULTS = {
    transpose_theta: [posteriors, block_messages, likelihoods, epochs],
    divide_instead_of_multiplying_the_others: [block_messages, epochs],
    drop_the_weight: [lambda: rule("ml"), lambda: rule("var"), epochs, folding],
    kl_with_the_denominator_of_ml: [lambda: rule("kl")],
    normalise_the_wrong_axis: [lambda: rule("ml"), lambda: rule("vit"), epochs],
    skip_the_second_sweep: [posteriors, epochs],
    fold_without_counts: [folding],
}
CHECKS = [
    posteriors,
    block_messages,
    likelihoods,
    epochs,
    folding,
    *(lambda name=name: rule(name) for name in ("ml", "kl", "vit", "var")),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_found(fault, monkeypatch):
    with monkeypatch.context() as planting:
        fault(planting)
        for check in FAULTS[fault]:
            with pytest.raises((AssertionError, ValueError)):
                check()


@pytest.mark.parametrize("check", CHECKS)
def test_without_a_fault_every_check_passes(check):
    check()
