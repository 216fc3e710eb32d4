"""Evidence on every variable, and the folding of equal rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from checks import close, folded_equals_unfolded
from hypothesis import given
from hypothesis import strategies as st
from strategies import as_evidence, cases, seeds

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Evidence, GraphError, ImpossibleEvidence, distinct, read_evidence
from fgnwidgets.inference.evidence import fold

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})


LABELLED = BayesGraph({"S": ["lo", "hi"], "X": 2, "Y": ["0", "1", "2"]}, {"X": "S", "Y": "S"})
PLAIN = [  # cells that need no reading, and cells that look like them
    {"X": 1},
    {"X": -1, "Y": 2},
    {"X": 2},
    {"X": True},
    {"X": 10**30},
    {"S": "hi", "X": 0},
    {"S": "high", "X": 0},
    {"Y": "1"},
    {"Y": 1},
    {"X": [0, 1, -1]},
    {"X": [0, 1, 2]},
    {"X": [0, 1], "Y": [1, 0, 1]},
    {"X": []},
    {"X": 1, "Y": [2, 2]},
    {"X": [1], "S": 1},
    {"Z": 1},
]


@pytest.mark.parametrize("graph", [GRAPH, LABELLED], ids=["plain", "labelled"])
@pytest.mark.parametrize("cells", PLAIN, ids=repr)
def test_plain_codes_are_read_and_refused_as_the_same_cells_of_any_table(graph, cells):
    arrays = {k: np.array(v, int) if isinstance(v, list) else v for k, v in cells.items()}
    n = max(len(v) if isinstance(v, list) else 1 for v in cells.values())
    # Objects of Python are read one by one, whatever they are.
    objects = {k: np.array(v if isinstance(v, list) else [v] * n, object) for k, v in cells.items()}
    one, other = (said(graph, table) for table in (arrays, objects))
    assert one == other


def said(graph, table):
    """The codes by variable, or the error."""
    try:
        evidence = read_evidence(graph, table)
    except ValueError as error:
        return type(error)
    assert all(codes.dtype == np.intp for codes in evidence.codes.values())
    return evidence.n, {name: codes.tolist() for name, codes in evidence.codes.items()}


def test_numbers_for_a_variable_with_numeric_labels_are_never_taken_for_positions():
    with pytest.raises(ValueError, match="sample 0 is 1"):
        read_evidence(LABELLED, {"Y": np.array([1, 0])})


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64"])
def test_a_strided_column_of_any_integers_is_read_as_contiguous_codes(kind):
    column = np.array([[0, 9], [1, 9], [1, 9]], kind)[:, 0]
    codes = read_evidence(GRAPH, {"X": column}).codes["X"]
    assert codes.tolist() == [0, 1, 1]
    assert codes.dtype == np.intp and codes.flags.c_contiguous


def test_no_evidence_is_one_sample_that_says_nothing():
    assert read_evidence(GRAPH, None).n == 1
    assert read_evidence(GRAPH, {}).variables == ()


def test_a_replica_names_its_variable():
    assert read_evidence(GRAPH, {"S(1)": [0, 1]}).codes["S"].tolist() == [0, 1]
    with pytest.raises(ValueError, match="column 'S': the variable 'S' has evidence from another"):
        read_evidence(GRAPH, {"S(1)": [0, 1], "S": [0, 1]})


def test_take_keeps_some_of_the_samples():
    evidence = Evidence(3, {"X": np.array([0, 1, -1])}, {"Y": np.arange(9.0).reshape(3, 3)})
    taken = evidence.take(np.array([2, 0]))
    assert taken.n == 2
    assert taken.codes["X"].tolist() == [-1, 0]
    close(taken.vectors["Y"], [[2, 0], [5, 3], [8, 6]])


BAD = {
    "no samples": (
        Evidence(0, {"X": np.array([], int)}),
        "n is 0: expected the number of",
    ),
    "another number of samples": (
        Evidence(2, {"X": np.array([0])}),
        "X: the codes.*expected 2",
    ),
    "a code outside": (Evidence(1, {"X": np.array([2])}), r"from -1 \(missing\) to 1"),
    "vectors of another shape": (
        Evidence(2, {}, {"Y": np.ones((2, 3))}),
        r"Y: vectors have shape \(2, 3\), expected \(\.\.\., 3, 2\)",
    ),
    "a negative vector": (
        Evidence(1, {}, {"X": np.array([[-1.0], [1]])}),
        "X: the array of likelihood vectors holds -1.0",
    ),
    "a vector of zeros": (Evidence(1, {}, {"X": np.zeros((2, 1))}), "X: a likelihood vector is"),
    "two pieces for one variable": (
        Evidence(1, {"S": np.array([0]), "S(1)": np.array([0])}),
        r"the variable 'S' has two pieces of evidence",
    ),
}


@pytest.mark.parametrize(("evidence", "said"), BAD.values(), ids=BAD)
def test_evidence_that_does_not_fit_is_refused(evidence, said):
    with pytest.raises(ValueError, match=said):
        read_evidence(GRAPH, evidence)
    with pytest.raises(GraphError, match="'Q' is no variable"):
        read_evidence(GRAPH, Evidence(1, {"Q": np.array([0])}))


# Folding


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_codes_put_together_by_hand_may_be_whole_numbers_of_any_width(kind):
    graph = BayesGraph({"S": 2, "X": 3}, {"X": "S"})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    wide, own = (Evidence(4, {"X": np.array([2, 0, 1, 0], dtype)}) for dtype in (np.intp, kind))
    close(fg.loglik(graph, theta, own), fg.loglik(graph, theta, wide), 0)
    close(fg.posterior(graph, theta, own, "S"), fg.posterior(graph, theta, wide, "S"), 0)
    close(fg.saturated(graph, own), fg.saturated(graph, wide), 0)
    close(distinct(own)[1], [2, 1, 1])


def test_likelihood_vectors_put_together_by_hand_may_be_lists():
    graph = BayesGraph({"X": 2})
    theta = {"X": [[0.25, 0.75]]}
    found = fg.loglik(graph, theta, Evidence(3, {}, {"X": [[1, 0, 1], [0, 1, 1]]}))
    close(found, np.log([0.25, 0.75, 1.0]))


def test_distinct_rows_carry_their_summed_weights():
    evidence = read_evidence(GRAPH, {"X": [1, 0, 1, -1, 1], "Y": [2, 0, 2, 0, 1]})
    folded, weight = distinct(evidence, [1, 2, 4, 8, 16])
    rows = zip(folded.codes["X"], folded.codes["Y"], weight, strict=True)
    assert sorted(rows) == [(-1, 0, 8), (0, 0, 2), (1, 1, 16), (1, 2, 5)]


def test_rows_that_never_count_are_left_out():
    folded, weight = distinct(read_evidence(GRAPH, {"X": [1, 0, 1]}), [1, 0, 2])
    assert (folded.codes["X"].tolist(), weight.tolist()) == ([1], [3])


def test_equal_likelihood_vectors_fold_too(rng):
    vectors = rng.random((5, 3))[rng.integers(0, 5, 40)]
    folded, weight = distinct(read_evidence(GRAPH, {"Y": vectors, "X": np.arange(40) % 2}))
    assert folded.n < 11
    assert weight.sum() == 40
    expected, counts = np.unique(
        np.column_stack([vectors, np.arange(40) % 2]), axis=0, return_counts=True
    )
    found = np.column_stack([folded.vectors["Y"].T, folded.codes["X"]])
    order = np.lexsort(found.T[::-1])
    close(found[order], expected)
    close(weight[order], counts)


def test_columns_that_are_too_many_for_one_number_fold_too(rng):
    names = [f"X{k}" for k in range(80)]  # 3 ** 80 rows are possible
    graph = BayesGraph(dict.fromkeys(names, 2))
    rows = rng.integers(-1, 2, (30, 80))[rng.integers(0, 30, 500)]
    folded, weight = distinct(read_evidence(graph, (rows, names)))
    expected, counts = np.unique(rows, axis=0, return_counts=True)
    found = np.column_stack([folded.codes[name] for name in names])
    order = np.lexsort(found.T[::-1])
    close(found[order], expected)
    close(weight[order], counts)


def folded_by_a_loop(evidence, weight):
    """The different rows and their summed weights, row by row."""
    found = {}
    for n in range(evidence.n):
        key = tuple(int(codes[n]) for codes in evidence.codes.values())
        key += tuple(tuple(v[:, n]) for v in evidence.vectors.values())
        found[key] = found.get(key, 0) + weight[..., n]
    return found


@pytest.mark.parametrize(
    ("n", "sizes"), [(50, [2, 3]), (300, [40] * 9), (2000, [200] * 20), (200, [9] * 60), (1, [3])]
)
@pytest.mark.parametrize("soft", [False, True])
def test_folding_is_counting_row_by_row(n, sizes, soft, rng):
    some = rng.integers(0, max(1, n // 3), n)  # rows come three times or so
    codes = {f"X{k}": rng.integers(-1, size, n)[some] for k, size in enumerate(sizes)}
    vectors = {"V": rng.random((2, n))[:, some]} if soft else {}
    evidence = Evidence(n, codes, vectors)
    weight = rng.integers(0, 3, (4, n)).astype(float)
    folded, (counts, sums) = fold(evidence, [None, weight])
    assert list(folded.codes) == list(codes)
    for expected, found in ((np.ones(n), counts), (weight, sums)):
        again = folded_by_a_loop(folded, found)
        assert len(again) == folded.n
        for key, value in folded_by_a_loop(evidence, expected).items():
            close(again[key], value)
    order = list(zip(*folded.codes.values(), strict=True))
    assert soft or order == sorted(order)


def test_rows_without_weight_in_every_restart_are_left_out():
    evidence = Evidence(3, {"X": np.array([0, 1, 2])})
    folded, (sums,) = fold(evidence, [np.array([[1.0, 0, 0], [2, 0, 5]])])
    assert folded.codes["X"].tolist() == [0, 2]
    assert sums.tolist() == [[1, 0], [2, 5]]


def test_batches_of_soft_evidence_stay_as_they_are(rng):
    evidence = Evidence(4, {}, {"X": rng.random((3, 2, 4))})
    folded, weight = distinct(evidence, [1, 2, 0, 4])
    close(folded.vectors["X"], evidence.vectors["X"][..., [0, 1, 3]])
    close(weight, [1, 2, 4])


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
@given(case=cases(max_variables=5, zeros=0), seed=seeds)
def test_folded_data_learns_what_unfolded_data_does(rule, case, seed):
    if not case.table:
        return
    rows = [*range(case.n), *np.random.default_rng(seed).integers(0, case.n, 8)]
    folded_equals_unfolded(case, rule, rows)


# Evidence that cannot happen

CERTAIN = {"S": [[0.5, 0.5]], "X|S": np.eye(2), "Y|S": [[0.5, 0.5, 0], [0, 0.5, 0.5]]}
IMPOSSIBLE = {
    "hard against hard": ({"S": [0, 1], "X": [0, 0]}, "sample 1 .*: S = 1, X = 0"),
    "hard against a structural zero": ({"X": [0, 0], "Y": [1, 2]}, "sample 1 .*: X = 0, Y = 2"),
    "soft against hard": ({"S": [[0, 0.3]], "X": [0]}, r"sample 0 .*X = 0, S = \[0.0, 0.3\]"),
    "soft against soft": ({"S": [[0, 1]], "X": [[1, 0]]}, "sample 0"),
}


@pytest.mark.parametrize(("table", "said"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_evidence_is_refused_with_the_sample_and_what_it_says(table, said):
    for query in (fg.propagate, fg.most_probable):
        with pytest.raises(ImpossibleEvidence, match=f"{said}.*|probability zero"):
            query(GRAPH, CERTAIN, table)
    with pytest.raises(ImpossibleEvidence, match=said) as error:
        fg.propagate(GRAPH, CERTAIN, table)
    assert "probability zero under the model" in str(error.value)
    expected = -np.inf
    assert fg.loglik(GRAPH, CERTAIN, table)[error.value.sample] == expected
    assert fg.aggregated(GRAPH, CERTAIN, table)[error.value.sample] == expected


def test_labels_are_shown_for_impossible_evidence():
    graph = BayesGraph({"A": ("no", "yes")})
    with pytest.raises(ImpossibleEvidence, match="sample 2 .*: A = 'yes'"):
        fg.propagate(graph, {"A": [1, 0]}, {"A": ["no", None, "yes"]})


def test_the_batch_in_which_evidence_is_impossible_is_named():
    theta = {**CERTAIN, "S": np.array([[[0.5, 0.5]], [[1, 0]]])}
    with pytest.raises(ImpossibleEvidence, match=r"sample 0 \(batch \(1,\)\)"):
        fg.propagate(GRAPH, theta, {"S": [1]})


@given(cases(zeros=0.5, possible=False))
def test_impossible_samples_are_those_that_enumeration_finds(case):
    from oracles import evidence_probability

    expected = evidence_probability(case.graph, case.theta, case.likelihoods, case.n) == 0
    assert (
        fg.loglik(case.graph, case.theta, as_evidence(case)) == -np.inf
    ).tolist() == expected.tolist()
    if expected.any():
        with pytest.raises(ImpossibleEvidence) as error:
            fg.propagate(case.graph, case.theta, as_evidence(case))
        assert error.value.sample == np.flatnonzero(expected)[0]


@given(cases(max_variables=4), st.sampled_from(["propagate", "loglik", "most_probable", "epochs"]))
def test_tables_and_matrices_are_never_modified(case, entry):
    if entry == "epochs" and not case.table:
        return
    arrays = [*case.table.values(), *case.theta.values()]
    kept = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    if entry == "epochs":
        list(fg.epochs(case.graph, case.table, theta=case.theta, n_epochs=2))
    else:
        getattr(fg, entry)(case.graph, case.theta, case.table)
    for array, before in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(index=range(3)),
        pd.DataFrame({"X": [0, 1, 1]})[[]],
        [{}, {}, {}],
        pa.table({"X": [0, 1, 1]}).select([]),
    ],
)
def test_a_frame_without_columns_still_has_rows(table):
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    theta = {"S": [[0.3, 0.7]], "X|S": np.eye(2)}
    close(fg.posterior(graph, theta, table, "S"), [[0.3, 0.7]] * 3)
    close(fg.loglik(graph, theta, table), [0.0] * 3)
    assert fg.most_probable(graph, theta, table).table["S"].tolist() == [1, 1, 1]
