"""The tests are tested: each fault, planted in the engine, must make a named check fail.

A fault replaces a function or a method where every caller sees it; the checks are those that the
tests of the same words call.
"""

import math
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

from fgnwidgets import RULES, BayesGraph, Rule
from fgnwidgets.algebra.semirings import SumProduct
from fgnwidgets.inference import evidence, propagation
from fgnwidgets.learning import rules, task
from fgnwidgets.learning.rules import Update

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


def barren():
    """A leaf that is blank in half of the samples, and one that is blank in all."""
    codes = {"X": np.array([0, 1, 2, 0]), "Y": np.full(4, -1), "Z": np.array([2, -1, -1, 1])}
    vectors = {k: np.where(v < 0, 1.0, np.arange(3)[:, None] == v) for k, v in codes.items()}
    for name in ("ml", "var"):
        epoch_equals_enumeration(Case(GRAPH, CASE.theta, codes, vectors, 4), name, np.ones(4))


def transpose_theta(monkeypatch):
    whole = SumProduct.apply

    def swapped(semiring, matrix, v):
        return whole(semiring, matrix.swapaxes(-1, -2), v)

    monkeypatch.setattr(SumProduct, "apply", swapped)


def divide_instead_of_multiplying_the_others(monkeypatch):
    def others(semiring, vectors, wanted):
        known = [1.0 if v is None else v for v in vectors]
        return [np.asarray(math.prod(known) / known[i]) for i in wanted]

    monkeypatch.setattr(SumProduct, "others", others)


def drop_the_weight(monkeypatch):
    whole = Update.counts

    def counts(update, theta, learned):
        f, b, weight = learned
        return whole(update, theta, (f, b, np.ones_like(weight)))

    monkeypatch.setattr(Update, "counts", counts)


def kl_with_the_denominator_of_ml(monkeypatch):
    wrong = {**RULES, "kl": Rule("kl", RULES["ml"].step, iterates=True)}
    monkeypatch.setattr(rules, "RULES", wrong)


def normalise_the_wrong_axis(monkeypatch):
    def matrix(update, counts, theta):
        counts = counts if update.prior is None else counts + update.prior
        return counts / counts.sum(axis=-2, keepdims=True)

    monkeypatch.setattr(Update, "matrix", matrix)


def change_the_plan(monkeypatch, change):
    whole = propagation.two_sweeps

    def two_sweeps(graph):
        plan = whole(graph)
        return replace(plan, rounds=tuple(tuple(change(sent)) for sent in plan.rounds))

    monkeypatch.setattr(propagation, "two_sweeps", two_sweeps)


def skip_the_second_sweep(monkeypatch):
    change_the_plan(monkeypatch, lambda sendings: (s for s in sendings if s.collecting))


def lose_the_scales(monkeypatch):
    change_the_plan(monkeypatch, lambda sendings: (s._replace(collecting=False) for s in sendings))


def fold_without_counts(monkeypatch):
    def fold(rows, weights):
        folded, sums = evidence.fold(rows, weights)
        return folded, [np.ones_like(w) for w in sums]

    monkeypatch.setattr(task, "fold", fold)


def learn_where_a_block_is_barren(monkeypatch):
    def taught(clamped):
        return {node.name: True for node in clamped.graph.nodes}

    monkeypatch.setattr(propagation.Clamped, "informative", property(taught))


FAULTS = {
    transpose_theta: [posteriors, block_messages, likelihoods, epochs],
    divide_instead_of_multiplying_the_others: [block_messages, epochs],
    drop_the_weight: [lambda: rule("ml"), lambda: rule("var"), epochs, folding],
    kl_with_the_denominator_of_ml: [lambda: rule("kl")],
    normalise_the_wrong_axis: [lambda: rule("ml"), lambda: rule("vit"), epochs],
    skip_the_second_sweep: [posteriors, epochs],
    lose_the_scales: [likelihoods],
    fold_without_counts: [folding],
    learn_where_a_block_is_barren: [barren],
}
CHECKS = [
    posteriors,
    block_messages,
    likelihoods,
    epochs,
    folding,
    barren,
    *(lambda name=name: rule(name) for name in ("ml", "kl", "vit", "var")),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_found(fault, monkeypatch):
    with monkeypatch.context() as planting:
        fault(planting)
        for check in FAULTS[fault]:
            with pytest.raises((AssertionError, ValueError, KeyError)):
                check()


@pytest.mark.parametrize("check", CHECKS)
def test_without_a_fault_every_check_passes(check):
    check()
