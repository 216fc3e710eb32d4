"""Exercises of chapter 03."""

from fgn_notebooks.exercises import Exercise, names, number

EXERCISES = {
    "03.1": Exercise(
        number(14 / 19, "of the first row, which entries have X = 0, and what is the row's sum?"),
        "The row C = 0 holds 24, 4, 4 and 6; X is the second digit of the column's name.",
    ),
    "03.2": Exercise(
        number(0.39395, "two pieces of evidence: a likelihood on Intelligence, and the grade"),
        '{"Intelligence": np.array([[1, 4]]), "Grade": "B"}: one sample, so one row of two values, '
        "low before high.",
    ),
    "03.3": Exercise(
        names(
            {"Intelligence", "Difficulty"},
            "the letter sees only the grade, and a known grade blocks that path; but a known grade "
            "opens the path between its two causes",
        ),
        "Which paths from SAT go through Grade, and is Grade a step or a common effect on them?",
    ),
}
