"""Hundreds of random gestures on a graph editor leave what a fresh view of its Python shows."""

import numpy as np
import pytest
from lab_pages import laid_out
from random_moves import moves
from tiers import slow

from fgnwidgets import BayesGraph
from fgnwidgets.widgets import GraphEditor

EVERY = 20  # gestures between two comparisons

POINT = """([look, number]) => {
    const all = [...document.querySelectorAll(".fgn-editor " + look)]
        .filter((e) => e.getClientRects().length && !e.disabled);
    if (!all.length) return null;
    const chosen = all[number % all.length];
    chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, width, height } = chosen.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
}"""

LOOKS = {
    "head": ".fgn-head",
    "row": ".fgn-row",
    "handle": ".fgn-handle",
    "wire": ".fgn-wire",
    "cell": "[data-cell]",
    "text": ".fgn-panel input[data-key]:not([type=checkbox])",
    "tick": ".fgn-tick input",
    "button": ":is(.fgn-own, .fgn-loop) button",
    "tool": ".fgn-bar button:not(:nth-child(2))",  # that opens a window of the system
    "setting": ".fgn-form input",
    "zoom": ".fgn-tools button",
}
KEYS = (
    *("Control+z", "Control+z", "Control+Shift+Z", "Escape", "ArrowRight", "ArrowDown", "Enter"),
    *("Shift+ArrowLeft", "Shift+ArrowDown", "Delete", "Tab", "h", "t", "c", "n", "1", "0", "x"),
)
WORDS = ("Rain", "Lawn", "a, b, c", "3", "0.5", "0,25", "", "1.7", "S", "no, yes", "nonsense")

SHOWN = """(editor) => {
    const html = (look) => {
        const found = editor.querySelector(look)?.cloneNode(true);
        for (const e of found?.querySelectorAll("[tabindex]") ?? []) e.removeAttribute("tabindex");
        return found?.innerHTML ?? "";
    };
    const values = [...editor.querySelectorAll(".fgn-panel :is(input, select), .fgn-form input")]
        .map((e) => (e.type === "checkbox" ? e.checked : e.value));
    return [html(".fgn-stage svg"), html(".fgn-panel"), values, html(".fgn-loop"),
        html(".fgn-summary"), html(".fgn-learning"), html(".fgn-python pre")];
}"""


class Hand:
    """Acts at random; what it did is written down for whoever looks for a fault."""

    def __init__(self, page, seed):
        self.page, self.rng, self.did = page, np.random.default_rng(seed), []

    def at(self, look):
        return self.page.evaluate(POINT, [look, int(self.rng.integers(1000))])

    def move(self):
        kind = str(self.rng.choice([*LOOKS, "key", "key", "type", "ground", "drag", "arrow"]))
        self.did.append(kind)
        mouse, keyboard = self.page.mouse, self.page.keyboard
        if kind == "key":
            keyboard.press(str(self.rng.choice(KEYS)))
        elif kind == "type":
            keyboard.type(str(self.rng.choice(WORDS)))
        elif kind == "ground":
            x, y, w, h = self.page.locator(".fgn-stage").bounding_box().values()
            across, down = self.rng.random(2)
            mouse.dblclick(x + 5 + across * (w - 25), y + 5 + down * (h - 25))
            if self.rng.random() < 0.7:
                keyboard.type(f"V{self.rng.integers(100)}")
                keyboard.press("Tab")
        elif kind in ("drag", "arrow"):
            start = self.at(".fgn-head" if kind == "drag" else ".fgn-handle")
            other = self.at(".fgn-card")
            if start and other:
                start = self.at(".fgn-head" if kind == "drag" else ".fgn-handle")
                mouse.move(*start)
                mouse.down()
                off = self.rng.uniform(-60, 60, 2) if kind == "drag" else (0, 0)
                mouse.move(other[0] + off[0], other[1] + off[1], steps=4)
                if self.rng.random() < 0.2:
                    keyboard.press("Escape")
                mouse.up()
        elif (at := self.at(LOOKS[kind])) is not None:
            mouse.click(*at, click_count=3 if kind in ("cell", "text", "setting") else 1)
            if kind in ("cell", "text", "setting"):
                keyboard.type(str(self.rng.choice(WORDS)))
                keyboard.press(str(self.rng.choice(["Enter", "Tab", "Escape"])))


def fresh(editor):
    """An editor made from the lines of Python that the other gives."""
    space = {"table": editor.table}
    exec(editor.code(again=True), space)
    return space["editor"].document


@pytest.mark.parametrize("count", [moves(20), pytest.param(moves(160), marks=slow)])
@pytest.mark.parametrize(("seed", "latency"), [(1, 0), (3, 60)])
def test_hundreds_of_random_gestures_leave_what_a_fresh_view_shows(bare, seed, latency, count):
    graph = BayesGraph({"S": 2, "A": ("no", "yes"), "B": 3}, {"A": "S", "B": "S"})
    table = {"A": ["no", "yes", "yes"] * 9, "B": [0, 1, 2] * 9}
    editor = GraphEditor(graph, table)
    shown = bare(editor, latency=latency)
    page = shown.page
    page.locator(".fgn-editor [data-part='variable:A']").wait_for()
    hand, compared = Hand(page, seed), 0
    for number in range(1, count + 1):
        hand.move()
        if len(editor.document.variables) > 9:
            editor.edit("remove", editor.document.variables[-1])
            shown.sync()
        if number % EVERY:
            continue
        page.evaluate("document.activeElement.blur()")  # what was typed is sent
        shown.quiet()
        page.locator(".fgn-editor").focus()
        if page.locator(".fgn-start").count():
            page.keyboard.press("Escape")  # an arrow that is being drawn
        page.keyboard.press("Control+Shift+Z")  # what was refused before is said no more
        shown.quiet()
        page.mouse.move(1, 1)
        page.evaluate(
            """async () => {
                const [id, model] = [...window.bareModels].find(([, m]) => m.state.scene);
                const script = window.given.find((one) => one.id === id);
                await window.showBare(script, false);
            }"""
        )
        laid_out(page)
        one, two = page.locator(".fgn-editor").all()
        mine, new = one.evaluate(SHOWN), two.evaluate(SHOWN)
        for seen, wanted in zip(mine, new, strict=True):
            assert seen == wanted, (seed, number, hand.did[-EVERY:])
        two.evaluate("(e) => e.parentElement.remove()")
        again, document = fresh(editor), editor.document
        assert again.graph == document.graph
        assert dict(again.matrices) == dict(document.matrices)
        assert (again.hidden, dict(again.evidence)) == (document.hidden, dict(document.evidence))
        compared += 1
    assert compared == count // EVERY
    while editor.scene["undo"]:
        editor.undo()
    assert editor.graph == graph
    assert editor.document.run is None
