"""The line that says how a number came about gives that number when it is worked out."""

import re

import numpy as np
import pytest
from student import THETA, student

from fgnwidgets.graphs.theta import read_theta
from fgnwidgets.widgets.graph.rounds import rounds_of
from fgnwidgets.widgets.graph.why import why_belief, why_message

FORM = student().normal_form()
MATRICES = read_theta(FORM, THETA)
SEEN = {"S": "high", "L": [[0.3, 1.0]]}


def worked_out(line):
    """The sum of products at the left of the equals sign."""
    terms = re.split(" [=<>] ", line)[0].split(" + ")
    return sum(np.prod([float(v.lstrip("<>")) for v in term.split(" × ")]) for term in terms)


def said(line):
    """What the line says that comes of it, before and after scaling."""
    found = re.search(r" [=<>] ([\d.]+)(?:, scaled to [<>]?([\d.]+))? \(", line)
    raw, scaled = found.groups()
    return float(raw), float(scaled or raw)


def rounds():
    for schedule, seed in (("two sweeps", None), ("flooding", 3)):
        yield from rounds_of(FORM, MATRICES, SEEN, schedule=schedule, seed=seed)


@pytest.mark.parametrize("direction", ["f", "b"])
def test_every_message_of_every_round_is_what_its_line_works_out(direction):
    checked = 0
    for at in rounds():
        graph = at.messages.graph
        for name in graph.branches:
            lines = why_message(at, name, direction)
            belief = at.messages[name]
            values = (belief.f if direction == "f" else belief.b)[:, 0]
            assert len(lines) == len(values)
            if re.search(" [=<>] ", lines[0]):
                raw = np.array([worked_out(line) for line in lines])
                assert raw / raw.sum() == pytest.approx(values, abs=3e-3), (name, lines)
                before, after = zip(*map(said, lines), strict=True)
                assert before == pytest.approx(raw, abs=2e-3), (name, lines)
                assert after == pytest.approx(values, abs=1e-3), (name, lines)
                checked += 1
            elif (name, direction) in at.waiting:
                assert lines[0].startswith("not sent yet")
    assert checked > 60


def test_a_belief_is_the_product_of_its_two_messages():
    at = rounds_of(FORM, MATRICES, SEEN)[-1]
    for name in at.messages.graph.branches:
        raw = np.array([worked_out(line) for line in why_belief(at.messages, name)])
        if raw.sum() > 0.05:
            assert raw / raw.sum() == pytest.approx(at.messages[name].p[:, 0], abs=5e-3)


def test_the_rule_is_named_and_a_scaled_number_says_so():
    at = rounds_of(FORM, MATRICES, SEEN)[-1]
    line = why_message(at, "S", "f")[0]
    assert re.fullmatch(
        r"0\.950 × 0\.\d+ \+ 0\.200 × 0\.\d+ = (0\.\d+) \(block: f of Y ∝ θᵀ f of X, section 2\)",
        line,
    )
    assert ", scaled to " in why_message(at, "I(2)", "b")[0]
    assert "diverter" in why_message(at, "I(1)", "f")[0]
    assert why_message(at, "S", "b") == ["what was observed enters here"] * 2
    assert why_message(rounds_of(FORM, MATRICES, None)[-1], "S", "b")[0].startswith(
        "nothing is known"
    )
    assert why_message(at, "D", "f")[0] == "0.600, the prior: matrix D"
