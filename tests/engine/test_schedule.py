"""Schedules: two sweeps, flooding, and their compiled form."""

import numpy as np
import pytest
from checks import close
from hypothesis import given
from strategies import as_evidence, cases, forests, seeds

import fgnwidgets as fg
from fgnwidgets import BayesGraph, flooding, trace, two_sweep
from fgnwidgets.inference.schedules import Step, planned

GRAPH = BayesGraph({"S": 3, "X": 2, "Y": 2}, {"X": "S", "Y": "S"})


def every_message(form):
    ends = [((*node.inputs, *node.outputs), node) for node in form.nodes]
    return {
        (node.name, b.name, "b" if b in node.inputs else "f")
        for branches, node in ends
        for b in branches
    }


@given(forests())
def test_two_sweeps_send_every_message_once_and_only_when_its_inputs_are_there(graph):
    form = graph.normal_form()
    sent = set()
    for steps in two_sweep(form):
        for step in steps:
            node = form.node(step.node)
            for branch, direction in [
                *((b, "f") for b in node.inputs),
                *((b, "b") for b in node.outputs),
            ]:
                if branch.name == step.branch:
                    continue  # a message does not wait for its own branch
                ends = form.tails if direction == "f" else form.heads
                if branch.name in ends:
                    assert (ends[branch.name].name, branch.name, direction) in sent
        sent |= {tuple(step) for step in steps}
    assert sent == every_message(form)
    assert sum(map(len, two_sweep(form))) == len(sent)


def test_flooding_sends_every_message_in_every_round():
    form = GRAPH.normal_form()
    rounds = flooding(form, 3)
    assert len(rounds) == 3
    assert all({tuple(step) for step in steps} == every_message(form) for steps in rounds)
    assert len(flooding(form)) == form.diameter


def test_rounds_are_not_negative():
    with pytest.raises(ValueError, match="rounds is -1: expected at least 0"):
        flooding(GRAPH, -1)


@given(cases(), seeds)
def test_flooding_equals_two_sweeps_after_diameter_rounds_from_any_start(case, seed):
    evidence = as_evidence(case)
    exact = fg.propagate(case.graph, case.theta, evidence)
    rng = np.random.default_rng(seed)
    *_, last = trace(case.graph, case.theta, evidence, schedule=flooding(exact.graph), start=rng)
    for name in exact:
        close(last[name].f, exact[name].f)
        close(last[name].b, exact[name].b)
    close(last.loglik, exact.loglik)


def longest_waits(form):
    """Rounds that each message needs, by following what it waits for."""

    def wait(node, branch):
        ports = [*((b, form.tails) for b in node.inputs), *((b, form.heads) for b in node.outputs)]
        others = [
            wait(ends[b.name], b) for b, ends in ports if b.name != branch.name and b.name in ends
        ]
        return 1 + max(others, default=0)

    for node in form.nodes:
        for branch in (*node.inputs, *node.outputs):
            yield wait(node, branch), branch.name


@given(forests())
def test_the_diameter_is_the_longest_wait(graph):
    form = graph.normal_form()
    assert form.diameter == max(w for w, _ in longest_waits(form))


def test_a_chain_needs_all_of_its_rounds(rng):
    chain = BayesGraph({f"X{k}": 2 for k in range(6)}, {f"X{k}": f"X{k - 1}" for k in range(1, 6)})
    theta = fg.random_theta(chain, rng)
    exact = fg.propagate(chain, theta)
    errors = []
    for messages in trace(chain, theta, schedule=flooding(chain), start=rng):
        errors.append(max(np.abs(messages[n].p - exact[n].p).max() for n in exact))
    assert min(errors[:-1]) > 1e-9
    assert errors[-1] < 1e-12


def test_a_schedule_that_does_not_fit_is_refused():
    form = GRAPH.normal_form()
    with pytest.raises(ValueError, match="names the node 'Q', which the graph has not"):
        planned(form, ((Step("Q", "X", "f"),),))
    with pytest.raises(ValueError, match=r"step \('S', 'X', 'f'\) is not one that 'S' can send"):
        planned(form, ((Step("S", "X", "f"),),))


def test_a_trace_begins_before_the_first_round_and_ends_with_loglik(rng):
    theta = fg.random_theta(GRAPH, rng)
    seen = list(trace(GRAPH, theta, {"X": [0, 1]}))
    assert len(seen) == 1 + len(two_sweep(GRAPH))
    assert [m.loglik is None for m in seen] == [True] * (len(seen) - 1) + [False]
    exact = fg.propagate(GRAPH, theta, {"X": [0, 1]})
    close(seen[-1]["S"].p, exact["S"].p)


def test_an_empty_schedule_sends_nothing(rng):
    theta = fg.random_theta(GRAPH, rng)
    (only,) = trace(GRAPH, theta, schedule=flooding(GRAPH, 0))
    assert only.loglik is None


def test_messages_of_another_graph_are_no_start(rng):
    theta = fg.random_theta(GRAPH, rng)
    for other in ({"S": [0, 1]}, {"X": [0, 1, 1]}):
        with pytest.raises(ValueError, match="start holds messages of"):
            list(trace(GRAPH, theta, {"X": [0, 1]}, start=fg.propagate(GRAPH, theta, other)))


def test_a_trace_can_go_on_from_other_messages(rng):
    theta = fg.random_theta(GRAPH, rng)
    evidence = {"X": [0, 1]}
    *_, half = trace(GRAPH, theta, evidence, schedule=flooding(GRAPH, 2), start=rng)
    rest = flooding(GRAPH, GRAPH.normal_form().diameter - 2)
    *_, whole = trace(GRAPH, theta, evidence, schedule=rest, start=half)
    exact = fg.propagate(GRAPH, theta, evidence)
    for name in exact:
        close(whole[name].p, exact[name].p)
