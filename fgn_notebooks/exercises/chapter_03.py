"""Exercises of chapter 03."""

import numpy as np

from fgn_notebooks.exercises import Exercise, derive, fault, names, number, task


def _last(prior: np.ndarray, link: np.ndarray, seen: list[np.ndarray]) -> np.ndarray:
    belief = prior * seen[0]
    for evidence in seen[1:]:
        belief = (link.T @ belief) * evidence
    return belief / belief.sum()


PRIOR, LINK = np.array([0.5, 0.5]), np.array([[0.7, 0.3], [0.2, 0.8]])
SEEN = [np.array([0.9, 0.2]), np.array([0.1, 0.8]), np.array([0.9, 0.2])]

EXERCISES = {
    "03.1": Exercise(
        number(14 / 19, "of the first row, which entries have X = 0, and what is the row's sum?"),
        "The row C = 0 holds 24, 4, 4 and 6; X is the second digit of the column's name.",
        further="Divide the sum of the entries with C = 0 and X = 0 by the sum of the whole "
        "row C = 0.",
    ),
    "03.2": Exercise(
        number(0.39395, "two pieces of evidence: a likelihood on Intelligence, and the grade"),
        '{"Intelligence": np.array([[1, 4]]), "Grade": "B"}: one sample, so one row of two values, '
        "low before high.",
        further='One call: posterior(graph, matrices, {"Intelligence": ..., "Grade": ...}, '
        '"SAT")[0, 1].',
    ),
    "03.3": Exercise(
        names(
            {"Intelligence", "Difficulty"},
            "the letter sees only the grade, and a known grade blocks that path; but a known grade "
            "opens the path between its two causes",
        ),
        "Which paths from SAT go through Grade, and is Grade a step or a common effect on them?",
        further="SAT speaks to intelligence directly. Grade is a common effect of "
        "intelligence and difficulty, and it is known. Which of the other two is "
        "reached through it?",
    ),
    "03.4": derive(
        "The forward message at the open end is the belief p. What does the branch "
        "multiply it with?",
        "The forward message at the open end is the belief p. Fed back as the backward "
        "message of the same branch, it is multiplied with that forward message, and the "
        "belief becomes p squared, normalised: it is surer than the evidence allows. The "
        "rule that a diverter leaves out the branch's own message forbids this inside a "
        "graph, since otherwise evidence would hear its own echo and be counted twice, "
        "and again in every round.",
        further="Multiply p by p and normalise: take p = (0.8, 0.2) to see what happens. Then"
        " find the rule of the diverter that leaves something out.",
        points=(
            "the belief becomes the square of what it was, normalised, so it is too sure",
            "the rule: what leaves on a branch leaves out what entered on it",
            "the reason: otherwise the same evidence is counted twice",
        ),
    ),
    "03.5": fault(
        _last,
        [(PRIOR, LINK, SEEN[:1]), (PRIOR, LINK, SEEN[:2]), (PRIOR, LINK, SEEN)],
        "with evidence on one variable alone, should there be a step of the link?",
        "Evidence about a variable is multiplied in after the step that leads to it.",
        further="Begin with prior * seen[0]. Then, for each further variable: step with "
        "link.T, and multiply by its evidence.",
    ),
    "03.6": task(
        "Long chains whose links are nearly uniform are a good place to look.",
        "A chain in which a variable repeats the one before it with a probability slightly"
        " above one half works: the single favourites follow weak evidence one by one, while "
        "the best configuration prefers to stay in one state. The favourites taken "
        "together can even be impossible, with probability zero, if some transitions are "
        "forbidden.",
        further="Take five variables in a row that like to keep their value, with weak "
        "evidence that alternates. most_probable gives the best configuration, the "
        "beliefs the favourites.",
        points=(
            "a graph and evidence where the two differ",
            "the probability of the favourites taken together, beside that of the best",
            "why: a belief sums over what the others do, the best configuration does not",
        ),
    ),
}
