"""Random moves of a hand leave what a fresh view shows, which is built from the view's Python.

Every run makes some of them, and one that is marked slow a thousand and more.
"""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from graph_menu import choose
from pages_say import asked
from random_moves import moves
from student import THETA, student
from tiers import slow

from fgnwidgets.widgets import GraphView

SEEDS = (1, 2)
LEAK = 400
"""Bytes that a move may leave behind; about 210 were seen, fewer with every hundred moves."""

POINT = """([look, number]) => {
    const all = [...document.querySelectorAll(look)].filter((e) => e.getClientRects().length);
    if (!all.length) return null;
    const chosen = all[number % all.length];
    chosen.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = chosen.getBoundingClientRect();
    return [left + width / 2, top + height / 2, width];
}"""

LOOKS = {
    "head": ".fgn-head",
    "row": ".fgn-row",
    "bar": ".fgn-track",
    "node": ".fgn-box",
    "message": ".fgn-frame",
    "field": "[data-cell]",
    "cell": "[data-place]",
    "more": ".fgn-more",
    "rounds": ".fgn-rounds button",
    "state": ".fgn-panel th button",
}
KEYS = ("Control+z", "Control+z", "Control+Shift+Z", "Escape", "ArrowRight", "ArrowDown", "ArrowUp")


class Hand:
    """Acts at random on a page; what it did is written down for whoever looks for a fault."""

    def __init__(self, page, seed):
        self.page, self.rng, self.did = page, np.random.default_rng(seed), []

    def move(self):
        kind = str(self.rng.choice([*LOOKS, "key", "key", "form"]))
        self.did.append(kind)
        if kind == "key":
            self.page.keyboard.press(str(self.rng.choice(KEYS)))
        elif kind == "form":
            form = self.rng.choice(["Bayesian graph", "normal form"])
            choose(self.page, "which drawing", str(form))
        else:
            at = self.page.evaluate(POINT, [LOOKS[kind], int(self.rng.integers(1000))])
            if at is not None:
                self.touch(kind, *at)

    def touch(self, kind, x, y, width):
        mouse = self.page.mouse
        if kind in ("bar", "field", "cell") and self.rng.random() < 0.6:
            width = max(width, 60)
            mouse.move(x, y)
            mouse.down()
            for share in self.rng.uniform(-0.45, 0.45, 3):
                mouse.move(x + share * width, y)
            mouse.up()
        elif kind == "field":
            mouse.click(x, y, click_count=3)
            self.page.keyboard.type(str(self.rng.choice([0, 0.2, 0.5, "0,7", 1, "x", ""])))
            self.page.keyboard.press("Enter")
        elif kind == "row" and self.rng.random() < 0.3:
            mouse.dblclick(x, y)
        else:
            mouse.click(x, y)


def state(view):
    """All that a view shows, but for what it was called before and could take back."""
    passing = ("undo", "redo")
    return {name: value for name, value in view.scene.items() if name not in passing}


def fresh(view):
    """A view made from the lines of Python that the other gives."""
    space = {}
    with redirect_stdout(io.StringIO()):
        exec(view.code(), space)
    cells = {k: v[0] if isinstance(v, list) else v for k, v in space["evidence"].items()}
    made = GraphView(space["graph"], space["theta"], cells, form=view.form)
    made.round, made.selected = view.round, view.selected
    return made


def held(session):
    """Bytes and nodes that a page holds once its garbage is gone."""
    session.send("HeapProfiler.collectGarbage")
    found = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return {name: found[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}


@pytest.mark.parametrize(
    ("first", "more", "leak"), [(100, 40, 5000), pytest.param(350, 250, LEAK, marks=slow)]
)
def test_a_page_holds_as_many_bytes_after_a_thousand_random_moves_as_after_the_first(
    bare, first, more, leak
):
    """What comes only once, such as a picker, may still come after the first hundred moves."""
    view = GraphView(student(), THETA)
    shown = bare(view)
    page = shown.page
    page.wait_for_selector(".fgn-graph [data-part]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    hand = Hand(page, 3)

    def after(moves):
        for _ in range(moves):
            hand.move()
        page.keyboard.press("Escape")
        shown.quiet()
        view.evidence, view.theta, view.form, view.selected = {}, THETA, "normal", None
        shown.sync()  # the page as it began
        page.evaluate("document.getAnimations().forEach((a) => a.finish())")
        shown.quiet()
        return held(session)

    after(first)  # what comes only once: pickers, menus, panels, fields, compiled functions
    seen = [after(more) for _ in range(4)]
    heap, nodes, listeners = zip(*(tuple(s.values()) for s in seen), strict=True)
    assert max(heap) < heap[0] + leak * 3 * more, seen
    assert max(nodes) < 1.5 * min(nodes), seen
    assert max(listeners) < 1.5 * min(listeners), seen


@pytest.mark.parametrize(
    ("count", "every"), [(moves(50), 25), pytest.param(moves(500), 100, marks=slow)]
)
def test_a_thousand_random_moves_leave_what_a_fresh_view_shows(bare, count, every):
    """So many moves for each seed, and so many between two comparisons."""
    for seed in SEEDS:
        view = GraphView(student(), THETA)
        shown = bare(view)
        page = shown.page
        page.wait_for_selector(".fgn-graph [data-part]")
        elements = "document.querySelectorAll('*').length"
        first, compared = page.evaluate(elements), 0
        hand = Hand(page, seed)
        for number in range(1, count + 1):
            hand.move()
            if number % every:
                continue
            shown.quiet()
            while view._clash[0]:  # evidence that cannot be true has no beliefs to compare
                view.undo()
            asked(view, "set", selected=view.selected)
            assert view.status == ""
            assert state(view) == state(fresh(view)), (seed, number, hand.did[-every:])
            compared += 1
        assert compared == count // every
        page.keyboard.press("Escape")
        assert page.evaluate(elements) < 2 * first + 200
        while view.scene["undo"]:
            view.undo()
        assert view.evidence == {}
        for name, matrix in THETA.items():
            assert np.array_equal(view.theta[name], matrix)
