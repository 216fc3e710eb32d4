"""Claims about a single block (sections 3 to 6), on random messages.

Every check takes a case and a cast (``ledger``), and returns a bool for each seed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fgnwidgets import iterate

from ..experiments.single_block import train_size
from ..experiments.words import PAPERS
from .ledger import Cast, Claim, along, threshold, under
from .messages import SWEPT, Messages, drawn, generative, learned

SMOOTH = Messages()
MEDIUM, SHARP = Messages(exponent=5.0), Messages(exponent=20.0)
LARGER = Messages(m_x=5, m_y=4, n=500)
LIKE = 0.01
"""Likelihoods within a hundredth of each other are called alike."""

NAT = 1.0
"""A likelihood that is larger by this much is better."""

LEVELS = (("EX=EY=1, 3 x 3, N=200", SMOOTH), ("EX=EY=20", SHARP), ("EX=EY=5", MEDIUM),
          ("EX=EY=1, 5 x 4, N=500", LARGER),
          ("EX=EY=20, 5 x 4, N=500", Messages(exponent=20.0, m_x=5, m_y=4, n=500)),
          ("EX=EY=1, messages that depend, N=1000", Messages(n=1000, dependent=True, seeds=60)),
          ("EX=EY=20, messages that depend", Messages(exponent=20.0, dependent=True)))  # fmt: skip
"""Smooth and sharpened messages, which the paper has; it does not print the sizes."""

SWEEP = Messages(seeds=SWEPT)
SHARPENED = Messages(20.0, seeds=SWEPT)
EXPONENTS = {f"{e:g}": float(e) for e in (1, 2, 5, 10, 20, 50)}
LENGTHS = {str(n): n for n in (20, 50, 200, 800)}


def knobs(check, case: Messages = SWEEP):  # type: ignore[no-untyped-def]
    """Sweeps over sharpness, number of samples, dependence of the messages, and size."""
    return (
        along(check, case, "EX=EY", "exponent", EXPONENTS),
        along(check, case, "N", "n", LENGTHS),
        along(check, case, "messages depend", "dependent", {"no": False, "yes": True}),
        along(check, case, "M_X", "m_x", {str(m): m for m in (2, 3, 5, 8)}),
    )


def ml_rises(case: Messages, cast: Cast) -> np.ndarray:
    """ML's log-likelihood falls in no iteration, up to rounding, and ends above the floor."""
    found = learned(case, cast)
    rises = (np.diff(found.curves["ml"], axis=0) > -1e-9).all(axis=0)
    return np.asarray(rises & (found.gain("ml") > 1e-6))


def ml_is_quick(case: Messages, cast: Cast, steps: int = 10) -> np.ndarray:
    """Ten iterations of ML bring nine tenths of what a hundred bring above the uniform matrix."""
    found = learned(case, cast)
    return np.asarray((gained(case, cast, "ml")[steps] >= 0.9) & (found.gain("ml") > 1e-6))


def gained(case: Messages, cast: Cast, part: str) -> np.ndarray:
    """The share of its gain in 100 iterations that a rule has made, ``(iterations, seeds)``."""
    curve = learned(case, cast).curves[part]
    whole = curve[-1] - curve[0]
    return np.asarray((curve - curve[0]) / np.where(whole > 0, whole, np.inf))


def normalization_decides(case: Messages, cast: Cast, share: float = 0.9) -> np.ndarray:
    """KL, which differs from ML by its normalization, has less than nine tenths of ML's gain."""
    found = learned(case, cast)
    return np.asarray((found.gain("kl") < share * found.gain("ml")) & (found.gain("ml") > 1e-6))


def few_steps_predict_as_well(case: Messages, cast: Cast, steps: int = 10) -> np.ndarray:
    """Ten iterations of ML predict new samples as well as a hundred, to within a hundredth."""
    found = learned(case, cast)
    curve = found.test_curves["ml"]
    as_well = curve[steps] > curve[-1] - LIKE * np.abs(curve[-1])
    return np.asarray(as_well & (found.gain("ml") > 1e-6))


def normalization_decides_on_new_samples(
    case: Messages, cast: Cast, share: float = 0.9
) -> np.ndarray:
    """The same of new samples, and what ML has learned is worth something there."""
    found = learned(case, cast)
    best = np.maximum(found.test_floor, _uniform(case))
    ml, kl = (found.test_loglik[part] - best for part in ("ml", "kl"))
    return np.asarray((kl < share * ml) & (ml > NAT))


def vit_is_like_ml(case: Messages, cast: Cast, like: float = LIKE) -> np.ndarray:
    """On new samples VIT is behind ML by less than a hundredth of its likelihood.

    A share of what ML gains on the samples learned from would be no yardstick: without dependence
    that gain is chance. A matrix with equal rows has learned no dependence, and does not pass.
    """
    found = learned(case, cast)
    ml, vit = (found.test_loglik[part] for part in ("ml", "vit"))
    apart = np.ptp(found.theta["vit"], axis=-2).max(axis=-1)
    return np.asarray((vit > ml - like * np.abs(ml)) & (apart > 1e-6))


def mean_is_like_mode(case: Messages, cast: Cast, apart: float = 0.02) -> np.ndarray:
    """No coefficient's mean under the Dirichlet density is farther than 0.02 from its mode."""
    f, b, _ = drawn(case)
    counts = f @ b.swapaxes(-1, -2)
    mode = counts / counts.sum(axis=-1, keepdims=True)
    mean = (counts + 1) / (counts + 1).sum(axis=-1, keepdims=True)
    return np.asarray(np.abs(mean - mode).max(axis=(-2, -1)) < apart)


def all_count(case: Messages, cast: Cast) -> np.ndarray:
    """On deltas, no rule's coefficient is farther than 1e-4 from the share of co-occurrences."""
    u, v, _ = drawn(case)
    f, b = (np.eye(m.shape[1])[m.argmax(axis=1)].swapaxes(-1, -2) for m in (u, v))
    counts = f @ b.swapaxes(-1, -2)
    shares = counts / counts.sum(axis=-1, keepdims=True)
    uniform = np.full(counts.shape, 1 / counts.shape[-1])
    apart = []
    for rule in cast:
        *_, theta = iterate(rule, uniform, f, b, n_it=5)
        apart.append(np.abs(theta - shares).max(axis=(-2, -1)))
    return np.asarray(np.max(apart, axis=0) < 1e-4)


def ml_is_best(case: Messages, cast: Cast) -> np.ndarray:
    """ML ends above every other rule and the random matrix."""
    found = learned(case, cast).loglik
    others = [v for name, v in found.items() if name != "ml"]
    return np.asarray(found["ml"] > np.max(others, axis=0) + 1e-9)


def kl_is_next(case: Messages, cast: Cast) -> np.ndarray:
    """KL ends above VIT, VAR and the random matrix."""
    found = learned(case, cast).loglik
    return np.asarray(found["kl"] > np.max([found[k] for k in ("vit", "var", "reference")], axis=0))


def vit_beats_var(case: Messages, cast: Cast) -> np.ndarray:
    """VIT ends above VAR."""
    found = learned(case, cast).loglik
    return np.asarray(found["vit"] > found["var"])


def rules_draw_together(case: Messages, cast: Cast, sharp: float = 20.0) -> np.ndarray:
    """The best and the worst rule are closer on the sharper messages."""
    gaps = []
    for exponent in (case.exponent, sharp):
        found = learned(Messages(**{**vars(case), "exponent": exponent}), cast).loglik
        finals = np.stack([found[rule] for rule in PAPERS])
        gaps.append(finals.max(axis=0) - finals.min(axis=0))
    return np.asarray(gaps[1] < gaps[0])


def rules_are_alike(case: Messages, cast: Cast, apart: float = 0.05) -> np.ndarray:
    """No coefficient of KL, VIT or VAR is farther than 0.05 from ML's."""
    theta = learned(case, cast).theta
    off = [np.abs(theta[rule] - theta["ml"]).max(axis=(-2, -1)) for rule in PAPERS]
    return np.asarray(np.max(off, axis=0) < apart)


def kl_is_faster(case: Messages, cast: Cast, share: float = 0.95) -> np.ndarray:
    """KL needs fewer iterations than ML for nineteen twentieths of its own gain.

    Both have to end above VAR, where their first step leads: else nothing was gained.
    """
    needed = {part: (gained(case, cast, part) >= share).argmax(axis=0) for part in ("ml", "kl")}
    ends = learned(case, cast).loglik
    done = np.minimum(ends["ml"], ends["kl"]) > ends["var"] + 1e-6
    return np.asarray((needed["kl"] < needed["ml"]) & done)


def ml_spans_more(case: Messages, cast: Cast) -> np.ndarray:
    """ML's coefficients span a larger range than those of every other rule."""
    found = learned(case, cast)
    others = [found.spread(rule) for rule in PAPERS if rule != "ml"]
    return np.asarray((found.spread("ml") > np.max(others, axis=0)) & (found.gain("ml") > 1e-6))


def test_half_agrees(case: Messages, cast: Cast, like: float = LIKE) -> np.ndarray:
    """ML's likelihood of the test half is within a hundredth of the other, and worth something.

    Without its second half the check would pass for a matrix that nobody learned.
    """
    found = learned(case, cast)
    one, two = found.loglik["ml"], found.test_loglik["ml"]
    return (np.abs(one - two) < like * np.abs(one)) & is_worth_something(case, cast)


def is_worth_something(case: Messages, cast: Cast) -> np.ndarray:
    """ML is a nat above the uniform matrix and above equal rows on the test half."""
    found = learned(case, cast)
    best = np.maximum(found.test_floor, _uniform(case))
    return np.asarray(found.test_loglik["ml"] > best + NAT)


def _uniform(case: Messages) -> float:
    """The uniform matrix's likelihood of the test half."""
    return float((case.n - train_size(case.n, case.split)) * np.log(1 / case.m_y))


def test_half_has_the_same_order(case: Messages, cast: Cast) -> np.ndarray:
    """ML is the best rule on the test half too, where what it has learned is worth something."""
    found = learned(case, cast).test_loglik
    others = [found[rule] for rule in PAPERS if rule != "ml"]
    return (found["ml"] > np.max(others, axis=0)) & is_worth_something(case, cast)


def error_of(part: str, case: Messages, cast: Cast) -> np.ndarray:
    """The largest difference of a coefficient from the generative matrix, ``(seeds,)``."""
    truth = np.stack([generative(case.m_x, case.m_y, seed) for seed in range(case.seeds)])
    return np.asarray(np.abs(learned(case, cast).theta[part] - truth).max(axis=(-2, -1)))


def halves(n: int, dependent: bool = False, seeds: int = 200) -> Messages:
    """Messages of which the first half is learned from and the second half tests."""
    return Messages(n=n, split=True, dependent=dependent, seeds=seeds)


SHARP_HALVES = Messages(20.0, n=400, split=True)

CLAIMS = (
    Claim(
        "normalization-crucial", "3",
        "Small differences of normalization decide how good a solution is when messages are no "
        "delta functions.",
        (*under(normalization_decides, *LEVELS, ours=len(LEVELS) - 1),
         *under(normalization_decides_on_new_samples,
                ("EX=EY=1, 200 new samples", halves(400)),
                ("EX=EY=1, 1000 new samples, messages that depend", halves(2000, True, seeds=60)),
                ours=2)),
        "ML and KL differ in one denominator. On smooth messages KL keeps a part of ML's gain over "
        "equal rows; on sharp ones it keeps nearly all of it, as the claim says itself. Without "
        "dependence that gain is chance, and nothing of it is left on new samples; where messages "
        "depend on each other, new samples mostly show the difference too.",
        ("ml",),
        (*knobs(normalization_decides),
         threshold(normalization_decides, SWEEP, "share of gain", "share", 0.5, 0.8, 0.9, 0.95)),
    ),
    Claim(
        "ml-rises", "3.1", "An iteration of ML never lowers the block's likelihood.",
        under(ml_rises, *LEVELS, ours=len(LEVELS) - 2),
        "It is a step of EM on a concave function, so it climbs to the global maximum.",
        ("ml",), knobs(ml_rises),
    ),
    Claim(
        "ml-few-steps", "3.1", "A few steps are *usually* enough for ML.",
        (*under(ml_is_quick, *LEVELS, ours=len(LEVELS) - 2),
         *under(few_steps_predict_as_well,
                ("EX=EY=1, 200 new samples", halves(400)),
                ("EX=EY=1, 1000 new samples, messages that depend", halves(2000, True, seeds=60)),
                ours=2)),
        "Sharp messages leave little to disentangle. On smooth ones the likelihood is nearly flat "
        "along some directions, and ML creeps along them for a hundred iterations and more. New "
        "samples do not reward that: ten iterations mostly predict them as well as a hundred.",
        ("ml",),
        (*knobs(ml_is_quick), threshold(ml_is_quick, SWEEP, "steps", "steps", 5, 10, 20, 50)),
    ),
    Claim(
        "vit-sharp-or-many", "3.3",
        "VIT does about as well as the others on sharp messages, or with very many samples.",
        under(vit_is_like_ml,
              ("EX=EY=20, N=200, 200 new samples", SHARP_HALVES),
              ("EX=EY=1, N=2000, 2000 new samples", halves(4000, seeds=50)),
              ("EX=EY=20, N=200, 200 new samples, messages that depend",
               replace(SHARP_HALVES, dependent=True)),
              ("EX=EY=1, N=20000, 20000 new samples, messages that depend",
               Messages(n=40_000, split=True, dependent=True, seeds=10, n_iterations=50)),
              ("EX=EY=20, N=20000, 20000 new samples, messages that depend",
               Messages(20.0, n=40_000, split=True, dependent=True, seeds=10, n_iterations=50)),
              ours=3),
        "Judged by new samples, as a gain on the old ones is chance where messages do not depend "
        "on each other. There no rule learns anything, and VIT, which fits less of the chance, is "
        "as good as ML or better. Where messages depend, it is behind ML, and more samples do not "
        "help: a hard decision is wrong as often in a long table as in a short one.",
        ("vit",),
        (*knobs(vit_is_like_ml, replace(SHARP_HALVES, seeds=SWEPT)),
         threshold(vit_is_like_ml, replace(SHARP_HALVES, seeds=SWEPT), "like", "like",
                   0.001, 0.003, 0.01, 0.03)),
    ),
    Claim(
        "mean-like-mode", "4.1", "The mean of the Dirichlet density is very close to its mode.",
        under(mean_is_like_mode, ("EX=EY=1, N=200", SMOOTH),
              ("EX=EY=20, N=20", Messages(20.0, n=20)), ours=1),
        "The mean adds one to every count; with a handful of sharp samples a row, one is a lot.",
        (),
        (*knobs(mean_is_like_mode),
         threshold(mean_is_like_mode, SWEEP, "apart", "apart", 0.005, 0.01, 0.02)),
    ),
    Claim(
        "all-count", "5", "On delta messages the four rules all count co-occurrences.",
        under(all_count, ("3 x 3, N=200", SMOOTH), ("5 x 4, N=500", LARGER), ours=1),
        "Both messages pick one cell, which takes the sample's whole weight under every rule; the "
        "constant of VIT and VAR moves nothing by more than a millionth.",
        PAPERS, (along(all_count, SWEEP, "N", "n", LENGTHS),),
    ),
    Claim(
        "ml-best", "6", "ML consistently gives the largest likelihood.",
        under(ml_is_best, *LEVELS, ours=len(LEVELS) - 2),
        "It is the only rule that climbs this likelihood, and there is one maximum. The first step "
        "from the uniform matrix is VAR's answer, for KL too: both start where VAR stops.",
        ("ml",), knobs(ml_is_best),
    ),
    Claim(
        "kl-next", "6", "KL *usually* comes next.",
        under(kl_is_next, *LEVELS, ours=len(LEVELS) - 2),
        "It maximizes a lower bound of the same likelihood, which is tight on sharp messages. "
        "Where smooth messages depend on each other the bound pulls it to the middle, and VIT ends "
        "above it.",
        ("kl",), knobs(kl_is_next),
    ),
    Claim(
        "vit-above-var", "6", "VIT is better than VAR *most of the time*.",
        under(vit_beats_var, *LEVELS, ours=len(LEVELS) - 2),
        "Averages of smooth messages are nearly uniform, and a hard decision exaggerates in a "
        "useful direction. Once messages are decided, a hard decision only adds noise. That is so "
        "without dependence; where messages depend on each other, VIT is above VAR at any "
        "sharpness.",
        ("vit",), knobs(vit_beats_var),
    ),
    Claim(
        "sharper-closer", "6", "The sharper the messages, the closer the rules.",
        under(rules_draw_together, ("3 x 3, EX=EY from 1 to 20", SMOOTH),
              ("5 x 4, EX=EY from 1 to 20", LARGER),
              ("messages that depend", Messages(dependent=True)), ours=2),
        "In the limit all of them count. On the way there, sharp messages that depend on each "
        "other leave more to lose than smooth ones.",
        (), knobs(rules_draw_together)[1:],
    ),
    Claim(
        "alike-when-sharp", "6",
        "On sharpened messages the rules *tend to* find nearly the same matrix.",
        under(rules_are_alike, ("EX=EY=20, 3 x 3, N=200", SHARP),
              ("EX=EY=100", Messages(exponent=100.0)),
              ("EX=EY=20, messages that depend", Messages(20.0, dependent=True)), ours=2),
        "Their likelihoods are close long before their coefficients are: at 20 a message still "
        "says something of the second best value, which VIT ignores and ML weighs.",
        ("kl", "vit", "var"),
        (*knobs(rules_are_alike, SHARPENED),
         threshold(rules_are_alike, SHARPENED, "apart", "apart", 0.01, 0.02, 0.05, 0.1)),
    ),
    Claim(
        "kl-faster", "6", "KL *generally* arrives in fewer steps than ML.",
        under(kl_is_faster, *LEVELS, ours=len(LEVELS) - 2),
        "Its coefficients compete within a column only. Each rule is measured against its own "
        "gain. On sharp messages both need one or two iterations, and a tie counts against the "
        "claim; KL is never the slower one.",
        ("kl",),
        (*knobs(kl_is_faster),
         threshold(kl_is_faster, SWEEP, "share of the gain", "share", 0.5, 0.8, 0.95, 0.99)),
    ),
    Claim(
        "ml-wider", "6", "No other rule spreads its coefficients as widely as ML.",
        under(ml_spans_more, *LEVELS, ours=len(LEVELS) - 2),
        "Smooth messages are mixtures, and only ML undoes the mixing in full. On sharp messages "
        "there is nothing to undo.",
        ("ml",), knobs(ml_spans_more),
    ),
    Claim(
        "generalizes", "6",
        "With enough samples the likelihood on a test half cannot be told from training.",
        under(test_half_agrees, ("N=200", halves(200)), ("N=6000", halves(6000, seeds=20)),
              ("N=200, messages that depend", halves(200, True)),
              ("N=2000, messages that depend", halves(2000, True, seeds=50)),
              ("N=6000, messages that depend", halves(6000, True, seeds=20)), ours=3),
        "We call two likelihoods different if they differ by more than 1 %. The rule must also "
        "beat the uniform matrix on the test half. The paper's messages hold nothing but chance: "
        "with enough of them both halves agree, but equal rows predict better. With dependence "
        "and enough samples it holds.",
        ("ml",), knobs(test_half_agrees, halves(200, seeds=SWEPT)),
    ),
    Claim(
        "same-order-on-test", "6", "The rules come in the same order on the test half.",
        under(test_half_has_the_same_order, ("N=200", halves(200)),
              ("N=2000", halves(2000, seeds=50)),
              ("N=200, messages that depend", halves(200, True)),
              ("N=2000, messages that depend", halves(2000, True, seeds=50)), ours=2),
        "What the paper's messages hold is chance, so the rule that fits them best predicts worst. "
        "Where they depend on each other and there are enough of them, ML is best on both halves.",
        ("ml",), knobs(test_half_has_the_same_order, halves(200, seeds=SWEPT)),
    ),
)  # fmt: skip
