"""How a posterior depends on the cells of the matrices, beside whole joint tables.

The oracle's derivatives are complex steps: of a polynomial in ``x + 1e-30 i`` the imaginary part is
1e-30 times the derivative, to the last digit, since nothing is subtracted.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import joint
from small_graphs import COUNTRY, LOOP
from strategies import cases, some_samples

import fgnwidgets as fg

TINY = 1e-30j


def enumerated(graph, theta, likelihoods, query):
    """P(query | evidence) from the whole table, of real or of complex matrices."""
    table = joint(graph, theta)
    axis = {name: k for k, name in enumerate(graph.variables)}
    for name, vector in likelihoods.items():
        shape = [-1 if k == axis[name] else 1 for k in range(table.ndim)]
        table = table * np.asarray(vector).reshape(shape)
    asked = tuple(query.get(name, slice(None)) for name in graph.variables)
    return table[asked].sum() / table.sum()


def covaried(matrix, x, y, to):
    """The matrix with ``to`` in a cell, the others of the row in proportion or in equal parts."""
    new = np.array(matrix, dtype=np.result_type(matrix, to))
    row, others = matrix[x], [k for k in range(len(matrix[x])) if k != y]
    rest = sum(row[k] for k in others)
    for k in others:
        new[x, k] = row[k] * (1 - to) / rest if rest else (1 - to) / len(others)
    if others:
        new[x, y] = to
    return new


def checked(graph, found, theta, likelihoods, query, atol=1e-9):
    """Everything that ``sensitivity`` says of every cell."""
    uses = [*graph.theta.values()]
    assert found.value == pytest.approx(enumerated(graph, theta, likelihoods, query), abs=1e-12)

    def at(name, matrix):
        return enumerated(graph, {**theta, name: matrix}, likelihoods, query)

    for name, matrix in theta.items():
        for x, y in np.ndindex(matrix.shape):
            cell = matrix[x, y]
            slope = at(name, covaried(matrix, x, y, cell + TINY)).imag / TINY.imag
            scale = 1 + abs(slope)
            assert found.derivative[name][x, y] == pytest.approx(slope, abs=atol * scale)
            alone = np.array(matrix, dtype=complex)
            alone[x, y] += TINY
            slope = at(name, alone).imag / TINY.imag
            assert found.partial[name][x, y] == pytest.approx(slope, abs=atol * (1 + abs(slope)))
            c1, c2, c3, c4 = found.coefficients[name][:, x, y]
            if uses.count(name) > 1:
                assert np.isnan(c1)
                continue
            for to in (0.0, 0.3, 1.0) if matrix.shape[1] > 1 else (cell,):
                with np.errstate(invalid="ignore", divide="ignore"):
                    other = at(name, covaried(matrix, x, y, to))
                if np.isfinite(other) and c3 * to + c4 > 1e-6:
                    assert (c1 * to + c2) / (c3 * to + c4) == pytest.approx(other, abs=1e-8)


@settings(max_examples=150, deadline=None)
@given(cases(max_variables=5), st.randoms(use_true_random=False))
def test_derivatives_and_functions_in_forests_are_those_of_the_whole_table(case, draw):
    case = some_samples(case, np.array([0]))
    seen = {v for v, c in case.table.items() if c.ndim == 1 and c[0] >= 0}
    free = [v for v in case.graph.variables if v not in seen]
    if not free:
        return
    asked = draw.sample(free, draw.randint(1, min(2, len(free))))
    query = {v: draw.randrange(case.graph.variables[v].size) for v in asked}
    likelihoods = {v: vectors[:, 0] for v, vectors in case.likelihoods.items()}
    found = fg.sensitivity(case.graph, case.theta, case.table or None, query)
    checked(case.graph, found, case.theta, likelihoods, query)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("graph", [LOOP, COUNTRY], ids=["loop", "given"])
def test_derivatives_in_merged_graphs_and_with_given_variables(graph, seed):
    rng = np.random.default_rng(seed)
    form = graph.merged()
    theta = fg.random_theta(form, rng)
    asked, other, soft = rng.permutation([v for v in graph.variables if v not in graph.given])[:3]
    seen = {v: int(rng.integers(graph.variables[v].size)) for v in {other, *graph.given}}
    opinion = rng.random(graph.variables[soft].size)
    likelihoods = {v: np.eye(graph.variables[v].size)[code] for v, code in seen.items()}
    query = {asked: 1} if seed % 2 else {asked: 1, soft: 0}
    found = fg.sensitivity(form, theta, {**seen, soft: opinion[None]}, query)
    checked(graph, found, theta, {**likelihoods, soft: opinion}, query)


@pytest.mark.parametrize("query", [{"S2": 1}, {"X2": 2}, {"S1": 0, "S4": 1}])
def test_a_cell_of_a_tied_matrix_moves_in_all_its_blocks(query):
    graph = fg.hmm(2, 3, 4)
    theta = fg.random_theta(graph, np.random.default_rng(5))
    likelihoods = {"X1": np.eye(3)[2], "X4": np.eye(3)[0]}
    found = fg.sensitivity(graph, theta, {"X1": 2, "X4": 0}, query)
    checked(graph, found, theta, likelihoods, query)
    for name, _, state, cell, _, low, high in found.cells(3, change=0.2):
        for end, value in ((0.8, low), (1.2, high)):
            x = next(x for x, row in enumerate(theta[name]) if cell in row)
            moved = covaried(theta[name], x, state, min(1, end * cell))
            other = enumerated(graph, {**theta, name: moved}, likelihoods, query)
            assert value == pytest.approx(other, abs=1e-12)


def test_a_long_chain_has_the_slopes_of_small_steps():
    graph = fg.hmm(2, 2, 90)
    theta = fg.random_theta(graph, np.random.default_rng(2))
    evidence = {f"X{k}": k % 2 for k in range(1, 91) if k % 3}
    found = fg.sensitivity(graph, theta, evidence, {"S45": 0})
    step = 1e-5
    for name, matrix in theta.items():
        for x, y in np.ndindex(matrix.shape):
            ends = [
                fg.posterior(graph, {**theta, name: covaried(matrix, x, y, matrix[x, y] + s)},
                             evidence, "S45")[0, 0]
                for s in (step, -step)
            ]  # fmt: skip
            slope = (ends[0] - ends[1]) / (2 * step)
            assert found.derivative[name][x, y] == pytest.approx(slope, abs=1e-6)


@pytest.mark.quick
def test_a_test_for_a_disease_has_the_slopes_of_bayes_rule():
    """P(ill | +) = p s / (p s + (1 - p) f), differentiated by hand."""
    p, s, f = 0.01, 0.9, 0.05
    graph = fg.BayesGraph({"Kind": ("well", "ill"), "Test": ("-", "+")}, {"Test": "Kind"})
    theta = {"Kind": [[1 - p, p]], "Test|Kind": [[1 - f, f], [1 - s, s]]}
    found = fg.sensitivity(graph, theta, {"Test": "+"}, {"Kind": "ill"})
    total = p * s + (1 - p) * f
    assert found.value == pytest.approx(p * s / total)
    assert found.derivative["Kind"][0] == pytest.approx(np.array([-1, 1]) * s * f / total**2)
    by_s, by_f = p * f * (1 - p) / total**2, -p * s * (1 - p) / total**2
    np.testing.assert_allclose(found.derivative["Test|Kind"], [[-by_f, by_f], [-by_s, by_s]])
    rows = [row[:5] for row in found.cells()]
    assert [row[:3] for row in rows] == [
        ("Kind", "", "ill"), ("Test|Kind", "well", "+"), ("Test|Kind", "ill", "+")
    ]  # fmt: skip
    assert [row[3] for row in rows] == [p, f, s]
    c = found.coefficients["Test|Kind"][:, 0, 1]  # p s / (p s + (1 - p) x), up to a factor
    np.testing.assert_allclose(c * total, [0, p * s, 1 - p, p * s], atol=1e-15)
    # |p s (1 - p) / (p s + (1 - p) x)^2| = 1 where (1 - p) x = sqrt(p s (1 - p)) - p s
    vertex = (np.sqrt(p * s * (1 - p)) - p * s) / (1 - p)
    assert found.vertex["Test|Kind"][0, 1] == pytest.approx(vertex)


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(20))
def test_no_derivative_is_above_the_bound_of_chan_and_darwiche(seed):
    """|dP / dx| <= P (1 - P) / (x (1 - x)) for variables of two states (2002)."""
    rng = np.random.default_rng(seed)
    graph = fg.BayesGraph(dict.fromkeys("ABCDE", 2),
                          {"B": "A", "C": "A", "D": ("B", "C"), "E": "D"}).merged()  # fmt: skip
    theta = fg.random_theta(graph, rng)
    found = fg.sensitivity(graph, theta, {"E": 1}, {"A": 0})
    for name, slope in found.derivative.items():
        x = theta[name]
        bound = found.value * (1 - found.value) / (x * (1 - x))
        assert (np.abs(slope) <= bound * (1 + 1e-9)).all()


@pytest.mark.quick
def test_a_query_that_is_ruled_out_depends_on_the_zeros_that_rule_it_out():
    graph = fg.BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
    theta = {
        "S": np.array([[0.4, 0.6]]),
        "X|S": np.array([[1.0, 0.0], [0.3, 0.7]]),
        "Y|S": np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]),
    }
    found = fg.sensitivity(graph, theta, {"X": 1, "Y": 2}, {"S": 0})
    assert found.value == 0
    likelihoods = {"X": [0, 1], "Y": [0, 0, 1]}
    checked(graph, found, theta, likelihoods, {"S": 0})
    assert found.derivative["X|S"][0, 1] == pytest.approx(0.4 * 0.5 / (0.6 * 0.7 * 0.1))
    assert not found.free["X|S"][0].any() and found.cells() == []
    tied = fg.hmm(2, 2, 4)
    theta = {"start": np.array([[1.0, 0.0]]), "transition": np.array([[1.0, 0.0], [0.0, 1.0]])}
    theta["emission"] = np.array([[0.9, 0.1], [0.4, 0.6]])
    found = fg.sensitivity(tied, theta, {"X1": 1}, {"S3": 1})
    checked(tied, found, theta, {"X1": [0, 1]}, {"S3": 1})
    assert found.derivative["transition"][0, 1] == pytest.approx(2)  # by step 2 or by step 3


@pytest.mark.quick
def test_an_opinion_that_rules_the_query_out_rules_its_slopes_out():
    graph = fg.BayesGraph({"S": 3, "X": 2}, {"X": "S"})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    found = fg.sensitivity(graph, theta, {"S": [[0, 0.5, 2]], "X": 1}, {"S": 0})
    assert found.value == 0 and not any(slope.any() for slope in found.derivative.values())


@pytest.mark.quick
def test_evidence_too_unlikely_for_floats_has_slopes():
    n = 400
    names = [f"X{k}" for k in range(2 * n)]
    graph = fg.BayesGraph(dict.fromkeys(["S", *names], 2), dict.fromkeys(names, "S"))
    theta = {"S": [[0.3, 0.7]]} | {f"{v}|S": [[0.99, 0.01], [0.01, 0.99]] for v in names}
    found = fg.sensitivity(graph, theta, {v: k % 2 for k, v in enumerate(names)}, {"S": 1})
    assert found.value == pytest.approx(0.7)
    assert found.derivative["S"][0] == pytest.approx([-1, 1])
    # the odds of S are proportional to x, P(X1 = 1 | S = 1), so dP / dx = P (1 - P) / x
    assert found.derivative["X1|S"][1, 1] == pytest.approx(0.7 * 0.3 / 0.99)


@pytest.mark.quick
def test_fixed_matrices_held_rows_and_zeros_are_told_apart():
    parents = {"A": "S", "B": "S", "C": "S"}
    graph = fg.BayesGraph({"S": 2, "A": 2, "B": 3, "C": 2}, parents, fixed=["C"])
    theta = fg.random_theta(graph, np.random.default_rng(4))
    theta["B|S"][0] = [0.5, 0.5, 0]
    found = fg.sensitivity(graph, theta, {"A": 1, "B": 0, "C": 1}, {"S": 0})
    assert not found.free["C|S"].any() and found.derivative["C|S"].all()
    assert found.free["B|S"].tolist() == [[True, True, False], [True] * 3]
    assert {row[0] for row in found.cells(99)} == {"S", "A|S", "B|S"}
    assert "no cell of them is free: C|S" in repr(found)
    assert [row[1:3] for row in found.cells(99) if row[:2] == ("B|S", 0)] == [(0, 1)]
    table = {"A": [0, 1, 1, 0], "B": [0, 1, 2, 1], "C": [1, 0, 1, 0]}
    run = fg.fit(graph, table, n_epochs=2, theta=theta, restarts=1, hold={"A|S": [True, False]})
    found = fg.sensitivity(graph, run, {"A": 1, "B": 0}, {"S": 0})
    assert found.free["A|S"].tolist() == [[False] * 2, [True] * 2]


@pytest.mark.quick
def test_cells_that_matter_come_first_and_cells_that_do_not_are_left_out():
    graph = fg.BayesGraph({"S": 2, "X": 3, "Y": 3, "Z": 4}, {"X": "S", "Y": "S", "Z": "Y"})
    theta = fg.random_theta(graph, np.random.default_rng(7))
    found = fg.sensitivity(graph, theta, {"X": 0}, {"S": 1})
    slopes = [abs(row[4]) for row in found.cells(99)]
    assert slopes == sorted(slopes, reverse=True) and len(slopes) == 7
    assert not found.derivative["Y|S"].any() and not found.derivative["Z|Y"].any()
    for name, row, state, cell, slope, low, high in found.cells(99):
        small = fg.sensitivity(graph, theta, {"X": 0}, {"S": 1}).cells(99, change=1e-4)
        near = next(own for own in small if own[:3] == (name, row, state))
        assert (near[6] - near[5]) / (2e-4 * cell) == pytest.approx(slope, rel=1e-5)
        assert (high - low) * slope > 0
    again = pickle.loads(pickle.dumps(found))
    assert again.cells() == found.cells()


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(4))
def test_cells_beyond_a_common_child_that_nobody_saw_have_a_slope_of_exactly_zero(seed):
    graph = fg.BayesGraph(dict.fromkeys("ABCD", 3), {"C": ("A", "B"), "D": "B"})
    theta = fg.random_theta(graph, np.random.default_rng(seed))
    found = fg.sensitivity(graph, theta, {"D": 1}, {"A": 1})
    for name in ("B", "D|B"):
        assert not found.partial[name].any() and not found.derivative[name].any()
    assert not found.derivative["C|A,B"].any()
    assert {row[0] for row in found.cells(99)} == {"A"}
    assert fg.informative(graph, theta, {"D": 1}, "A").bits["B"] == 0


@pytest.mark.quick
def test_a_cell_cannot_grow_beyond_one_and_impossible_evidence_has_no_number():
    graph = fg.BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    theta = {"S": [[0.05, 0.95]], "X|S": [[0.05, 0.95], [0.95, 0.05]]}
    found = fg.sensitivity(graph, theta, {"X": 0}, {"S": 1})
    ends = {row[:3]: row[5:] for row in found.cells(9)}
    assert ends["S", "", 1][1] == 1  # 0.95 + 10 % is cut off at one
    low, high = {row[:3]: row[5:] for row in found.cells(9, change=1.0)}["X|S", 1, 1]
    assert low == pytest.approx(0.95 / (0.95 + 0.05 * 0.05))
    assert high == pytest.approx(0.95 * 0.9 / (0.95 * 0.9 + 0.05 * 0.05))
    chain = fg.hmm(2, 2, 3)
    theta = {"start": [[1, 0]], "transition": [[0.5, 0.5], [0.2, 0.8]], "emission": np.eye(2)}
    found = fg.sensitivity(chain, theta, {"X3": 1}, {"S2": 1})
    assert found.value == pytest.approx(0.8 / (0.8 + 0.5))  # 0, 1, 1 beside 0, 0, 1
    ends = {row[:3]: row[5:] for row in found.cells(9, change=1.0)}["transition", 0, 1]
    assert np.isnan(ends[0]) and ends[1] == 1.0  # who never leaves state 0 is never in state 1


@pytest.mark.quick
@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"query": {"A": "yes"}}, ValueError, "query 'A' is observed"),
        ({"query": {}}, ValueError, "query is {}: expected a mapping"),
        ({"query": {"Z": 1}}, fg.GraphError, "no variable or branch 'Z'"),
        ({"query": {"S": 3}}, ValueError, r"query\['S'\]"),
        ({"query": {"S": None}}, ValueError, r"query\['S'\] is None: expected one state"),
        ({"evidence": {"A": ["no", "yes"]}}, ValueError, "a table of 2 samples: expected one case"),
        ({"evidence": {"A": 1, "C": 1}}, fg.ImpossibleEvidence, "A = 'yes', C = 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, error, why):
    theta = fg.random_theta(LOOP.merged(), np.random.default_rng(0))
    theta["C|A,B"] = np.array([[0.5, 0.5]] * 3 + [[1.0, 0.0]] * 3)
    right = {"evidence": {"A": "yes"}, "query": {"S": 1}}
    with pytest.raises(error, match=why):
        fg.sensitivity(LOOP.merged(), theta, **{**right, **given})


@pytest.mark.quick
def test_the_table_says_what_was_asked():
    theta = fg.random_theta(LOOP.merged(), np.random.default_rng(0))
    found = fg.sensitivity(LOOP.merged(), theta, {"A": "yes", "E": 1}, {"S": 1})
    said = repr(found)
    assert said.startswith(f"P(S = 1 | A = yes, E = 1) = {found.value:.4f}, by cell\nmatrix ")
    assert len(found.cells()) == 10 and "more cells matter less" in said
    assert "<table>" in found._repr_html_()
