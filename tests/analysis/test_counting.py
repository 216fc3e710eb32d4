"""What counts as an observation and as a parameter, beside published values and hmmlearn."""

import math

import numpy as np
import pytest
from latent_classes import SLIDES, TRUE, TWO, classes, drawn
from oracles import joint

import fgnwidgets as fg

PUBLISHED = {1: 1082.32, 2: 706.07, 3: 697.14, 4: 726.46}
"""BIC of the pathologists' slides, as in the summary's tests."""


def carcinoma(kinds, extra=0, levels=2):
    graph = classes(kinds, dict.fromkeys(SLIDES, levels))
    table = {name: [*column, *[None] * extra] for name, column in SLIDES.items()}
    return fg.fit(graph, table, restarts=20, n_epochs=3000)


def chain(states, symbols, sequences, **options):
    table = fg.sequences(sequences)
    graph = fg.hmm(states, symbols, len(table))
    return fg.fit(graph, table, **{"restarts": 3, "n_epochs": 200, **options})


def by_hmmlearn(run, sequences, symbols):
    """hmmlearn's criteria of the same matrices on the same sequences."""
    hmm = pytest.importorskip("hmmlearn.hmm")
    theta = run.best_theta
    model = hmm.CategoricalHMM(len(theta["transition"]), n_features=symbols)
    model.startprob_, model.transmat_ = theta["start"][0], theta["transition"]
    model.emissionprob_ = theta["emission"]
    symbols = np.concatenate(sequences)[:, None]
    return model.bic(symbols, list(map(len, sequences))), model.aic(
        symbols, list(map(len, sequences))
    )


# The number of observations


@pytest.mark.parametrize("lengths", [[300], [12] * 10, [5, 40, 17]])
def test_the_criteria_of_sequences_are_hmmlearns(lengths):
    rng = np.random.default_rng(0)
    sequences = [rng.integers(0, 3, n).tolist() for n in lengths]
    run = chain(2, 3, sequences)
    assert run.n == sum(lengths)
    np.testing.assert_allclose((run.bic, run.aic), by_hmmlearn(run, sequences, 3), rtol=1e-9)
    summary = run.summary()
    assert (summary.n, summary.samples) == (sum(lengths), len(lengths))
    said = [w for w in summary.warnings if "hmmlearn" in w]
    assert bool(said) == (len(lengths) > 1)  # of one sequence nobody counts otherwise
    if said:
        people = -2 * summary.loglik + run.n_free * math.log(len(lengths))
        assert f"BIC {people:.2f}" in said[0]


def test_steps_without_a_symbol_count_nothing_and_two_symbols_of_a_step_are_one_observation():
    table = fg.sequences(
        {"id": [1] * 6, "X": [0, None, 1, 0, None, 1], "Y": [1, 0, None, 1, None, 0]}, id="id"
    )
    graph = fg.unfold({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"}, {"S": "S"}, n=6)
    assert fg.fit(graph, table, restarts=1, n_epochs=3).n == 5


def test_items_with_one_matrix_are_one_observation_of_a_person():
    names = dict.fromkeys("ABC", "item")
    graph = fg.BayesGraph(
        {"S": 2, **dict.fromkeys("ABC", 2)}, dict.fromkeys("ABC", "S"), theta=names
    )
    table = {"A": [0, 1, None, None], "B": [1, None, None, 0], "C": [1, 1, None, 0]}
    assert fg.fit(graph, table, restarts=1).n == 3
    assert fg.fit(graph, table, restarts=1, weight=[2, 1, 7, 0.5]).n == 3.5


def test_a_row_that_holds_only_given_values_or_an_even_vector_observes_nothing():
    graph = fg.BayesGraph(
        {"G": 2, "S": 2, "A": 2, "B": 2}, {"S": "G", "A": "S", "B": "S"}, given="G"
    )
    table = {"G": [0, 1, 1], "A": [[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]], "B": [None, None, 1]}
    assert fg.fit(graph, table, restarts=1, n_epochs=3).n == 2


def test_rows_without_an_observation_change_no_criterion_no_entropy_and_no_share():
    runs = {kinds: carcinoma(kinds, extra=250) for kinds in PUBLISHED}
    assert min(runs, key=lambda kinds: runs[kinds].bic) == 3
    for kinds, run in runs.items():
        assert abs(run.bic - PUBLISHED[kinds]) < 0.005
    full, plain = runs[3].summary(), carcinoma(3).summary()
    assert (full.n, full.samples, round(full.entropy["S"], 2)) == (118, 118, 0.93)
    np.testing.assert_allclose(sorted(full.sizes["S"]), sorted(plain.sizes["S"]), atol=1e-4)
    assert any("250 samples hold no observation" in w for w in full.warnings)
    assert not any("no observation" in w for w in plain.warnings)


def test_shares_of_a_state_are_over_the_sequences_that_reach_it():
    run = chain(2, 3, [[0, 1, 2, 0, 1], [2, 2]], restarts=1, n_epochs=20)
    whole = joint(fg.hmm(2, 3, 5), run.best_theta)  # S1, X1, S2, ... an axis each
    row = whole[:, 0, :, 1, :, 2, :, 0, :, 1]
    row = row / row.sum()
    np.testing.assert_allclose(run.summary().sizes["S5"], row.sum(axis=(0, 1, 2, 3)), atol=1e-9)


def test_the_adjusted_bic_of_very_few_observations_is_warned_of():
    table = {name: column[:15] for name, column in drawn(TWO, TRUE, 20, 0, "ABCD").items()}
    run = fg.fit(TWO, table, restarts=2)
    assert run.sabic < -2 * run.final_loglik.max()
    assert any("adjusted BIC" in w for w in run.summary().warnings)


def test_models_that_differ_in_n_are_said_to():
    rng = np.random.default_rng(1)
    table = {f"X{t}": rng.integers(0, 2, 60) for t in (1, 2, 3)}
    untied = fg.BayesGraph({"S": 2, **dict.fromkeys(table, 2)}, dict.fromkeys(table, "S"))
    models = {"steps": fg.hmm(2, 2, 3), "people": untied}
    compared = fg.compare(models, table, folds=0, restarts=2, n_epochs=30)
    assert [compared.runs[name].n for name in models] == [180, 60]
    assert any("differ in n (steps: 180, people: 60)" in note for note in compared.notes)


# The number of parameters


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_a_level_that_no_row_has_changes_no_criterion(kinds):
    run = carcinoma(kinds, levels=3)
    assert abs(run.bic - PUBLISHED[kinds]) < 0.005
    assert run.n_free == 8 * kinds - 1
    summary = run.summary()
    assert summary.unused == {"of levels that no row has": 7 * kinds}
    assert summary.rank == run.n_free == fg.identified(run).n_free
    assert any(f"{7 * kinds} numbers of levels that no row has" in w for w in summary.warnings)


def test_a_state_with_which_no_sequence_begins_is_no_unused_level():
    states = [1, 1, 2, 3, 1, 2, 2, 3, 3, 1]
    graph = fg.unfold({"X": (1, 2, 3, 4)}, previous={"X": "X"}, n=10, lagged="X")
    run = fg.fit(graph, fg.sequences([states], lagged="X"), restarts=1, n_epochs=3)
    assert run.n_free == 2 + 3 * 2  # state 4 occurs nowhere, state 1 is the only first one


def test_a_number_that_learning_drives_to_zero_is_free():
    graph = fg.BayesGraph({"G": 2, "A": 2}, {"A": "G"}, given="G")
    run = fg.fit(graph, {"G": [0] * 25 + [1] * 4, "A": [0] * 25 + [0, 1, 1, 1]})
    assert run.best_theta["A|G"][0, 1] == 0
    assert run.n_free == 2


GIVEN = fg.BayesGraph(
    {"sex": ["man", "woman"], "region": ["west", "east"], "ill": ["no", "yes"]},
    {"ill": ["sex", "region"]},
    given=["sex", "region"],
)


def no_man_in_the_east():
    rng = np.random.default_rng(0)
    sex, region, ill = (rng.integers(0, 2, 200) for _ in range(3))
    kept = (sex == 1) | (region == 0)
    names = [("man", "woman"), ("west", "east"), ("no", "yes")]
    table = zip(("sex", "region", "ill"), (sex, region, ill), names, strict=True)
    return {name: np.array(said)[codes[kept]].tolist() for name, codes, said in table}


def test_an_empty_cell_of_a_design_is_named_and_neither_free_nor_in_the_rank_nor_in_reports():
    table = no_man_in_the_east()
    runs = [fg.fit(GIVEN, table, seed=seed) for seed in (0, 1)]
    row = [run.best_theta["ill|sex,region"][1, 1] for run in runs]
    assert row[0] != row[1]  # as it began: else this shows nothing
    for run in runs:
        assert sum("sex = man, region = east" in w for w in run.warnings) == 1
        assert (run.n_free, run.summary().rank) == (3, 3)
        for errors in (fg.standard_errors(run), fg.bootstrap(run, n=10)):
            why = errors.why["ill|sex,region"]
            assert (why == "not learned").all(axis=1).tolist() == [False, True, False, False]
    assert runs[0].summary().unused == {"of rows that nothing reaches": 1}


def test_what_nothing_reaches_is_named_in_a_complete_table_too_and_a_full_one_is_silent():
    graph = fg.BayesGraph({"A": 3, "B": 2}, {"B": "A"})
    run = fg.fit(graph, {"A": [0, 0, 2, 2], "B": [0, 1, 1, 0]})
    assert any("theta['B|A'] has rows" in w and "A = 1" in w for w in run.warnings)
    assert run.n_free == 1 + 2
    run = fg.fit(graph, {"A": [0, 1, 2, 2], "B": [0, 1, 1, 0]})
    assert not any("reaches" in w for w in run.warnings)
    assert run.n_free == 2 + 3


def test_a_state_that_learning_has_emptied_is_still_free():
    table = drawn(TWO, TRUE, 100, 0, "ABCD")
    start = {"S": [[1e-300, 1.0]]}
    run = fg.fit(TWO, table, theta=start, restarts=1, n_epochs=60)
    assert run.n_free == 9 and not any("reaches" in w for w in run.warnings)


# Restarts that begin alike


def test_one_start_runs_once_and_restarts_that_are_asked_for_are_told_to_be_alike():
    table = drawn(TWO, TRUE, 100, 0, "ABCD")
    once = fg.fit(TWO, table, theta=TRUE)
    assert once.final_loglik.shape == (1,)
    assert "1 of 1" not in repr(once.summary()) and "one start" in repr(once.summary())
    many = fg.fit(TWO, table, theta=TRUE, restarts=10)
    assert many.final_loglik.shape == (10,)
    assert any("all 10 restarts began alike" in w for w in many.warnings)
    assert "10 of 10" not in repr(many.summary())
    assert many.summary().restarts == 1
    some = fg.fit(TWO, table, seed=[1, 1, 2])
    assert some.repeated.tolist() == [False, True, False]
    assert any("2 of 3 restarts began alike" in w for w in some.warnings)
    assert not fg.fit(TWO, table, restarts=3).repeated.any()


# Chains are told as one


def test_a_chain_is_told_by_its_state_in_a_summary_of_a_few_lines():
    rng = np.random.default_rng(0)
    run = chain(["ill", "well"], 3, rng.integers(0, 3, (20, 40)).tolist(), restarts=2, n_epochs=20)
    text = repr(run.summary())
    assert len(text.splitlines()) < 30
    assert "S = ill" in text and "S6" not in text
    mean = np.mean([run.summary().sizes[f"S{t}"][0] for t in range(1, 41)])
    assert f"{100 * mean:.1f} %" in text


def test_states_of_a_chain_are_identical_only_if_all_their_matrices_agree():
    rng = np.random.default_rng(0)
    sequences = rng.integers(0, 2, (30, 6)).tolist()
    graph = fg.hmm(3, 2, 6)
    start = {
        "start": [[0.3, 0.3, 0.4]],
        "transition": [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]],
        "emission": [[0.7, 0.3], [0.7, 0.3], [0.2, 0.8]],
    }

    def said(transition):
        theta = {**start, "transition": transition}
        run = fg.fit(graph, fg.sequences(sequences), theta=theta, n_epochs=0)
        return [w for w in run.warnings if "identical" in w]

    assert said(start["transition"]) == []
    same = [[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]
    assert len(said(same)) == 1 and "states 0 and 1 of S are identical" in said(same)[0]


# What takes long is asked for, and what cannot fit is refused


def test_the_rank_of_many_numbers_is_worked_out_when_it_is_asked_for(monkeypatch):
    run = fg.fit(TWO, drawn(TWO, TRUE, 100, 0, "ABCD"), restarts=2)
    assert run.summary().rank == 9 and run.summary(rank=False).rank is None
    monkeypatch.setattr("fgnwidgets.analysis.summary.FEW_NUMBERS", 8)
    assert run.summary().rank is None
    assert "run.summary(rank=True)" in repr(run.summary())
    assert run.summary(rank=True).rank == 9
    with pytest.raises(ValueError, match="rank is 'yes': expected True, False or None"):
        run.summary(rank="yes")


def test_requests_beyond_memory_are_refused_with_their_size():
    table = drawn(TWO, TRUE, 30, 0, "ABCD")
    run, rng = fg.fit(TWO, table, restarts=1), np.random.default_rng(0)
    three = fg.fit(classes(3, dict.fromkeys("ABCD", 2)), table, restarts=1)
    asked = {
        "learning": lambda: fg.fit(TWO, table, restarts=10**9),
        "learning ": lambda: fg.fit(TWO, table, starts=10**9),
        "1,000,000,000 epochs": lambda: fg.fit(TWO, table, n_epochs=10**9, record=["theta"]),
        "10,000,000,000 replicates": lambda: fg.bootstrap(run, n=10**10),
        "1,000,000,000 tables": lambda: fg.blrt(run, three, n=10**9),
        "1,000,000,000,000 samples": lambda: fg.sample(TWO, run, 10**12, rng),
        "1,000,000,000 slices": lambda: fg.hmm(2, 2, 10**9),
    }
    for size, ask in asked.items():
        with pytest.raises(MemoryError, match=f"{size}.*would need about .* GB, the machine has"):
            ask()
