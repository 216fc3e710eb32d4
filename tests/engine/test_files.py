"""Models in one JSON file: the same bits back, and nothing but data."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests

import fgnwidgets as fg
from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    Diverter,
    Expand,
    NormalGraph,
    Project,
    Source,
    load,
    save,
)

MODEL = {
    "format": "fgnwidgets model",
    "version": 1,
    "kind": "BayesGraph",
    "variables": [{"name": "S", "size": 2}],
    "parents": {},
    "names": {"S": "S"},
    "fixed": [],
    "theta": {"S": [[0.5, 0.5]]},
}
NORMAL = {
    **MODEL,
    "kind": "NormalGraph",
    "branches": [{"name": "S", "size": 2, "variable": "S"}],
    "nodes": [{"type": "Source", "name": "S", "y": "S"}],
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("models") / "model.json"


def typed(graph):
    """Every label with its type: 1, "1", 1.0 and True are four."""
    branches = graph.variables if isinstance(graph, BayesGraph) else graph.branches
    return {
        name: (b.size, [(type(label), label) for label in b.states]) for name, b in branches.items()
    }


def survives(path, graph, theta):
    save(path, graph, theta)
    again, matrices = load(path)
    assert again == graph
    assert typed(again) == typed(graph)
    assert list(matrices) == list(theta)
    for name, matrix in theta.items():
        assert matrices[name].shape == matrix.shape
        assert matrices[name].tobytes() == np.ascontiguousarray(matrix).tobytes()
    return again


@given(graph=forests(), seed=st.integers(0, 99))
def test_graphs_and_matrices_come_back_to_the_bit(path, graph, seed):
    survives(path, graph, fg.random_theta(graph, np.random.default_rng(seed)))
    form = graph.normal_form()
    survives(path, form, fg.random_theta(form, np.random.default_rng(seed), batch=(2,)))


@pytest.mark.parametrize(
    "states",
    [
        (1, 2),
        ("1", "2"),
        (1.0, 2.0),
        (False, True),
        (None, ""),
        ("1", 1),
        (0.1, "Ω", True, 3),
        ("a\nb", '"'),
    ],
)
def test_labels_keep_their_type(path, states):
    graph = BayesGraph({"X": states})
    again = survives(path, graph, fg.uniform_theta(graph))
    column = [states[1], states[0]]
    np.testing.assert_array_equal(
        fg.read_evidence(again, {"X": column}).codes["X"],
        fg.read_evidence(graph, {"X": column}).codes["X"],
    )


def test_the_order_of_variables_their_parents_ties_and_fixed_matrices_come_back(path, rng):
    graph = BayesGraph(
        {"Z": 2, "B": 3, "A": 2, "C": 2}, {"C": ("B", "A")}, theta={"Z": "T", "A": "T"}, fixed=["B"]
    )
    again = survives(path, graph, fg.random_theta(graph, rng))
    assert list(again.variables) == ["Z", "B", "A", "C"]
    assert again.parents["C"] == ("B", "A")
    assert list(again.normal_form().learnable) == ["T", "C|B,A"]


def test_every_kind_of_node_comes_back(path, rng):
    a, b, c = Branch("A", 2), Branch("B", ("x", "y", "z")), Branch("C", 6, variable="whole")
    graph = NormalGraph(
        [
            Source("a", a, theta="T", learn=False),
            Block("b|a", a, b),
            Diverter("B=", [b], [b.replica(1), b.replica(2)]),
            Expand("up", b.replica(1), c, (2, 3), 1),
            Project("down", c, Branch("D", 2), (2, 3), 0),
        ]
    )
    again = survives(path, graph, fg.random_theta(graph, rng))
    assert [type(node) for node in again.nodes] == [Source, Block, Diverter, Expand, Project]
    assert again.nodes[0] == replace(graph.nodes[0])


def test_a_loaded_model_answers_as_the_saved_one(path, rng):
    graph = BayesGraph({"S": 2, "X": ("no", "yes")}, {"X": "S"})
    theta = fg.random_theta(graph, rng)
    save(path, graph, theta)
    np.testing.assert_array_equal(
        fg.posterior(*load(path), {"X": ["yes"]}, "S"),
        fg.posterior(graph, theta, {"X": ["yes"]}, "S"),
    )


@pytest.mark.parametrize("label", [(1, 2), float("inf"), b"a", 1 + 2j])
def test_a_label_that_no_file_can_hold_is_refused_and_the_old_file_stays(path, label):
    save(path, BayesGraph({"S": 2}), {})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="S: the state .*: a file holds strings, finite numbers"):
        save(path, BayesGraph({"S": (label, "b")}), {})
    with pytest.raises(UnicodeEncodeError):
        save(path, BayesGraph({"S": ("\ud800", "b")}), {})
    assert path.read_bytes() == before


def test_matrices_that_do_not_fit_are_not_written(path):
    with pytest.raises(ValueError, match=r"theta\['S'\] has shape"):
        save(path, BayesGraph({"S": 2}), {"S": [1, 0, 0]})


NO_JSON = {
    "empty": "",
    "cut off": json.dumps(MODEL)[:60],
    "a picture": b"\x89PNG\r\n\xff",
    "nested without end": "[" * 100_000,
    "NaN": json.dumps(MODEL | {"theta": {"S": [[float("nan"), 0.5]]}}),
    "more digits than Python reads": '{"format": 1' + "0" * 5000 + "}",
}


@pytest.mark.parametrize("content", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_refused_with_the_path(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=r"model\.json is not a JSON file"):
        load(path)


@pytest.mark.parametrize("content", [[], {}, {"format": "other"}, 3, None])
def test_a_foreign_file_is_refused(path, content):
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"model\.json is not a model of fgnwidgets"):
        load(path)


def test_another_version_is_refused(path):
    path.write_text(json.dumps(MODEL | {"version": 2}))
    with pytest.raises(ValueError, match="has version 2: this fgnwidgets reads version 1"):
        load(path)


def without(content, key):
    return {name: value for name, value in content.items() if name != key}


BROKEN = {
    **{f"without {key}": without(MODEL, key) for key in MODEL if key not in ("format", "version")},
    **{f"without {key}": without(NORMAL, key) for key in ("branches", "nodes")},
    "rows": MODEL | {"theta": {"S": [[0.5, 0.6]]}},
    "shape": MODEL | {"theta": {"S": [[1, 0, 0]]}},
    "ragged": MODEL | {"theta": {"S": [[1, 0], [1]]}},
    "a number too large": MODEL | {"theta": {"S": [[10**400, 0]]}},
    "unknown matrix": MODEL | {"theta": {"Q": [[1]]}},
    "no mapping": MODEL | {"theta": [[0.5, 0.5]]},
    "a mapping as a matrix": MODEL | {"theta": {"S": {"a": 1}}},
    "size": MODEL | {"variables": [{"name": "S", "size": -1}]},
    "size in words": MODEL | {"variables": [{"name": "S", "size": "two"}]},
    "labels that are lists": MODEL
    | {"variables": [{"name": "S", "size": 2, "states": [[1], [2]]}]},
    "unknown parent": MODEL | {"parents": {"S": ["Q"]}},
    "a node of unknown type": NORMAL | {"nodes": [{"type": "os.system", "name": "ls"}]},
    "a node with more": NORMAL
    | {"nodes": [{"type": "Source", "name": "S", "y": "S", "run": "ls"}]},
    "an unknown branch": NORMAL | {"nodes": [{"type": "Source", "name": "S", "y": "Q"}]},
    "no node": NORMAL | {"nodes": ["Source"]},
    "no nodes": NORMAL | {"nodes": []},
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_model_is_refused_with_the_path(path, content):
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"model\.json is broken: "):
        load(path)


def test_a_model_that_is_whole_is_read(path):
    for content in (MODEL, NORMAL):
        path.write_text(json.dumps(content))
        load(path)


def test_a_model_that_an_editor_stored_with_a_mark_of_its_coding_is_read(path, rng):
    graph = BayesGraph({"S": 2})
    save(path, graph, fg.random_theta(graph, rng))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path)[0] == graph


def test_a_file_that_is_not_there_is_a_file_not_found(path):
    with pytest.raises(FileNotFoundError):
        load(path.with_name("none.json"))


# The old file is whole until the new one is


@pytest.mark.parametrize("name", ["model.json", "model.bif"])
def test_a_folder_that_is_not_there_is_told_by_the_name_that_was_given(tmp_path, name):
    graph = BayesGraph({"A": ("x", "y")})
    there = tmp_path / "no folder" / name
    with pytest.raises(FileNotFoundError) as error:
        fg.save(there, graph, fg.uniform_theta(graph))
    assert error.value.filename == str(there) and str(there) + "'" in str(error.value)


def test_a_full_disk_leaves_the_old_file(path, monkeypatch):
    graph = BayesGraph({"S": 2})
    save(path, graph, {"S": [0.25, 0.75]})
    before, beside = path.read_bytes(), sorted(path.parent.iterdir())
    import fgnwidgets.bayes.files as files

    class Full:
        """A file on a disk with room for ten bytes."""

        def __init__(self, name, mode):
            self.file = open(name, mode)  # noqa: SIM115

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def write(self, data):
            self.file.write(data[:10])
            raise OSError(28, "No space left on device")

    for ending in (path, path.with_suffix(".bif")):
        save(ending, graph, {"S": [0.25, 0.75]})
        before = ending.read_bytes()
        beside = sorted(path.parent.iterdir())
        monkeypatch.setattr(files, "open", Full, raising=False)
        with pytest.raises(OSError, match="No space left"):
            save(ending, graph, {"S": [0.5, 0.5]})
        monkeypatch.delattr(files, "open")
        for fault in ("fsync", "replace"):
            with monkeypatch.context() as patch:
                patch.setattr(files.os, fault, lambda *_: (_ for _ in ()).throw(OSError(5, "I/O")))
                with pytest.raises(OSError, match="I/O"):
                    save(ending, graph, {"S": [0.5, 0.5]})
        assert ending.read_bytes() == before
        assert sorted(path.parent.iterdir()) == beside  # and nothing is left beside it


def test_a_link_stays_a_link_and_rights_are_kept(tmp_path):
    graph, real, link = BayesGraph({"S": 2}), tmp_path / "real.json", tmp_path / "link.json"
    save(real, graph, {"S": [0.25, 0.75]})
    real.chmod(0o640)
    link.symlink_to(real)
    save(link, graph, {"S": [0.5, 0.5]})
    assert link.is_symlink()
    assert load(real)[1]["S"].tolist() == [[0.5, 0.5]]
    assert real.stat().st_mode & 0o777 == 0o640
