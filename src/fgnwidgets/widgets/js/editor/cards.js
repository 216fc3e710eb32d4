/* The parts of a board: cards, each with a handle from which arrows are drawn, and arrows. */

import { h, looks } from "../core/elements.js";
import { drawRow, label, Memo, triangle } from "../graph/parts.js";

/** @typedef {import("../scene").EditorCard} Card */
/** @typedef {import("../scene").EditorArrow} Arrow */
/** @typedef {number[]} Point */

const ROUND = 9; // px of a corner of a line
const TIP = 6; // px of an arrow's head

/** @param {Card} card */
export const middle = ({ x, y, w, h: high }) => [x + w / 2, y + high / 2];

/** Where the line from the middle of a card to a point leaves it. @param {Card} card
 * @param {Point} to */
export function border(card, [tx, ty]) {
  const [cx, cy] = middle(card);
  const [dx, dy] = [tx - cx, ty - cy];
  const share = Math.min(
    card.w / 2 / Math.max(Math.abs(dx), 1e-6),
    card.h / 2 / Math.max(Math.abs(dy), 1e-6),
    1,
  );
  return [cx + dx * share, cy + dy * share];
}

/** A line through points, round where it turns. @param {Point[]} points */
export function linePath(points) {
  const text = (/** @type {Point} */ [x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`;
  /** @param {number} i @param {number} to @param {number} far */
  const towards = (i, to, far) => {
    const [[x, y], [tx, ty]] = [points[i], points[to]];
    const long = Math.max(Math.hypot(tx - x, ty - y), 1e-6);
    const share = Math.min(far / long, 0.5);
    return [x + (tx - x) * share, y + (ty - y) * share];
  };
  const corners = points
    .slice(1, -1)
    .map(
      (point, i) =>
        `L${text(towards(i + 1, i, ROUND))}Q${text(point)} ${text(towards(i + 1, i + 2, ROUND))}`,
    );
  return `M${text(points[0])}${corners.join("")}L${text(points[points.length - 1])}`;
}

/** A line with its head. @param {Point[]} points */
export function drawLine(points) {
  const d = linePath(points);
  const [[x, y], [tx, ty]] = points.slice(-2);
  const long = Math.max(Math.hypot(tx - x, ty - y), 1e-6);
  return [
    h("path", { class: "fgn-hit", d }),
    h("path", { class: "fgn-wire", d }),
    h("g", { class: "fgn-arrow" }, triangle(tx, ty, [(tx - x) / long, (ty - y) / long], TIP)),
  ];
}

/** @param {Card} part */
function drawCard(part) {
  const { x, y, w, h: high, head } = part;
  const [cx, cy] = [x + w / 2, y + high + 6];
  return [
    h("rect", { class: "fgn-card", x, y, width: w, height: high, rx: part.hidden ? 14 : 4 }),
    h("rect", { class: "fgn-stripe", x, y: y + 5, width: 4, height: high - 10, rx: 2 }),
    h(
      "g",
      { class: "fgn-head" },
      h("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 5, height: head }),
      label({ text: part.title, x: x + 10, y: y + 16.5 }, "fgn-title"),
      label({ text: [[part.note, 0]], x: x + w - 9, y: y + 16, anchor: "end" }, "fgn-note"),
    ),
    ...part.rows.map((_, i) => drawRow(part, i)),
    h(
      "g",
      { class: "fgn-handle", "data-handle": part.variable },
      h("circle", { class: "fgn-target", cx, cy: cy + 3, r: 13 }),
      h("circle", { class: "fgn-knob", cx, cy, r: 8 }),
      h("path", { class: "fgn-sign", d: `M${cx},${cy - 4}v7.5M${cx - 3},${cy + 1}l3,3.2l3,-3.2` }),
    ),
  ];
}

/**
 * @typedef {object} Shown
 * @property {any} part
 * @property {number} x where it is drawn, in someone's hand perhaps @property {number} y
 * @property {Point[] | null} points of an arrow
 * @property {boolean} near whether Tab stops here
 * @property {string | null} look what it is while an arrow is drawn: its start, or its aim
 */

/** A part: a group that the pointer and the keys choose. @extends {Memo<Shown>} */
export class BoardPart extends Memo {
  render() {
    const { part, x, y, points, near, look } = this.props;
    /** @type {[string, number][]} */
    const runs = part.title ?? [];
    const cut = runs.some(([text]) => text.includes("…"));
    const drawn = points ? drawLine(points) : drawCard({ ...part, x, y });
    return h(
      "g",
      {
        role: "button",
        "data-part": part.id,
        class: looks(
          ...["part", points ? "arrow-line" : "variable", part.hidden && "hidden"],
          ...[part.lit && "lit", part.selected && "selected", look],
          !points && part.rows[0]?.number === "" && "mute",
        ),
        style: part.hue == null ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-label": part.name + (part.lit ? ", on a loop" : ""),
        "aria-pressed": String(part.selected),
        tabindex: near ? 0 : -1,
      },
      // The browser would show it over the card: only where the name is cut.
      cut ? h("title", {}, part.name) : null,
      ...drawn,
    );
  }
}
