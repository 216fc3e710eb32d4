"""Intervals that can be: numbers on their bounds, chains of tied steps, a single sequence."""

import numpy as np
import pytest
from latent_classes import TRUE, TWO, drawn, slides

import fgnwidgets as fg

SEEN = fg.BayesGraph({"X": ("no", "yes")}, {})
NONE = {"X": ["no"] * 25}
Z = 1.959963984540054


def wilson_by_search(hits, n):
    """The shares p with ``|hits / n - p| <= z sqrt(p (1 - p) / n)``, by trying them all."""
    p = np.linspace(0, 1, 2_000_001)
    inside = p[np.abs(hits / n - p) <= Z * np.sqrt(p * (1 - p) / n)]
    return inside.min(), inside.max()


def test_of_25_that_say_no_yes_has_no_error_of_zero_but_wilsons_interval():
    run = fg.fit(SEEN, NONE)
    for found in (fg.standard_errors(run), fg.bootstrap(run), fg.bootstrap(run, NONE)):
        assert found.why["X"].tolist() == [["on its bound"] * 2]
        assert np.isnan(found.se["X"]).all()
        low, high = found.interval()["X"][:, 0, 1]
        np.testing.assert_allclose((low, high), wilson_by_search(0, 25), atol=1e-6)
        assert high == pytest.approx(0.133, abs=5e-4)
        np.testing.assert_allclose(found.interval()["X"][:, 0, 0], (1 - high, 1), atol=1e-9)
        assert found.interval(0.5)["X"][1, 0, 1] < high
        assert np.isnan(found.cov_params()).all()
        assert "0.1332  on its bound" in repr(found)


def test_one_of_many_that_never_occurs_is_on_its_bound_and_the_others_have_errors():
    graph = fg.BayesGraph({"S": 2, "X": 3}, {"X": "S"})
    table = {"S": [0] * 30 + [1] * 20, "X": [0, 1] * 15 + [0, 1, 2, 2] * 5}
    found = fg.bootstrap(fg.fit(graph, table), n=300)
    assert found.why["X|S"].tolist() == [["", "", "on its bound"], ["", "", ""]]
    low, high = found.interval()["X|S"]
    np.testing.assert_allclose((low[0, 2], high[0, 2]), wilson_by_search(0, 30), atol=1e-6)
    assert (found.se["X|S"][1] > 0.05).all()


def test_of_households_that_agree_only_one_member_counts():
    """25 people of 5 households: with as little certainty as of 5 people."""
    run = fg.fit(SEEN, NONE)
    house = np.repeat(np.arange(5), 5)
    for found in (
        fg.standard_errors(run, NONE, cluster=house),
        fg.bootstrap(run, NONE, cluster=house, n=20),
    ):
        ends = found.interval()["X"][:, 0, 1]
        np.testing.assert_allclose(ends, wilson_by_search(0, 5), atol=1e-6)


def test_the_weights_of_a_survey_make_an_interval_wider_not_their_scale():
    w = np.random.default_rng(0).gamma(0.5, 20, 25)
    run = fg.fit(SEEN, NONE, weight=w)
    kish = w.sum() ** 2 / (w**2).sum()
    by_rows, summed = fg.bootstrap(run, NONE, weight=w, n=20), fg.bootstrap(run, n=20)
    ends = by_rows.interval()["X"][:, 0, 1]
    np.testing.assert_allclose(ends, wilson_by_search(0, kish), atol=1e-6)
    np.testing.assert_allclose(summed.interval()["X"][:, 0, 1], wilson_by_search(0, 25), atol=1e-6)


def test_of_hidden_kinds_the_expected_number_of_their_samples_counts():
    """Pathologists who never called a slide of some kind a carcinoma: no error of nearly zero."""
    run = slides(3, tol=1e-10)
    found = fg.bootstrap(run, n=50)
    on = found.why["A|S"] == "on its bound"
    assert on.any()
    for name, counts in run.best_counts.items():
        low, high = found.interval()[name]
        for x, y in np.argwhere(found.why[name] == "on its bound"):
            n = counts[x].sum()
            ends = wilson_by_search(n * round(run.best_theta[name][x, y]), n)
            assert low[x, y] <= ends[0] + 1e-5
            assert high[x, y] >= ends[1] - 1e-5
            assert np.isnan(found.se[name][x, y])
        assert not (found.se[name] < 1e-6).any()


def test_rows_that_nobody_is_in_have_no_error():
    graph = fg.BayesGraph({"sex": ("m", "w"), "X": 2}, {"X": "sex"}, given=["sex"])
    table = {"sex": ["w"] * 40, "X": [0, 1, 1, 1] * 10}
    found = fg.bootstrap(fg.fit(graph, table), n=50)
    assert np.isnan(found.se["X|sex"][0]).all()
    assert all(found.why["X|sex"][0] != "")
    assert found.se["X|sex"][1, 0] == pytest.approx(np.sqrt(0.75 * 0.25 / 40), rel=0.3)


def test_replicates_that_are_all_alike_are_no_certainty():
    """Ten samples that all left the same things open: whatever is drawn of them is the same."""
    run = fg.fit(TWO, {v: [[0.7, 0.3]] * 10 for v in "ABCD"}, seed=3, restarts=1)
    found = fg.bootstrap(run, n=20)
    for name, se in found.se.items():
        assert not (se < 1e-9).any(), name


HMM = {
    "start": np.array([[0.6, 0.4]]),
    "transition": np.array([[0.85, 0.15], [0.25, 0.75]]),
    "emission": np.array([[0.75, 0.2, 0.05], [0.05, 0.2, 0.75]]),
}
STEPS = [f"X{t}" for t in range(1, 13)]


def chains(count, steps=12, seed=0):
    graph = fg.hmm(2, 3, steps)
    return graph, drawn(graph, HMM, count, seed, [f"X{t}" for t in range(1, steps + 1)])


def forward(theta, sequences):
    """log P of the sequences by the forward algorithm, step by step."""
    a = theta["start"] * theta["emission"].T[sequences[:, 0]]
    total = np.log(a.sum(axis=1))
    a = a / a.sum(axis=1, keepdims=True)
    for symbols in sequences[:, 1:].T:
        a = (a @ theta["transition"]) * theta["emission"].T[symbols]
        total += np.log(a.sum(axis=1))
        a = a / a.sum(axis=1, keepdims=True)
    return total.sum()


def errors_of_chain(theta, sequences, names=tuple(HMM)):
    """From minus the second differences of the forward algorithm's likelihood."""
    at = [
        (k, x, y) for k in names for x, y in np.ndindex(len(theta[k]), theta[k].shape[1] - 1)
    ]  # fmt: skip
    e = 1e-4

    def moved(*steps):
        new = {k: m.copy() for k, m in theta.items()}
        for (k, x, y), step in steps:
            new[k][x, y] += step
            new[k][x, -1] -= step
        return forward(new, sequences)

    bend = np.empty((len(at), len(at)))
    for i, a in enumerate(at):
        for j, b in enumerate(at):
            corners = [s * t * moved((a, s * e), (b, t * e)) for s in (1, -1) for t in (1, -1)]
            bend[i, j] = -sum(corners) / (4 * e**2)
    return dict(zip(at, np.sqrt(np.diag(np.linalg.inv(bend))), strict=True))


def settled(graph, table):
    return fg.fit(graph, table, theta=HMM, restarts=1, n_epochs=20000, tol=1e-13)


@pytest.mark.parametrize("seed", [6, 10])
def test_ten_chains_have_the_errors_of_the_forward_algorithms_second_differences(seed):
    """And replicates are near, where every one tells the states apart."""
    graph, table = chains(10, seed=seed)
    run = settled(graph, table)
    found = fg.standard_errors(run)
    right = errors_of_chain(run.best_theta, np.stack([table[v] for v in STEPS], axis=1))
    again = fg.bootstrap(run, n=200 if seed == 10 else 2)
    for (name, x, y), error in right.items():
        assert found.se[name][x, y] == pytest.approx(error, rel=1e-3), (name, x, y)
        assert seed == 6 or 0.6 < again.se[name][x, y] / error < 1.7, (name, x, y)


def test_one_long_sequence_has_errors_and_tables_that_the_model_draws_agree():
    graph, table = chains(1, 120, seed=3)
    theta = {**HMM, "start": np.array([[0.5, 0.5]])}
    run = fg.fit(graph, table, theta=theta, hold={"start": [True]}, restarts=1,
                 n_epochs=20000, tol=1e-10, progress=False)  # fmt: skip
    found = fg.standard_errors(run)
    sequence = np.stack([table[f"X{t}"] for t in range(1, 121)], axis=1)
    right = errors_of_chain(run.best_theta, sequence, ("transition", "emission"))
    with pytest.raises(ValueError, match="one sample, .*parametric=True"):
        fg.bootstrap(run)
    for report in (fg.standard_errors, fg.bootstrap):
        with pytest.raises(ValueError, match=r"1 row.* standard_errors\(run\) .*parametric=True"):
            report(run, table)
    simulated = fg.bootstrap(run, n=20, parametric=True, tol=1e-3)
    assert "parametric" in simulated.how
    assert np.isnan(found.se["start"]).all()
    for (name, x, y), error in right.items():
        low, high = simulated.interval()[name][:, x, y]
        assert low < run.best_theta[name][x, y] < high
        assert found.se[name][x, y] == pytest.approx(error, rel=1e-2)
        assert 0.4 < simulated.se[name][x, y] / error < 2.5


def test_the_states_of_tied_steps_are_told_apart_over_all_steps_together():
    """Where single steps are doubtful, in which a state is rare, the chain is not."""
    graph, table = chains(25, seed=2)
    run = settled(graph, table)
    found, bent = fg.bootstrap(run, n=200), fg.standard_errors(run)
    assert not any("told apart" in w for w in found.warnings)
    for name in ("transition", "emission"):
        known = bent.why[name] == ""
        assert known.sum() >= 4
        ratio = found.se[name][known] / bent.se[name][known]
        assert (ratio > 0.5).all()
        assert (ratio < 2.2).all()


def test_states_of_tied_steps_and_named_ones_are_numbered_back_together():
    from fgnwidgets.analysis.replicates import _matched

    graph, table = chains(60)
    run = settled(graph, table)
    theta = run.best_theta
    swapped = {
        "start": theta["start"][:, ::-1],
        "transition": theta["transition"][::-1, ::-1],
        "emission": theta["emission"][::-1],
    }
    final = {k: np.stack([m, swapped[k], m]) for k, m in theta.items()}
    matched, confused = _matched(run, final)
    for name, m in theta.items():
        np.testing.assert_array_equal(matched[name], np.stack([m, m, m]))
    assert confused == {}
    named = fg.BayesGraph({"S": ("ill", "well"), **dict.fromkeys("ABCD", 2)},
                          dict.fromkeys("ABCD", "S"))  # fmt: skip
    run = fg.fit(named, drawn(TWO, TRUE, 500, 1, "ABCD"))
    theta = run.best_theta
    turned = {k: m[:, ::-1] if k == "S" else m[::-1] for k, m in theta.items()}
    matched, _ = _matched(run, {k: np.stack([m, turned[k]]) for k, m in theta.items()})
    for name, m in theta.items():
        np.testing.assert_array_equal(matched[name], np.stack([m, m]))


def test_states_that_a_held_number_tells_apart_are_not_renumbered():
    from fgnwidgets.analysis.replicates import _matched

    run = fg.fit(TWO, drawn(TWO, TRUE, 500, 1, "ABCD"), theta=TRUE, hold={"A|S": [True, True]},
                 restarts=1)  # fmt: skip
    theta = run.best_theta
    turned = {k: m[:, ::-1] if k == "S" else m[::-1] for k, m in theta.items()}
    turned["A|S"] = theta["A|S"]
    matched, _ = _matched(run, {k: m[None] for k, m in turned.items()})
    np.testing.assert_array_equal(matched["B|S"][0], turned["B|S"])


def test_tables_drawn_from_the_model_agree_with_the_information():
    run = fg.fit(TWO, drawn(TWO, TRUE, 600, 2, "ABCD"), restarts=3, n_epochs=20000, tol=1e-13)
    one, two = fg.standard_errors(run), fg.bootstrap(run, n=300, parametric=True)
    for name in run.free:
        np.testing.assert_allclose(two.se[name], one.se[name], rtol=0.25)
    with pytest.raises(ValueError, match="parametric is True beside a table"):
        fg.bootstrap(run, drawn(TWO, TRUE, 600, 2, "ABCD"), parametric=True)


def test_a_parametric_replicate_is_what_fit_finds_on_the_table_that_was_drawn():
    """With blanks, and learned one by one where the tables share few rows."""
    graph, table = chains(12, 8, seed=3)
    blank = np.random.default_rng(0).random(12) < 0.3
    table["X2"] = np.where(blank, -1, table["X2"])
    run = settled(graph, table)
    found = fg.bootstrap(run, n=30, parametric=True, seed=5, tol=1e-10, n_epochs=5000)
    from fgnwidgets.analysis.simulating import simulated

    rng = np.random.default_rng(np.random.SeedSequence(5).spawn(1)[0])
    rows, weights = simulated(run, 30, rng)
    assert rows.n > 8 * (weights > 0).sum(axis=1).max()
    for r in range(2):
        assert (weights[r] @ (rows.codes["X2"] < 0)) == blank.sum()
        own = fg.fit(graph, rows, theta=run.best_theta, weight=weights[r], restarts=1,
                     n_epochs=20000, tol=1e-13)  # fmt: skip
        near = found.replicates["emission"][r]
        order = [0, 1] if near[0, 0] > near[1, 0] else [1, 0]
        back = (
            [0, 1]
            if own.best_theta["emission"][0, 0] > own.best_theta["emission"][1, 0]
            else [1, 0]
        )
        np.testing.assert_allclose(near[order], own.best_theta["emission"][back], atol=0.02)
