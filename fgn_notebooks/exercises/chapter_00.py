"""Exercises of chapter 00."""

import numpy as np

from fgn_notebooks.exercises import Exercise, derive, fault, number, task


def _kinds(share: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    return share * likelihood / (share @ likelihood)


EXERCISES = {
    "00.1": Exercise(
        number(0.513, "the evidence has two variables; the letter's state is the second column"),
        'posterior(graph, theta, {"Intelligence": "low", ...}, "Letter") is samples first: [0, 1].',
        further="It is a call of posterior with two variables in the evidence; the states are"
        " written as in the drawing, and the last index is that of the letter you "
        "want.",
    ),
    "00.2": Exercise(
        number(0.0594, "two calls of posterior, with the second evidence added to the first", 5e-4),
        "Grade A has two possible causes, an easy course and an intelligent student. The score "
        "speaks for the second, so the first is needed less.",
        further="Subtract P(hard | Grade A) from P(hard | Grade A, SAT high): posterior(..., "
        '"Difficulty")[0, 1] gives each. Keep the sign, and four decimals.',
    ),
    "00.3": Exercise(
        number(-317.2568, "the best of the restarts, run until it settles, with two states", 1e-2),
        'hidden={"S": 2}, and run.final_loglik.max().',
        further='BayesGraph.from_table(ratings, dict.fromkeys(ratings, "S"), hidden={"S": '
        "2}), then fit(...) with restarts=10, then .final_loglik.max().",
    ),
    "00.4": derive(
        "Take the best model with three kinds. Can you write it as a model with four?",
        "Split one of the three kinds into two: give each half of its share and the same "
        "row in every matrix. The new model gives every row of the table the same "
        "probability, so it has the same log-likelihood, and the best model with four "
        "kinds is at least as good. This says nothing about a single run, which may stop "
        "on a lower local maximum.",
        further="Give two of the four kinds the same rows in every matrix, and let them share"
        " what was one kind's share. What does the model say of each slide now?",
        points=(
            "a model with three kinds can be written as one with four, by splitting a kind",
            "both give every row the same probability, so the best of four is at least as good",
            "this is about the best models; a single run may end on a lower local maximum",
        ),
    ),
    "00.5": fault(
        _kinds,
        [
            (np.array([0.5, 0.5]), np.array([0.2, 0.1])),
            (np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.4, 0.9])),
        ],
        "one kind may be common and another rare: where do the shares enter?",
        "Bayes: prior times likelihood, divided by the sum.",
        further="Multiply the two arrays entry by entry, and divide by the sum of the products.",
    ),
    "00.6": task(
        "Begin with three variables, and add one at a time.",
        "There is no single answer. What most people find: the answers react most to the "
        "matrices of the variables near the evidence, and a rare cause stays improbable "
        "even after evidence that speaks for it strongly. Check one number by hand with "
        "Bayes' theorem before you believe the rest.",
        further="Write the arrows as a mapping from child to parents, and one matrix for each"
        " variable with a row for each configuration of its parents.",
        points=(
            "the variables and arrows, with a reason for each arrow",
            "one question with the answer that you expected and the one that came",
            "the matrix to which this answer reacts most",
        ),
    ),
}
