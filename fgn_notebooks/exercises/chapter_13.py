"""Exercises of chapter 13."""

import numpy as np

from fgn_notebooks.exercises import Exercise, arrows, choice, derive, fault, number, task


def _weights(part: np.ndarray, p: int) -> np.ndarray:
    return np.stack([part != p, part == p]).astype(float)


EXERCISES = {
    "13.1": Exercise(
        number(697.136, "minus two log-likelihoods, plus the free numbers times log 118", 0.05),
        "Three kinds have 8 * 3 - 1 free numbers, and log 118 is 4.771.",
    ),
    "13.2": Exercise(
        number(
            0.37100,
            "0.337 would be the product of the two probabilities: C and F tell about each other "
            "through the kind",
        ),
        "P(C, F | others) = P(C, F, others) / P(others), and loglik gives the log of each.",
    ),
    "13.3": Exercise(
        choice(
            "fall",
            {
                "stay": "the belief stays, but what factor do the two halves put into the row's "
                "probability?",
                "rise": "a likelihood vector multiplies a probability by numbers of at most a half",
            },
        ),
        "A missing cell is the vector (1, 1). Half of it gives half of the probability.",
    ),
    "13.4": derive(
        "Each further kind has 8 free numbers. Write BIC for K and K + 1 and subtract.",
        "BIC falls if minus two times the gain plus 8 log N is negative, so the gain must"
        " exceed 4 log N. For 118 slides that is 4 times 4.771, or 19.08. From three "
        "kinds to four the log-likelihood rises by 4.4 only, so BIC prefers three. From "
        "two to three it rises by 23.6, which is enough.",
    ),
    "13.5": fault(
        _weights,
        [(np.arange(20) % 10, 3), (np.arange(7) % 2, 0)],
        "may a slide that is tested have been learned from?",
        "The weight in learning is zero where the slide is in the part that is tested.",
    ),
    "13.6": task(
        "Write down, before you fit, what result would surprise you.",
        "There is no single answer. A good report says how many free numbers stand "
        "against how many different rows, how often the best top was found, what BIC and "
        "the rows kept aside recommend, and what the hidden states mean. It also says "
        "what was not observed, such as the truth about any row.",
    ),
    "13.7": Exercise(
        arrows(
            {
                "Ice": ("Winter",),
                "Heating": ("Winter",),
                "Accident": ("Ice", "Fog"),
                "Report": ("Accident",),
            },
            {
                ("Fog", "Report"): "what does the reporter look at, the fog or the accident?",
                ("Ice", "Report"): "what does the reporter look at, the ice or the accident?",
                ("Winter", "Fog"): "the story says that fog comes in any winter",
                ("Winter", "Accident"): "a cold winter acts on accidents, but by what?",
                ("Heating", "Ice"): "does a warm room make the road icy, or have they one cause?",
                ("Ice", "Heating"): "does ice on the road heat a room, or have they one cause?",
            },
        ),
        "Ask of every variable: if I knew all that comes before it, which of them would I still "
        "want to know? These are its parents.",
    ),
}
