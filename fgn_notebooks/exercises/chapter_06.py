"""Exercises of chapter 06."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "06.1": Exercise(
        number(2 / 3, "one step from anywhere gives the average of the backward messages"),
        "Add the first entries of the three backward messages, and divide by their number.",
    ),
    "06.2": Exercise(
        number(
            0.0,
            "with P(C|Y) the identity every backward message is a delta function: look at b, and "
            "take the messages of the new samples",
            1e-6,
        ),
        "What does KL turn into when b is hard? See 'KL is ML on hard copies'.",
    ),
    "06.3": Exercise(
        choice(
            "fall",
            {
                "rise": "ML left no matrix with a higher likelihood than its own",
                "stay": "the bound is not at its highest there, so KL moves away",
            },
        ),
        "It starts at the top of the hill, and KL's own goal lies elsewhere.",
    ),
}
