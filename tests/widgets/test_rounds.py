"""The rounds of message passing: its rounds, and where they end."""

from itertools import pairwise

import numpy as np
import pytest
from student import THETA, student

from fgnwidgets import propagate
from fgnwidgets.graphs.theta import read_theta
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.graph.rounds import rounds_of

FORM = student().normal_form()
MATRICES = read_theta(FORM, THETA)


def far_from(messages, exact):
    return max(
        np.abs(one[name] - two[name]).max()
        for one, two in ((messages.f, exact.f), (messages.b, exact.b))
        for name in exact.graph.branches
    )


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_flooding_is_exact_after_diameter_rounds_and_not_before(seed):
    rounds = rounds_of(FORM, MATRICES, {"S": "high", "L": "weak"}, schedule="flooding", seed=seed)
    exact = propagate(FORM, THETA, {"S": "high", "L": "weak"})
    assert len(rounds) == FORM.diameter + 1
    assert far_from(rounds[-1].messages, exact) < 1e-12
    assert far_from(rounds[-2].messages, exact) > 1e-3


def test_two_sweeps_send_every_message_once_and_end_exact():
    rounds = rounds_of(FORM, MATRICES, {"S": "high"})
    sent = [(step.branch, step.direction) for shot in rounds for step in shot.sent]
    assert len(sent) == len(set(sent)) == 18  # two for each of ten branches, less two open heads
    assert far_from(rounds[-1].messages, propagate(FORM, THETA, {"S": "high"})) < 1e-12


def test_a_message_waits_until_its_round_has_come():
    rounds = rounds_of(FORM, MATRICES, None)
    assert not rounds[0].sent
    assert len(rounds[0].waiting) == 18
    for before, after in pairwise(rounds):
        assert before.waiting - after.waiting == {(s.branch, s.direction) for s in after.sent}
    assert not rounds[-1].waiting


def test_evidence_never_waits():
    rounds = rounds_of(FORM, MATRICES, {"S": "high"})
    assert ("S", "b") not in rounds[0].waiting
    assert rounds[0].messages["S"].b[:, 0].tolist() == [0, 1]


def test_only_the_end_of_a_schedule_calls_itself_exact():
    rounds = rounds_of(FORM, MATRICES, None, schedule="flooding")
    assert [shot.exact for shot in rounds] == [False] * 6 + [True]
    sent = len(rounds[3].sent)
    assert rounds[3].text == f"round 3 of 6, diameter 6, sent now: 1-{sent}"
    assert rounds[6].text.startswith("round 6 of 6, exact, sent now: 1")
    assert rounds[0].text == "start, diameter 6"


def test_the_same_seed_gives_the_same_random_start_and_another_seed_another():
    one, again, other = (rounds_of(FORM, MATRICES, None, seed=s)[0].messages for s in (1, 1, 2))
    assert far_from(one, again) == 0
    assert far_from(one, other) > 0.01


# What travels along the branches, as the page is told


@pytest.fixture
def view():
    view = GraphView(student(), THETA, {"S": "high"})
    view.round = 0
    return view


@pytest.mark.parametrize("schedule", ["two sweeps", "flooding"])
def test_what_goes_through_the_cells_of_a_matrix_adds_up_to_what_leaves(view, schedule):
    view.schedule, seen = schedule, set()
    for number in range(1, view.rounds + 1):
        view.round = number
        for sent in view.scene["rounds"]["travels"]:
            if "shares" not in sent:
                continue
            belief = view.messages[sent["branch"].partition(":")[2]]
            forward = sent["direction"] == "f"
            leaves = (belief.f if forward else belief.b)[:, 0]
            assert np.sum(sent["shares"], axis=0 if forward else 1) == pytest.approx(
                leaves, abs=2e-3
            )
            zero = np.array(sent["matrix"]) == 0
            assert not np.array(sent["shares"])[zero].any()
            seen.add((sent["node"], sent["direction"]))
    blocks = [n for n in view.graph.nodes if n.inputs and not n.copies]
    assert seen == {(f"node:{n.name}", way) for n in blocks for way in "fb"}


@pytest.mark.parametrize("schedule", ["two sweeps", "flooding"])
def test_what_enters_a_node_is_what_its_product_is_made_of(view, schedule):
    view.start, view.schedule = 3, schedule
    view.round = 0
    for number in range(1, view.rounds + 1):
        before = view.messages
        view.round = number
        for sent in view.scene["rounds"]["travels"]:
            for entering in sent["from"]:
                belief = before[entering["branch"].partition(":")[2]]
                values = (belief.f if entering["direction"] == "f" else belief.b)[:, 0]
                assert entering["values"] == pytest.approx(values, abs=1e-4)
    assert view.messages["I"].p == pytest.approx(propagate(student(), THETA, {"S": "high"})["I"].p)
