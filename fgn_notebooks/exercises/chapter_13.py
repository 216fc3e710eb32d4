"""Exercises of chapter 13."""

import numpy as np

from fgn_notebooks.exercises import Exercise, arrows, choice, derive, fault, number, task


def _weights(part: np.ndarray, p: int) -> np.ndarray:
    return np.stack([part != p, part == p]).astype(float)


EXERCISES = {
    "13.1": Exercise(
        number(697.136, "minus two log-likelihoods, plus the parameters times log 118", 0.05),
        "Three classes have 8 * 3 - 1 parameters, and log 118 is 4.771.",
        further="Minus two times a negative number is positive. Then add 23 times log 118.",
    ),
    "13.2": Exercise(
        number(
            0.37100,
            "0.337 would be the product of the two probabilities: C and F tell about each other "
            "through the class",
        ),
        "P(C, F | others) = P(C, F, others) / P(others), and loglik gives the log of each.",
        further="Two calls of loglik: one with C, F and the others, one with the others "
        "alone. The answer is exp of the difference.",
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
        further="A vector (1/2, 1/2) multiplies the probability of the row by 1/2, whatever "
        "the class.",
    ),
    "13.4": derive(
        "Each further class has 8 parameters. Write BIC for K and K + 1 and subtract.",
        "BIC falls if minus two times the gain plus 8 log N is negative, so the gain must"
        " exceed 4 log N. For 118 slides that is 4 times 4.771, or 19.08. From three "
        "classes to four the log-likelihood rises by 4.4 only, so BIC prefers three. From "
        "two to three it rises by 23.6, which is enough.",
        further="Set 2 gain > 8 log N, then insert N = 118 and the two gains.",
        points=(
            "BIC falls if the gain exceeds 4 log N",
            "for 118 slides that is 19.08",
            "from two to three classes it does, from three to four it does not",
        ),
    ),
    "13.5": fault(
        _weights,
        [(np.arange(20) % 10, 3), (np.arange(7) % 2, 0)],
        "may a slide that is tested have been learned from?",
        "The weight in learning is zero where the slide is in the part that is tested.",
        further="np.stack([part != p, part == p]).astype(float): the first row learns, the "
        "second one tests.",
    ),
    "13.6": task(
        "Write down, before you fit, what result would surprise you.",
        "There is no single answer. A good report says how many parameters stand "
        "against how many different rows, how often the best maximum was found, what BIC and "
        "the rows kept aside recommend, and what the hidden states mean. It also says "
        "what was not observed, such as the truth about any row.",
        further="Follow the steps of the chapter in order: size of the table, starts, number "
        "of states, rows kept aside, meaning.",
        points=(
            "parameters against different rows, and how often the best maximum was found",
            "what BIC and the rows kept aside recommend",
            "what the states mean, and what nobody has observed",
        ),
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
        further="Count the arrows: two leave Winter, two enter Accident, and one leads to the"
        " report.",
    ),
}
