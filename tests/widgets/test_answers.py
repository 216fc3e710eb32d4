"""Answers of a page before Python is there: the page's own arithmetic of requests, run by Node."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from student import THETA, student
from tiers import slow

from fgnwidgets import BayesGraph, propagate
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.graph import answers as near
from fgnwidgets.widgets.page.scripts import STATIC

SCRIPT = """
import { readFileSync } from "node:fs";
const { Evidence } = await import(process.argv[1]);
const { given, requests } = JSON.parse(readFileSync(0));
const evidence = new Evidence(given);
console.log(JSON.stringify(requests.map((request) => evidence.take(request))));
"""


def scenes(given, requests):
    """What a page makes of these requests, by the script that it has."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("not run: Node is not installed")
    ran = subprocess.run(
        [node, "--input-type=module", "-e", SCRIPT, (STATIC / "answers.js").as_uri()],
        input=json.dumps({"given": given, "requests": requests}),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def by_python(view, requests):
    """What the widget makes of them."""
    view.send = lambda *_, **__: None
    made = []
    for number, request in enumerate(requests, 1):
        view._hear(view, {"request": number, "from": "page", **request})
        made.append(json.loads(json.dumps(view.scene)))
    return made


def hands(view, rng, n):
    """Clicks as people make them: rows, names, double clicks, undo, redo, forget all, escape."""
    sizes = near.answers(view, 1)["variables"]
    for k in range(n):
        name = str(rng.choice(list(sizes)))
        state, row = int(rng.integers(sizes[name])), f"row {k // 2}"
        yield [
            {"do": "toggle", "with": {"variable": name, "state": state}, "gesture": row},
            {"do": "cycle", "with": {"variable": name}},
            {"do": "observe", "with": {"variable": name, "cell": None}, "gesture": row},
            {"do": "undo"}, {"do": "redo"}, {"do": "set", "with": {"evidence": {}}},
            {"do": "set", "with": {"selected": None}},
            {"do": "select", "with": {"part": f"variable:{name}"}},
        ][rng.choice(8, p=[0.4, 0.2, 0.1, 0.1, 0.08, 0.04, 0.04, 0.04])]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "evidence", "count"),
    [
        ("normal", {"S": "high"}, 20),
        ("bayes", {"G": [0.2, 0.5, 1.0]}, 20),
        *(
            pytest.param(form, evidence, 60, marks=slow)
            for form in ("normal", "bayes")
            for evidence in ({}, {"S": "high"}, {"G": [0.2, 0.5, 1.0]})
        ),
    ],
)
def test_a_page_answers_any_clicks_as_python_does_to_the_last_value(form, evidence, count):
    def view():
        return GraphView(student(), THETA, evidence, form=form)

    requests = list(hands(view(), np.random.default_rng(0), count))
    given = json.loads(json.dumps(view().answers()))
    own, pythons = scenes(given, requests), by_python(view(), requests)
    known = [a for a in own if a is not None]
    assert len(known) == len(own) or evidence.get("G")  # a soft cell may be undone to, or is far
    for mine, theirs in zip(own, pythons, strict=True):
        if mine is None:
            break  # from here on the page waits for Python
        assert mine == theirs


def test_the_beliefs_of_the_answers_are_those_of_two_sweeps():
    given = near.answers(GraphView(student(), THETA))
    names = list(given["variables"])
    normal = student().normal_form()
    states = {name: normal.branch(name).states or range(9) for name in names}
    assert len(given["states"]) == np.prod([1 + size for size in given["variables"].values()])
    for key, state in given["states"].items():
        codes = dict(zip(names, json.loads(key), strict=True))
        cells = {n: states[n][c] for n, c in codes.items() if c is not None}
        exact = propagate(student(), THETA, cells or None)
        for part in (given["parts"][place] for place in state["parts"]):
            if part["kind"] == "variable":
                shown = [row["p"] for row in part["rows"]]
                assert np.allclose(shown, exact[part["variable"]].p[:, 0], atol=1e-5)


def test_of_many_states_those_of_the_fewest_clicks_are_taken():
    sizes = {f"V{k}": 3 for k in range(20)}
    taken = list(near.near({"V0": 1}, sizes, 100))
    assert len(taken) == 100 and taken[0] == {"V0": 1}
    ones = [t for t in taken if len(set(t.items()) ^ {("V0", 1)}) <= 2]
    assert taken[: len(ones)] == ones and {"V5": 2, "V0": 1} in ones and {} in ones


def test_impossible_evidence_is_left_to_python_and_the_view_is_as_before():
    theta = {"A": [[0.5, 0.5]], "B|A": [[1.0, 0.0], [0.0, 1.0]]}
    view = GraphView(BayesGraph({"A": 2, "B": 2}, {"B": "A"}), theta, {"A": 1})
    view.evidence = {"A": 0}
    given = view.answers()
    assert "[0,1]" not in given["states"] and "[0,0]" in given["states"]
    assert view.evidence == {"A": 0} and view.scene["undo"] and given["evidence"] == {"A": 0}
    assert not given["scene"]["undo"]  # a page begins anew


def test_a_page_holds_its_answers_and_its_script(tmp_path):
    page = GraphView(student(), THETA).to_html(tmp_path / "graph.html").read_text(encoding="utf-8")
    assert 'id="answers">"H4s' in page and Path(STATIC / "answers.js").exists()
    assert page.index("(0, eval)") < page.index('id="model"')  # it begins before all is there
