"""Numbers drawn from a student's name, for one exercise of most chapters.

Every function gets a source of random numbers, seeded with the name, and returns what to replace in
the question and in the code of our answer, and the test of the new answer. Hints have no numbers
that depend on the student.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from .answers import Drawn, array, number

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty", "twenty-one", "twenty-two", "twenty-three", "twenty-four"),
    *("twenty-five", "twenty-six", "twenty-seven", "twenty-eight", "twenty-nine", "thirty"),
)


def _letter(source: Random) -> Drawn:
    from fgn_notebooks.examples import student
    from fgnwidgets import posterior

    letter, intelligence = source.choice(("weak", "strong")), source.choice(("low", "high"))
    difficulty = source.choice(("easy", "hard"))
    graph, theta = student()
    asked = {"Intelligence": intelligence, "Difficulty": difficulty}
    place = ("weak", "strong").index(letter)
    replace = {
        "a strong letter": f"a {letter} letter",
        "low intelligence": f"{intelligence} intelligence",
        "an easy course": "an easy course" if difficulty == "easy" else "a hard course",
        '"low"': f'"{intelligence}"',
        '"easy"': f'"{difficulty}"',
        "[0, 1]": f"[0, {place}]",
    }
    about = "the evidence has two variables; which column is the letter's state that is asked for?"
    expected = posterior(graph, theta, asked, "Letter")[0, place]
    return Drawn(replace, number(expected, about), "posterior(graph, theta, {...}, 'Letter').")


def _belief(source: Random) -> Drawn:
    a, c = source.randint(1, 6), source.randint(1, 4)
    f, b = np.array([a, 7 - a]) / 7, np.array([c, 5 - c]) / 5
    replace = {
        r"(\tfrac35,\tfrac25)": rf"(\tfrac{a}7,\tfrac{7 - a}7)",
        r"(\tfrac13,\tfrac23)": rf"(\tfrac{c}5,\tfrac{5 - c}5)",
        "3 / 5": f"{a} / 7",
        "2 / 5": f"{7 - a} / 7",
        "1 / 3": f"{c} / 5",
        "2 / 3": f"{5 - c} / 5",
    }
    about = "multiply value by value, then divide by the sum of the two products"
    return Drawn(replace, number(f[1] * b[1] / (f @ b), about), "Only proportions count.")


def _interview(source: Random) -> Drawn:
    from fgn_notebooks.examples import student
    from fgnwidgets import posterior

    times, grade = source.choice((2, 3, 5, 6, 7, 8, 9, 10, 12, 15)), source.choice("ABC")
    graph, theta = student()
    asked = {"Intelligence": np.array([[1, times]]), "Grade": grade}
    replace = {
        "four times": f"{WORDS[times]} times",
        "grade is B": f"grade is {grade}",
        "[[1, 4]]": f"[[1, {times}]]",
        '"Grade": "B"': f'"Grade": "{grade}"',
    }
    about = "two pieces of evidence: a likelihood on Intelligence, and the grade"
    expected = posterior(graph, theta, asked, "SAT")[0, 1]
    hint = "A likelihood is an array of one row, with a number for low and a number for high."
    return Drawn(replace, number(expected, about), hint)


def _steps(source: Random) -> Drawn:
    steps = source.randint(11, 99)
    about = "the entries are 1/3, 1/5, 1/7 after 1, 2, 3 steps"
    replace = {"50 steps": f"{steps} steps", "2 * 50": f"2 * {steps}"}
    hint = "From p the next entry is p / (1 + 2p): what happens to 1/p at each step?"
    return Drawn(replace, number(1 / (2 * steps + 1), about, 1e-5), hint)


def _average(source: Random) -> Drawn:
    a, c = source.sample(range(1, 10), 2)
    replace = {
        r"(\tfrac34,\tfrac14)": rf"(0.{a},\,0.{10 - a})",
        r"(\tfrac14,\tfrac34)": rf"(0.{c},\,0.{10 - c})",
        "3 / 4 + 1 / 4": f"0.{a} + 0.{c}",
    }
    about = "one step from anywhere gives the average of the backward messages"
    hint = "Add the first entries of the three backward messages, and divide by their number."
    return Drawn(replace, number((a + c + 10) / 30, about), hint)


def _blurred(source: Random) -> Drawn:
    p = source.choice((0.6, 0.65, 0.7, 0.75, 0.85, 0.95, 0.97))
    blur, true = np.array([[p, 1 - p], [1 - p, p]]), np.array([[0.9, 0.1], [0.3, 0.7]])
    expected = np.abs(blur @ true @ blur - true).max()
    about = f"model({p}) for the messages and for the shares; then the largest difference"
    hint = "Build the messages and the shares with the model of your p, then one call of vit."
    return Drawn({"p=0.9": f"p={p}", "model(0.9)": f"model({p})"}, number(expected, about), hint)


def _fractions(source: Random) -> Drawn:
    tenths = source.choice((1, 2, 3, 4, 6, 7, 8, 9))
    a = tenths / 10
    replace = {
        r"(\tfrac12,\tfrac12)": rf"({a:g},\,{1 - a:.1g})",
        "[1 / 3, 2 / 3]": f"[{a:g} / {1 + a:g}, 1 / {1 + a:g}]",
    }
    about = "which share of the first sample belongs to each row, and which of the second?"
    right = array([[a / (1 + a), 1 / (1 + a)], [1.0, 0.0]], about)
    return Drawn(replace, right, "Add the two tables f b^T, then divide each row by its sum.")


def _children(source: Random) -> Drawn:
    children = source.choice((4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    about = "the largest eigenvalue is 1 + (D - 1) rho, and it must exceed 2"
    replace = {"six two-valued": f"{WORDS[children]} two-valued", "1 / 5": f"1 / {children - 1}"}
    hint = "Write D for the number of children, and solve 1 + (D - 1) rho = 2."
    return Drawn(replace, number(1 / (children - 1), about), hint)


def _sharper(source: Random) -> Drawn:
    power, kind = source.randint(2, 5), source.choice(((1, 1, 2), (1, 2, 3), (2, 2, 3), (1, 3, 4)))
    own = [k / sum(kind) for k in kind]
    message = ",".join(rf"\tfrac{k}{sum(kind)}" for k in kind)
    powers = [k**power for k in kind]
    replace = {
        r"\tfrac14,\tfrac14,\tfrac12": message,
        "power 2": f"power {power}",
        "2 / 3": f"{max(powers)} / {sum(powers)}",
    }
    expected = max(own) ** power / sum(p**power for p in own)
    about = "raise the three numbers to the power, then divide by their sum"
    return Drawn(replace, number(expected, about), "Work with whole numbers in the same ratio.")


def _shaded(source: Random) -> Drawn:
    values = source.choice((2, 3, 5, 6, 7, 8, 9))
    about = "given S3, how many pairs (Y2, S3) are still possible?"
    replace = {"M_{Y_2}=4": f"M_{{Y_2}}={values}", "1 / 4": f"1 / {values}"}
    hint = "A row sums to one, and shares it equally among the values of the other variable."
    return Drawn(replace, number(1 / values, about), hint)


def _bic(source: Random) -> Drawn:
    loglik = 293705 + 10 * source.randint(20, 2500)
    expected = 2 * loglik / 1000 + 23 * np.log(118)
    about = "minus two log-likelihoods, plus the parameters times log 118"
    hint = "Three kinds have 8 * 3 - 1 parameters, and log 118 is 4.771."
    return Drawn({"293.705": f"{loglik / 1000:.3f}"}, number(expected, about, 0.05), hint)


def _share(source: Random) -> Drawn:
    ceiling = source.randint(8000, 8900) / 10
    floor = ceiling + source.randint(400, 900) / 10
    end = floor - source.randint(100, 380) / 10
    replace = {"939.1": f"{floor:.1f}", "879.6": f"{ceiling:.1f}", "907.5": f"{end:.1f}"}
    about = "how far above the floor, divided by the ceiling's height above it"
    expected = (round(floor, 1) - round(end, 1)) / (round(floor, 1) - round(ceiling, 1))
    return Drawn(replace, number(expected, about), "How far is it above the floor?")


def _unseen(source: Random) -> Drawn:
    rows, a = source.randrange(20, 200, 5), source.choice((0.1, 0.2, 0.25, 0.5))
    about = "how much do all twelve cells add to the sum of the counts?"
    replace = {"50 rows": f"{rows} rows", "(50 +": f"({rows} +", "0.5": f"{a}"}
    hint = "A cell that was never seen holds the pseudo-count alone."
    return Drawn(replace, number(a / (rows + 12 * a), about, 1e-5), hint)


def _chain(source: Random) -> Drawn:
    states, symbols = source.randint(2, 7), source.randint(3, 12)
    replace = {
        "three states": f"{WORDS[states]} states",
        "five symbols": f"{WORDS[symbols]} symbols",
        "2 + 3 * 2 + 3 * 4": f"{states - 1} + {states} * {states - 1} + {states} * {symbols - 1}",
    }
    free = (states - 1) + states * (states - 1) + states * (symbols - 1)
    about = "a row of M entries has M - 1 parameters; count the rows of each matrix"
    return Drawn(
        replace, number(free, about, 0.5), "One row for the start; how many for each step?"
    )


def _effects(source: Random) -> Drawn:
    effects = source.randint(11, 30)
    about = "how many two-valued variables does the largest product space hold?"
    replace = {"*twenty*": f"*{WORDS[effects]}*", "2**21": f"2**{effects + 1}"}
    hint = "The product space holds the root and all of its children."
    return Drawn(replace, number(2 ** (effects + 1), about, 0.5), hint)


def _place(source: Random) -> Drawn:
    sizes = [source.randint(2, 5) for _ in range(3)]
    values = [source.randint(1, size) for size in sizes]
    steps = (sizes[1] * sizes[2], sizes[2])
    replace = {
        "sizes 2, 3, 2": f"sizes {', '.join(map(str, sizes))}",
        "configuration 231": f"configuration {''.join(map(str, values))}",
        "(2 - 1) * 6 + (3 - 1) * 2 + (1 - 1)": (
            f"({values[0]} - 1) * {steps[0]} + ({values[1]} - 1) * {steps[1]} + ({values[2]} - 1)"
        ),
    }
    expected = int(np.ravel_multi_index([value - 1 for value in values], sizes))
    about = "how many configurations does each step of the first and of the second variable skip?"
    return Drawn(replace, number(expected, about, 0.5), "Count those that come before it.")


def _multiplier(source: Random) -> Drawn:
    odds, samples = source.choice((2, 3, 4, 5, 6, 7, 8)), source.randint(2, 9)
    slope = f"{samples} * (1 / {odds + 1}) / ({odds} / {odds + 1})"
    replace = {
        "two samples, both": f"{WORDS[samples]} samples, all",
        r"(\tfrac34,\tfrac14)": rf"(\tfrac{odds}{odds + 1},\tfrac1{odds + 1})",
        "2 - 2 * (1 / 4) / (3 / 4)": f"{samples} - {slope}",
    }
    about = "lambda is c - G: the count of the row, minus the slope of that coefficient"
    hint = (
        "Find q of a sample first, then the slope of the second coefficient, then the row's count."
    )
    return Drawn(replace, number(samples * (1 - 1 / odds), about), hint)


DRAWN: Mapping[str, Callable[[Random], Drawn]] = {
    "00.1": _letter,
    "01.1": _belief,
    "03.2": _interview,
    "05.1": _steps,
    "06.1": _average,
    "07.2": _blurred,
    "08.1": _fractions,
    "09.3": _children,
    "10.1": _sharper,
    "12.1": _shaded,
    "13.1": _bic,
    "14.1": _share,
    "15.1": _unseen,
    "16.2": _chain,
    "17.2": _effects,
    "A.1": _place,
    "B.1": _multiplier,
}
"""The functions by exercise. Chapters 02, 04, 11 and C have none, since their closed questions are
about what the chapter has printed."""
