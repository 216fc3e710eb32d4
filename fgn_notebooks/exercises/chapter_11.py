"""Exercises of chapter 11."""

import math

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "11.1": Exercise(
        number(2 * math.log(3 / 8), "P(A=0 | B=1) is 3/4 * 1/4 + 1/4 * 3/4, and the same for B"),
        "Each of the two terms is the log of what one variable's observation was given, P(A | B).",
    ),
    "11.2": Exercise(
        number(41.5, "the best of ten restarts, minus independent(graph, observed)", 0.1),
        'fit(paper.one_hidden_graph(2), observed, "kl", ...).final_loglik.max()',
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
    ),
}
