"""Exercises of Appendix B."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "B.1": Exercise(
        number(4 / 3, "lambda is c - G: the count of the row, minus the slope of that coefficient"),
        "q is 3/4 in both samples, so G = (2, 2/3), and the row's count c is 2, all samples.",
    ),
    "B.2": Exercise(
        number(26, "evaluate gap along path and take the first step below 0.1", 0.1),
        "enumerate(path) gives the number of steps with each matrix.",
    ),
    "B.3": Exercise(
        choice(
            "zero",
            {
                "positive": "then lambda times theta would not be zero",
                "not say": "read the slackness condition once more",
            },
        ),
        "A wall pushes only where it is touched.",
    ),
}
