"""Exercises of chapter 02."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "02.1": Exercise(
        number(9, "did you count the two shaded blocks, and the diverter of the product space?"),
        "Two sources, three blocks to learn, two shaded blocks; one diverter joins the parents in "
        "their product space, another serves the two children of cancer.",
    ),
    "02.2": Exercise(
        number(71, "a matrix of r rows and c columns has r (c - 1); sources have one row"),
        "forest.normal_form().matrices holds the shape (rows, columns) of every matrix.",
    ),
    "02.3": Exercise(
        choice(
            "y2",
            {
                "s1": "what goes up from an unseen Y2 into the product space is uniform",
                "s3": "S3 meets Y2 only at X3, and X3 is not seen",
                "y1": "Y1 hears of S2 only through S1: does S1 change?",
            },
        ),
        "Follow the message of S2: it goes down to its child. What comes back from variables that "
        "nobody has seen is uniform.",
    ),
}
