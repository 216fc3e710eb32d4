"""Cards of variables: what stands in them has room, whatever its letters."""

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from fgnwidgets.widgets.cards import BAR, NUMBER, card, short

LABELS = ["maybe", "mmmmmmmm", "WWWW", "iiii", "a|b", "weiß nicht", "strongly agree", "100-200"]


def drawn_width(text, pixels):
    """How wide a page draws a text in the widest of its fonts."""
    font = FontProperties(family="DejaVu Sans")
    return TextPath((0, 0), text, size=pixels, prop=font).get_extents().x1


def made(states):
    belief = np.array([1 / len(states)] * len(states))
    return card("A", states, belief, None, None, 0.0, 0.0)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("states", "font"), [(2, 11.5), (9, 9.5)])
def test_no_state_touches_its_bar_and_none_is_far_from_it(label, states, font):
    shown = made([label, *"abcdefghi"[: states - 1]])
    end = 10 + drawn_width(short(label), font)  # the page begins to write at 10
    assert end + 5 <= shown["bar"] <= end + 40
    assert shown["w"] >= shown["bar"] + BAR + NUMBER
