"""Exercises of chapter 08."""

from fgn_notebooks.exercises import Exercise, array, choice, number

EXERCISES = {
    "08.1": Exercise(
        array(
            [[1 / 3, 2 / 3], [1.0, 0.0]],
            "the first sample gives half to each row's first column, the second one to row 1 alone",
        ),
        "Add the two tables f b^T, then divide each row by its sum.",
    ),
    "08.2": Exercise(
        number(0.6753, "400 calls of ml from the uniform matrix, each with alpha=5"),
        "Call ml in a loop, theta = ml(theta, result.f, result.b, alpha=5).",
    ),
    "08.3": Exercise(
        choice(
            "narrower",
            {
                "wider": "each sample adds a quarter to every cell's count",
                "same": "that is the exact density; what does VAR make of a uniform message?",
            },
        ),
        "Each sample that says nothing still adds a fraction to every cell.",
    ),
}
