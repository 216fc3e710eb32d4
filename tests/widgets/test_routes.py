"""The ways of arrows between cards: checked by walking along each of them in steps of a pixel."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fgnwidgets.widgets.graph import routes
from fgnwidgets.widgets.graph.routes import BELOW, border, meets, routed

CARD = (120.0, 76.0)


def points_along(way):
    for start, stop in pairwise(np.array(way)):
        for share in np.linspace(0, 1, 2 + int(np.hypot(*(stop - start)))):
            yield start + share * (stop - start)


def crossed(ways, boxes, inside=0.5):
    """The cards that an arrow goes through, but for its own."""
    return [
        (pair, name)
        for pair, way in ways.items()
        for x, y in points_along(way)
        for name, (left, top, wide, high) in boxes.items()
        if name not in pair
        and left + inside < x < left + wide - inside
        and top + inside < y < top + high - inside
    ]


def at(*places):
    return {name: (x, y, *CARD) for name, (x, y) in zip("ABCDEFGHIJ", places, strict=False)}


@pytest.mark.parametrize("handles", [False, True])
@pytest.mark.parametrize(
    "boxes",
    [
        at((100, 20), (100, 115), (100, 330)),  # over the circle under A
        at((20, 20), (160, 20), (300, 20)),  # in a row
        at((100, 300), (110, 150), (100, 20)),  # the child above
        at((20, 20), (20, 120), (20, 400), (160, 120), (160, 20), (160, 220)),
    ],
)
def test_an_arrow_goes_round_what_lies_on_its_way(boxes, handles):
    ways = routed(boxes, [("A", "C")], handles=handles)
    (way,) = ways.values()
    assert np.isfinite(way).all()
    assert len(way) > 2
    assert crossed(ways, boxes) == []
    for point, name in ((way[0], "A"), (way[-1], "C")):
        left, top, wide, high = boxes[name]
        off = max(left - point[0], point[0] - left - wide, top - point[1], point[1] - top - high)
        assert 0 <= off <= 7


def test_a_free_arrow_is_straight_from_the_handle_to_the_top():
    boxes = at((100, 20), (300, 220))
    (way,) = routed(boxes, [("A", "B")], handles=True).values()
    assert way == [[160.0, 102.0], [360.0, 217.0]]
    (way,) = routed(boxes, [("A", "B")]).values()
    assert way[0] == pytest.approx(border(boxes["A"], (360, 258)), abs=0.06)


places = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=3, max_size=9, unique=True
)


@settings(max_examples=60, deadline=None)
@given(places, st.booleans(), st.data())
def test_no_arrow_crosses_a_card_where_cards_have_room_between_them(cells, handles, data):
    boxes = at(*[(20 + 170 * x, 20 + 125 * y) for x, y in cells])
    names = list(boxes)
    pairs = data.draw(
        st.lists(
            st.permutations(names).map(lambda order: tuple(order[:2])),
            min_size=1,
            max_size=6,
            unique=True,
        )
    )
    ways = routed(boxes, pairs, handles=handles)
    assert list(ways) == pairs
    assert crossed(ways, boxes) == []
    for (parent, child), way in ways.items():
        if handles and boxes[child][1] > boxes[parent][1] + CARD[1] + BELOW:
            assert way[0][1] == boxes[parent][1] + CARD[1] + 6  # it begins at the handle


def test_where_no_way_is_free_there_is_an_arrow_all_the_same():
    boxes = at((100, 100), (100, 300))
    walls = {str(k): (40.0 + 20 * k, 90.0, 300.0, 120.0) for k in range(4)}  # cards over cards
    (way,) = routed({**boxes, **walls}, [("A", "B")], handles=True).values()
    assert np.isfinite(way).all() and len(way) >= 2


@given(
    st.tuples(*[st.floats(-50, 250)] * 4),
    st.tuples(st.floats(0, 100), st.floats(0, 100), st.floats(5, 90), st.floats(5, 90)),
)
def test_a_line_meets_a_box_if_a_point_of_it_lies_inside(line, box):
    start, stop = line[:2], line[2:]
    x, y, w, h = box
    inside = any(x < px < x + w and y < py < y + h for px, py in points_along([start, stop]))
    if inside:
        assert meets(start, stop, np.array([box]))
    far = all(
        not (x - 4 < px < x + w + 4 and y - 4 < py < y + h + 4)
        for px, py in points_along([start, stop])
    )
    if far:
        assert not meets(start, stop, np.array([box]))


def test_what_is_remembered_of_ways_changes_none(monkeypatch):
    """Cards that are carried about: the ways are those that are found without a memory."""
    rng = np.random.default_rng(0)
    boxes = at(*[(20 + 170 * (k % 3), 20 + 125 * (k // 3)) for k in range(10)])
    pairs = [("A", "J"), ("B", "G"), ("C", "H"), ("I", "B"), ("E", "A"), ("A", "F")]
    for _ in range(60):
        name = str(rng.choice(list(boxes)))
        boxes = {**boxes, name: (*map(float, rng.integers(0, 500, 2)), *CARD)}
        found = routed(boxes, pairs, handles=True)
        with monkeypatch.context() as without:
            without.setattr(routes, "_KNOWN", {})
            routes._routed.cache_clear()
            assert routed(boxes, pairs, handles=True) == found
