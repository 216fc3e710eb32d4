"""Messages about a matrix along the chain of figure 8, and the picture of them."""

import math

import numpy as np
import pytest
from matplotlib.text import Text

from fgn_notebooks.experiments.bayesian_chain import bayesian_chain
from fgn_notebooks.figures.bayesian_chain import draw_bayesian_chain

F = np.array([[0.9, 0.2, 0.5, 0.7], [0.1, 0.8, 0.5, 0.3]])
B = np.array([[0.9, 0.1, 1.0, 0.4], [0.1, 0.9, 0.0, 0.6]])
ALPHA = np.array([[2.0, 0.5], [0.0, 3.0]])


def by_loops(members, prior, grid):
    """The product of the prior, if it is asked for, and of what some samples say, at each point."""
    density = np.zeros((len(grid), len(grid)))
    for i, p in enumerate(grid):
        for j, q in enumerate(grid):
            theta = np.array([[p, 1 - p], [q, 1 - q]])
            density[i, j] = math.prod(F[:, n] @ theta @ B[:, n] for n in members)
            density[i, j] *= (theta**ALPHA).prod() if prior else 1
    return density / density.sum()


def test_every_message_is_the_product_of_what_enters_on_its_side():
    found = bayesian_chain(F, B, alpha=ALPHA, grid=7)
    for n in range(4):
        others = [k for k in range(4) if k != n]
        wanted = {
            "says": by_loops([n], False, found.grid),
            "told": by_loops(others, True, found.grid),
            "left": by_loops(range(n + 1), False, found.grid),
            "right": by_loops(range(n + 1, 4), True, found.grid),
        }
        for name, density in wanted.items():
            np.testing.assert_allclose(getattr(found, name)[n], density, rtol=1e-9, err_msg=name)


def test_on_every_piece_of_the_chain_the_two_messages_hold_the_same_posterior():
    found = bayesian_chain(F, B, alpha=ALPHA, grid=15)
    for forward, backward in (*zip(found.right, found.left, strict=True),
                              *zip(found.told, found.says, strict=True)):  # fmt: skip
        both = forward * backward
        np.testing.assert_allclose(both / both.sum(), found.posterior, rtol=1e-9)


def test_of_seen_pairs_and_a_prior_the_means_are_those_of_dirichlet_densities():
    pairs = np.eye(2)[:, [0, 0, 1, 0]], np.eye(2)[:, [0, 1, 1, 0]]
    found = bayesian_chain(*pairs, alpha=ALPHA, grid=801)
    counts = np.array([[2, 1], [0, 1]]) + ALPHA + 1
    wanted = (counts / counts.sum(axis=1, keepdims=True))[:, 0]
    np.testing.assert_allclose(found.mean(found.posterior), wanted, atol=1e-4)
    assert found.facts().splitlines()[-1].split()[-2:] == [f"{value:.3f}" for value in wanted]


def test_messages_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"f has shape \(3, 4\) and b \(2, 4\): expected \(2, N\)"):
        bayesian_chain(np.ones((3, 4)), B)


def squares(fig):
    (ax,) = fig.axes
    return {
        text.get_text(): image
        for image in ax.images
        for text in ax.texts
        if under_or_over(image.get_extent(), text.get_position())
        and text.get_text()[1] in "fb"
        and "=" not in text.get_text()
    }


def under_or_over(extent, at):
    left, right, low, high = extent
    return left < at[0] < right and min(abs(at[1] - low), abs(at[1] - high)) < 0.25


def test_each_square_is_named_and_shows_its_message_darkest_at_its_maximum():
    found = bayesian_chain(F, B, alpha=ALPHA, grid=21)
    drawn = squares(draw_bayesian_chain(found))
    wanted = {f"$f_{{\\Theta[{n + 1}]}}$": found.told[n] for n in range(4)}
    wanted |= {f"$b_{{\\Theta[{n + 1}]}}$": found.says[n] for n in range(4)}
    wanted |= {f"$f_{{\\Theta'[{n + 1}]}}$": found.right[n] for n in range(1, 4)}
    wanted |= {f"$b_{{\\Theta'[{n + 1}]}}$": found.left[n] for n in range(1, 4)}
    assert drawn.keys() == wanted.keys()
    for name, image in drawn.items():
        shown = image.get_array().T  # theta_11 to the right, theta_21 upwards
        np.testing.assert_allclose(shown, wanted[name] / wanted[name].max(), err_msg=name)
        low, high = image.get_extent()[2:]
        assert low > high and image.origin == "lower"  # the axis runs down


@pytest.mark.mpl_image_compare(tolerance=3, savefig_kwargs={"dpi": 60})
def test_the_chain_looks_as_it_was_approved():
    fig = draw_bayesian_chain(bayesian_chain(F[:, :3], B[:, :3], alpha=[[0, 0], [1, 4]]))
    for text in fig.findobj(Text):
        text.set_visible(False)
    return fig
