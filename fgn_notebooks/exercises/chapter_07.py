"""Exercises of chapter 07."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, derive, fault, number, task


def _first(p: np.ndarray) -> np.ndarray:
    return np.eye(len(p))[p.argmax(axis=0)].T


EXERCISES = {
    "07.1": Exercise(
        array(
            [[1 / 3, 2 / 3], [0.0, 1.0]],
            "the new f is a tie: which row does it count for, and which column does its b choose?",
        ),
        "A tie goes to the first value, so the sample counts for row 1, column 2.",
        further="Row 1 then has one sample in column 1 and two in column 2; row 2 is as before.",
    ),
    "07.2": Exercise(
        number(
            0.128, "model(0.9) for the messages and for the shares; then the largest difference"
        ),
        "Build the messages and the shares with model(0.9), then one call of vit.",
        further='f_p, b_p = propagate(chain, model(p), rows).at_block("Y|X"), and the shares are '
        "np.exp(loglik(chain, model(p), rows)), both with your p.",
    ),
    "07.3": derive(
        "For p above one half, which value of X does VIT pick if A = a was seen? And "
        "which value of Y if C = c was seen?",
        "If A = a is seen, the forward message at X is row a of B, so VIT picks X = a. If"
        " C = c is seen, it picks Y = c. So VIT counts the pairs (A, C), and with "
        "infinitely many samples its rows are P(C|A), which is B theta B. For p = 0.8 its"
        " first row is (0.668, 0.332) in place of (0.9, 0.1): the error is 0.232, as "
        "printed. A million samples bring VIT to B theta B, and no closer to theta. Only "
        "p itself helps.",
        further="VIT counts the pair (a, c) for a sample with A = a and C = c. Which matrix "
        "is P(C|A) in this chain?",
        points=(
            "VIT picks X = a and Y = c, whatever else is known",
            "so it counts pairs (A, C), and P(C|A) is B theta B",
            "the error is a bias: more samples do not reduce it",
        ),
    ),
    "07.4": fault(
        _first,
        [(np.array([[0.2, 0.5], [0.7, 0.5], [0.1, 0.0]]),), (np.full((3, 2), 0.25),)],
        "look at a column in which two values share the maximum",
        "argmax returns the first of equal values; np.eye turns positions into columns.",
        further="np.eye(len(p))[p.argmax(axis=0)] has a row for each sample; transpose it.",
    ),
    "07.5": task(
        "np.random.default_rng(0).permutation of the values before argmax is one way.",
        "fit(..., ties='random') does it too. Of 40 runs from random matrices 19 were still moving "
        "after 40 epochs with random ties, and 15 with ties to the first value; from random "
        "messages 19 and 16. So on this graph it makes little difference. They end no higher: the "
        "median is the floor or 1.4 below it. On the deeper graph of chapter 12 it makes all the "
        "difference, so what one reads about the oscillations of VIT is partly a statement about "
        "ties.",
        further='fit(graph, leaves, "vit", ties="random", ...) does it without a loop of your'
        " own. Count the starts that still move in the last ten epochs, as the "
        "chapter does.",
        points=(
            "how many starts still move, with and without random ties",
            "how high the two end",
            "whether a difference is larger than chance would make it",
        ),
    ),
}
