"""Exercises of chapter 01."""

from fgn_notebooks.exercises import Exercise, array, choice, number

EXERCISES = {
    "01.1": Exercise(
        number(4 / 7, "multiply value by value, then divide by the sum of the two products"),
        "The products are 3/15 and 4/15; only their proportion counts.",
    ),
    "01.2": Exercise(
        array(
            [11 / 27, 16 / 27],
            "b_X = theta b_Y, without a transpose, then normalised to sum to one",
        ),
        "theta @ b_y wants a column: np.array([[0.1], [0.3], [0.6]]). Then normalize it.",
    ),
    "01.3": Exercise(
        choice(
            "backward",
            {
                "forward": "what goes to Z1 is the product of what comes from everywhere else",
                "both": "does a diverter send back on a branch what came from it?",
            },
        ),
        "The forward message of X(1) is the product of f on X(0) and b on X(2) and X(3).",
    ),
}
