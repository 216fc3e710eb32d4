"""Bayesian networks of pgmpy and pyAgrum, and files of other programs (section 2).

Vocabulary
    model     a graph and its theta, as ``load`` returns them
    network   an object of pgmpy or pyAgrum that holds both

Networks are read by duck typing, so that reading one imports neither library. State names and
floats are kept exactly in both directions; a variable whose states are 0, 1, ... is read as its
size, without labels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Label
from ..arguments import ROW_SUM_TOLERANCE, wrong
from ..bayes import files
from ..bayes.graph import BayesGraph
from ..graphs.normal_graph import Graph
from ..graphs.theta import Theta, read_theta
from ..learning.files import load_any, save_run
from ..learning.run import Run
from ..loops.junction_tree import MergedGraph
from . import bif
from .bif import LOOSE

FILES = (".bifxml", ".dsl", ".net", ".o3prm", ".uai", ".xdsl")
"""The formats of Bayesian networks that pyAgrum reads."""

NUMBERS = (2, 4)
"""pyAgrum's ``varType()`` of variables whose labels are whole numbers: a range, any integers."""

Model = tuple[BayesGraph, dict[str, Array]]


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file, ``graph, theta = load("model.json")``; or a run that was saved.

    The file is one that ``save`` wrote, or one of another program. A ``.bif`` file is read to the
    last bit; its states are text, "0" and "1" too. Other formats (``.bifxml``, ``.dsl``, ``.net``,
    ``.uai``, ``.xdsl``) are read by pyAgrum, which the extra ``fgnwidgets[bif]`` installs and which
    keeps seven digits of a number. Rows that sum to one within 0.001 are scaled to sum to one.
    Raises ``ValueError`` for a broken file, with what is wrong and, of a ``.bif`` file, the line.
    """
    ending = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    if ending == ".bif":
        return _read_bif(path)
    if ending not in FILES:
        return load_any(path)
    library = _needed("pyagrum", f"{path} is read by pyAgrum", "fgnwidgets[bif]")
    try:
        with open(path, "rb"):
            pass  # a file that is not there is refused in Python's own words
        network = library.loadBN(os.fspath(path), verbose=False)
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is broken: {' '.join(str(error).split())}") from None
    return _agrum_model(network, _as_typed)


def save(
    path: str | os.PathLike[str] | Run,
    graph: Graph | Run | str | os.PathLike[str],
    theta: Theta | None = None,
) -> None:
    """Write a model, ``save("model.json", graph, theta)``, or a run, ``save("run.json", run)``.

    Of a model, a ``Run`` as ``theta`` stands for its best matrices. A JSON file keeps all of it:
    floats to the bit, and labels with their type, so they must be strings, numbers, booleans or
    None. Of a run it keeps all restarts, histories, counts, rows, weights, settings and warnings,
    so that ``resume(load("run.json"))`` goes on as the run itself would. What is a function or a
    class is not in it: of a rule of your own the name alone, with a warning, and a node of your own
    is read where the module that defines it was imported.

    A ``.bif`` file is one that other programs read: of a graph of variables with states that are
    text or whole numbers, which come back as text. Matrices that are tied come back as equal ones,
    and what is fixed is not said.

    The file is written beside the old one, which it then replaces: a full disk leaves the old one.
    """
    where: Any = path
    what: Any = graph
    if isinstance(path, Run):
        where, what = graph, path  # save(run, "run.json"), as pickle and joblib have it
    bif_file = isinstance(where, str | os.PathLike) and Path(where).suffix.lower() == ".bif"
    matrices: Any = theta
    if isinstance(what, Run) and theta is None:
        if not bif_file:
            save_run(where, what)
            return
        what, matrices = what.graph, what
    if matrices is None:
        raise wrong("theta", theta, "the matrices of the graph, or instead of both a run")
    if not bif_file:
        files.save(where, what, matrices)
        return
    bayes, families = _family_matrices(what, matrices)
    variables = bayes.variables.items()
    states = bif.read_states({name: b.states or range(b.size) for name, b in variables})
    arrays = {
        name: families[name].reshape(*(bayes.variables[p].size for p in (*parents, name)))
        for name, parents in bayes.parents.items()
    }
    files.replace(where, bif.write(bif.Network(states, dict(bayes.parents), arrays)))


def _read_bif(path: str | os.PathLike[str]) -> Model:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return _model(*bif.parse(file.read()))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is no text in UTF-8 ({error.reason} at byte {error.start}): save it as UTF-8"
        ) from None
    except ValueError as error:
        raise ValueError(f"{path} is broken: {error}") from None


def _as_typed(table: Array) -> Array:
    """The decimals as they were written in a file, if pyAgrum has rounded them to single precision.

    ``str`` of a ``float32`` is the shortest decimal that rounds to it, so 0.1 is 0.1 again.
    """
    single = table.astype(np.float32)
    if not np.array_equal(single, table):
        return table
    return np.array([float(str(v)) for v in single.ravel()]).reshape(table.shape)


def from_pgmpy(model: Any) -> Model:
    """The graph and theta of a pgmpy network with its tables."""
    try:
        tables = {name: model.get_cpds(name) for name in model.nodes()}
    except (AttributeError, TypeError):
        raise wrong("the model", model, "a DiscreteBayesianNetwork of pgmpy") from None
    for name, table in tables.items():
        if table is None:
            raise ValueError(f"the model has no table for {name!r}: add_cpds gives it one")
    names = {name: list(table.state_names[name]) for name, table in tables.items()}
    states = {name: _own_states(labels) for name, labels in names.items()}
    parents: dict[str, tuple[str, ...]] = {}
    arrays = {}
    for name, table in tables.items():
        parents[name] = tuple(table.variables[1:])
        array = np.moveaxis(np.asarray(table.values, dtype=float), 0, -1)
        for axis, parent in enumerate(parents[name]):  # each table orders its parents' states
            there = list(table.state_names[parent])
            array = np.take(array, [there.index(label) for label in names[parent]], axis=axis)
        arrays[name] = array
    return _model(states, parents, arrays)


def to_pgmpy(graph: BayesGraph | MergedGraph, theta: Theta) -> Any:
    """A pgmpy network with the same tables; pgmpy must be installed."""
    bayes, matrices = _family_matrices(graph, theta)
    why = "a network of pgmpy is made by it"
    models = _needed("pgmpy.models", why, "pgmpy")
    factors = _needed("pgmpy.factors.discrete", why, "pgmpy")
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(bayes.variables)
    names = {v: list(b.states or range(b.size)) for v, b in bayes.variables.items()}
    for name, ps in bayes.parents.items():
        network.add_edges_from((parent, name) for parent in ps)
        family = {v: names[v] for v in (name, *ps)}
        sizes = [bayes.variables[p].size for p in ps]
        table = factors.TabularCPD(
            name, len(names[name]), matrices[name].T, list(ps), sizes, state_names=family
        )
        network.add_cpds(table)
    return network


def from_pyagrum(bn: Any) -> Model:
    """The graph and theta of a pyAgrum Bayesian network."""
    return _agrum_model(bn, lambda table: table)


def _agrum_model(bn: Any, read: Callable[[Array], Array]) -> Model:
    """The model of a network of pyAgrum; ``read`` is applied to each of its tables."""
    try:
        names = sorted(bn.names(), key=bn.idFromName)
        tables = {name: bn.cpt(name) for name in names}
    except (AttributeError, TypeError):
        raise wrong("the network", bn, "a BayesNet of pyAgrum") from None
    states = {name: _agrum_states(bn.variable(name)) for name in names}
    parents: dict[str, tuple[str, ...]] = {}
    arrays = {}
    for name, table in tables.items():
        axes = list(reversed(table.names))  # the order of the array's axes
        parents[name] = tuple(axis for axis in axes if axis != name)
        arrays[name] = np.moveaxis(read(np.array(table.toarray())), axes.index(name), -1)
    return _model(states, parents, arrays)


def to_pyagrum(graph: BayesGraph | MergedGraph, theta: Theta) -> Any:
    """A pyAgrum Bayesian network with the same tables; pyAgrum must be installed."""
    bayes, matrices = _family_matrices(graph, theta)
    library = _needed("pyagrum", "a network of pyAgrum is made by it", "fgnwidgets[bif]")
    network = library.BayesNet()
    for name, branch in bayes.variables.items():
        labels = branch.states
        if not labels:
            variable = library.RangeVariable(name, name, 0, branch.size - 1)
        elif all(type(label) is int for label in labels):
            variable = library.IntegerVariable(name, name, list(labels))
            if [*labels] != sorted(labels):  # type: ignore[type-var]
                raise ValueError(
                    f"{name}: the states {labels} do not ascend: pyAgrum sorts numbers"
                )
        elif all(isinstance(label, str) for label in labels):
            variable = library.LabelizedVariable(name, name, list(labels))
        else:
            raise ValueError(
                f"{name}: the states {labels} are neither all strings nor all whole numbers, as "
                "pyAgrum has them"
            )
        network.add(variable)
    for name, ps in bayes.parents.items():
        for parent in reversed(ps):  # pyAgrum puts the parent added last on the first axis
            network.addArc(parent, name)
    for name, ps in bayes.parents.items():
        table = network.cpt(name)
        sizes = [bayes.variables[v].size for v in (*ps, name)]
        grid = matrices[name].reshape(sizes)
        order = [(*ps, name).index(axis) for axis in reversed(table.names)]
        table.fillWith(grid.transpose(order).ravel().tolist())
    return network


def _model(
    states: Mapping[str, int | Sequence[Label]],
    parents: Mapping[str, tuple[str, ...]],
    arrays: Mapping[str, Array],
) -> Model:
    """A model from arrays whose last axis is the variable's own; rows nearly one are scaled."""
    graph = BayesGraph(states, {name: ps for name, ps in parents.items() if ps})
    theta = {}
    for name, matrix in graph.theta.items():
        rows = arrays[name].reshape(-1, graph.variables[name].size)
        sums = rows.sum(axis=1, keepdims=True)
        off = np.abs(sums - 1)
        loose = (off > ROW_SUM_TOLERANCE) & (off < LOOSE)
        theta[matrix] = np.where(loose, rows / np.where(loose, sums, 1.0), rows)
    return graph, read_theta(graph.merged(), theta)


def _family_matrices(
    graph: BayesGraph | MergedGraph, theta: Theta
) -> tuple[BayesGraph, dict[str, Array]]:
    """The graph of variables, and the matrix ``(M_X, M_Y)`` of each variable given its parents."""
    bayes: Any = graph.bayes if isinstance(graph, MergedGraph) else graph
    if not isinstance(bayes, BayesGraph):
        raise TypeError(f"graph is a {type(graph).__name__}: expected a BayesGraph")
    if bayes.given:
        raise ValueError(
            f"{bayes.given[0]!r} is given and has no distribution: other libraries need one"
        )
    matrices = read_theta(bayes.merged(), theta)
    if any(matrix.ndim > 2 for matrix in matrices.values()):
        raise ValueError("theta holds several models: choose one, run.best_theta")
    return bayes, {name: matrices[matrix] for name, matrix in bayes.theta.items()}


def _own_states(names: Sequence[Label]) -> int | Sequence[Label]:
    """The labels of a variable; its size alone if they are 0, 1, ..."""
    labels = list(names)
    plain = all(type(label) is int for label in labels) and labels == list(range(len(labels)))
    return len(labels) if plain else labels


def _agrum_states(variable: Any) -> int | Sequence[Label]:
    """The labels of a variable of pyAgrum, which holds whole numbers as text."""
    labels = variable.labels()
    return _own_states(
        [int(label) for label in labels] if variable.varType() in NUMBERS else labels
    )


def _needed(module: str, why: str, install: str) -> Any:
    """An optional module. ``ImportError`` says what it is needed for and how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{why}, which is not installed: pip install '{install}'") from None
