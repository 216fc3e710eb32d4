"""The most probable configuration, and random ones."""

from collections import Counter

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import given
from hypothesis import strategies as st
from strategies import as_evidence, cases

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Block, Branch, Evidence, NormalGraph, Project, Source

GRAPH = BayesGraph({"S": 3, "T": 2, "X": ("no", "yes"), "Y": 2}, {"X": "S", "Y": ("S", "T")})


def agrees(case, found, asked=()):
    """Whether a decoded table is the argmax of the joint one, what is barren summed out."""
    whole = oracles.joint(case.graph, case.theta)
    for n in range(case.n):
        top, at = oracles.most_probable(case.graph, case.theta, case.likelihoods, n, asked)
        single = {v for v, branch in case.graph.variables.items() if branch.size == 1}
        here = {v: column[n] for v, column in found.table.items() if column[n] is not None}
        assert single <= set(here)  # what has one state is known
        here = {v: state for v, state in here.items() if v in at or v not in single}
        close(np.exp(found.logp[n]), top, 1e-9)
        assert set(here) == set(at)
        others = tuple(k for k, name in enumerate(case.graph.variables) if name not in at)
        known = oracles.with_evidence(case.graph, whole, case.likelihoods, n).sum(axis=others)
        close(known[tuple(int(here[name]) for name in at)], top, 1e-9)
        if np.sort(known.ravel())[-2:-1].sum() < top * (1 - 1e-6):  # no ties
            assert here == at


@given(cases(), st.data())
def test_the_most_probable_configuration_is_the_argmax_once_what_is_barren_is_summed_out(
    case, data
):
    known = as_evidence(case)
    asked = {*case.graph.variables} if not known.variables else set()
    agrees(case, fg.most_probable(case.graph, case.theta, known), asked)
    asked = data.draw(st.sets(st.sampled_from(list(case.graph.variables)), min_size=1))
    for graph in (case.graph, case.graph.merged()):
        found = fg.most_probable(graph, case.theta, known, variables=asked)
        agrees(case, found, asked)


@given(cases())
def test_all_variables_can_be_asked_for(case):
    names = case.graph.variables
    found = fg.most_probable(case.graph, case.theta, as_evidence(case), variables=names)
    agrees(case, found, names)


def test_blanks_after_the_end_of_a_sequence_move_nothing():
    theta = {
        "start": [[0.6, 0.4]],
        "transition": [[0.7, 0.3], [0.4, 0.6]],
        "emission": [[0.85, 0.15], [0.7, 0.3]],
    }
    graph = fg.hmm(2, 2, 6)
    table, logp = fg.most_probable(graph, theta, fg.sequences([[1]], n=6))
    assert table["S1"].tolist() == [1]  # .4 * .3 = .12, against .6 * .15 = .09
    close(logp, [np.log(0.12)])
    for t in range(2, 7):
        assert table[f"S{t}"].tolist() == [None]
        assert table[f"X{t}"].tolist() == [None]
    again = fg.read_evidence(graph, table)  # None is a blank cell wherever a table is read
    assert (again.codes["S2"] == -1).all()


def viterbi(theta, seen):
    """The path of an HMM by Viterbi's recursion, where None is seen: every symbol is as likely."""
    start, move, emit = (np.log(theta[k]) for k in ("start", "transition", "emission"))
    says = [np.zeros(len(move)) if x is None else emit[:, x] for x in seen]
    score, back = start[0] + says[0], []
    for here in says[1:]:
        each = score[:, None] + move
        back.append(each.argmax(axis=0))
        score = each.max(axis=0) + here
    path = [int(score.argmax())]
    for step in back[::-1]:
        path.append(int(step[path[-1]]))
    return path[::-1], score.max()


def test_padded_sequences_and_those_with_blanks_are_decoded_as_viterbi_does(rng):
    theta = {
        "start": rng.dirichlet([1] * 3)[None],
        "transition": rng.dirichlet([1] * 3, 3),
        "emission": rng.dirichlet([1] * 4, 3),
    }
    rows = []
    for _ in range(300):
        row = [int(x) if rng.random() > 0.3 else None for x in rng.integers(0, 4, 8)]
        row[rng.integers(1, 9) :] = []
        while row and row[-1] is None:  # steps with nothing after them have no state
            row.pop()
        rows.append(row or [0])
    table, logp = fg.most_probable(fg.hmm(3, 4, 8), theta, fg.sequences(rows, n=8))
    for k, row in enumerate(rows):
        path, score = viterbi(theta, row)
        assert [table[f"S{t}"][k] for t in range(1, 9)] == path + [None] * (8 - len(row))
        assert [table[f"X{t}"][k] for t in range(1, 9)] == row + [None] * (8 - len(row))
        close(logp[k], score)


def test_a_padded_sequence_is_decoded_as_hmmlearn_decodes_it_unpadded(rng):
    hmmlearn = pytest.importorskip("hmmlearn.hmm")
    for _ in range(20):
        model = hmmlearn.CategoricalHMM(2)
        model.n_features = 3
        model.startprob_ = rng.dirichlet([1, 1])
        model.transmat_ = rng.dirichlet([1, 1], 2)
        model.emissionprob_ = rng.dirichlet([1, 1, 1], 2)
        theta = {"start": model.startprob_[None], "transition": model.transmat_}
        theta["emission"] = model.emissionprob_
        x = rng.integers(0, 3, rng.integers(1, 6))
        score, path = model.decode(x[:, None])
        table, logp = fg.most_probable(fg.hmm(2, 3, 9), theta, fg.sequences([x], n=9))
        found = [table[f"S{t}"][0] for t in range(1, 10)]
        assert found == path.tolist() + [None] * (9 - len(x))
        close(logp, [score], 1e-9)


def test_without_evidence_all_variables_are_asked_for(rng):
    theta = fg.random_theta(GRAPH, rng)
    whole = oracles.joint(GRAPH, theta)
    for nothing in (None, {}):
        table, logp = fg.most_probable(GRAPH, theta, nothing)
        close(np.exp(logp), [whole.max()])
        assert all(column[0] is not None for column in table.values())


def test_what_several_blocks_make_together_is_not_summed_out(rng):
    graph = BayesGraph({"A": 2, "B": 3, "Y": 2}, {"Y": ("A", "B")}).normal_form("separate")
    theta = fg.random_theta(graph, rng)
    table, logp = fg.most_probable(graph, theta, {"A": [0]})
    scores = theta["A"][0, 0] * theta["B"][0][:, None] * theta["Y|A"][0] * theta["Y|B"]
    close(np.exp(logp), [scores.max()])
    at = np.unravel_index(scores.argmax(), scores.shape)
    assert (table["B"][0], table["Y"][0]) == at


def test_variables_that_there_are_not_are_refused(rng):
    theta = fg.random_theta(GRAPH, rng)
    with pytest.raises(ValueError, match="no variable or branch 'Q': the variables are S, T, X"):
        fg.most_probable(GRAPH, theta, {"X": [0]}, variables="Q")
    with pytest.raises(ValueError, match="variables is 3: expected a name"):
        fg.most_probable(GRAPH, theta, {"X": [0]}, variables=3)


def test_it_decodes_long_chains_without_underflow(rng):
    n = 2000
    names = [f"X{k}" for k in range(n)]
    parents = dict(zip(names[1:], names, strict=False))
    graph = BayesGraph(dict.fromkeys(names, 2), parents, theta=dict.fromkeys(parents, "T"))
    theta = {"X0": np.array([[0.4, 0.6]]), "T": np.array([[0.7, 0.3], [0.2, 0.8]])}
    seen = rng.random((n, 2))
    table, logp = fg.most_probable(
        graph, theta, {v: s[None] for v, s in zip(names, seen, strict=True)}
    )
    best = np.log(theta["X0"][0]) + np.log(seen[0])  # Viterbi, in the log domain
    for k in range(1, n):
        best = (best[:, None] + np.log(theta["T"])).max(axis=0) + np.log(seen[k])
    close(logp, [best.max()], 1e-11)
    path = [int(table[name][0]) for name in names]
    score = np.log(theta["X0"][0, path[0]]) + np.log(seen[np.arange(n), path]).sum()
    close(score + np.log(theta["T"][path[:-1], path[1:]]).sum(), best.max(), 1e-11)


def test_decoded_states_are_labels_where_there_are_any(rng):
    table, _ = fg.most_probable(GRAPH, fg.random_theta(GRAPH, rng), {"X": ["yes", "no"]})
    assert table["X"].tolist() == ["yes", "no"]
    assert table["S"].dtype.kind == "i"
    assert set(table) == {"S", "T", "X", "Y"}  # and no product space


def frequencies_agree(table, expected, names, n):
    """Every cell within five standard deviations of its probability."""
    rows = np.stack([table[name] for name in names], axis=-1)
    found = Counter(map(tuple, rows.tolist()))
    for at, p in np.ndenumerate(expected):
        if p == 0:
            assert found[at] == 0
        else:
            assert abs(found[at] - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1


@given(cases(max_variables=4, kinds="h"))
def test_samples_follow_the_joint_distribution(case):
    n = 4000
    table = fg.sample(case.graph, case.theta, n, np.random.default_rng(7))
    frequencies_agree(table, oracles.joint(case.graph, case.theta), case.graph.variables, n)


@given(cases(max_variables=4))
def test_conditional_samples_follow_the_posterior(case):
    n = 4000
    given_ = as_evidence(case).take(np.array([0]))
    table = fg.sample(case.graph, case.theta, n, np.random.default_rng(8), given_)
    known = oracles.with_evidence(
        case.graph, oracles.joint(case.graph, case.theta), case.likelihoods, 0
    )
    frequencies_agree(table, known / known.sum(), case.graph.variables, n)


def test_the_same_generator_gives_the_same_samples(rng):
    theta = fg.random_theta(GRAPH, rng)
    one, two = (fg.sample(GRAPH, theta, 50, np.random.default_rng(3)) for _ in range(2))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_samples_are_a_table_that_can_be_learned_from(rng):
    theta = fg.random_theta(GRAPH, rng)
    table = fg.sample(GRAPH, theta, 20_000, rng)
    _, after = fg.epochs(GRAPH, table, n_epochs=1)
    for name, matrix in theta.items():
        close(after.theta[name][0], matrix, 0.05)


@pytest.mark.parametrize("states", [(1, "a"), (True, "a"), ((0, 1), (1, 0)), (None, 2.5), (1, 2.5)])
def test_sampled_labels_keep_their_type(states, rng):
    graph = BayesGraph({"X": states})
    found = fg.sample(graph, {"X": [0.5, 0.5]}, 40, rng)["X"].tolist()
    assert {(type(label), label) for label in found} == {(type(s), s) for s in states}


def test_handmade_graphs_are_sampled_and_decoded(rng):
    product = Branch("P", 6)
    graph = NormalGraph(
        [
            Source("P", product),
            Project("down", product, Branch("A", 3), (2, 3), 1),
            Block("B|A", Branch("A", 3), Branch("B", 2)),
        ]
    )
    theta = fg.random_theta(graph, rng)
    table = fg.sample(graph, theta, 500, rng)
    np.testing.assert_array_equal(table["P"] % 3, table["A"])
    best, logp = fg.most_probable(graph, theta, {"B": [1]})
    scores = theta["P"][0] * theta["B|A"][np.arange(6) % 3, 1]
    assert best["P"][0] == scores.argmax()
    close(logp, [np.log(scores.max())])


def test_what_cannot_be_sampled_or_decoded_is_refused(rng):
    theta = fg.random_theta(GRAPH, rng)
    with pytest.raises(ValueError, match="n is 0: expected at least 1"):
        fg.sample(GRAPH, theta, 0, rng)
    with pytest.raises(ValueError, match="given holds 2 samples: expected one"):
        fg.sample(GRAPH, theta, 5, rng, {"X": [0, 1]})
    batch = fg.random_theta(GRAPH, rng, batch=(2,))
    soft = Evidence(1, {}, {"S": np.ones((4, 3, 1))})
    for arguments in ((batch,), (theta, soft)):
        with pytest.raises(ValueError, match="one model, without batch axes"):
            fg.most_probable(GRAPH, *arguments)
