"""Exercises of chapter 10."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "10.1": Exercise(
        number(2 / 3, "square the three numbers, then divide by their sum"),
        "The squares are in the ratio 1 to 1 to 4.",
    ),
    "10.2": Exercise(
        number(0.9, "one_block_ranking with these settings and n_seeds=50, then .beats", 0.021),
        'beats("vit", "var") gives the frequency first, then its interval.',
    ),
    "10.3": Exercise(
        choice(
            "kl",
            {
                "vit": "VIT hardens the forward message as well, and that one is smooth",
                "var": "VAR never looks at theta; which rule has ML's denominator here?",
            },
        ),
        "When b is a delta function, two rules have the same denominator.",
    ),
}
