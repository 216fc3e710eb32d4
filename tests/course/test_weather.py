"""Filtering and smoothing by plain loops, and the diary as it is printed."""

import numpy as np
import pytest

from fgn_notebooks.data import diary
from fgn_notebooks.examples import umbrella
from fgn_notebooks.experiments.weather import weather
from fgn_notebooks.figures.data import diary as draw_diary
from fgnwidgets import fit, sample


def by_loops(wet, until, stays, days=7):
    """P(rain) by alpha and beta recursions, two numbers at a time."""
    move = np.array([[stays, 1 - stays], [1 - stays, stays]])
    weights = [
        np.ones(2) if t > until else np.array([0.9, 0.2] if t in wet else [0.1, 0.8])
        for t in range(1, days + 1)
    ]
    alpha = [np.array([0.5, 0.5]) * weights[0]]
    for w in weights[1:]:
        alpha.append((alpha[-1] @ move) * w)
    beta = [np.ones(2)]
    for w in reversed(weights[1:]):
        beta.insert(0, move @ (w * beta[0]))
    smoothed = [a * b for a, b in zip(alpha, beta, strict=True)]
    return [a[0] / a.sum() for a in alpha], [s[0] / s.sum() for s in smoothed]


@pytest.mark.parametrize(("wet", "until", "stays"), [((1, 2, 4), 7, 0.7), ((3,), 4, 0.95)])
def test_the_weather_is_that_of_forward_and_backward_loops(wet, until, stays):
    result = weather(umbrellas=tuple(map(str, wet)), until=until, stays=stays)
    filtered, smoothed = by_loops(wet, until, stays)
    np.testing.assert_allclose(result.filtered, filtered)
    np.testing.assert_allclose(result.smoothed, smoothed)
    assert result.seen[until:] == ("?",) * (7 - until)


def test_a_day_that_there_is_not_is_refused_by_name():
    with pytest.raises(ValueError, match="umbrellas holds '8'"):
        weather(umbrellas=("8",))


@pytest.mark.parametrize("until", [-1, 8])
def test_a_last_day_that_is_none_is_refused(until):
    with pytest.raises(ValueError, match=rf"until = {until}: expected a day from 0 .* to 7"):
        weather(until=until)


def test_the_diary_has_33_days_and_each_number_eleven_times():
    assert len(diary()) == 33
    assert np.bincount(diary())[1:].tolist() == [11, 11, 11]


def test_the_picture_of_the_diary_shades_the_hot_days():
    fig = draw_diary([1, 3], np.array([0.2, 0.9]), np.array([0.3, 0.8]), ["cold", "hot"])
    shaded = [p for p in fig.axes[0].patches if p.get_width() == 1]
    assert [p.get_x() for p in shaded] == [1.5]


def test_matrices_of_a_hidden_chain_are_learned_and_not_from_permuted_days():
    """Chapter 13 learns them "to within a hundredth" from 20,000 sequences of six days."""
    graph, theta = umbrella(6)
    drawn = sample(graph, theta, 20_000, np.random.default_rng(3))
    seen = {name: drawn[name] for name in drawn if name.startswith("Umbrella")}
    rng = np.random.default_rng(0)
    apart = []
    for table in (seen, {name: rng.permutation(column) for name, column in seen.items()}):
        found = fit(graph, table, restarts=5, n_epochs=1500, progress=False).best_theta["emission"]
        apart.append(min(np.abs(found[::k] - theta["emission"]).max() for k in (1, -1)))
    assert apart[0] < 0.01 and apart[1] > 0.2
