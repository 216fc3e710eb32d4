"""Exercises of chapter 14."""

from fgn_notebooks.exercises import Exercise, choice, number

ONE_OF_FOUR = "on delta messages, what does a rule do with a pair of values but count it?"

EXERCISES = {
    "14.1": Exercise(
        number(31.6 / 59.5, "how far above the floor, divided by the ceiling's height above it"),
        "It is 31.6 above the floor.",
    ),
    "14.2": Exercise(
        number(189, "the lower end of the interval must be above 0.9, not the share itself", 0.5),
        "wilson(passed, 200)[0] is the lower end: try from 180 upwards.",
    ),
    "14.3": Exercise(
        choice("none", dict.fromkeys(("ml", "kl", "vit", "var"), ONE_OF_FOUR)),
        "What are all messages, if every variable is observed? See chapter 09.",
    ),
}
