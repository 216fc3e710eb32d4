"""Slips of users are answered where they are made, with the way out."""

import inspect
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from checks import close

from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    GraphError,
    Node,
    NormalGraph,
    Rule,
    Source,
    epochs,
    fit,
    learn_online,
    loglik,
    most_probable,
    posterior,
    propagate,
    sample,
    sequences,
    unfold,
)

S, Y, Z = Branch("S", 2), Branch("Y", 3), Branch("Z", 2)
THETA = {"S": [[0.5, 0.5]], "Z|Y": np.full((3, 2), 0.5)}
COINS = BayesGraph({"S": 2, "x": 2}, {"x": "S"})


class Own(Node):
    """A node from S to Y; a subclass says what it sends."""

    @property
    def inputs(self):
        return (self.x,)

    @property
    def outputs(self):
        return (self.y,)


def between(kind):
    """The graph in which an own node of this kind stands between two of ours."""
    node = dataclass(frozen=True)(
        type("Mine", (kind,), {"__annotations__": {"name": str, "x": Branch, "y": Branch}})
    )
    return NormalGraph([Source("S", S), node("own", S, Y), Block("Z|Y", Y, Z)])


def sending(send):
    return between(
        type("Sending", (Own,), {"send": lambda self, to, f, b, theta, semiring: send(to)})
    )


@pytest.mark.parametrize(
    ("send", "said"),
    [
        (lambda to: None, "failed.*a message .* for each port"),
        (lambda to: [], "gave 0 messages for 1 ports"),
        (lambda to: [np.ones((5, 1)) for _ in to], r"shape \(5, 1\): expected \(..., [23], N\)"),
        (lambda to: [np.ones(()) for _ in to], r"shape \(\): expected"),
        (lambda to: [np.ones(3) for _ in to], r"shape \(3,\): expected"),
        (lambda to: [None for _ in to], r"object of shape \(\): expected"),
        (lambda to: [np.ones((size(to), 7)) for _ in to], r"with N one of \[1(, 2)?\]"),
        (lambda to: [1j * np.ones((size(to), 1)) for _ in to], "complex128 of shape"),
        (lambda to: [np.full((size(to), 1), np.nan) for _ in to], "negative or not finite"),
        (lambda to: [np.full((size(to), 1), np.inf) for _ in to], "negative or not finite"),
        (lambda to: [np.arange(size(to))[:, None] - 0.5 for _ in to], "negative or not finite"),
        (lambda to: [{}["nothing"] for _ in to], "failed .KeyError"),
    ],
)
def test_an_own_node_that_sends_wrongly_is_named_by_every_question(send, said):
    graph, table = sending(send), {"Z": [0, 1]}
    rng = np.random.default_rng(0)
    for ask in (
        lambda: propagate(graph, THETA, table),
        lambda: loglik(graph, THETA, table),
        lambda: posterior(graph, THETA, table, "S"),
        lambda: fit(graph, table, n_epochs=1),
        lambda: most_probable(graph, THETA, table),
        lambda: sample(graph, THETA, 2, rng),
    ):
        with pytest.raises(ValueError, match=f"node 'own': Mine.send.*{said}"):
            ask()


def size(to):
    """The values of the branch that is asked for."""
    return 3 if to[0][1] else 2


def test_a_node_that_does_not_say_what_it_weighs_has_no_most_probable_configuration():
    graph = sending(lambda to: [np.ones((3 if forward else 2, 1)) for _, forward in to])
    with pytest.raises(NotImplementedError, match=r"node 'own': Mine .* define weigh"):
        most_probable(graph, THETA, {"Z": [0]})


def test_an_own_node_that_is_no_dataclass_is_refused_when_the_graph_is_made():
    own = Own()
    own.name, own.x, own.y = "own", S, Y
    with pytest.raises(GraphError, match="'own': its class Own is no dataclass"):
        NormalGraph([Source("S", S), own])


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.float32, np.uint8])
def test_counts_of_an_own_rule_may_be_of_any_kind_of_number(kind):
    def hard(theta, f, b, weight):
        first = (np.arange(f.shape[-2])[:, None] == f.argmax(axis=-2)[..., None, :]) * weight
        return first @ (b * np.ones_like(weight)).swapaxes(-1, -2)

    table = {"x": [0, 1]}  # two rows that differ: counts of 0 and 1, which all kinds hold
    one = fit(COINS, table, Rule("plain", hard), n_epochs=3, restarts=2)
    other = fit(
        COINS, table, Rule("typed", lambda *a: hard(*a).astype(kind)), n_epochs=3, restarts=2
    )
    for name, matrix in one.final.items():
        close(other.final[name], matrix)


LEARNERS = {
    "fit": (fit, {"x": [0, 1]}),
    "epochs": (epochs, {"x": [0, 1]}),
    "learn_online": (learn_online, [{"x": [0, 1]}]),
}
OPTIONS = [
    (name, option.name)
    for name, (learn, _) in LEARNERS.items()
    for option in inspect.signature(learn).parameters.values()
    if option.kind is option.KEYWORD_ONLY
]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_an_option_with_a_letter_too_many_is_told_which_is_meant(name, option):
    learn, table = LEARNERS[name]
    with pytest.raises(ValueError, match=f"{name} has no option '{option}_': {option}= may be"):
        learn(COINS, table, **{f"{option}_": 3})


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("max_iter", "n_epochs= may be"),
        ("random_state", "seed= may be"),
        ("alhpa", "alpha= may be"),
        ("quux", "there are n_epochs, n_it, restarts"),
    ],
)
def test_names_from_elsewhere_and_slips_are_told_what_may_be_meant(slip, meant):
    for value in (3, None):
        with pytest.raises(ValueError, match=f"fit has no option '{slip}': {meant}"):
            fit(COINS, {"x": [0, 1]}, **{slip: value})


def test_a_slip_beside_a_rule_of_ones_own_is_told_what_that_rule_takes():
    mine = Rule("mine", lambda theta, f, b, weight, power: theta, constants={"power": 1.0})
    with pytest.raises(ValueError, match="no option 'heat': .*; rule 'mine' takes power"):
        fit(COINS, {"x": [0, 1]}, mine, heat=2)


def test_what_one_function_takes_is_not_offered_by_another():
    with pytest.raises(ValueError, match="epochs has no option 'tol'") as error:
        epochs(COINS, {"x": [0, 1]}, tol=1)
    assert "tol= may be" not in str(error.value)
    with pytest.raises(ValueError, match="'max_iter': there are"):
        learn_online(COINS, [], max_iter=3)


def test_what_another_rule_takes_is_no_misspelling():
    with pytest.raises(ValueError, match="delta is 0.1 with rule 'ml': only 'vit' and 'var'"):
        fit(COINS, {"x": [0, 1]}, delta=0.1)


def test_a_column_of_weights_is_no_variable():
    table = {"x": ["a", "b", "b"], "n": [1, 2, 3]}
    graph = BayesGraph.from_table(table, {"x": "S"}, hidden={"S": 2}, weight="n")
    assert list(graph.variables) == ["S", "x"]
    assert fit(graph, table, weight="n", restarts=1).n == 6
    with pytest.warns(UserWarning, match="weight='n'"):
        whole = BayesGraph.from_table(table, {"x": "S"}, hidden={"S": 2})
    with pytest.raises(ValueError, match=r"weight is 'n', .*from_table\(..., weight='n'\)"):
        fit(whole, table, weight="n")


def test_columns_without_a_heading_are_named_by_their_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[0, 1], [1, 0], [1, 1]])
    graph = BayesGraph.from_table(frame, {"0": "C"}, hidden={"C": 2}, columns=[0])
    assert list(graph.variables) == ["C", "0"]
    few = frame.columns[:1].to_numpy()  # numbers of NumPy
    graph = BayesGraph.from_table(frame, {"0": "C"}, hidden={"C": 2}, columns=few)
    assert list(graph.variables) == ["C", "0"]
    with pytest.raises(GraphError, match="no variable 0: .*'0', '1'; names are text, '0'"):
        BayesGraph.from_table(frame, {0: "C"}, hidden={"C": 2})


def test_names_that_could_be_taken_for_two_are_quoted():
    graph = BayesGraph({"Class": 2, "likes tea": 2, "brand, fav": 2}, {"likes tea": "Class"})
    assert repr(graph) == "BayesGraph(Class, 'likes tea'|Class, 'brand, fav')"
    with pytest.raises(GraphError, match="variables are Class, 'likes tea', 'brand, fav'"):
        propagate(graph, {}, {"tea": [1]})


def test_a_variable_called_like_the_block_of_another_is_refused_in_the_users_words():
    with pytest.raises(GraphError, match=r"'A\|B' is a variable, and what the block of 'A'"):
        BayesGraph({"A": 2, "B": 2, "A|B": 2}, {"A": "B"})


def test_slices_whose_names_meet_are_refused():
    with pytest.raises(GraphError, match="'X11' would be both 'X' in slice 11 and 'X1' in slice 1"):
        unfold({"X": 2, "X1": 3}, n=11)
    assert len(unfold({"X": 2, "X1": 3}, n=10).variables) == 20
    rows = {"who": [1] * 11, "X": [0] * 11, "X1": [0] * 11}
    with pytest.raises(ValueError, match="'X11' would be both"):
        sequences(rows, "who")


@pytest.mark.parametrize("word", ["nan", "None", "<NA>", "NULL"])
def test_blanks_that_were_made_text_are_a_warning(word):
    remedy = rf"missing={{'a': \['{word}'\]}} makes it a blank"
    with pytest.warns(UserWarning, match=f"column 'a' has the state '{word}'.*{remedy}"):
        BayesGraph.from_table({"a": ["x", word, "y"]})


def test_none_in_a_readers_own_words_is_an_answer_like_others():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BayesGraph.from_table({"a": ["none", "some", "many"]})
