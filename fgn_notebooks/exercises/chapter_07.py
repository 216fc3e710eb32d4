"""Exercises of chapter 07."""

from fgn_notebooks.exercises import Exercise, array, choice, number

EXERCISES = {
    "07.1": Exercise(
        array(
            [[1 / 3, 2 / 3], [0.0, 1.0]],
            "the new f is a tie: which row does it count for, and which column does its b choose?",
        ),
        "A tie goes to the first value, so the sample counts for row 1, column 2.",
    ),
    "07.2": Exercise(
        number(
            0.128, "model(0.9) for the messages and for the shares; then the largest difference"
        ),
        "Build the messages and the shares with model(0.9), then one call of vit.",
    ),
    "07.3": Exercise(
        choice("no", {"yes": "look at the flat lines: what do they do as the samples grow?"}),
        "With infinitely many samples the error was not zero.",
    ),
}
