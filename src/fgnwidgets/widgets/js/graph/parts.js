/* The parts of a drawing, as Python placed them: branches, nodes, cards, tables.
 *
 * What answers a pointer has a mark, which the view looks for: `data-row`, `data-head`, `data-more` of a
 * card, `data-place` of a matrix inside its block. */

import { Component, createRef, h, looks } from "../core/elements.js";
import { equals, percent } from "../core/numbers.js";

/** @typedef {import("../scene").DrawnBranch} Branch */
/** @typedef {import("../scene").DrawnNode} Node */
/** @typedef {import("../scene").DrawnCard} Card */
/** @typedef {import("../scene").DrawnPart} Part */
/** @typedef {import("../scene").DrawnLabel} Label */
/** @typedef {import("../scene").DrawnChart} Chart */
/** @typedef {import("../scene").DrawnTable} Table */

/** A component that is drawn again only if one of its properties is another one.
 *
 * @template P @extends {Component<P>} */
export class Memo extends Component {
  /** @param {any} next */
  shouldComponentUpdate(next) {
    const now = /** @type {any} */ (this.props);
    for (const name in next) if (next[name] !== now[name]) return true;
    return false;
  }

  /** @returns {any} */
  render() {
    return null;
  }
}

/** A name in runs, each raised (1), lowered (-1) or on the line (0). @param {Label} of
 * @param {string} look */
export function label({ text, x, y, anchor }, look) {
  let height = 0;
  const spans = text.map(([piece, raised]) => {
    const dy = 4.5 * (height - raised);
    height = raised;
    return h("tspan", { class: raised ? "fgn-raised" : null, dy }, piece || null);
  });
  return h("text", { class: look, x, y, "text-anchor": anchor }, ...spans);
}

/** Pixels of a card right of its bars, where the numbers stand. */
export const NUMBER = 58;

/** @param {number} x @param {number} y @param {number[]} towards @param {number} size */
export function triangle(x, y, [dx, dy], size) {
  /** @param {number} along @param {number} across */
  const at = (along, across) =>
    `${x + along * dx * size - across * dy * size},${y + along * dy * size + across * dx * size}`;
  return h("polygon", { points: `${at(0, 0)} ${at(-1.6, 0.7)} ${at(-1.6, -0.7)}` });
}

/** Where the bars of a message stand in a frame of its size.
 *
 * @param {{x: number, y: number, w: number, h: number}} frame @param {number[]} values */
export function valuePlaces({ x, y, w, h: high }, values) {
  const step = w / values.length;
  return values.map((value, i) => {
    const height = value > 0 ? Math.max(value * (high - 2), 0.75) : 0;
    return { x: x + (i + 0.12) * step, y: y + high - height, width: 0.76 * step, height };
  });
}

/** A message as small bars; the triangle says which way it travels. @param {Chart} chart */
export function drawMessage(chart) {
  const { x, y, w, h: high, direction, towards, values, number, waiting } = chart;
  return h(
    "g",
    {
      class: looks("message", direction, !!number && "sent", waiting && "waiting"),
      "data-direction": direction,
      "data-mark": waiting ? "waiting" : direction,
    },
    h("rect", { class: "fgn-frame", x, y, width: w, height: high, rx: 2 }),
    ...valuePlaces(chart, values).map((place) => h("rect", place)),
    triangle(x + w / 2, y - 6 + 3.2 * towards[1], towards, 4),
    number
      ? h(
          "g",
          { class: "fgn-badge", "data-mark": "sent" },
          h("circle", { cx: x, cy: y + high - 1, r: 7 }),
          h("text", { x, y: y + high + 2.4, "text-anchor": "middle" }, number),
        )
      : null,
  );
}

/** @param {Branch} part */
function drawBranch({ points, arrow, ends, label: name, messages, strength }) {
  const d = `M${points.map((point) => point.join(",")).join("L")}`;
  return [
    h("path", { class: "fgn-hit", d }),
    h("path", {
      class: "fgn-wire",
      d,
      ...(strength == null
        ? {}
        : { "data-mark": "strength", style: `stroke-width: ${(0.8 + 5 * strength).toFixed(2)}px` }),
    }),
    h("g", { class: "fgn-arrow" }, triangle(arrow.x, arrow.y, arrow.towards, 5.5)),
    ...ends.map(([cx, cy]) =>
      h("circle", { class: "fgn-ends", "data-mark": "open", cx, cy, r: 3.5 }),
    ),
    name ? label(name, "fgn-name") : null,
    ...messages.map(drawMessage),
  ];
}

/** Where a cell lies inside its block, which is drawn about its middle.
 *
 * @param {Node} part @param {number} i @param {number} j */
export function cellPlace({ x, y, w, h: high, cells }, i, j) {
  const [wide, tall] = [(w - 4) / cells[i].length, (high - 4) / cells.length];
  return {
    x: x - w / 2 + 2 + j * wide,
    y: y - high / 2 + 2 + i * tall,
    width: wide,
    height: tall,
  };
}

/** A cell's name, and what a note says of it. @param {Node} part @param {number} i @param {number} j */
export const cellName = ({ about, states = [], given = [] }, i, j) =>
  `P(${about} = ${states[j]}${given[i] ? ` | ${given[i]}` : ""})`;

/** @param {Node} part @param {number} i @param {number} j */
export const saidOf = (part, i, j) => `${cellName(part, i, j)}${equals(part.cells[i][j])}`;

/** A matrix as a small heat map inside its block: a row for each state of the input. Where it can be
 * edited, each cell is a handle. @param {Node} part @param {string | null} held */
function drawCells(part, held) {
  return part.cells.flatMap((row, i) =>
    row.map((value, j) => {
      const place = `${i},${j}`;
      const handle = part.edit && {
        "data-place": place,
        class: held === place ? "fgn-held" : null,
        "data-why":
          held === place ? saidOf(part, i, j) : `${saidOf(part, i, j)}: drag it to the side`,
      };
      return h("rect", {
        ...cellPlace(part, i, j),
        "fill-opacity": Number(value.toFixed(3)),
        ...handle,
      });
    }),
  );
}

/** @param {Node} part @param {string | null} held the cell in the hand */
function drawNode(part, held) {
  const { kind, x, y, w, h: high, cells, edit, label: name, strength } = part;
  const around = 3 + 4 * (strength ?? 0);
  const equal = `M${x - 5},${y - 2.6}h10M${x - 5},${y + 2.6}h10`;
  return [
    h("rect", { class: "fgn-target", x: x - 12, y: y - 12, width: 24, height: 24 }),
    strength == null
      ? null
      : h("rect", {
          class: "fgn-strength",
          "data-mark": "strength",
          x: x - w / 2 - around / 2,
          y: y - high / 2 - around / 2,
          width: w + around,
          height: high + around,
          rx: 3,
          "stroke-width": around.toFixed(2),
          "stroke-opacity": (0.25 + 0.75 * strength).toFixed(3),
        }),
    h("rect", { class: "fgn-box", x: x - w / 2, y: y - high / 2, width: w, height: high, rx: 1.5 }),
    cells.length > 0
      ? h("g", { class: looks("cells", edit && "editable") }, ...drawCells(part, held))
      : null,
    kind === "diverter" ? h("path", { class: "fgn-equal", d: equal }) : null,
    label(name, "fgn-node-name"),
  ];
}

/** Rows lower than this, of cards with many states, have smaller letters. */
export const LOW = 16; // px

/** Where the i-th row of a card lies. @param {Card} part @param {number} i */
export function rowPlace(part, i) {
  const { x, w, row: height } = part;
  const top = part.y + part.head + i * height;
  const edge = height < LOW ? 2 : 5;
  return {
    x,
    w,
    height,
    top,
    line: top + height / 2 + 4,
    left: x + part.bar,
    long: w - part.bar - NUMBER,
    edge,
  };
}

/** One row of a card: the state, its belief as a bar, its prior as a tick, the number. A belief that was
 * pinned is a pale bar below; `moment` goes from 0, what was pinned, to 1, what is.
 *
 * @param {Card} part @param {number} i @param {number} [moment] */
export function drawRow(part, i, moment = 1) {
  const { text, p: now, prior, number: written, on, why, ghost, was } = part.rows[i];
  const p = ghost == null ? now : ghost + moment * (now - ghost);
  const number = ghost != null && moment < 0.5 ? was : written;
  const { x, w, height, top, line, left, long, edge } = rowPlace(part, i);
  const tick = `M${left + long * (prior ?? 0)},${top + edge - 2}v${height - 2 * edge + 4}`;
  /** @param {string} look @param {number} share */
  const bar = (look, share, mark = "belief") =>
    h("rect", {
      class: look,
      "data-mark": mark,
      x: left,
      y: top + edge,
      width: long * share,
      height: height - 2 * edge,
      rx: 1.5,
    });
  const grip = { x: left + long * p - 1.5, y: top + edge - 2, width: 3 };
  return h(
    "g",
    {
      class: looks("row", on && "on", height < LOW && "small"),
      "data-row": i,
      "data-mark": on ? "observed" : null,
    },
    h("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    h("text", { class: "fgn-state", x: x + 10, y: line }, text),
    bar("fgn-track", 1),
    ghost == null ? null : bar("fgn-ghost", ghost, "ghost"),
    h("rect", {
      class: "fgn-belief",
      "data-mark": "belief",
      x: left,
      y: top + edge + (ghost == null ? 0 : (height - 2 * edge) / 2),
      width: long * p,
      height: (height - 2 * edge) / (ghost == null ? 1 : 2),
      rx: 1.5,
    }),
    h("rect", { class: "fgn-grip", ...grip, height: height - 2 * edge + 4 }),
    prior == null
      ? null
      : h(
          "g",
          { "data-mark": "prior" },
          h("path", { class: "fgn-prior-hit", d: tick }),
          h("path", { class: "fgn-prior", d: tick }),
        ),
    h(
      "text",
      {
        class: "fgn-number",
        x: x + w - 7,
        y: line,
        "text-anchor": "end",
        "data-why": why || null,
      },
      number,
    ),
  );
}

/** What observing the variable would tell of the target, at the foot of its card. @param {Card} part */
function drawTells({ x, y, w, h: high, tells }) {
  if (!tells) return null;
  const [wide, left] = [Math.min(w - 8, 128), x + w - Math.min(w - 8, 128) - 4];
  const [top, tall] = [y + high - 4, 15];
  return h(
    "g",
    { class: "fgn-tells", "data-mark": "tells", "data-why": tells.why },
    h("rect", { class: "fgn-tells-ground", x: left, y: top, width: wide, height: tall, rx: 8 }),
    h("rect", {
      class: "fgn-tells-share",
      x: left,
      y: top,
      width: Math.max(wide * tells.share, tells.share > 0 ? 3 : 0),
      height: tall,
      rx: 8,
    }),
    h("text", { x: left + wide / 2, y: top + 11.5, "text-anchor": "middle" }, tells.text),
  );
}

/** @param {Card} part @param {number} moment */
function drawCard(part, moment) {
  const { x, y, w, h: high, head } = part;
  return [
    h("rect", { class: "fgn-card", x, y, width: w, height: high, rx: 4 }),
    h("rect", { class: "fgn-stripe", x, y, width: 4, height: high, rx: 2 }),
    h(
      "g",
      { class: "fgn-head", "data-head": "" },
      h("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 29, height: head }),
      label({ text: part.title, x: x + 10, y: y + 16.5 }, "fgn-title"),
      h(
        "g",
        { "data-mark": part.note === "soft" ? "soft" : null },
        label({ text: [[part.note, 0]], x: x + w - 27, y: y + 16, anchor: "end" }, "fgn-note"),
      ),
    ),
    h(
      "g",
      { class: "fgn-more", "data-more": "" },
      h("rect", { class: "fgn-row-hit", x: x + w - 25, y, width: 24, height: head }),
      ...[-4, 0, 4].map((d) => h("circle", { cx: x + w - 13 + d, cy: y + 12.5, r: 1.3 })),
    ),
    ...part.rows.map((_, i) => drawRow(part, i, moment)),
    drawTells(part),
  ];
}

/** @param {Part} part @param {string | null} [held] @param {number} [moment] */
export function drawPart(part, held = null, moment = 1) {
  if (part.kind === "branch") return drawBranch(/** @type {Branch} */ (part));
  if (part.kind === "variable") return drawCard(/** @type {Card} */ (part), moment);
  return drawNode(/** @type {Node} */ (part), held);
}

/** The mark of a part as a whole, by which the legend names it. @param {Part} part */
export const markOf = (part) => {
  if (part.kind === "variable") return "card";
  if (part.kind === "branch") return "branch";
  if (part.look === "shaded") return "shaded";
  return part.kind === "diverter" || part.kind === "source" ? part.kind : "block";
};

const GLIDE = 250; // ms that a part takes to a new place

/**
 * @typedef {object} Shown
 * @property {Part} part
 * @property {boolean} near whether Tab stops here
 * @property {string | null} held the place of a cell in the hand
 * @property {string | null} lens how a lens enlarges it
 * @property {number} [moment] from 0, what was pinned, to 1, what is
 * @property {() => boolean} calm
 */

/** A part: a group that the pointer and the keys choose. @extends {Memo<Shown>} */
export class PartView extends Memo {
  /** @type {import("preact").RefObject<SVGGElement | null>} */
  group = createRef();

  /** What must move, such as into the other form, does it before the reader's eyes.
   *
   * @param {Shown} before */
  componentDidUpdate({ part: { at: from } }) {
    const { part, calm } = this.props;
    const { at: to } = part;
    if (from === to || (from[0] === to[0] && from[1] === to[1]) || calm()) return;
    const way = `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)`;
    this.group.current?.animate([{ transform: way }, { transform: "none" }], {
      duration: GLIDE,
      easing: "ease-out",
    });
  }

  render() {
    const { part, near, held, lens, moment = 1 } = this.props;
    const drawn = drawPart(part, held, moment);
    const hue = part.hue == null ? "" : `--hue: var(--fgn-hue-${part.hue});`;
    return h(
      "g",
      {
        role: "button",
        ref: this.group,
        "data-part": part.id,
        "data-mark": markOf(part),
        class: looks("part", part.kind, part.look, part.selected && "selected", lens && "lens"),
        style: `${hue}${lens ?? ""}` || null,
        "aria-pressed": String(part.selected),
        tabindex: near ? 0 : -1,
      },
      // The title is the name that is spoken; it says more than the texts that are drawn. A browser would
      // also show it, over the card, were it not for the empty one below.
      h("title", {}, part.name),
      h("g", {}, h("title", {}), ...drawn),
    );
  }
}

/** What says how a number came about: on a pointer over it, or with the focus.
 *
 * @param {string | undefined} why */
const reason = (why) => (why ? { "data-why": why, "aria-description": why, tabindex: 0 } : {});

/** A table; ``first`` makes what stands at the head of a row, and ``field`` what stands in a cell, else
 * their texts do; ``below`` is a row of words under the i-th row.
 *
 * @param {Table} table
 * @param {{first?: (text: string, i: number) => any, field?: (cell: any, i: number, j: number) => any,
 *   below?: (i: number) => any}} [makes] */
export function drawTable({ caption, head, rows, look }, makes = {}) {
  const { first = (text) => text, field = ([text]) => text, below = () => null } = makes;
  return h(
    "table",
    { class: look === "text" ? "fgn-texts" : null },
    caption ? h("caption", {}, caption) : null,
    h(
      "thead",
      {},
      h("tr", {}, ...head.map((text) => (text ? h("th", { scope: "col" }, text) : h("td", {})))),
    ),
    h(
      "tbody",
      {},
      ...rows.flatMap((row, i) => [
        h(
          "tr",
          {},
          ...row.map((entry, j) =>
            Array.isArray(entry)
              ? h(
                  "td",
                  {
                    class: `fgn-${look}`,
                    style: `--v:${percent(entry[1])}`,
                    ...reason(entry[2]),
                  },
                  field(entry, i, j - 1),
                )
              : h("th", { scope: "row" }, first(entry, i)),
          ),
        ),
        below(i),
      ]),
    ),
  );
}
