/* Messages that travel: in a round of the rounds the bars of those that enter a node glide into it
 * along their branches, a diverter multiplies them or a matrix bends them, and what comes of it glides
 * out to its place.
 *
 *   travel   one message that is sent: its node, its branch, and the messages that it is made of
 *   way      points in the drawing, from where a message rests to the border of a node
 *   ghost    a copy of a message's bars, on its way; it takes no pointer and has no name */

import { calm, looks } from "../core/elements.js";
import { svg } from "../core/svg.js";
import { bend, stageSize } from "./bend.js";
import { valuePlaces } from "./parts.js";

/** @typedef {import("../scene").DrawnTravel} Travel */

const LASTS = 1600; // ms of a round
const IN = 0.3; // the share of it in which messages enter
const OUT = 0.75; // from which on they leave; between the two they are multiplied, or bent
const BENT = [0.26, 0.36, 0.5, 0.68, 0.8]; // a stage is shown, split, in the cells, stacked, gone
const SMALLEST = 0.5; // of a stage that finds no room; then a sign stands for it

export class Travels {
  /** @param {SVGGElement} layer */
  constructor(layer) {
    this.layer = layer;
  }

  /** What a round sent; nothing moves for who asked for less motion.
   *
   * @param {readonly Travel[]} travels @param {readonly any[]} parts
   * @param {(id: string) => Element | null} groupOf */
  play(travels, parts, groupOf) {
    this.stop();
    if (calm()) return;
    const found = new Map(parts.map((part) => [part.id, part]));
    const stages = stagesOf(travels, found);
    for (const { node, sign, branch, direction, from } of travels) {
      const [to, target] = [found.get(branch), found.get(node)];
      if (!to || !target) continue;
      for (const { branch: other, direction: entering, values } of from) {
        if (found.has(other)) this.send(found.get(other), entering, values, { out: false });
      }
      const made = to.messages.find(
        (/** @type {any} */ message) => message.direction === direction,
      );
      this.send(to, direction, made.values, { out: true });
      if (from.length && !stages.some((stage) => stage.node === node)) this.flash(target, sign);
      const resting = groupOf(branch)?.querySelector(`[data-direction="${direction}"]`);
      resting?.animate([{ opacity: 0.1 }, { opacity: 0.1, offset: 0.97 }, { opacity: 1 }], LASTS);
    }
    for (const { travel, at, scale } of stages)
      this.layer.append(bend(travel, at, scale, BENT, LASTS));
  }

  stop() {
    this.layer.replaceChildren();
  }

  /** A ghost of a message goes along its branch: into the node at its end, or out of the one where
   * it begins.
   *
   * @param {any} part @param {string} direction @param {number[]} values @param {{out: boolean}} way */
  send(part, direction, values, { out }) {
    const { x, y, w, h } = part.messages.find(
      (/** @type {any} */ message) => message.direction === direction,
    );
    const ghost = svg(
      "g",
      { class: looks("message", direction, "traveller") },
      svg("rect", { class: "fgn-frame", x, y, width: w, height: h, rx: 2 }),
      ...valuePlaces({ x, y, w, h }, values).map((place) => svg("rect", place)),
    );
    this.layer.append(ghost);
    const rest = [x + w / 2, y + h / 2];
    const way = out
      ? [...wayOf(part, direction, true), rest]
      : [rest, ...wayOf(part, direction, false)];
    const far = way.map(([px, py], i) =>
      i ? Math.hypot(px - way[i - 1][0], py - way[i - 1][1]) : 0,
    );
    const whole = far.reduce((a, b) => a + b) || 1;
    let gone = 0;
    const moving = way.map(([px, py], i) => {
      gone += far[i];
      const share = i === way.length - 1 ? 1 : gone / whole;
      return { transform: `translate(${px - rest[0]}px, ${py - rest[1]}px)`, share };
    });
    // One animation of the whole round: before it leaves, and after it came, a ghost is not seen.
    const [begin, end] = out ? [OUT, 1] : [0, IN];
    const at = (/** @type {number} */ share) => begin + share * (end - begin);
    const frames = [
      ...(out
        ? [
            { ...bare(moving[0]), opacity: 0, offset: 0 },
            { ...bare(moving[0]), opacity: 0, offset: begin },
          ]
        : []),
      ...moving.map((frame) => ({ ...bare(frame), opacity: 1, offset: at(frame.share) })),
      ...(out
        ? []
        : [
            { ...bare(moving.at(-1)), opacity: 0, offset: end },
            { ...bare(moving.at(-1)), opacity: 0, offset: 1 },
          ]),
    ];
    ghost.animate(frames, LASTS).finished.then(
      () => ghost.remove(),
      () => {},
    );
  }

  /** At the node, between in and out: that messages multiply, or meet the matrix.
   *
   * @param {any} node @param {string} sign */
  flash({ x, y }, sign) {
    const mark = svg(
      "g",
      { class: "fgn-sign" },
      svg("circle", { cx: x, cy: y, r: 11 }),
      svg("text", { x, y: y + 5, "text-anchor": "middle" }, sign),
    );
    this.layer.append(mark);
    const frames = [
      { opacity: 0 },
      { opacity: 0, offset: IN },
      { opacity: 1, offset: IN + 0.08 },
      { opacity: 1, offset: OUT - 0.08 },
      { opacity: 0, offset: OUT },
      { opacity: 0 },
    ];
    mark.animate(frames, LASTS).finished.then(
      () => mark.remove(),
      () => {},
    );
  }
}

/** Where each block's matrix is on stage: over the block, forward left of backward where both are
 * sent, and all as small as they must be to stand clear of each other.
 *
 * @param {readonly Travel[]} travels @param {Map<string, any>} found */
function stagesOf(travels, found) {
  const bent = travels.filter(({ node, shares }) => shares && found.has(node));
  const stages = bent.map((travel) => {
    const { x, y } = found.get(travel.node);
    const both = bent.filter(({ node }) => node === travel.node).length > 1;
    return {
      travel,
      node: travel.node,
      x,
      y,
      aside: both ? (travel.direction === "f" ? -0.5 : 0.5) : 0,
      ...stageSize(travel.matrix ?? [[]]),
    };
  });
  let scale = 1;
  for (const one of stages) {
    for (const two of stages) {
      if (one.node === two.node) continue;
      const across =
        Math.abs(one.x - two.x) / ((one.w + two.w) * (one.aside || two.aside ? 1 : 0.5) + 2);
      const along = Math.abs(one.y - two.y) / ((one.h + two.h) / 2 + 2);
      scale = Math.min(scale, Math.max(across, along));
    }
  }
  if (scale < SMALLEST) return [];
  return stages.map(({ travel, node, x, y, w, aside }) => ({
    travel,
    node,
    scale,
    at: [Math.max(x + aside * (w + 2) * scale, (scale * w) / 2 + 1), y],
  }));
}

const bare = (/** @type {any} */ { transform }) => ({ transform });

/** The points of a branch between where a message rests and the node that it leaves or enters.
 *
 * @param {any} branch @param {string} direction @param {boolean} leaves */
function wayOf({ points, arrow }, direction, leaves) {
  const upright = points.findIndex(
    (/** @type {number[]} */ [x, y], /** @type {number} */ i) =>
      i > 0 &&
      x === points[i - 1][0] &&
      x === arrow.x &&
      Math.min(y, points[i - 1][1]) <= arrow.y &&
      arrow.y <= Math.max(y, points[i - 1][1]),
  );
  const cut = upright < 0 ? 1 : upright;
  const beside = [arrow.x, arrow.y];
  // A forward message leaves the tail, where the points begin, and enters the head.
  const [before, after] = [points.slice(0, cut), points.slice(cut)];
  if (leaves) return direction === "f" ? [...before, beside] : [...after.reverse(), beside];
  return direction === "f" ? [beside, ...after] : [beside, ...before.reverse()];
}
