/* Cards and arrows of the graph editor, as the scene says where they lie. */

import { svg, looks } from "../graph/dom.js";
import { LOW, label, rowPlace } from "../graph/parts.js";

function stateRow({ text, p, number, on }, part, i) {
  const { x, w, height, top, line, bar } = rowPlace(part, i);
  return svg("g", { class: looks("row", on && "on", height < LOW && "small"), "data-row": i },
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

const NEAR = 3; // px from a card, where a line would touch it
const LANES = [13, 7, 19]; // px beside a card, within the gap to its neighbour: one for each parent

/** From under one card to the top of another that lies below; else by the shortest way. Where other
 * cards are in between, through a lane beside them; the arrows of one parent share theirs. */
export function wire(one, two, others = [], parent = 0) {
  const lane = LANES[parent % LANES.length];
  const below = two.y > one.y + one.h + 24;
  const from = below ? [one.x + one.w / 2, one.y + one.h + 6] : border(one, middle(two), 1);
  const to = below ? [two.x + two.w / 2, two.y - 2] : border(two, middle(one), 3);
  const between = others.filter((card) => card.id !== one.id && card.id !== two.id);
  const free = (points) => points.slice(1).every((p, i) => !between.some((card) => meets(points[i], p, card)));
  if (free([from, to])) return drawLine([from, to]);
  if (!below) return drawLine(bows(one, two).find(free) ?? [from, to]);
  const high = Math.min(...between.filter((card) => card.y > from[1] + 8).map((card) => card.y)) - LANES[0];
  const row = two.y + two.h / 2;
  const beside = ({ x, w }) => [x - lane, x + w + lane];
  const near = (lanes) => lanes.sort((a, b) => Math.abs(a - from[0]) - Math.abs(b - from[0]));
  const ways = [
    ...near(beside(two)).map((at) => [[at, high], [at, row], [at < two.x ? two.x - 2 : two.x + two.w + 2, row]]),
    ...near(between.flatMap(beside)).map((at) => [[at, high], [at, two.y - 2 * LANES[0]], to]),
  ].map((way) => [from, ...way]);
  return drawLine(ways.find(free) ?? [from, to]);
}

/** Curves aside of the straight way, the flattest first, as points. */
function bows(one, two) {
  const [[x, y], [tx, ty]] = [middle(one), middle(two)];
  const far = Math.max(Math.hypot(tx - x, ty - y), 1);
  return [90, -90, 130, -130, 180, -180, 240, -240, 320, -320].map((bow) => {
    const top = [(x + tx) / 2 - bow * (ty - y) / far, (y + ty) / 2 + bow * (tx - x) / far];
    const [from, to] = [border(one, top, 1), border(two, top, 3)];
    return Array.from({ length: 25 }, (_, k) => k / 24).map((t) => [0, 1].map(
      (i) => (1 - t) ** 2 * from[i] + 2 * t * (1 - t) * top[i] + t ** 2 * to[i]));
  }).filter((points) => points.every(([px, py]) => px > 2 && py > 2));
}

/** Whether a line runs over a card, or too near to it. */
function meets([ax, ay], [bx, by], { x, y, w, h }) {
  let [first, last] = [0, 1];
  for (const [a, d, low, high] of [[ax, bx - ax, x - NEAR, x + w + NEAR], [ay, by - ay, y - NEAR, y + h + NEAR]]) {
    if (Math.abs(d) < 1e-9) {
      if (a < low || a > high) return false;
      continue;
    }
    const [s, t] = [(low - a) / d, (high - a) / d].sort((p, q) => p - q);
    [first, last] = [Math.max(first, s), Math.min(last, t)];
  }
  return first < last;
}

export const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];

/** A line through points, with its head at the last. */
export function drawLine(points) {
  const [from, to] = points.slice(-2);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.max(Math.hypot(dx, dy), 1e-6);
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, across) =>
    `${to[0] - along * ux - across * uy},${to[1] - along * uy + across * ux}`;
  const d = `M${[...points.slice(0, -1), [to[0] - 8 * ux, to[1] - 8 * uy]].map((p) => p.join(",")).join("L")}`;
  return [
    svg("path", { class: "fgn-hit", d }),
    svg("path", { class: "fgn-wire", d }),
    svg("polygon", { class: "fgn-tip", points: `${to.join(",")} ${at(11, 5)} ${at(11, -5)}` }),
  ];
}
