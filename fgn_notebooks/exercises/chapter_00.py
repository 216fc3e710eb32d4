"""Exercises of chapter 00."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "00.1": Exercise(
        number(0.513, "the evidence has two variables; the letter's state is the second column"),
        'posterior(graph, theta, {"Intelligence": "low", ...}, "Letter") is samples first: [0, 1].',
    ),
    "00.2": Exercise(
        choice(
            "more",
            {"less": "a high score speaks for intelligence, so what explains the grade A less?"},
        ),
        "Grade A has two possible causes, an easy course and an intelligent student. Read the "
        "numbers: an intelligent student gets an A even in a hard course.",
    ),
    "00.3": Exercise(
        number(-317.2568, "the best of the restarts, run until it settles, with two states", 1e-2),
        'hidden={"S": 2}, and run.final_loglik.max().',
    ),
}
