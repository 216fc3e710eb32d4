"""The classification table, by hand from posteriors, and what its numbers mean."""

import math

import numpy as np
import pytest
from latent_classes import ITEMS, TRUE, TWO, classes, drawn, slides

import fgnwidgets as fg

RUN = fg.fit(TWO, drawn(TWO, TRUE, 500, 0, "ABCD"))


def posteriors(run, name="S"):
    """P(class | row) of every sample, one by one, from the matrices alone."""
    theta, found = run.best_theta, []
    for k in range(run.rows.n):
        p = theta[name][0].copy()
        for item, codes in run.rows.codes.items():
            if codes[k] >= 0:
                p = p * theta[f"{item}|{name}"][:, codes[k]]
        found += [p / p.sum()] * int(run.weight[k])
    return np.array(found)


@pytest.mark.parametrize("run", [RUN, slides(3)], ids=["two", "slides"])
def test_all_numbers_are_those_of_the_posteriors(run):
    p = posteriors(run)
    n, size = p.shape
    table = np.zeros((size, size))
    for one in p:
        table[one.argmax()] += one
    found = fg.classification(run)
    np.testing.assert_allclose(found.table, table, atol=1e-9)
    assert found.n == n == pytest.approx(table.sum())
    np.testing.assert_allclose(found.sizes, p.mean(axis=0))
    np.testing.assert_allclose(found.assigned, np.bincount(p.argmax(1), minlength=size) / n)
    for s in range(size):
        own = p[p.argmax(1) == s]
        np.testing.assert_allclose(found.average[s], own.mean(axis=0), atol=1e-12)
        right = own.mean(axis=0)[s]
        share = p.mean(axis=0)[s]
        odds = right / (1 - right) / (share / (1 - share))
        assert found.odds[s] == pytest.approx(odds)
    np.testing.assert_allclose(found.given_class, table.T / p.sum(axis=0)[:, None], atol=1e-12)
    error = np.mean(1 - p.max(axis=1))
    assert found.error == pytest.approx(error)
    shares = p.mean(axis=0)
    assert found.lambda_ == pytest.approx(1 - error / (1 - shares.max()))
    each = -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0), axis=1)
    assert found.entropy == pytest.approx(1 - each.mean() / math.log(size))
    assert found.entropy_r2 == pytest.approx(1 - each.mean() / -np.sum(shares * np.log(shares)))
    gini = np.mean(1 - (p**2).sum(axis=1)) / (1 - (shares**2).sum())
    assert found.standard_r2 == pytest.approx(1 - gini)
    assert found.entropy == pytest.approx(run.summary().entropy["S"])


def test_the_error_is_the_share_that_is_in_another_class_than_it_is_assigned_to():
    table = fg.sample(TWO, TRUE, 20_000, np.random.default_rng(0))
    seen = {v: table[v] for v in ITEMS}
    run = fg.fit(TWO, seen, theta={k: np.array(v) for k, v in TRUE.items()}, restarts=1)
    found = fg.classification(run)
    guess = fg.posterior(TWO, run, seen, "S").argmax(axis=1)
    assert found.error == pytest.approx(np.mean(guess != table["S"]), abs=0.01)
    for s in range(2):
        for k in range(2):
            truth = np.mean(guess[table["S"] == k] == s)
            assert found.given_class[k, s] == pytest.approx(truth, abs=0.02)


def test_rows_that_observe_nothing_are_no_evidence_of_good_classification():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    more = {name: np.append(column, [-1] * 100) for name, column in table.items()}
    one, two = (fg.classification(fg.fit(TWO, t, tol=1e-12, n_epochs=3000)) for t in (table, more))
    assert one.n == two.n == 300
    assert two.error == pytest.approx(one.error, abs=1e-6)
    np.testing.assert_allclose(two.table, one.table, atol=1e-3)


def test_one_class_is_always_right():
    found = fg.classification(fg.fit(classes(1, ITEMS), drawn(TWO, TRUE, 50, 0, "ABCD")))
    assert found.error == 0 and found.lambda_ == found.entropy_r2 == found.standard_r2 == 1


def test_a_class_to_which_nobody_is_assigned_has_no_mean_posterior():
    theta = {"S": [[0.9, 0.1]], "A|S": [[0.5, 0.5], [0.4, 0.6]]}
    graph = classes(2, {"A": 2})
    run = fg.fit(graph, {"A": [0, 1]}, theta={k: np.array(v) for k, v in theta.items()}, restarts=1,
                 n_epochs=0)  # fmt: skip
    found = fg.classification(run)
    assert found.assigned.tolist() == [1, 0]
    assert np.isnan(found.average[1]).all() and np.isnan(found.odds[1])
    assert "-" in repr(found)


def test_of_several_hidden_variables_one_is_asked_for_by_name():
    graph = fg.hmm(2, 3, 4)
    run = fg.fit(graph, {f"X{k}": [0, 1, 2, 1, 0] for k in range(1, 5)}, n_epochs=20)
    with pytest.raises(ValueError, match=r"4 hidden variables, S1, S2, S3, S4: say which"):
        fg.classification(run)
    assert fg.classification(run, "S3").variable == "S3"
    with pytest.raises(ValueError, match="expected a hidden variable of the run, S1"):
        fg.classification(run, "X1")
    alone = fg.fit(fg.BayesGraph({"A": 2}), {"A": [0, 1]})
    with pytest.raises(ValueError, match="no hidden variable: there are no classes"):
        fg.classification(alone)
    with pytest.raises(ValueError, match="and it has none"):
        fg.classification(alone, "A")


def test_weights_of_a_survey_are_told():
    table = drawn(TWO, TRUE, 100, 0, "ABCD")
    run = fg.fit(TWO, table, weight=np.random.default_rng(0).gamma(20, 1 / 20, 100))
    assert "no counts of equal rows" in fg.classification(run).warnings[0]
