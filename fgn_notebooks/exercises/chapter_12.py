"""Exercises of chapter 12."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "12.1": Exercise(
        number(0.25, "given S3, how many pairs (Y2, S3) are still possible?"),
        "A row sums to one, and shares it equally among the values of the other variable.",
    ),
    "12.2": Exercise(
        number(17, "a matrix of two columns has one free number in each row; a pair has four rows"),
        "Three priors, three blocks with one parent, two blocks with two parents.",
    ),
    "12.3": Exercise(
        choice(
            "stay",
            {
                "rise": "the likelihoods may rise, but what is the ceiling made of?",
                "fall": "what is the ceiling made of?",
            },
        ),
        "The ceiling is computed from the counts of the table, without any graph.",
    ),
}
