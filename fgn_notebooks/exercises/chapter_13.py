"""Exercises of chapter 13."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "13.1": Exercise(
        number(697.136, "minus two log-likelihoods, plus the free numbers times log 118", 0.05),
        "Three kinds have 8 * 3 - 1 free numbers, and log 118 is 4.771.",
    ),
    "13.2": Exercise(
        number(
            0.37100,
            "0.337 would be the product of the two probabilities: C and F tell about each other "
            "through the kind",
        ),
        "P(C, F | others) = P(C, F, others) / P(others), and loglik gives the log of each.",
    ),
    "13.3": Exercise(
        choice(
            "fall",
            {
                "stay": "the belief stays, but what factor do the two halves put into the row's "
                "probability?",
                "rise": "a likelihood vector multiplies a probability by numbers of at most a half",
            },
        ),
        "A missing cell is the vector (1, 1). Half of it gives half of the probability.",
    ),
}
