"""What the README shows is what one gets."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fgnwidgets as fg

README = Path(__file__).parents[2] / "README.md"


def shown(title):
    """The lines of Python under a title."""
    (part,) = re.findall(rf"## {title}\n(.*?)\n## ", README.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    return block


def test_the_ten_lines_of_the_readme_learn_three_kinds_of_slides(capsys):
    block = shown("Ten lines")
    assert len(block.splitlines()) <= 12
    names: dict[str, object] = {}
    exec(block, names)
    assert abs(names["run"].final_loglik.max() - -293.6) < 0.2  # one cell less than -293.705
    beliefs = names["posterior"](names["graph"], names["run"].best_theta, names["table"], "Kind")
    assert beliefs.shape == (118, 3)
    assert "best loglik" in capsys.readouterr().out


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """A folder with a table in a file, and the table."""
    folder = tmp_path_factory.mktemp("readme")
    sizes = {"Kind": 3, "A": ("no", "yes"), "B": ("never", "often", "rarely"), "C": 2, "D": 3}
    graph = fg.BayesGraph(sizes, dict.fromkeys("ABCD", "Kind"))
    rng = np.random.default_rng(0)
    theta = {name: np.eye(*m.shape) * 0.7 + 0.3 * m for name, m in fg.uniform_theta(graph).items()}
    theta = {name: m / m.sum(axis=1, keepdims=True) for name, m in theta.items()}
    theta["Kind"] = np.array([[0.5, 0.3, 0.2]])
    drawn = fg.sample(graph, theta, 5000, rng)
    table = pd.DataFrame({name: drawn[name] for name in "ABCD"}).astype(object)
    table = table.mask(rng.random(table.shape) < 0.05)
    table.astype({"C": "Int64", "D": "Int64"}).to_parquet(folder / "answers.parquet")
    return folder


@pytest.fixture
def in_memory(answers):
    """The same by pandas: what was learned, and the scored table."""
    table = pd.read_parquet(answers / "answers.parquet")
    graph = fg.BayesGraph.from_table(table, dict.fromkeys("ABCD", "Kind"), hidden={"Kind": 3})
    run = fg.fit(graph, table, restarts=10)
    return graph, run, fg.score(graph, run, table, "Kind")


def same(found, in_memory, run):
    """Scored rows, in whatever order, are those of the table in memory."""
    graph, own, expected = in_memory
    assert run.n == own.n == 5000
    assert run.final_loglik.max() == pytest.approx(own.final_loglik.max(), rel=1e-7)
    assert list(found) == list(expected)
    ours, theirs = (
        np.sort(fg.loglik(graph, r, frame[list("ABCD")]))
        for r, frame in ((run, found), (own, expected))
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    np.testing.assert_allclose(found["loglik"], fg.loglik(graph, run, found[list("ABCD")]))
    states = [f"Kind={k}" for k in range(3)]
    p = fg.posterior(graph, run, found[list("ABCD")], "Kind")
    np.testing.assert_allclose(found[states], p, atol=1e-12)


def test_more_rows_than_memory(answers, in_memory, monkeypatch):
    monkeypatch.chdir(answers)
    block = shown("More rows than memory")
    assert len([line for line in block.splitlines() if line]) == 6
    names: dict[str, object] = {}
    exec(block, names)
    same(pd.read_parquet("scored.parquet"), in_memory, names["run"])


def test_more_rows_than_one_machine(answers, in_memory, monkeypatch):
    monkeypatch.chdir(answers)
    block = shown("More rows than one machine")
    assert len([line for line in block.splitlines() if line]) == 6
    names = {"fit": fg.fit, "score": fg.score, "graph": in_memory[0]}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Port .* is already in use")
        try:
            exec(block, names)
            assert len(names["client"].scheduler_info()["workers"]) == 2
        finally:
            if "client" in names:
                names["client"].close()
    same(pd.read_parquet("scored"), in_memory, names["run"])
