"""A node of a reader's own is one class: everything that the engine does works around it.

An XOR check and a noisy OR say what they send and what they weigh, from one table of their factor.
The oracle is the product of all tables over all values.
"""

from dataclasses import dataclass

import numpy as np
import oracles
import pytest
from checks import close

import fgnwidgets as fg
from fgnwidgets import Block, Branch, Diverter, Evidence, Node, NormalGraph, Source


class Table(Node):
    """A node that is a table over two inputs and an output, ``(M_A, M_B, M_Y)``."""

    @property
    def inputs(self):
        return (self.a, self.b)

    @property
    def outputs(self):
        return (self.y,)

    def send(self, to, f, b, theta, semiring):
        """The table times what enters the other branches, summed over their values."""
        names = [self.a.name, self.b.name, self.y.name]
        sent = []
        for name, _ in to:
            product = semiring.encode(self.table())[..., None]
            for axis, other in enumerate(names):
                if other != name:
                    shape = [-1 if k == axis else 1 for k in range(3)]
                    entering = b[other] if other == self.y.name else f[other]
                    product = semiring.multiply(
                        product, entering.reshape(*entering.shape[:-2], *shape, entering.shape[-1])
                    )
            first, second = (axis for axis in range(3) if names[axis] != name)
            product = semiring.total(semiring.total(product, second - 4), first - 3)
            sent.append(product)
        return sent

    def weigh(self, values, theta):
        with np.errstate(divide="ignore"):
            return np.log(self.table()[tuple(values[x.name] for x in (self.a, self.b, self.y))])


@dataclass(frozen=True)
class Xor(Table):
    name: str
    a: Branch
    b: Branch
    y: Branch

    def table(self):
        a, b, y = np.indices((2, 2, 2))
        return (a ^ b == y).astype(float)


@dataclass(frozen=True)
class NoisyOr(Table):
    name: str
    a: Branch
    b: Branch
    y: Branch
    miss: float = 0.2

    def table(self):
        a, b, y = np.indices((2, 2, 2))
        silent = self.miss ** (a + b)
        return np.where(y == 0, silent, 1 - silent)


def graph_with(kind):
    """Two causes, each with a replica that is seen through a block, and what they do together."""
    a, b = (Branch(name, 2) for name in "AB")
    y, z = Branch("Y", 2), Branch("Z", 3)
    nodes = []
    for branch in (a, b):
        into, joined, leaf = (branch.replica(k) for k in range(3))
        nodes += [
            Source(branch.name, into),
            Diverter(f"{branch.name}=", [into], [joined, leaf]),
            Block(f"{branch.name}'|{branch.name}", leaf, Branch(f"{branch.name}'", 2)),
        ]
    return NormalGraph(
        [*nodes, kind("together", a.replica(1), b.replica(1), y), Block("Z|Y", y, z)]
    )


def table_of(graph, theta, likelihoods, n):
    """Everything multiplied, an axis for each branch, as the oracles do for the paper's nodes."""
    axis = {name: k for k, name in enumerate(graph.branches)}
    operands = []
    for node in graph.nodes:
        table = node.table() if isinstance(node, Table) else oracles.factor(node, theta)
        operands += [table, [axis[branch.name] for branch in (*node.inputs, *node.outputs)]]
    for name, vectors in likelihoods.items():
        operands += [vectors[:, n], [axis[name]]]
    return np.einsum(*operands, list(axis.values()), optimize=True)


CODES = {
    "A'": np.array([0, 1, 1, -1, 0]),
    "B'": np.array([1, 1, 0, 1, -1]),
    "Z": np.array([2, 0, 1, 2, -1]),
}
LIKELIHOODS = {
    name: np.where(codes < 0, 1.0, np.arange(3 if name == "Z" else 2)[:, None] == codes)
    for name, codes in CODES.items()
}
N = 5


@pytest.fixture(params=[Xor, NoisyOr])
def model(request):
    graph = graph_with(request.param)
    theta = fg.random_theta(graph, np.random.default_rng(3))
    return graph, theta, [table_of(graph, theta, LIKELIHOODS, n) for n in range(N)]


def marginal(graph, table, *branches):
    at = [list(graph.branches).index(name) for name in branches]
    found = np.einsum(table, list(range(table.ndim)), at)
    return found / found.sum()


def test_its_messages_and_likelihoods_are_exact(model):
    graph, theta, tables = model
    messages = fg.propagate(graph, theta, Evidence(N, CODES))
    close(messages.loglik, np.log([table.sum() for table in tables]))
    for name in graph.branches:
        close(messages[name].p.T, [marginal(graph, table, name) for table in tables])


def test_logarithms_carry_it_too(model):
    """Two pieces of evidence that contradict each other more strongly than floats can hold."""
    graph, theta, _ = model
    extreme = {"A'": np.array([[1.0], [1e-200]]), "A": np.array([[1e-200], [1.0]])}
    messages = fg.propagate(graph, theta, Evidence(1, {"Z": np.array([1])}, extreme))
    assert np.isfinite(messages.loglik).all()
    likelihoods = {"Z": np.eye(3)[:, [1]], "A'": extreme["A'"], "A(0)": extreme["A"]}
    table = table_of(graph, theta, likelihoods, 0)
    close(messages.loglik, [np.log(table.sum())], 1e-9)


def test_the_most_probable_configuration_passes_through_it(model):
    graph, theta, tables = model
    found = fg.most_probable(graph, theta, Evidence(N, CODES), variables=graph.variables)
    close(found.logp, np.log([table.max() for table in tables]))
    for n, table in enumerate(tables):
        best = dict(zip(graph.branches, np.unravel_index(table.argmax(), table.shape), strict=True))
        for name, column in found.table.items():
            assert column[n] == best[graph.branch(name).name]


def test_samples_pass_through_it(model):
    graph, theta, _ = model
    prior = table_of(graph, theta, {}, 0)
    drawn = fg.sample(graph, theta, 40_000, np.random.default_rng(0))
    found = np.zeros((2, 2, 2))
    np.add.at(found, tuple(drawn[name] for name in "ABY"), 1 / 40_000)
    close(found, marginal(graph, prior, "A(1)", "B(1)", "Y"), 0.01)


def test_matrices_around_it_are_learned(model):
    """One epoch of ML is one step of exact EM; missing cells teach nothing below them."""
    graph, theta, tables = model
    _, after = fg.epochs(graph, Evidence(N, CODES), "ml", n_epochs=1, theta=theta)
    taught = {name: np.ones(N, bool) for name in ("A", "B")}
    taught |= {f"{name}'|{name}": CODES[f"{name}'"] >= 0 for name in "AB"}
    taught["Z|Y"] = CODES["Z"] >= 0
    for name in "AB":  # seen through its own leaf, or below the node
        taught[name] = (CODES[f"{name}'"] >= 0) | (CODES["Z"] >= 0)
    for node in graph.nodes:
        if node.theta:
            ends = [branch.name for branch in (*node.inputs, *node.outputs)]
            counts = sum(
                marginal(graph, table, *ends).reshape(node.shape)
                for table, here in zip(tables, taught[node.theta], strict=True)
                if here
            )
            close(after.theta[node.theta][0], counts / counts.sum(axis=1, keepdims=True))


def test_a_branch_beside_it_can_be_split(model):
    graph, theta, _ = model
    codes = {**CODES, "Y": np.array([0, 1, 1, 0, 1])}
    messages = fg.propagate(graph, theta, Evidence(N, codes))  # a T-junction on Y, beside the node
    seen = {**LIKELIHOODS, "Y": (np.arange(2)[:, None] == codes["Y"]).astype(float)}
    totals = [table_of(graph, theta, seen, n).sum() for n in range(N)]
    close(messages.loglik[np.array(totals) > 0], np.log(totals))


def test_a_file_holds_it_whatever_its_branches_are_called(model, tmp_path):
    graph, theta, _ = model
    fg.save(tmp_path / "own.json", graph, theta)
    again, matrices = fg.load(tmp_path / "own.json")
    assert again == graph
    for name, matrix in theta.items():
        np.testing.assert_array_equal(matrices[name], matrix)


def test_a_file_with_a_class_that_is_not_there_says_which(model, tmp_path, monkeypatch):
    graph, theta, _ = model
    path = tmp_path / "own.json"
    fg.save(path, graph, theta)
    monkeypatch.delitem(Node.kinds, type(graph.node("together")).__name__)
    with pytest.raises(ValueError, match="'together' is a .*: import the module that defines it"):
        fg.load(path)
