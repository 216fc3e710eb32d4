"""Exercises of chapter 11."""

import math

import numpy as np

from fgn_notebooks.exercises import Exercise, choice, derive, fault, number, task


def _aggregated(p: np.ndarray, a: int, b: int) -> np.ndarray:
    return np.log(p[a, b] / p.sum(axis=0)[b]) + np.log(p[a, b] / p.sum(axis=1)[a])


EXERCISES = {
    "11.1": Exercise(
        number(2 * math.log(3 / 8), "P(A=0 | B=1) is 3/4 * 1/4 + 1/4 * 3/4, and the same for B"),
        "Each of the two terms is the log of what one variable's observation was given, P(A | B).",
        further="log P(A=a | B=b) + log P(B=b | A=a), and both conditional probabilities are "
        "the same here.",
    ),
    "11.2": Exercise(
        number(41.5, "the best of ten restarts, minus independent(graph, observed)", 0.1),
        'fit(paper.one_hidden_graph(2), observed, "kl", ...).final_loglik.max()',
        further="Subtract independent(graph, observed) from the best final_loglik of KL with "
        "two states.",
    ),
    "11.3": Exercise(
        choice(
            "stay",
            {
                "rise": "VAR makes all states alike: what can nine equal states say that four "
                "could not?",
                "fall": "what does a model of equal states say, however many there are?",
            },
        ),
        "On which level did VAR end with four states, and does that level depend on S?",
        further="A model whose states are all alike is the model of independence. Does its "
        "likelihood depend on how many such states there are?",
    ),
    "11.4": derive(
        "Write the log-likelihood of an independent model column by column, with the "
        "frequencies as weights.",
        "In an independent model the log-likelihood is a sum over the columns, and for "
        "one column it is N times the sum of h(x) log p(x), with the frequencies h. This "
        "equals N times (minus the entropy of h minus KL(h || p)). The entropy does not "
        "depend on p, and the divergence is never negative and zero only for p = h. So "
        "the frequencies are best, in each column by itself.",
        further="For one column, sum h log p = sum h log h - sum h log(h / p). Which part can"
        " you change?",
        points=(
            "the log-likelihood splits into one sum for each column",
            "each sum is minus entropy minus a divergence",
            "the divergence is zero for p = h, the frequencies",
        ),
    ),
    "11.5": fault(
        _aggregated,
        [
            (np.array([[0.4, 0.1], [0.2, 0.3]]), 0, 1),
            (np.array([[0.1, 0.2, 0.3], [0.05, 0.15, 0.2]]), 1, 2),
        ],
        "each term is the probability of one cell given the other cell of its row",
        "P(a | b) = p[a, b] divided by the sum of column b.",
        further="np.log(p[a, b] / p[:, b].sum()) + np.log(p[a, b] / p[a].sum()).",
    ),
    "11.6": task(
        "paper.one_hidden_graph() gives the graph; sample, fit and the three levels do the rest.",
        "That ML and KL are ahead, and that coefficients differ from the true ones, "
        "survives in nearly every model. How far VIT gets differs from model to model. VAR "
        "leaves the floor in models whose columns depend strongly: compute the largest "
        "eigenvalue of chapter 09 before you run it. That up to five steps are harmless "
        "is a property of this small graph.",
        further="Draw the matrices from a Dirichlet distribution, sample 400 rows, and repeat"
        " the chapter's comparison for ten such models.",
        points=(
            "which of the paper's statements survive in your models",
            "which depend on the model, and on what in it",
            "the largest eigenvalue of chapter 09 where VAR learns",
        ),
    ),
}
