"""Right answers, slow and obvious: whole joint tables, and the paper's sums as loops.

Nothing here calls the engine: graphs are read for their names, sizes and nodes only. Messages are
``(M, N)``, a column per sample, as everywhere.
"""

import itertools
from collections.abc import Container, Mapping

import numpy as np
from numpy.typing import NDArray

from fgnwidgets import BayesGraph, Block, Diverter, Expand, NormalGraph, Project, Run, Source

Array = NDArray[np.float64]
Likelihoods = Mapping[str, Array]
"""variable -> its likelihood vectors ``(M, N)``; a variable that is not in it is unknown."""


# Joint tables


def joint(graph: BayesGraph, theta: Mapping[str, Array], *, without: str = "") -> Array:
    """The table of P(all variables), an axis per variable; ``without`` leaves a factor out."""
    axis = {name: k for k, name in enumerate(graph.variables)}
    size = {name: branch.size for name, branch in graph.variables.items()}
    table = np.ones([1] * len(axis))
    for name, parents in graph.parents.items():
        if name in graph.given or name == without:  # it has no factor, or is left out
            continue
        own = [*parents, name]
        matrix = np.asarray(theta[graph.theta[name]]).reshape([size[v] for v in own])
        order = np.argsort([axis[v] for v in own])
        shape = [size[v] if v in own else 1 for v in axis]
        table = table * matrix.transpose(order).reshape(shape)
    return np.broadcast_to(table, list(size.values()))


def places(run: Run) -> list[tuple[str, int, int]]:
    """The first K - 1 numbers of every row: the free ones, if all are."""
    return [
        (name, x, y)
        for name, m in run.best_theta.items()
        for x, y in np.ndindex(len(m), m.shape[1] - 1)
    ]


def logs(run: Run, table: Mapping[str, Array], *steps: tuple[tuple[str, int, int], float]) -> Array:
    """log P of every row of a table, from the joint table of the matrices after some steps."""
    theta = {name: np.array(m) for name, m in run.best_theta.items()}
    for (name, x, y), step in steps:
        theta[name][x, y] += step
        theta[name][x, -1] -= step
    whole, names = joint(run.graph, theta), list(run.graph.variables)
    found = []
    for n in range(len(next(iter(table.values())))):
        said = [table[v][n] if v in table else -1 for v in names]
        found.append(np.log(whole[tuple(slice(None) if k < 0 else int(k) for k in said)].sum()))
    return np.array(found)


def with_evidence(graph: BayesGraph, table: Array, likelihoods: Likelihoods, n: int) -> Array:
    """The table times what sample ``n`` says."""
    for k, name in enumerate(graph.variables):
        if name in likelihoods:
            shape = [-1 if j == k else 1 for j in range(table.ndim)]
            table = table * likelihoods[name][:, n].reshape(shape)
    return table


def evidence_probability(
    graph: BayesGraph, theta: Mapping[str, Array], likelihoods: Likelihoods, n_samples: int
) -> Array:
    """P(evidence) of each sample, ``(N,)``: the sum of the whole table."""
    table = joint(graph, theta)
    each = [with_evidence(graph, table, likelihoods, n).sum() for n in range(n_samples)]
    return np.array(each)


def posterior(
    graph: BayesGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    n_samples: int,
    variables: tuple[str, ...],
    *,
    without: str = "",
) -> Array:
    """P(variables | evidence), ``(M, N)``, several variables flattened in C order."""
    table = joint(graph, theta, without=without)
    axes = [list(graph.variables).index(v) for v in variables]
    columns = []
    for n in range(n_samples):
        known = with_evidence(graph, table, likelihoods, n)
        marginal = np.einsum(known, list(range(known.ndim)), axes).ravel()
        columns.append(marginal / marginal.sum())
    return np.stack(columns, axis=-1)


def at_block(
    graph: BayesGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    n_samples: int,
    child: str,
) -> tuple[Array, Array]:
    """The forward message at the input of a variable's block, and the backward one at its output.

    In a graph without loops the block's factor is all that joins its two sides: without it the
    marginal of the parents is what reaches the input, that of the child what reaches the output.
    """
    parents = graph.parents[child]
    f = np.ones((1, n_samples))
    if parents:
        f = posterior(graph, theta, likelihoods, n_samples, parents, without=child)
    return f, posterior(graph, theta, likelihoods, n_samples, (child,), without=child)


def aggregated(
    graph: BayesGraph, theta: Mapping[str, Array], likelihoods: Likelihoods, n_samples: int
) -> Array:
    """Sum over the pieces of evidence of log(what the rest predicts . the piece, normalised)."""
    total = np.zeros(n_samples)
    for name, vectors in likelihoods.items():
        rest = {other: v for other, v in likelihoods.items() if other != name}
        predicted = posterior(graph, theta, rest, n_samples, (name,))
        with np.errstate(divide="ignore"):
            term = np.log((predicted * vectors / vectors.sum(axis=0)).sum(axis=0))
        total += np.where((vectors == 1).all(axis=0), 0.0, term)  # missing
    return total


def most_probable(
    graph: BayesGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    n: int,
    asked: Container[str] = (),
    whole: Array | None = None,
) -> tuple[float, dict[str, int]]:
    """The most probable configuration of sample ``n`` and its probability.

    Of the variables that are asked for or say something, and of all their ancestors; the table is
    summed over the others. ``whole`` is the joint distribution where it is known already.
    """
    whole = joint(graph, theta) if whole is None else whole
    wanted = {
        name
        for name in graph.variables
        if name in asked or (name in likelihoods and says(likelihoods[name])[n])
    }
    while more := {p for name in wanted for p in graph.parents[name]} - wanted:
        wanted |= more
    names = [name for name in graph.variables if name in wanted]
    others = tuple(k for k, name in enumerate(graph.variables) if name not in wanted)
    table = with_evidence(graph, whole, likelihoods, n).sum(axis=others)
    at = np.unravel_index(int(table.argmax()), table.shape)
    return float(table.max()), dict(zip(names, map(int, at), strict=True))


# The same for any normal graph: an axis per branch, a factor per node


def branch_table(
    graph: NormalGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    n: int,
    *,
    without: str = "",
) -> Array:
    """The product of all nodes over the values of all branches, times what sample ``n`` says.

    Likelihoods are keyed by branch: one branch of each variable that carries evidence. ``without``
    leaves the factor of one node out.
    """
    axis = {name: k for k, name in enumerate(graph.branches)}
    operands: list[object] = []
    for node in graph.nodes:
        branches = [*node.inputs, *node.outputs]
        table = factor(node, theta)
        whole = np.ones_like(table) if node.name == without else table
        operands += [whole, [axis[b.name] for b in branches]]
    for name, vectors in likelihoods.items():
        operands += [vectors[:, n], [axis[name]]]
    return np.einsum(*operands, list(axis.values()), optimize=True)


def factor(node: object, theta: Mapping[str, Array]) -> Array:
    """What a node says of the values of its inputs and outputs, an axis for each."""
    match node:
        case Source():
            return np.asarray(theta[node.theta])[0]
        case Block():
            return np.asarray(theta[node.theta])
        case Diverter():
            ports = (*node.inputs, *node.outputs)
            equal = np.zeros([b.size for b in ports])
            for i in range(ports[0].size):
                equal[(i,) * len(ports)] = 1.0
            return equal
        case Expand() | Project():
            cells = list(itertools.product(*map(range, node.sizes)))
            agree = np.zeros((len(cells), node.sizes[node.axis]))
            for row, cell in enumerate(cells):
                agree[row, cell[node.axis]] = 1.0
            return agree.T if isinstance(node, Expand) else agree
        case _ if node.kept:  # a product space in another order, or a part of it
            whole = list(itertools.product(*map(range, node.sizes)))
            part = list(itertools.product(*(range(node.sizes[axis]) for axis in node.kept)))
            agree = np.zeros((len(whole), len(part)))
            for row, cell in enumerate(whole):
                agree[row, part.index(tuple(cell[axis] for axis in node.kept))] = 1.0
            return agree
        case _:
            raise TypeError(type(node).__name__)


def at_node(
    graph: NormalGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    n_samples: int,
    node: Source | Block,
) -> tuple[Array, Array]:
    """:func:`at_block` for a node of any normal graph, likelihoods keyed by branch."""
    names = list(graph.branches)
    f, b = [], []
    for n in range(n_samples):
        table = branch_table(graph, theta, likelihoods, n, without=node.name)
        for ends, columns in ((node.inputs, f), (node.outputs, b)):
            at = [names.index(branch.name) for branch in ends]
            marginal = np.einsum(table, list(range(table.ndim)), at).reshape(-1)
            columns.append(marginal / marginal.sum())
    return np.stack(f, axis=-1), np.stack(b, axis=-1)


# Where a sample teaches: the learning mask of each block by itself


def says(vectors: Array) -> NDArray[np.bool_]:
    """Which samples say something of a variable, ``(N,)``: a constant vector does not."""
    return np.array([len(set(vectors[:, n])) > 1 for n in range(vectors.shape[1])])


def taught(
    graph: BayesGraph, likelihoods: Likelihoods, n_samples: int, child: str
) -> NDArray[np.bool_]:
    """The samples with evidence on a variable or on a descendant of it: its block is not barren."""
    found = np.zeros(n_samples, dtype=bool)
    below, seen = [child], {child}
    while below:
        name = below.pop()
        if name in likelihoods:
            found |= says(likelihoods[name])
        young = {v for v, parents in graph.parents.items() if name in parents} - seen
        seen |= young
        below += young
    return found


def taught_at_node(
    graph: NormalGraph, likelihoods: Likelihoods, n_samples: int, node: Source | Block
) -> NDArray[np.bool_]:
    """:func:`taught` for a node of any normal graph: walk down its output, never up an input."""
    variable_of = {b: name for name, branches in graph.variables.items() for b in branches}
    known = {variable_of[name]: vectors for name, vectors in likelihoods.items()}
    found = np.zeros(n_samples, dtype=bool)
    below = [branch.name for branch in node.outputs]
    while below:
        name = below.pop()
        if variable_of[name] in known:
            found |= says(known[variable_of[name]])
        for other in graph.nodes:
            if name in [branch.name for branch in other.inputs]:
                below += [branch.name for branch in other.outputs]
    return found


# The rules, index by index as the paper prints them


def ml(theta: Array, f: Array, b: Array, weight: Array, alpha: Array | float = 0.0) -> Array:
    """Section 3.1, steps (1) and (2), with the pseudo-counts of section 4.1 if there are any."""
    new = np.zeros_like(theta)
    for i in range(theta.shape[0]):
        for j in range(theta.shape[1]):
            for n in range(f.shape[1]):
                if b[j, n] > 0 and theta[i, j] * f[i, n] > 0:
                    whole = sum(
                        f[k, n] * theta[k, m] * b[m, n]
                        for k in range(theta.shape[0])
                        for m in range(theta.shape[1])
                    )
                    new[i, j] += weight[n] * f[i, n] * b[j, n] / whole
            new[i, j] *= theta[i, j]
    if np.any(alpha):  # counts of the same scale: the factor of a row must not divide them
        return _rows(new + alpha, theta)
    return _rows(_divided(new, f, weight), theta)


def kl(theta: Array, f: Array, b: Array, weight: Array) -> Array:
    """Section 3.2, steps (1) and (2)."""
    new = np.zeros_like(theta)
    for i in range(theta.shape[0]):
        for j in range(theta.shape[1]):
            for n in range(f.shape[1]):
                if b[j, n] > 0 and theta[i, j] * f[i, n] > 0:
                    column = sum(theta[k, j] * f[k, n] for k in range(theta.shape[0]))
                    new[i, j] += weight[n] * f[i, n] * b[j, n] / column
            new[i, j] *= theta[i, j]
    return _rows(_divided(new, f, weight), theta)


def vit(theta: Array, f: Array, b: Array, weight: Array, delta: float = 1e-6) -> Array:
    """Section 3.3, steps (1) and (2)."""
    new = np.zeros_like(theta)
    for n in range(f.shape[1]):
        top_x, top_y = _first_of_the_largest(f[:, n]), _first_of_the_largest(b[:, n])
        for i in range(theta.shape[0]):
            for j in range(theta.shape[1]):
                new[i, j] += weight[n] * ((i == top_x) + delta) * ((j == top_y) + delta)
    return _rows(new, theta)


def var(
    theta: Array,
    f: Array,
    b: Array,
    weight: Array,
    delta: float = 1e-6,
    alpha: Array | float = 0.0,
) -> Array:
    """Section 4.1, steps (1) and (2); the prior enters once, however many samples there are."""
    new = np.zeros_like(theta)
    for i in range(theta.shape[0]):
        for j in range(theta.shape[1]):
            new[i, j] = delta + sum(weight[n] * f[i, n] * b[j, n] for n in range(f.shape[1]))
    return _rows(new + alpha, theta)


RULES = {"ml": ml, "kl": kl, "vit": vit, "var": var}


def epoch(
    graph: BayesGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    weight: Array,
    rule: str,
    n_it: int = 1,
    **constants: float,
) -> dict[str, Array]:
    """Every matrix learned once: messages by enumeration, the rule by its loops.

    A block takes no part in the samples in which it is barren. Blocks that share a matrix learn it
    from all their samples together.
    """
    n = len(weight)
    lessons: dict[str, list[tuple[Array, Array, Array]]] = {}
    for child, name in graph.theta.items():
        f, b = at_block(graph, theta, likelihoods, n, child)
        lessons.setdefault(name, []).append((f, b, weight * taught(graph, likelihoods, n, child)))
    return learned(theta, lessons, rule, n_it, **constants)


def epoch_of_nodes(
    graph: NormalGraph,
    theta: Mapping[str, Array],
    likelihoods: Likelihoods,
    weight: Array,
    rule: str,
    n_it: int = 1,
    **constants: float,
) -> dict[str, Array]:
    """:func:`epoch` for any normal graph, likelihoods keyed by branch."""
    n = len(weight)
    lessons: dict[str, list[tuple[Array, Array, Array]]] = {}
    for node in graph.nodes:
        if isinstance(node, Source | Block):
            f, b = at_node(graph, theta, likelihoods, n, node)
            own = weight * taught_at_node(graph, likelihoods, n, node)
            lessons.setdefault(node.theta, []).append((f, b, own))
    return learned(theta, lessons, rule, n_it, **constants)


def learned(
    theta: Mapping[str, Array],
    lessons: Mapping[str, list[tuple[Array, Array, Array]]],
    rule: str,
    n_it: int = 1,
    **constants: float,
) -> dict[str, Array]:
    """Every matrix after ``n_it`` steps, from the ``(f, b, weight)`` of each of its blocks.

    Only the samples that count are handed to the rule; a matrix without any keeps its value.
    """
    new = {}
    for name, blocks in lessons.items():
        f, b = (np.concatenate([block[k] for block in blocks], axis=1) for k in (0, 1))
        weight = np.concatenate([block[2] for block in blocks])
        matrix = np.asarray(theta[name])
        counts = np.flatnonzero(weight > 0)
        if counts.size:
            lesson = f[:, counts], b[:, counts], weight[counts]
            for _ in range(n_it if rule in ("ml", "kl") else 1):
                matrix = RULES[rule](matrix, *lesson, **constants)
        new[name] = matrix
    return new


def _divided(new: Array, f: Array, weight: Array) -> Array:
    """The factor of each row in step (1), which the normalisation of step (2) cancels."""
    reached = np.array([sum(weight[n] * row[n] for n in range(len(weight))) for row in f])
    return new / np.where(reached > 0, reached, 1.0)[:, None]


def _rows(new: Array, theta: Array) -> Array:
    """Step (2); a row that nothing reached keeps its value."""
    rows = [row / row.sum() if row.sum() > 0 else old for row, old in zip(new, theta, strict=True)]
    return np.array(rows)


def _first_of_the_largest(v: Array) -> int:
    return next(i for i in range(len(v)) if v[i] >= max(v) * (1 - 1e-9))
