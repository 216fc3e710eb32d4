/* The parts of a drawing, as Python placed them: branches, nodes, cards, tables. */

import { html, looks, percent, svg } from "./dom.js";

/** A name in runs, each raised (1), lowered (-1) or on the line (0). */
export function label({ text, x, y, anchor }, look) {
  let height = 0;
  const spans = text.map(([piece, raised]) => {
    const dy = 4.5 * (height - raised);
    height = raised;
    return svg("tspan", { class: raised ? "fgn-raised" : null, dy }, piece);
  });
  return svg("text", { class: look, x, y, "text-anchor": anchor }, ...spans);
}

export function triangle(x, y, [dx, dy], size) {
  const at = (along, across) =>
    `${x + along * dx * size - across * dy * size},${y + along * dy * size + across * dx * size}`;
  return svg("polygon", { points: `${at(0, 0)} ${at(-1.6, 0.7)} ${at(-1.6, -0.7)}` });
}

/** The bars of a message in a frame of its size. */
export function drawValues({ x, y, w, h }, values) {
  const step = w / values.length;
  return values.map((value, i) => {
    const height = value > 0 ? Math.max(value * (h - 2), 0.75) : 0;
    return svg("rect", { x: x + (i + 0.12) * step, y: y + h - height, width: 0.76 * step, height });
  });
}

/** A message as small bars; the triangle says which way it travels. */
export function drawMessage({ x, y, w, h, direction, towards, values, number, waiting }) {
  const bars = drawValues({ x, y, w, h }, values);
  const badge = number && svg("g", { class: "fgn-badge" },
    svg("circle", { cx: x, cy: y + h - 1, r: 7 }),
    svg("text", { x, y: y + h + 2.4, "text-anchor": "middle" }, number));
  return svg("g", { class: looks("message", direction, number && "sent", waiting && "waiting"), "data-way": direction },
    svg("rect", { class: "fgn-frame", x, y, width: w, height: h, rx: 2 }), ...bars,
    triangle(x + w / 2, y - 6 + 3.2 * towards[1], towards, 4), badge || null);
}

export function drawBranch({ points, arrow, ends, label: name, messages }) {
  const d = "M" + points.map((point) => point.join(",")).join("L");
  return [
    svg("path", { class: "fgn-hit", d }),
    svg("path", { class: "fgn-wire", d }),
    svg("g", { class: "fgn-arrow" }, triangle(arrow.x, arrow.y, arrow.towards, 5.5)),
    ...ends.map(([cx, cy]) => svg("circle", { class: "fgn-ends", cx, cy, r: 3.5 })),
    name && label(name, "fgn-name"),
    ...messages.map(drawMessage),
  ];
}

/** Where a cell lies inside its block, which is drawn about its middle. */
export function cellPlace({ x, y, w, h, cells }, i, j) {
  const [wide, high] = [(w - 4) / cells[i].length, (h - 4) / cells.length];
  return { x: x - w / 2 + 2 + j * wide, y: y - h / 2 + 2 + i * high, width: wide, height: high };
}

/** A cell's name, and what a note says of it. */
export const cellName = ({ about, states, given }, i, j) => `P(${about} = ${states[j]}${given[i] ? ` | ${given[i]}` : ""})`;

export const saidOf = (part, i, j) => `${cellName(part, i, j)} = ${part.cells[i][j].toFixed(3)}`;

const noteOn = (part, i, j) => `${saidOf(part, i, j)}: drag it to the side`;

/** A matrix as a small heat map inside its block: a row for each state of the input. Where it can be
 * edited, each cell is a handle. */
function drawCells(part, grab) {
  return part.cells.flatMap((row, i) => row.map((value, j) => svg("rect", {
    ...cellPlace(part, i, j), "fill-opacity": Number(value.toFixed(3)),
    ...(part.edit && { "data-place": `${i},${j}`, "data-why": noteOn(part, i, j), onpointerdown: grab(i, j) }) })));
}

export function drawNode(part, grab) {
  const { kind, x, y, w, h, cells, edit, label: name } = part;
  const equal = `M${x - 5},${y - 2.6}h10M${x - 5},${y + 2.6}h10`;
  return [
    svg("rect", { class: "fgn-target", x: x - 12, y: y - 12, width: 24, height: 24 }),
    svg("rect", { class: "fgn-box", x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 1.5 }),
    cells.length > 0 && svg("g", { class: looks("cells", edit && "editable") }, ...drawCells(part, grab)),
    kind === "diverter" && svg("path", { class: "fgn-equal", d: equal }),
    label(name, "fgn-node-name"),
  ];
}

/** Rows lower than this, of cards with many states, have smaller letters. */
export const LOW = 16; // px

/** Where the i-th row of a card lies, and how to make its bars. */
export function rowPlace(part, i) {
  const { x, w, row: height } = part;
  const top = part.y + part.head + i * height;
  const [line, left, long] = [top + height / 2 + 4, x + part.bar, w - part.bar - 44];
  const edge = height < LOW ? 2 : 5;
  const bar = (look, share) => svg("rect", {
    class: look, x: left, y: top + edge, width: long * share, height: height - 2 * edge, rx: 1.5 });
  return { x, w, height, top, line, left, long, edge, bar };
}

/** One row of a card: the state, its belief as a bar, its prior as a tick, the number. */
export function drawRow({ text, p, prior, number, on, why }, part, i, { pick, grab }) {
  const { x, w, height, top, line, left, long, edge, bar } = rowPlace(part, i);
  const tick = `M${left + long * prior},${top + edge - 2}v${height - 2 * edge + 4}`;
  const grip = { class: "fgn-grip", x: left + long * p - 1.5, y: top + edge - 2, width: 3, height: height - 2 * edge + 4 };
  const acts = { onclick: pick(i), onpointerdown: grab(i) };
  return svg("g", { class: looks("row", on && "on", height < LOW && "small"), ...acts },
    svg("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    svg("text", { class: "fgn-state", x: x + 10, y: line }, text),
    bar("fgn-track", 1), bar("fgn-belief", p),
    prior == null ? null : svg("path", { class: "fgn-prior", d: tick }), svg("rect", grip),
    svg("text", { class: "fgn-number", x: x + w - 7, y: line, "text-anchor": "end", "data-why": why || null }, number));
}

export function drawCard(part, { cycle, pick, grab, open }) {
  const { x, y, w, h, head } = part;
  return [
    svg("rect", { class: "fgn-card", x, y, width: w, height: h, rx: 4 }),
    svg("rect", { class: "fgn-stripe", x, y, width: 4, height: h, rx: 2 }),
    svg("g", { class: "fgn-head", onclick: cycle },
      svg("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 29, height: head }),
      label({ text: part.title, x: x + 10, y: y + 16.5 }, "fgn-title"),
      label({ text: [[part.note, 0]], x: x + w - 27, y: y + 16, anchor: "end" }, "fgn-note")),
    svg("g", { class: "fgn-more", onclick: open },
      svg("rect", { class: "fgn-row-hit", x: x + w - 25, y, width: 24, height: head }),
      ...[-4, 0, 4].map((d) => svg("circle", { cx: x + w - 13 + d, cy: y + 12.5, r: 1.3 }))),
    ...part.rows.map((row, i) => drawRow(row, part, i, { pick, grab })),
  ];
}

/** What says how a number came about: on a pointer over it, or with the focus. */
const reason = (why) => (why ? { "data-why": why, "aria-description": why, tabindex: 0 } : {});

/** A table; ``first`` makes what stands at the head of a row, and ``field`` what stands in a cell,
 * else their texts do. */
export function drawTable({ caption, head, rows, look }, first = (text) => text, field = ([text]) => text) {
  const cell = (entry, i, j) => Array.isArray(entry)
    ? html("td", { class: `fgn-${look}`, style: `--v:${percent(entry[1])}`, ...reason(entry[2]) },
      field(entry, i, j - 1))
    : html("th", { scope: "row" }, first(entry, i));
  return html("table", {},
    caption ? html("caption", {}, caption) : null,
    html("thead", {}, html("tr", {}, ...head.map((text) =>
      text ? html("th", { scope: "col" }, text) : html("td", {})))),
    html("tbody", {}, ...rows.map((row, i) =>
      html("tr", {}, ...row.map((entry, j) => cell(entry, i, j))))));
}
