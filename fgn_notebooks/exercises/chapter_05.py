"""Exercises of chapter 05."""

from fgn_notebooks.exercises import Exercise, array, choice, number

EXERCISES = {
    "05.1": Exercise(
        number(1 / 101, "the entries are 1/3, 1/5, 1/7 after 1, 2, 3 steps", 1e-5),
        "From p the next entry is p / (1 + 2p): what happens to 1/p at each step?",
    ),
    "05.2": Exercise(
        array(
            [[1.0, 0.0], [1 / 3, 2 / 3]],
            "one call of ml from the uniform matrix, with a weight for each of three samples",
        ),
        "weight=[0, 1, 1]: only samples 2 and 3 are counted.",
    ),
    "05.3": Exercise(
        choice("stayed", {"moved": "each step multiplies an entry by a finite number"}),
        "What is zero times anything?",
    ),
}
