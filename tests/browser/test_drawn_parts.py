"""What the page draws of cards, messages, matrices and arrows lies where it belongs.

The browser sets the letters, so it is asked where everything is. That the questions find faults is
shown on copies of the drawing, in each of which one thing was moved.
"""

import numpy as np
import pytest
from student import THETA, student

from fgnwidgets import BayesGraph, random_theta
from fgnwidgets.widgets import GraphEditor, GraphView

FAULTS = """(drawing) => {
    const found = [];
    const box = (e) => {
        const { x, y, width, height } = e.getBBox();
        return { left: x, top: y, right: x + width, bottom: y + height };
    };
    const all = (of, look) => [...of.querySelectorAll(look)];
    const inside = (a, b, slack = 1) => a.left >= b.left - slack && a.right <= b.right + slack
        && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
    const say = (wrong, words) => { if (wrong) found.push(words); };
    const boxes = {};
    for (const part of all(drawing, "[data-part]")) {
        const border = part.querySelector(".fgn-card, .fgn-box");
        if (border) boxes[part.dataset.part] = box(border);
    }
    for (const card of all(drawing, "[data-part^='variable:']")) {
        const [name, whole] = [card.dataset.part, boxes[card.dataset.part]];
        for (const text of all(card, "text").filter((e) => e.textContent)) {
            say(!inside(box(text), whole), `"${text.textContent}" sticks out of ${name}`);
        }
        const [title, note] = all(card, ".fgn-title, .fgn-note").map(box);
        const met = note.left < note.right && title.right + 2 > note.left;
        say(met, `title and note of ${name} meet`);
        const rows = all(card, ".fgn-row");
        rows.forEach((row, i) => {
            const [hit, state, number] = [".fgn-row-hit", ".fgn-state", ".fgn-number"].map(
                (look) => box(row.querySelector(look)));
            say(!inside(hit, whole), `row ${i} sticks out of ${name}`);
            say(i && box(rows[i - 1].querySelector(".fgn-row-hit")).bottom > hit.top + 0.1,
                `rows ${i - 1} and ${i} of ${name} meet`);
            const high = [state, number].every((e) => inside(e, hit));
            say(!high, `a text of ${name} leaves its row ${i}`);
            const track = row.querySelector(".fgn-track");
            if (!track) return;
            const [long, bar] = [box(track), box(row.querySelector(".fgn-belief"))];
            say(state.right + 2 > long.left, `state ${i} of ${name} reaches its bar`);
            say(number.left - 1 < long.right, `number ${i} of ${name} reaches its bar`);
            say(!inside(bar, long), `bar ${i} of ${name} leaves its track`);
            const handle = drawing.querySelector(`[data-bar='${name.slice(9)} ${i}']`);
            const missed = handle && !inside(long, box(handle), 0);
            say(missed, `the handle ${i} of ${name} is not over it`);
        });
    }
    for (const message of all(drawing, ".fgn-branch .fgn-message")) {
        const frame = box(message.querySelector(".fgn-frame"));
        for (const bar of all(message, "rect:not(.fgn-frame)")) {
            say(!inside(box(bar), frame, 0.5), "a bar leaves the frame of its message");
        }
    }
    for (const node of all(drawing, "[data-part^='node:']")) {
        const whole = node.dataset.part;
        const cells = all(node, "[data-place]").map(
            (e) => [e.dataset.place.split(",").map(Number), e]);
        for (const [[i, j], cell] of cells) {
            const own = box(cell);
            say(!inside(own, boxes[whole]), `cell ${i},${j} leaves ${whole}`);
            for (const [[k, l], other] of cells) {
                const beside = box(other);
                const above = k > i && beside.top < own.bottom - 0.1;
                const left = l > j && beside.left < own.right - 0.1;
                say(above || left, `cells ${i},${j} and ${k},${l} of ${whole} are not in order`);
            }
            const handle = drawing.querySelector(`[data-entry='${whole} ${i},${j}']`);
            say(handle && !(inside(box(handle), own, 0.1) && inside(own, box(handle), 0.1)),
                `the handle of cell ${i},${j} of ${whole} is not over it`);
        }
    }
    const off = ({ x, y }, b) => Math.max(b.left - x, x - b.right, b.top - y, y - b.bottom);
    for (const wire of all(drawing, ".fgn-wire")) {
        const part = wire.closest("[data-part]");
        const name = part.dataset.part;
        const tip = part.querySelector(".fgn-tip");
        const ends = [wire.getPointAtLength(0),
            tip ? tip.points[0] : wire.getPointAtLength(wire.getTotalLength())];
        const own = /^(edge|arrow):/.test(name)
            && name.replace(/^\\w+:/, "").split("->").map((v) => boxes[`variable:${v}`]);
        const open = all(part, ".fgn-ends").map(
            ({ cx, cy }) => ({ x: cx.baseVal.value, y: cy.baseVal.value }));
        ends.forEach((end, i) => {
            if (own) say(!(off(end, own[i]) > -0.5 && off(end, own[i]) < 7),
                `${name} does not ${i ? "end" : "begin"} at its card`);
            else say(!Object.values(boxes).some((b) => Math.abs(off(end, b)) < 1.5)
                && !open.some((o) => Math.hypot(o.x - end.x, o.y - end.y) < 1),
                `an end of ${name} is at no node`);
        });
        const head = part.querySelector(".fgn-arrow polygon");
        if (head) {
            const at = head.points[0];
            const steps = Math.ceil(wire.getTotalLength());
            const near = Array.from({ length: steps + 1 }, (_, k) => wire.getPointAtLength(k))
                .some(({ x, y }) => Math.hypot(x - at.x, y - at.y) < 2);
            say(!near, `the head of ${name} is not on its line`);
        }
    }
    return found;
}"""

MOST = {f"state {k} mW": 1 for k in range(9)}
WIDE = BayesGraph(
    {"WWWWWMMMMMwwwww": ("strongly agree", "WWWW"), "nine": tuple(MOST), "é": 2},
    {"nine": "WWWWWMMMMMwwwww", "é": "WWWWWMMMMMwwwww"},
)


def view_of(graph, **how):
    theta = THETA if graph == student() else random_theta(graph, np.random.default_rng(0))
    return GraphView(graph, theta, **how)


SHOWN = {
    "student": lambda: view_of(student(), evidence={"S": "high", "G": [0.2, 1, 0.3]}),
    "student, arrows": lambda: view_of(student(), form="bayes"),
    "wide names": lambda: view_of(WIDE, evidence={"é": 1, "nine": 3}),
    "wide names, arrows": lambda: view_of(WIDE, form="bayes"),
    "editor": lambda: GraphEditor(student(), theta=THETA, evidence={"S": "high"}),
    "editor, wide names": lambda: GraphEditor(WIDE),
}


def drawing(bare, widget):
    page = bare(widget).page
    page.wait_for_selector(".fgn-stage [data-part] text")
    return page


@pytest.mark.parametrize("shown", SHOWN)
def test_texts_are_in_their_boxes_bars_in_their_frames_and_lines_end_at_borders(bare, shown):
    page = drawing(bare, SHOWN[shown]())
    faults = page.locator(".fgn-stage > svg").evaluate(FAULTS)
    assert faults == []


PLANTED = {
    ".fgn-number => e.setAttribute('x', 16 + Number(e.getAttribute('x')))": "sticks out of",
    ".fgn-number => e.setAttribute('x', Number(e.getAttribute('x')) - 16)": "reaches its bar",
    ".fgn-state => { e.textContent += ' and more' }": "reaches its bar",
    ".fgn-state => e.setAttribute('y', Number(e.getAttribute('y')) + 14)": "leaves its row",
    ".fgn-title => { e.textContent = 'a name that is not cut' }": "title and note",
    ".fgn-belief => e.setAttribute('width', 70)": "leaves its track",
    ".fgn-row:last-child .fgn-row-hit => e.setAttribute('height', 40)": "sticks out of",
    ".fgn-row .fgn-row-hit => e.setAttribute('y', Number(e.getAttribute('y')) + 8)": "meet",
    "[data-bar='S 0'] => e.setAttribute('x', Number(e.getAttribute('x')) + 8)": "not over it",
    "[data-entry='node:S|I 0,0'] => e.setAttribute('x', 8 + e.x.baseVal.value)": "not over it",
    ".fgn-message rect:nth-child(2) => e.setAttribute('height', 60)": "leaves the frame",
    "[data-place='0,0'] => e.setAttribute('x', e.x.baseVal.value - 8)": "leaves node:",
    "[data-part='node:S|I'] [data-place='0,0'] => e.setAttribute('y', 900)": "not in order",
    "[data-part='node:S|I'] .fgn-box => e.setAttribute('y', 12 + e.y.baseVal.value)": "at no node",
    "[data-part='branch:S'] .fgn-ends => e.setAttribute('cx', 0)": "at no node",
    "[data-part='branch:S'] .fgn-arrow polygon => { e.points[0].x += 8 }": "not on its line",
}

ON_A_COPY = f"""(stage, [look, fault]) => {{
    const copy = stage.cloneNode(true);
    stage.after(copy);
    const noted = [...copy.querySelectorAll(look)].filter((e) => look !== ".fgn-title"
        || e.closest("[data-part='variable:S']"));
    for (const e of noted.slice(0, 1)) eval(fault);
    const found = ({FAULTS})(copy.querySelector("svg"));
    copy.remove();
    return noted.length ? found : ["nothing was moved"];
}}"""


def test_a_thing_that_is_moved_is_found(bare):
    stage = drawing(bare, SHOWN["student"]()).locator(".fgn-stage")
    assert stage.evaluate(ON_A_COPY, [".fgn-number", ""]) == []
    missed = {}
    for fault, words in PLANTED.items():
        found = stage.evaluate(ON_A_COPY, fault.split(" => ", 1))
        if not any(words in said for said in found):
            missed[fault] = found
    assert missed == {}


@pytest.mark.parametrize(
    ("shown", "fault"),
    [
        ("student, arrows", "edge:I->G"),
        ("editor", "arrow:I->G"),
    ],
)
def test_an_arrow_that_leaves_its_card_is_found(bare, shown, fault):
    stage = drawing(bare, SHOWN[shown]()).locator(".fgn-stage")
    look = f"[data-part='{fault}'] .fgn-wire"
    longer = "e.setAttribute('d', e.getAttribute('d').replace(/^M[^L]*/, 'M5,5'))"
    found = stage.evaluate(ON_A_COPY, [look, longer])
    assert f"{fault} does not begin at its card" in found
