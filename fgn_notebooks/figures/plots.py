"""The paper's figures 9 to 15, computed anew: ``figure_k(fig=None, **controls) -> Figure``.

Each docstring says which settings are the paper's, and which are ours because its text does not
give them. ``captions.CAPTIONS[k]`` says what to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from matplotlib.figure import Figure

from .. import paper
from ..experiments import deeper, n_it_scatter, one_block, one_hidden
from .deeper_graph import draw_deeper
from .hidden_variable import (
    LEFTS,
    coefficients_side_by_side,
    draw_likelihood,
    draw_scatter,
    side_by_side,
)
from .sheets import axes, sheet
from .single_block import draw_coefficients, draw_loglik

BLOCK_SETTINGS: Sequence[Mapping[str, Any]] = (
    MappingProxyType({"m_x": 3, "m_y": 3, "n": 200, "ex": 1.0, "ey": 1.0}),
    MappingProxyType({"m_x": 3, "m_y": 3, "n": 200, "ex": 20.0, "ey": 20.0}),
    MappingProxyType({"m_x": 5, "m_y": 4, "n": 500, "ex": 1.0, "ey": 1.0}),
    MappingProxyType({"m_x": 5, "m_y": 4, "n": 500, "ex": 20.0, "ey": 20.0}),
)
"""Panels (a) to (d) of figure 9: smooth, sharpened, and both again with larger alphabets."""


def figure_9(fig: Figure | None = None, *, n_iterations: int = 100, seed: int = 0) -> Figure:
    """Log-likelihood of one block by iteration, for four settings (section 6).

    The paper gives 100 iterations and that (b) and (d) are sharpened; sizes, N and exponents are
    ours: see ``BLOCK_SETTINGS``.
    """
    fig = sheet(fig, 10.0, 5.8)
    for k, setting in enumerate(BLOCK_SETTINGS):
        result = one_block(**setting, n_iterations=n_iterations, seed=seed)
        title = f"({'abcd'[k]}) {_named(setting)}"
        box = (LEFTS[k % 2], 3.35 if k < 2 else 0.5, 3.1, 2.0)
        draw_loglik(result, axes(fig, box, title)).set_ylabel("log-likelihood")
    return fig


def figure_10(fig: Figure | None = None, *, n_iterations: int = 100, seed: int = 0) -> Figure:
    """Coefficients of one block by iteration, for two settings (section 6).

    The paper has two cases, and does not say which: ours are (a) and (c) of figure 9.
    """
    fig = sheet(fig, 10.0, 3.6)
    for setting, left in zip(BLOCK_SETTINGS[::2], (0.6, 5.5), strict=True):
        result = one_block(**setting, n_iterations=n_iterations, seed=seed)
        draw_coefficients(result, axes(fig, (left, 0.85, 4.1, 2.25), _named(setting)))
    return fig


def figure_11(fig: Figure | None = None, *, seed: int = 1, data_seed: int = 0) -> Figure:
    """One hidden variable: aggregated likelihood by epoch; where ten runs end, by Nit (7.1).

    All settings are the paper's: N=400, M_S=4, 60 epochs, Nit=3 on the left, all messages uniform
    random at the start. The seeds are ours.
    """
    fig = sheet(fig, 10.0, 3.5)
    left = one_hidden(seed=seed, data_seed=data_seed)
    title = f"aggregated log-likelihood, Nit={paper.ONE_HIDDEN_NIT}"
    draw_likelihood(left, "aggregated", axes(fig, (LEFTS[0], 0.6, 2.95, 2.45), title))
    right = n_it_scatter(seed=seed, data_seed=data_seed)
    box = (LEFTS[1], 0.6, 2.95, 2.45)
    ends = draw_scatter(right, "aggregated", axes(fig, box, "where ten runs of ML ended"))
    ends.set_ylabel("aggregated log-likelihood")
    return fig


def figure_12(fig: Figure | None = None, *, seed: int = 1, data_seed: int = 0) -> Figure:
    """Coefficients by epoch for Nit=3 and Nit=20, and the generative model's (7.1).

    All settings are the paper's; the seeds are ours. Hidden states are numbered as in the
    generative model.
    """
    steps = (paper.ONE_HIDDEN_NIT, 20)
    results = [one_hidden(n_it=n_it, seed=seed, data_seed=data_seed) for n_it in steps]
    return coefficients_side_by_side(results, [f"Nit={n_it}" for n_it in steps], fig)


def figure_13(fig: Figure | None = None, *, seed: int = 1, data_seed: int = 0) -> Figure:
    """Hidden sizes that are not the generative model's: M_S=2 and M_S=7 (7.1, experiment 2).

    All settings are the paper's, those of figure 11; the seeds are ours.
    """
    results = [one_hidden(m_s=m, seed=seed, data_seed=data_seed) for m in paper.MISMATCHED]
    return side_by_side(results, "aggregated", [f"$M_S$={m}" for m in paper.MISMATCHED], fig)


def figure_14(fig: Figure | None = None, *, seed: int = 1, data_seed: int = 0) -> Figure:
    """Generalization: the test half's likelihood for M_S=4 and M_S=9 (7.1, experiment 3).

    All settings are the paper's: N=300, the first half for training; the seeds are ours.
    """
    results = [
        one_hidden(m_s=m, n=paper.TEST_N, split=True, seed=seed, data_seed=data_seed)
        for m in paper.TEST_SIZES
    ]
    titles = [f"test half, $M_S$={m}" for m in paper.TEST_SIZES]
    return side_by_side(results, "test_aggregated", titles, fig)


def figure_15(fig: Figure | None = None, *, seed: int = 0, data_seed: int = 1) -> Figure:
    """The deeper graph: aggregated likelihood, and the five learned blocks by epoch (7.2).

    Sizes, N=100, 600 epochs and Nit=3 are the paper's. Its generative matrices were chosen by hand
    and are not printed; ours are drawn with ``data_seed`` and sharpened.
    """
    return draw_deeper(deeper(seed=seed, data_seed=data_seed), fig)


def _named(setting: Mapping[str, float]) -> str:
    """A setting as a title."""
    return (
        f"$M_X$={setting['m_x']:g}, $M_Y$={setting['m_y']:g}, N={setting['n']:g}, "
        f"EX=EY={setting['ex']:g}"
    )
