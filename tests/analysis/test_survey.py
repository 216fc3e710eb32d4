"""The whole story on a simulated survey: from a CSV file to what one can publish, in ten lines."""

import textwrap
import time

import numpy as np
import pandas as pd
import pytest
from latent_classes import classes
from oracles import joint

import fgnwidgets as fg

AGREE = ["strongly disagree", "disagree", "agree", "strongly agree"]
OFTEN = ["never", "sometimes", "every day"]
QUESTIONS = {f"Q{k} {what}": AGREE for k, what in enumerate(
    ["trusts the council", "trusts the press", "trusts neighbours", "feels safe at night",
     "would move away", "likes the parks", "likes the schools"], 1)} | {
    f"Q{k} {what}": OFTEN for k, what in enumerate(
    ["takes the bus", "cycles", "drives", "shops in town", "meets friends"], 8)}  # fmt: skip
KINDS = 3

STORY = """
survey = pd.read_csv(folder / "survey.csv")
asked = [name for name in survey if name.startswith("Q")]
build = lambda k: fg.BayesGraph.from_table(
    survey, dict.fromkeys(asked, "class"), hidden={"class": k}, columns=asked)
found = fg.compare(build, survey, range(1, 5), columns=asked, weight="weight",
                   alpha=0.1, folds=5, restarts=5, tol=1e-6)
run = found.runs[found.best("bic")]
errors = fg.standard_errors(run)
draw_profile(errors).figure.savefig(folder / "profile.png")
scored = fg.score(run.graph, run, survey, "class")
scored.to_csv(folder / "scored.csv", index=False)
"""


def truth():
    rng = np.random.default_rng(11)
    theta = {"class": [[0.5, 0.3, 0.2]]}
    for name, states in QUESTIONS.items():
        theta[f"{name}|class"] = rng.dirichlet(np.full(len(states), 0.9), KINDS)
    return classes(KINDS, QUESTIONS, "class"), theta


def simulated(path):
    graph, theta = truth()
    rng = np.random.default_rng(0)
    table = fg.sample(graph, theta, 3000, rng)
    frame = pd.DataFrame({name: table[name].astype(object) for name in QUESTIONS})
    frame = frame.mask(rng.random(frame.shape) < 0.08)
    frame.insert(0, "id", np.arange(10_000, 13_000))
    frame["weight"] = rng.gamma(20, 1 / 20, 3000).round(3)
    frame.to_csv(path, index=False)
    return table["class"]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    from fgnwidgets.draw import draw_profile

    folder = tmp_path_factory.mktemp("survey")
    kinds = simulated(folder / "survey.csv")
    scope = {"pd": pd, "fg": fg, "draw_profile": draw_profile, "folder": folder}
    begun = time.process_time()
    exec(textwrap.dedent(STORY), scope)
    return {**scope, "seconds": time.process_time() - begun, "kinds": kinds}


def test_the_story_has_under_15_lines_and_takes_under_a_minute(told):
    assert len(STORY.strip().splitlines()) < 15
    assert told["seconds"] < 60
    assert (told["folder"] / "profile.png").stat().st_size > 20_000


def test_the_number_of_classes_is_the_one_that_was_simulated(told):
    assert told["found"].best("bic") == KINDS
    assert told["found"].best("held_out") == KINDS
    assert told["found"]["n_free"][2] == 2 + KINDS * (7 * 3 + 5 * 2) == told["found"]["rank"][2]


def order(told):
    """The simulated class that each learned one stands for."""
    learned = told["scored"]["class"].to_numpy()
    tally = np.zeros((KINDS, KINDS))
    np.add.at(tally, (learned, told["kinds"]), 1)
    assert len(set(tally.argmax(axis=1))) == KINDS
    return tally.argmax(axis=1)


def held(told, at):
    """Whether each interval holds the truth of the class ``at`` which it is about."""
    _, theta = truth()
    intervals = told["errors"].interval()
    states = {v: told["run"].graph.variables[v].states for v in QUESTIONS}
    hits = []
    for name in QUESTIONS:
        columns = [QUESTIONS[name].index(s) for s in states[name]]
        true = np.asarray(theta[f"{name}|class"])[at][:, columns]
        low, high = intervals[f"{name}|class"]
        hits += ((low <= true) & (true <= high)).ravel().tolist()
    return np.mean(hits)


def test_the_truth_lies_in_the_intervals_about_as_often_as_it_should(told):
    """And that of another class hardly ever, as it would in intervals that say nothing."""
    at = order(told)
    assert 0.88 < held(told, at) <= 1.0
    for turn in (1, 2):
        assert held(told, np.roll(at, turn)) < 0.25


def test_criteria_and_scores_of_respondents_equal_enumeration(told):
    run, survey = told["run"], told["survey"]
    theta = run.best_theta
    prior = theta["class"][0]
    logs = np.tile(np.log(prior), (len(survey), 1))
    for name in QUESTIONS:
        codes = survey[name].map({s: k for k, s in enumerate(run.graph.variables[name].states)})
        known = codes.notna().to_numpy()
        logs[known] += np.log(theta[f"{name}|class"][:, codes[known].astype(int)]).T
    total = np.log(np.exp(logs).sum(axis=1))
    weight = survey["weight"].to_numpy()
    loglik = weight @ total
    assert run.summary().loglik == pytest.approx(loglik)
    assert run.n == pytest.approx(weight.sum())
    assert run.bic == pytest.approx(-2 * loglik + run.n_free * np.log(weight.sum()))
    back = pd.read_csv(told["folder"] / "scored.csv")
    assert (back["id"] == survey["id"]).all()
    p = np.exp(logs - total[:, None])
    np.testing.assert_allclose(back[[f"class={k}" for k in range(KINDS)]], p, atol=1e-10)
    np.testing.assert_allclose(back["loglik"], total)
    assert (back["class"] == p.argmax(axis=1)).all()


def test_the_joint_table_of_two_questions_agrees_with_the_chain_of_formulas(told):
    first = list(QUESTIONS)[:2]
    theta = told["run"].best_theta
    small = classes(KINDS, {v: told["run"].graph.variables[v].states for v in first}, "class")
    whole = joint(small, {k: theta[k] for k in small.normal_form().matrices})
    expected = fg.residuals(told["run"]).expected[first[0], first[1]]
    np.testing.assert_allclose(expected / expected.sum(), whole.sum(axis=0))


def test_the_classes_found_are_those_that_were_simulated(told):
    at = order(told)
    learned = at[told["scored"]["class"].to_numpy()]
    assert (learned == told["kinds"]).mean() > 0.9
