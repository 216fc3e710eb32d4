"""Random gestures of a hand in a learning view leave what a fresh view of the same run shows."""

import numpy as np
import pytest
from learning_run import made
from random_moves import moves
from tiers import slow

from fgnwidgets.widgets import LearningView

EVERY = 25  # moves between two comparisons

POINT = """([look, number]) => {
    const all = [...document.querySelectorAll(look)].filter((e) => e.getClientRects().length);
    if (!all.length) return null;
    const chosen = all[number % all.length];
    chosen.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = chosen.getBoundingClientRect();
    return [left + width / 2, top + height / 2, width, height];
}"""

LOOKS = {
    "chart": ".fgn-chart",
    "curve": ".fgn-catch",
    "player": ".fgn-learning-view .fgn-player button",
    "head": ".fgn-head",
    "row": ".fgn-row",
    "bar": ".fgn-track",
    "node": ".fgn-box",
    "cell": "[data-place]",
    "field": "[data-cell]",
    "close": ".fgn-origin-head button",
}
MENUS = ("whose matrices the graph has", "curve beside it", "row of the table")
KEYS = ("ArrowRight", "ArrowLeft", "PageDown", "Home", "End", "Escape", "Tab", "Enter", "x")


class Hand:
    """Acts at random on a page, and writes down what it did."""

    def __init__(self, page, seed):
        self.page, self.rng, self.did = page, np.random.default_rng(seed), []

    def move(self):
        kind = str(self.rng.choice([*LOOKS, "key", "key", "menu", "menu"]))
        self.did.append(kind)
        if kind == "key":
            self.page.keyboard.press(str(self.rng.choice(KEYS)))
        elif kind == "menu":
            menu = self.page.get_by_label(str(self.rng.choice(MENUS)))
            count = menu.locator("option").count()
            menu.select_option(index=int(self.rng.integers(count)))
        else:
            found = self.page.evaluate(POINT, [LOOKS[kind], int(self.rng.integers(1000))])
            if found is not None:
                self.touch(kind, *found)

    def touch(self, kind, x, y, width, height):
        mouse = self.page.mouse
        if kind == "chart" or (kind in ("bar", "cell", "field") and self.rng.random() < 0.4):
            mouse.move(x + float(self.rng.uniform(-0.4, 0.4)) * width, y)
            mouse.down()
            for share in self.rng.uniform(-0.45, 0.45, 3):
                mouse.move(x + share * max(width, 60), y)
            if self.rng.random() < 0.15:
                self.page.keyboard.press("Escape")
            mouse.up()
        elif kind == "field":
            mouse.click(x, y, click_count=3)
            self.page.keyboard.type(str(self.rng.choice([0, 0.2, 0.5, 1, "x", ""])))
            self.page.keyboard.press("Enter")
        else:
            mouse.click(x, y)


def state(view):
    """All that a view shows, but for what could be taken back and what was refused last."""
    passing = ("undo", "redo", "status")
    shown = [view.chart, *view.views[: len(view._graphs.children)]]
    return [
        {name: value for name, value in widget.scene.items() if name not in passing}
        for widget in shown
    ]


def different(shown, fresh):
    """Values that a view and a fresh one do not share, by the widget's place and the name."""
    assert len(shown) == len(fresh)
    return {
        (place, name): (one.get(name), other.get(name))
        for place, (one, other) in enumerate(zip(shown, fresh, strict=True))
        for name in one.keys() | other.keys()
        if one.get(name) != other.get(name)
    }


def fresh(view):
    """A view of the same curves that is set to the same values."""
    how = {name: getattr(view, name) for name in ("epoch", "left", "right", "row")}
    new = LearningView(view.curves[0].run, **how)
    shown = len(view._graphs.children)
    for mine, other in zip(new.views[:shown], view.views[:shown], strict=True):
        if view.chart.look.own:
            mine.evidence = other.evidence
        mine.theta, mine.selected = other.theta, other.selected
        if mine.learned is not None:  # one that is not on show has no curve yet
            mine.origin = other.origin
    return new


@pytest.mark.parametrize(
    ("seed", "count"), [(1, moves(50)), pytest.param(1, moves(200), marks=slow)]
)
def test_two_hundred_random_moves_leave_what_a_fresh_view_shows(bare, seed, count):
    view = made(right=1)
    shown = bare(view.chart, *view.views)
    page = shown.page
    page.wait_for_selector(".fgn-graph [data-part]")
    hand = Hand(page, seed)
    for number in range(1, count + 1):
        hand.move()
        if number % EVERY:
            continue
        pause = page.locator(".fgn-learning-view").get_by_role("button", name="pause")
        if pause.count():
            pause.click()
        page.keyboard.press("Escape")
        shown.quiet()
        if any(each._clash[0] for each in view.views):  # impossible evidence has no beliefs
            view.row = 0
        if any(each._clash[0] for each in view.views):  # typed cells made this row impossible, too
            view.row = None
            for each in view.views:
                each.evidence = {}
        shown.sync()
        assert different(state(view), state(fresh(view))) == {}, (seed, number, hand.did[-EVERY:])
        text = page.locator(".fgn-learning-view .fgn-counter").text_content()
        assert text == f"epoch {view.epoch} of 30"
