"""Files in the Bayesian Interchange Format: read to the last bit, and refused by line and block."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from checks import close
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, seeds
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import BayesGraph

HEAD = """network "a name" { property version 1.0 ; }
variable A { type discrete [ 2 ] { yes, no }; }
variable B { type discrete [ 3 ] { u, v, w }; property position = (1, 2) ; }
variable C { type discrete [ 2 ] { x, y }; }
probability ( A ) { table 0.25, 0.75; }
probability ( C ) { table 0.5 0.5; } // blanks may stand for commas
"""
ROWS = """probability ( B | A, C ) {
  (yes, x) 0.01, 0.11, 0.88;
  (no, y) 0.04, 0.14, 0.82; /* in
  any order */
  (yes, y) .02 .12 .86;
  (no, x) 3e-2 0.13 0.84;
}
"""
TABLE = """probability ( B | A, C ) {
  table 0.01, 0.02, 0.03, 0.04, 0.11, 0.12, 0.13, 0.14, 0.88, 0.86, 0.84, 0.82;
}
"""
DEFAULT = """probability ( B | A, C ) {
  default 0.02, 0.12, 0.86;
  (yes, x) 0.01, 0.11, 0.88; (no, x) 0.03, 0.13, 0.84; (no, y) 0.04, 0.14, 0.82;
}
"""
FOUND = [[0.01, 0.11, 0.88], [0.02, 0.12, 0.86], [0.03, 0.13, 0.84], [0.04, 0.14, 0.82]]


def without(text, part, other=""):
    assert part in text
    return text.replace(part, other, 1)


@pytest.fixture
def read(tmp_path):
    def load(text):
        path = tmp_path / "file.bif"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return fg.load(path)

    return load


@pytest.mark.parametrize("block", [ROWS, TABLE, DEFAULT])
def test_rows_a_table_and_a_default_say_the_same(read, block):
    graph, theta = read(HEAD + block)
    assert list(graph.variables) == ["A", "B", "C"]
    assert graph.parents["B"] == ("A", "C")
    assert graph.variables["B"].states == ("u", "v", "w")
    np.testing.assert_array_equal(theta["B|A,C"], FOUND)


@pytest.mark.parametrize("block", [ROWS, TABLE])
@pytest.mark.filterwarnings("ignore")
def test_pyagrum_and_pgmpy_read_the_same(read, tmp_path, block):
    agrum = pytest.importorskip("pyagrum")
    reader = pytest.importorskip("pgmpy.readwrite").BIFReader
    _, theta = read((HEAD + block).replace(" .", " 0."))  # which pyAgrum calls no number
    own = theta["B|A,C"].reshape(2, 2, 3)
    network = agrum.loadBN(str(tmp_path / "file.bif"), verbose=False)  # which holds its tables
    table = network.cpt("B")
    close(
        own.transpose([("A", "C", "B").index(v) for v in reversed(table.names)]),
        table.toarray(),
        1e-6,
    )
    if block is TABLE:  # it takes rows as they come, and no comments
        graph = BayesGraph({"A": ("yes", "no"), "B": ("u", "v", "w"), "C": ("x", "y")})
        fg.save(tmp_path / "file.bif", graph, {"A": [0.25, 0.75], "B": [1, 0, 0], "C": [0.5, 0.5]})
        plain = (tmp_path / "file.bif").read_text()
        read(without(plain, "probability ( B ) {\n  table 1.0, 0.0, 0.0;\n}\n", TABLE))
        values = reader(str(tmp_path / "file.bif")).get_model().get_cpds("B").values
        close(np.moveaxis(own, -1, 0), values)


NAMES = (
    """network { }
variable "Größe, in cm" { type discrete [ 4 ] { <20, 20+, "30 to 40", "say; (more)" }; }
variable table { type discrete [ 2 ] { A+, table }; }
variable default { type discrete [ 2 ] { .2, 5-12%; }; }
""".replace("5-12%;", "5-12%")
    + """probability ( "Größe, in cm" ) { table .1 .2 .3 .4; }
probability ( table | "Größe, in cm" ) {
  (<20) .2 .8; (20+) .3, .7; ("30 to 40") 1 0; ("say; (more)") 0. 1.;
}
probability ( default | table ) { (A+) .5 .5; (table) .25 .75; }
"""
)


def test_names_and_states_may_be_anything(read):
    graph, theta = read(NAMES)
    assert list(graph.variables) == ["Größe, in cm", "table", "default"]
    assert graph.variables["Größe, in cm"].states == ("<20", "20+", "30 to 40", "say; (more)")
    assert graph.variables["default"].states == (".2", "5-12%")
    close(fg.posterior(graph, theta, {"default": [".2"]}, "table")[0].sum(), 1.0)
    np.testing.assert_array_equal(theta["default|table"], [[0.5, 0.5], [0.25, 0.75]])


BROKEN = {
    "a row twice": (
        HEAD + without(ROWS, "(yes, y)", "(no, y)"),
        r"line 11, in probability \( B \| A, C \): the row \(no, y\) is given twice",
    ),
    "a table twice": (
        HEAD + TABLE.replace("}", "table 1; }"),
        r"line 9, in .* its table is given twice",
    ),
    "a table and a row": (
        HEAD + TABLE.replace("}", "(yes, x) 0 0 1; }"),
        "line 8, in .* has a table, and rows or a default beside it",
    ),
    "a number too many": (
        HEAD + without(ROWS, ".86", ".86 .1"),
        r"line 11, in .*: the row \(yes, y\) has 4 numbers: expected 3",
    ),
    "a number too few": (
        HEAD + without(ROWS, ".12 .86", ".98"),
        r"the row \(yes, y\) has 2 numbers: expected 3",
    ),
    "a table too short": (
        HEAD + without(TABLE, ", 0.82"),
        r"line 8.*table has 11 numbers: expected 12 \(3 x 2 x 2\)",
    ),
    "a row that is missing": (
        HEAD + without(ROWS, "  (yes, y) .02 .12 .86;\n"),
        r"the row \(yes, y\) is missing",
    ),
    "no table": (
        without(HEAD, "table 0.25, 0.75;") + ROWS,
        r"line 5, in probability \( A \): its table is missing",
    ),
    "a sum": (
        HEAD + without(ROWS, ".86", ".96"),
        r"line 11.*the row \(yes, y\) sums to 1.1: expected 1",
    ),
    "a sum of a table": (without(HEAD, "0.75", "0.7") + ROWS, r"line 5, .*its table sums to 0.95"),
    "negative": (HEAD + without(ROWS, ".86", "-.86"), r"line 11.*'-.86' is no probability"),
    "no number": (HEAD + without(ROWS, ".86", "a"), r"line 11.*'a' is no probability"),
    "nan": (HEAD + without(ROWS, ".86", "nan"), r"'nan' is no probability"),
    "an unknown state": (
        HEAD + without(ROWS, "(yes, y)", "(yes, z)"),
        r"line 11.*'z' is no state of 'C': there are x, y",
    ),
    "states in another order": (
        HEAD + without(ROWS, "(yes, y)", "(y, yes)"),
        "'y' is no state of 'A'",
    ),
    "too few states": (
        HEAD + without(ROWS, "(yes, y)", "(yes)"),
        "a row names 1 states for 2 parents",
    ),
    "too many states": (
        HEAD + without(ROWS, "(yes, y)", "(yes, y, y)"),
        "a row names more states than",
    ),
    "a variable twice": (
        HEAD + HEAD.splitlines()[1] + ROWS,
        "line 7, in variable A: .* a second time",
    ),
    "probabilities twice": (
        HEAD + ROWS + ROWS,
        r"line 14, in .* probabilities of 'B' are given a second",
    ),
    "no probabilities": (HEAD, "the variable 'B' has no probability block"),
    "an unknown parent": (
        HEAD + without(ROWS, "A, C", "A, Q"),
        r"line 7.*'Q' is no variable above it: there are A, B, C",
    ),
    "its own parent": (HEAD + without(ROWS, "A, C", "A, B"), "names a variable twice"),
    "a state twice": (
        without(HEAD, "u, v, w", "u, v, u") + ROWS,
        "line 3, in variable B: the state 'u' is there twice",
    ),
    "a size": (
        without(HEAD, "[ 3 ]", "[ 4 ]") + ROWS,
        r"line 3, in variable B: it has 3 states, and \[ 4 \] says 4",
    ),
    "no size": (without(HEAD, "[ 3 ]", "[ x ]") + ROWS, "the number of states is 'x'"),
    "no type": (
        without(HEAD, "type discrete [ 2 ] { x, y };") + ROWS,
        "line 4, in variable C: it has no type",
    ),
    "another type": (
        without(HEAD, "discrete", "continuous") + ROWS,
        "the type is 'continuous': expected discrete",
    ),
    "a name with blanks": (
        without(HEAD, "variable C", "variable C D") + ROWS,
        "'D' stands where '{' is expected; a name with blanks needs quotes",
    ),
    "a word between": (
        HEAD + "probabilty ( B ) { }" + ROWS,
        "line 7: 'probabilty' stands where a block should begin",
    ),
    "a word within": (
        HEAD + without(ROWS, "  (yes, x)", "  row (yes, x)"),
        "line 8.*'row' is no part of it",
    ),
    "cut off": (HEAD + ROWS[:48], "the file ends where a number is expected"),
    "a quote": (HEAD + 'variable "D { }', "line 7: a text in quotes begins that does not end"),
    "a comment": (HEAD + "/* and so on", "line 7: a comment begins that does not end"),
    "two networks": ("network { }\n" + HEAD, "line 2, in network: there are two networks"),
    "nothing": ("", "line 1: there is no variable"),
    "a circle": (
        without(
            HEAD,
            "probability ( A ) { table 0.25, 0.75; }",
            "probability ( A | B ) { default .5 .5; }",
        )
        + ROWS,
        "go in a circle",
    ),
    "no text": (HEAD.encode("utf-16"), "is no text in UTF-8"),
}


@pytest.mark.parametrize(("text", "says"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_said_with_its_line_and_block(read, text, says):
    with pytest.raises(ValueError, match=says) as error:
        read(text)
    assert "file.bif" in str(error.value)


@given(forests(), seeds)
def test_a_model_comes_back_to_the_bit(tmp_path_factory, graph, seed):
    path = tmp_path_factory.getbasetemp() / "again.bif"
    theta = fg.random_theta(graph, np.random.default_rng(seed))
    fg.save(path, graph, theta)
    again, matrices = fg.load(path)
    assert again.parents == graph.parents
    assert list(again.variables) == list(graph.variables)
    for name, branch in graph.variables.items():
        assert again.variables[name].states == tuple(str(k) for k in range(branch.size))
    assert all(np.array_equal(matrices[name], theta[name]) for name in theta)


@given(st.data())
def test_labels_come_back_whatever_is_in_them(tmp_path_factory, data):
    label = st.text(st.characters(exclude_characters='"\r\n', codec="utf-8"), min_size=1)
    states = data.draw(st.lists(label, min_size=1, max_size=4, unique=True))
    graph = BayesGraph({"X": states, data.draw(label) + "Y": 2})
    path = tmp_path_factory.getbasetemp() / "labels.bif"
    fg.save(path, graph, fg.uniform_theta(graph))
    again, _ = fg.load(path)
    assert list(again.variables) == list(graph.variables)
    assert again.variables["X"].states == tuple(states)


def test_what_no_file_can_hold_is_refused_and_the_old_one_stays(tmp_path):
    path = tmp_path / "model.bif"
    fg.save(path, BayesGraph({"A": ("x", "y")}), {"A": [0.5, 0.5]})
    before = path.read_bytes()
    for states, says in (
        (("x", 'a"b'), "texts without quotes"),
        ((1.5, 2.5), "is a float"),
        ((1, "1"), "are not different as texts"),
        ((True, False), "is a bool"),
    ):
        with pytest.raises(ValueError, match=says):
            fg.save(path, BayesGraph({"A": states}), {"A": [0.5, 0.5]})
    given_one = BayesGraph({"G": 2, "X": 2}, {"X": "G"}, given="G")
    with pytest.raises(ValueError, match="'G' is given and has no distribution"):
        fg.save(path, given_one, {"X|G": np.eye(2)})
    assert path.read_bytes() == before


def test_a_merged_graph_and_a_run_are_written_as_the_variables_they_are_of(tmp_path, rng):
    graph = BayesGraph({"A": 2, "B": 2, "C": 2, "D": 2}, {"B": "A", "C": "A", "D": ("B", "C")})
    merged = graph.merged()
    theta = fg.random_theta(merged, rng)
    fg.save(tmp_path / "loop.bif", merged, theta)
    again, matrices = fg.load(tmp_path / "loop.bif")
    assert again.parents == graph.parents
    np.testing.assert_array_equal(matrices["D|B,C"], theta["D|B,C"])
    run = fg.fit(merged, {"D": [0, 1, 1], "A": [0, 1, 0]}, restarts=2, n_epochs=3)
    fg.save(tmp_path / "run.bif", graph, run)
    np.testing.assert_array_equal(
        fg.load(tmp_path / "run.bif")[1]["D|B,C"], run.best_theta["D|B,C"]
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", mostly_slow(["asia", "sachs", "child"], "asia"))
def test_files_of_pgmpy_and_pyagrum_are_read_and_ours_by_them(tmp_path, name):
    pgmpy = pytest.importorskip("pgmpy")
    agrum = pytest.importorskip("pyagrum")
    from pgmpy.readwrite import BIFReader, BIFWriter

    folder = Path(importlib.util.find_spec(pgmpy.__name__).origin).parent / "utils/example_models"
    path = tmp_path / f"{name}.bif"
    path.write_bytes(gzip.decompress((folder / f"{name}.bif.gz").read_bytes()))
    graph, theta = fg.load(path)
    other, tables = fg.from_pgmpy(BIFReader(str(path)).get_model())
    assert {k: set(v) for k, v in other.parents.items()} == {
        k: set(v) for k, v in graph.parents.items()
    }
    fg.save(tmp_path / "ours.bif", graph, theta)
    again = fg.load(tmp_path / "ours.bif")
    assert again[0] == graph
    assert all(np.array_equal(again[1][k], theta[k]) for k in theta)
    back, numbers = fg.from_pgmpy(BIFReader(str(tmp_path / "ours.bif")).get_model())
    rng = np.random.default_rng(0)
    row = fg.sample(graph.merged(), theta, 3, rng)
    row = {k: [str(v) for v in column] for k, column in row.items()}
    close(fg.loglik(back.merged(), numbers, row), fg.loglik(graph.merged(), theta, row), 1e-9)
    close(fg.loglik(other.merged(), tables, row), fg.loglik(graph.merged(), theta, row), 1e-9)
    writer = BIFWriter(fg.to_pgmpy(graph, theta))
    (writer.write if hasattr(writer, "write") else writer.write_bif)(str(tmp_path / "theirs.bif"))
    theirs, matrices = fg.load(tmp_path / "theirs.bif")
    close(fg.loglik(theirs.merged(), matrices, row), fg.loglik(graph.merged(), theta, row), 1e-9)
    if name != "child":  # whose states it cannot read
        network = agrum.loadBN(str(tmp_path / "ours.bif"), verbose=False)
        own, arrays = fg.from_pyagrum(network)
        ours = fg.loglik(graph.merged(), theta, row)
        close(fg.loglik(own.merged(), arrays, row), ours, 1e-5)
        agrum.saveBN(network, str(tmp_path / "agrum.bif"), allowModificationWhenSaving=True)
        more, last = fg.load(tmp_path / "agrum.bif")
        assert set(more.variables) == set(graph.variables)
        assert set(last) == set(more.merged().matrices)
