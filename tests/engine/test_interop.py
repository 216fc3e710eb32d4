"""Other people's models: asia and its like equal pgmpy and pyAgrum, and survive both ways."""

import gzip
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from checks import close
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import BayesGraph

pgmpy = pytest.importorskip("pgmpy", reason="pgmpy is not installed: its models are the oracle")
agrum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed: it reads .net files")

FILES = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models"
MODELS = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("bif")
    for name in MODELS:
        (here / f"{name}.bif").write_bytes(gzip.decompress((FILES / f"{name}.bif.gz").read_bytes()))
    return here


def read(path):
    """The model in a file."""
    return fg.load(path)


def some_evidence(graph, seed, share=0.3):
    """One possible row on some of the variables, as labels."""
    rng = np.random.default_rng(seed)
    names = [name for name in graph.variables if rng.random() < share]
    return rng, names


def sprinkler():
    """The lawn of Russell and Norvig, which comes in no file."""
    graph = BayesGraph(
        dict.fromkeys(["cloudy", "sprinkler", "rain", "wet"], ("no", "yes")),
        {"sprinkler": "cloudy", "rain": "cloudy", "wet": ("sprinkler", "rain")},
    )
    theta = {
        "cloudy": [[0.5, 0.5]],
        "sprinkler|cloudy": [[0.5, 0.5], [0.9, 0.1]],
        "rain|cloudy": [[0.8, 0.2], [0.2, 0.8]],
        "wet|sprinkler,rain": [[1, 0], [0.1, 0.9], [0.1, 0.9], [0.01, 0.99]],
    }
    return graph, {name: np.array(matrix) for name, matrix in theta.items()}


@pytest.mark.parametrize("name", [*MODELS, "sprinkler"])
@pytest.mark.filterwarnings("ignore")
def test_posteriors_are_those_of_pyagrum_and_pgmpy(folder, name):
    from pgmpy.inference import VariableElimination

    graph, theta = sprinkler() if name == "sprinkler" else read(folder / f"{name}.bif")
    limit = 1e-10 if name == "sachs" else 1e-12  # its rows of ten digits are scaled by each library
    merged = graph.merged()
    network = fg.to_pyagrum(graph, theta)
    theirs = VariableElimination(fg.to_pgmpy(graph, theta))
    for seed in range(3):
        rng, names = some_evidence(graph, seed)
        row = fg.sample(merged, theta, 1, rng)
        known = {v: row[v][0].item() for v in names}
        exact = agrum.LazyPropagation(network)
        exact.setEvidence(known)
        exact.makeInference()
        table = {v: [state] for v, state in known.items()} or None
        messages = fg.propagate(merged, theta, table)
        for v in graph.variables:
            close(messages[v].p[:, 0], exact.posterior(v).toarray(), limit)
        if known:
            close(np.exp(messages.loglik[0]), exact.evidenceProbability(), limit)
        asked = [v for v in graph.variables if v not in known][:2]
        for v in asked:
            answer = theirs.query([v], evidence=known, show_progress=False)
            close(messages[v].p[:, 0], answer.values, limit)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_a_round_trip_through_either_library_is_exact(folder, name):
    graph, theta = read(folder / f"{name}.bif")
    for there, back in ((fg.to_pgmpy, fg.from_pgmpy), (fg.to_pyagrum, fg.from_pyagrum)):
        again, matrices = back(there(graph, theta))
        assert again == graph
        assert all(np.array_equal(matrices[k], theta[k]) for k in theta)


@pytest.mark.parametrize("name", mostly_slow(MODELS, "asia", "sachs"))
@pytest.mark.filterwarnings("ignore")
def test_a_file_is_read_as_pgmpy_reads_it(folder, name):
    from pgmpy.readwrite import BIFReader

    graph, theta = read(folder / f"{name}.bif")
    other, tables = fg.from_pgmpy(BIFReader(str(folder / f"{name}.bif")).get_model())
    assert set(other.variables) == set(graph.variables)
    for child, matrix in other.theta.items():
        family = (*other.parents[child], child)
        here = (*graph.parents[child], child)
        grid = theta[graph.theta[child]].reshape([graph.variables[v].size for v in here])
        grid = grid.transpose([here.index(v) for v in family])
        for axis, v in enumerate(family):
            order = [graph.variables[v].states.index(s) for s in other.variables[v].states]
            grid = np.take(grid, order, axis=axis)
        # sachs has ten digits, and its rows are scaled to one
        close(tables[matrix], grid.reshape(tables[matrix].shape), 1e-9)


SIZES = {"A": 2, "B": (1, 3, 5), "C": ("no", "yes"), "D": 3}


@pytest.mark.filterwarnings("ignore")
def test_states_keep_their_names_and_types_and_parents_their_order():
    graph = BayesGraph(SIZES, {"C": ("B", "A"), "D": ("C", "A", "B")})
    theta = fg.random_theta(graph.merged(), np.random.default_rng(0))
    for there, back in ((fg.to_pgmpy, fg.from_pgmpy), (fg.to_pyagrum, fg.from_pyagrum)):
        again, matrices = back(there(graph, theta))
        assert again == graph
        assert all(np.array_equal(matrices[k], theta[k]) for k in theta)
        assert back(there(graph.merged(), theta))[0] == graph


@pytest.mark.filterwarnings("ignore")
def test_a_table_of_pgmpy_may_number_a_parents_states_in_its_own_order():
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    network = DiscreteBayesianNetwork([("A", "B")])
    a = TabularCPD("A", 2, [[0.3], [0.7]], state_names={"A": ["x", "y"]})
    names = {"B": ["u", "v"], "A": ["y", "x"]}
    b = TabularCPD("B", 2, [[0.1, 0.4], [0.9, 0.6]], ["A"], [2], state_names=names)
    network.add_cpds(a, b)
    _, theta = fg.from_pgmpy(network)
    close(theta["B|A"], [[0.4, 0.6], [0.1, 0.9]])


def test_rows_typed_with_few_digits_are_scaled(tmp_path):
    text = (
        "network n {}\nvariable A { type discrete [ 3 ] { a, b, c }; }\n"
        "probability ( A ) { table 0.333, 0.333, 0.333; }\n"
    )
    (tmp_path / "few.bif").write_text(text)
    _, theta = fg.load(tmp_path / "few.bif")
    close(theta["A"], np.full((1, 3), 1 / 3), 1e-12)


def test_a_broken_or_absent_file_is_refused_with_its_name(tmp_path):
    (tmp_path / "bad.bif").write_text("network {")
    with pytest.raises(ValueError, match=r"bad\.bif is broken"):
        fg.load(tmp_path / "bad.bif")
    with pytest.raises(FileNotFoundError):
        fg.load(tmp_path / "none.bif")


def test_without_pyagrum_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(ImportError, match=r"pip install 'fgnwidgets\[bif\]'"):
        fg.load(tmp_path / "any.net")


def test_what_has_no_counterpart_is_refused():
    given = BayesGraph({"A": 2, "B": 2}, {"B": "A"}, given="A")
    with pytest.raises(ValueError, match="'A' is given and has no distribution"):
        fg.to_pgmpy(given, {"B|A": np.eye(2)})
    odd = BayesGraph({"A": (1.5, "x")})
    with pytest.raises(ValueError, match="neither all strings nor all whole numbers"):
        fg.to_pyagrum(odd, {"A": [[0.5, 0.5]]})
    for reader in (fg.from_pgmpy, fg.from_pyagrum):
        with pytest.raises(ValueError, match="expected a"):
            reader(3)
