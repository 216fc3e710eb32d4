"""One sentence with the numbers of a picture, for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..experiments import NitScatter, OneHidden
from ..experiments.bayesian import DELTAS, BayesianBlock, BayesianSharpening
from ..experiments.deeper_graph import Deeper
from ..experiments.many_blocks import Ranking, Sharpening
from ..experiments.products import ProductSpace
from ..experiments.racing import Race
from ..experiments.single_block import OneBlock
from ..experiments.words import NAMES, RULES, number

Result = (
    OneBlock
    | Ranking
    | Sharpening
    | OneHidden
    | NitScatter
    | Deeper
    | BayesianBlock
    | BayesianSharpening
    | ProductSpace
    | Race
)


def alt_text(result: Result) -> str:
    """What the picture of a result shows, in one sentence."""
    match result:
        case OneBlock():
            finals = {name: result.loglik[name][-1] for name in result.ranking}
            steps = len(result.loglik["ml"]) - 1
            return (
                f"Log-likelihood of one block after {steps} iterations: {_ends(finals)}; beside it "
                "the coefficients by iteration and the messages."
            )
        case Ranking():
            first = {name: result.places[k, 0] for k, name in enumerate(result.loglik)}
            return (
                f"Places of the rules over {result.n_seeds} seeds: ML is first in "
                f"{first['ml'] / result.n_seeds:.0%}, KL above VIT in "
                f"{result.beats('kl', 'vit')[0]:.0%}, VIT above VAR in "
                f"{result.beats('vit', 'var')[0]:.0%}."
            )
        case Sharpening():
            gaps = {r: result.gap[r].mean(axis=1) for r in RULES[1:]}
            first, last = ({r: v[k] for r, v in gaps.items()} for k in (0, -1))
            return (
                "How far the rules' log-likelihoods per sample are below ML's: "
                f"{_ends(first, 4)} at exponent {result.exponents[0]:g}, and {_ends(last, 4)} at "
                f"{result.exponents[-1]:g}."
            )
        case OneHidden():
            finals = {rule: result.curve(rule, "aggregated")[-1] for rule in result.rules}
            return (
                f"Aggregated log-likelihood after {result.n_epochs} epochs, {result.m_s} hidden "
                f"states: {_ends(finals)}; "
                f"ceiling {number(result.levels.aggregated_ceiling, 1)}, "
                f"floor {number(result.levels.floor, 1)}; below, the matrices that were learned."
            )
        case NitScatter():
            medians = zip(result.n_its, np.median(result.aggregated, axis=1), strict=True)
            listed = _listed(f"{number(v, 1)} for Nit={n}" for n, v in medians)
            return (
                f"Final aggregated log-likelihoods of {result.loglik.shape[1]} runs of "
                f"{NAMES[result.rule]}, median {listed}."
            )
        case Deeper():
            finals = {rule: v[-1] for rule, v in result.aggregated.items()}
            return (
                f"The deeper graph after {result.n_epochs} epochs: aggregated log-likelihood "
                f"{_ends(finals)}, and the coefficients of five blocks by epoch."
            )
        case BayesianBlock():
            return (
                "Two densities of a 2-by-2 matrix: the exact one peaks at "
                f"({number(result.ml[0, 0])}, {number(result.ml[1, 0])}), the variational one at "
                f"({number(result.var[0, 0])}, {number(result.var[1, 0])}), the true values are "
                f"({number(result.truth[0, 0])}, {number(result.truth[1, 0])}); "
                f"{number(result.apart)} nats apart."
            )
        case BayesianSharpening():
            medians = zip(result.exponents, np.median(result.apart, axis=1), strict=True)
            listed = _listed(
                f"{number(v)} nats {'for deltas' if e == DELTAS else f'at exponent {e:g}'}"
                for e, v in medians
            )
            return f"Divergence of the variational density from the exact one: {listed}."
        case ProductSpace():
            back = _listed(
                f"X{k + 1} gets back {' '.join(number(v) for v in message)}"
                for k, message in enumerate(result.down)
            )
            return (
                f"Matrices between variables of sizes {', '.join(map(str, result.sizes))} and "
                f"their {len(result.met)} configurations; {back}."
            )
        case Race():
            standing = {rule: result.loglik[rule][-1] for rule in result.order}
            return f"Log-likelihoods after epoch {result.n_epochs}: {_ends(standing)}."
    raise TypeError(f"result is a {type(result).__name__}: there is no text for it")


def _ends(values: Mapping[str, float], digits: int = 1) -> str:
    return _listed(f"{NAMES[name]} {number(value, digits)}" for name, value in values.items())


def _listed(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
