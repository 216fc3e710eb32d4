/* Cards and arrows of the graph editor, as the scene says where they lie. */

import { svg, looks } from "../graph/dom.js";
import { label, rowPlace } from "../graph/parts.js";

function stateRow({ text, p, number, on }, part, i) {
  const { x, w, height, top, line, bar } = rowPlace(part, i);
  return svg("g", { class: looks("row", on && "on"), "data-row": i },
    svg("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    svg("text", { class: "fgn-state", x: x + 10, y: line }, text),
    number && bar("fgn-track", 1), number && bar("fgn-belief", p),
    svg("text", { class: "fgn-number", x: x + w - 7, y: line, "text-anchor": "end" }, number));
}

export function editorCard(part) {
  const { x, y, w, h, head } = part;
  const [cx, cy] = [x + w / 2, y + h + 6];
  return [
    svg("rect", { class: "fgn-card", x, y, width: w, height: h, rx: part.hidden ? 14 : 4 }),
    svg("rect", { class: "fgn-stripe", x, y: y + 5, width: 4, height: h - 10, rx: 2 }),
    svg("g", { class: "fgn-head" },
      svg("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 5, height: head }),
      label({ text: part.title, x: x + 10, y: y + 16.5 }, "fgn-title"),
      svg("text", { class: "fgn-note", x: x + w - 9, y: y + 16, "text-anchor": "end" }, part.note)),
    ...part.rows.map((row, i) => stateRow(row, part, i)),
    svg("g", { class: "fgn-handle", "data-handle": part.variable },
      svg("circle", { class: "fgn-target", cx, cy: cy + 3, r: 13 }),
      svg("circle", { class: "fgn-knob", cx, cy, r: 8 }),
      svg("path", { class: "fgn-sign", d: `M${cx},${cy - 4}v7.5M${cx - 3},${cy + 1}l3,3.2l3,-3.2` })),
  ];
}

/** Where the line from the middle of a card leaves it. */
export function border({ x, y, w, h }, [tx, ty], space) {
  const [cx, cy] = [x + w / 2, y + h / 2];
  const [dx, dy] = [tx - cx, ty - cy];
  const share = Math.min((w / 2 + space) / Math.max(Math.abs(dx), 1e-6),
    (h / 2 + space) / Math.max(Math.abs(dy), 1e-6), 1);
  return [cx + dx * share, cy + dy * share];
}

/** From under one card to the top of another that lies below; else by the shortest way; and in a
 * bow where a third card would lie on the line. */
export function wire(one, two, others) {
  const straight = two.y > one.y + one.h + 24
    ? [[one.x + one.w / 2, one.y + one.h + 6], [two.x + two.w / 2, two.y - 2]]
    : [border(one, middle(two), 1), border(two, middle(one), 3)];
  const covered = (points) => others.some((card) => points.some((at) => isIn(card, at)));
  if (!covered(along(...straight))) return drawLine(...straight);
  const [[x, y], [tx, ty]] = [middle(one), middle(two)];
  const [dx, dy, far] = [tx - x, ty - y, Math.max(Math.hypot(tx - x, ty - y), 1)];
  for (const bow of BOWS) {
    const top = [(x + tx) / 2 - bow * dy / far, (y + ty) / 2 + bow * dx / far];
    const ends = [border(one, top, 1), border(two, top, 3)];
    const points = along(ends[0], ends[1], top);
    if (points.every(([px, py]) => px > 2 && py > 2) && !covered(points)) return drawLine(...ends, top);
  }
  return drawLine(...straight);
}

const BOWS = [90, -90, 130, -130, 180, -180, 240, -240, 320, -320]; // px aside, of which a curve goes half
const isIn = ({ x, y, w, h }, [px, py]) => px > x - 4 && px < x + w + 4 && py > y - 4 && py < y + h + 4;

/** Points of a line, or of the curve that a third point pulls aside. */
function along([x, y], [tx, ty], [bx, by] = [(x + tx) / 2, (y + ty) / 2]) {
  return Array.from({ length: 25 }, (_, k) => k / 24).map((t) => [
    (1 - t) ** 2 * x + 2 * t * (1 - t) * bx + t ** 2 * tx, (1 - t) ** 2 * y + 2 * t * (1 - t) * by + t ** 2 * ty]);
}

export const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];

export function drawLine(from, to, bow = null) {
  const [dx, dy] = [to[0] - (bow ?? from)[0], to[1] - (bow ?? from)[1]];
  const length = Math.max(Math.hypot(dx, dy), 1e-6);
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, across) =>
    `${to[0] - along * ux - across * uy},${to[1] - along * uy + across * ux}`;
  const d = `M${from.join(",")}${bow ? `Q${bow.join(",")} ` : "L"}${to[0] - 8 * ux},${to[1] - 8 * uy}`;
  return [
    svg("path", { class: "fgn-hit", d }),
    svg("path", { class: "fgn-wire", d }),
    svg("polygon", { class: "fgn-tip", points: `${to.join(",")} ${at(11, 5)} ${at(11, -5)}` }),
  ];
}
