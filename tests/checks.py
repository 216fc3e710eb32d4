"""What must hold of the engine, as functions: tests call them, planted faults must break them."""

from collections.abc import Sequence

import numpy as np
import oracles
from strategies import Case, as_evidence, some_samples

import fgnwidgets as fg

EXACT = 1e-12


def close(found: object, expected: object, tolerance: float = EXACT) -> None:
    """Equal to a tolerance that is absolute near zero and relative for large numbers."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"shape {found.shape}, expected {expected.shape}"
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def posteriors_equal_enumeration(case: Case) -> None:
    messages = fg.propagate(case.graph, case.theta, as_evidence(case))
    for name in case.graph.variables:
        asked = (case.graph, case.theta, case.likelihoods, case.n, (name,))
        close(messages[name].p, oracles.posterior(*asked))


def loglik_equals_enumeration(case: Case) -> None:
    asked = (case.graph, case.theta, case.likelihoods, case.n)
    with np.errstate(divide="ignore"):
        expected = np.log(oracles.evidence_probability(*asked))
    close(fg.loglik(case.graph, case.theta, as_evidence(case)), expected)


def block_messages_equal_enumeration(case: Case) -> None:
    messages = fg.propagate(case.graph, case.theta, as_evidence(case))
    for child, block in case.graph.theta.items():
        asked = (case.graph, case.theta, case.likelihoods, case.n, child)
        for found, expected in zip(messages.at_block(block), oracles.at_block(*asked), strict=True):
            close(found, expected)


def rule_equals_the_papers_loops(
    rule: str, theta: np.ndarray, f: np.ndarray, b: np.ndarray, weight: np.ndarray
) -> None:
    step = {"ml": fg.ml, "kl": fg.kl, "vit": fg.vit, "var": fg.var}[rule]
    close(step(theta, f, b, weight), oracles.RULES[rule](theta, f, b, weight))


def folded_equals_unfolded(case: Case, rule: str, rows: Sequence[int]) -> None:
    """Rows taken many times learn as the different rows with their counts, and as enumeration."""
    at = np.asarray(rows)
    unfolded = some_samples(case, at)
    counts = np.bincount(at, minlength=case.n)
    options = {"n_epochs": 3, "theta": case.theta}
    one = list(fg.epochs(case.graph, as_evidence(unfolded), rule, **options))
    two = list(fg.epochs(case.graph, as_evidence(case), rule, weight=counts, **options))
    for a, b in zip(one, two, strict=True):
        close(a.loglik, b.loglik)
        close(a.aggregated, b.aggregated)
        for name in a.theta:
            close(a.theta[name], b.theta[name])
    asked = (case.graph, case.theta, unfolded.likelihoods, np.ones(len(at)), rule)
    for name, expected in oracles.epoch(*asked).items():
        close(one[1].theta[name][0], expected)


def epoch_equals_enumeration(case: Case, rule: str, weight: np.ndarray) -> None:
    """One update of every matrix, from exact messages at the same matrices."""
    options = {"n_epochs": 1, "n_it": 2, "theta": case.theta, "weight": weight}
    _, after = fg.epochs(case.graph, as_evidence(case), rule, **options)
    asked = (case.graph, case.theta, case.likelihoods, weight, rule, 2)
    for name, expected in oracles.epoch(*asked).items():
        close(after.theta[name][0], expected)
