/* The curves of a learning run: the epoch is dragged here, and curves and rows are chosen.
 *
 *   left, right   the numbers of the curves whose matrices the graphs below have
 *   row           which row of the table sends its messages, by the order of the list
 *   shown         counts Python's answers; one epoch is asked for at a time, the newest */

import { change, html, menu, svg } from "./graph/dom.js";
import { Latest } from "./graph/latest.js";
import { Player } from "./graph/player.js";
import { store } from "./graph/stored.js";

const BEAT = 120; // ms between two epochs that play
const HIGH = 190;
const ROOM = { left: 58, right: 74, top: 12, bottom: 34 };

/** Round numbers from low to high, about so many. */
function ticks(low, high, about) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * step; at += step) found.push(at);
  return found;
}

class Chart {
  constructor(model, el) {
    this.model = model;
    this.drawn = model.get("drawn");
    this.epochs = new Latest((epoch) => this.set({ epoch }));
    this.build();
    el.replaceChildren(this.root);
    this.answered = () => { this.epochs.answered(); this.player.next(); };
    this.moved = () => this.draw();
    model.on("change:shown", this.answered);
    for (const name of ["epoch", "left", "right", "row", "own"]) model.on(`change:${name}`, this.moved);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.root);
    this.draw();
  }

  remove() {
    this.model.off("change:shown", this.answered);
    for (const name of ["epoch", "left", "right", "row", "own"]) this.model.off(`change:${name}`, this.moved);
    this.sizes.disconnect();
    this.player.pause();
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  /** The cursor goes with the hand at once; the graphs follow as fast as Python answers. */
  go(epoch) {
    this.at = epoch;
    this.place();
    this.epochs.ask(epoch);
  }

  build() {
    const { curves, rows } = this.drawn;
    const names = curves.map(({ name }, i) => [i, name]);
    const own = [[null, "nothing observed"], ...rows.map((words, i) => [i, words])];
    this.player = new Player({ unit: "epoch", beat: BEAT, ask: (epoch) => this.go(epoch) });
    this.left = menu("whose matrices the graph has", names, (left) => this.set({ left }));
    this.right = menu("curve beside it", [[null, "none beside"], ...names], (right) => this.set({ right }));
    this.row = menu("row of the table", own, (row) => this.set({ row, own: false }));
    const named = (text, control) => html("label", { class: "fgn-named" }, text, control);
    const bar = html("div", { class: "fgn-bar" }, this.player.root, named("curve", this.left),
      named("beside", this.right), named("row", this.row));
    this.right.parentElement.hidden = curves.length < 2;
    this.picture = svg("svg", { role: "img", class: "fgn-chart" });
    this.picture.addEventListener("pointerdown", (event) => this.grab(event));
    this.picture.addEventListener("pointermove", (event) => this.held && this.drag(event));
    this.picture.addEventListener("pointerup", (event) => this.drop(event));
    this.picture.addEventListener("pointercancel", () => { this.held = null; });
    this.root = html("div", { class: "fgn fgn-learning" }, bar, this.picture);
  }

  grab(event) {
    this.player.pause();
    const curve = event.target.closest("[data-curve]")?.dataset.curve;
    this.held = { x: event.clientX, curve };
    this.picture.setPointerCapture(event.pointerId);
    if (curve === undefined) this.drag(event);
  }

  /** Over a curve only a hand that moves drags the epoch; one that does not chooses the curve. */
  drag(event) {
    if (this.held.curve !== undefined && Math.abs(event.clientX - this.held.x) < 4) return;
    delete this.held.curve;
    const { left } = this.picture.getBoundingClientRect();
    const share = (event.clientX - left - ROOM.left) / (this.width - ROOM.left - ROOM.right);
    this.go(Math.round(Math.min(Math.max(share, 0), 1) * this.drawn.last));
  }

  drop(event) {
    const curve = this.held?.curve;
    this.held = null;
    if (curve !== undefined) this.set({ [event.shiftKey ? "right" : "left"]: Number(curve) });
  }

  /** Starts far below all that follows are cut off, so that the rest can be seen. */
  range() {
    const { curves, levels } = this.drawn;
    const later = curves.flatMap(({ values }) => values.slice(1)).filter((v) => v != null);
    const all = [...later, ...Object.values(levels)];
    const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const edge = 0.06 * (high - low) || 1;
    return [low - edge, high + edge];
  }

  x(epoch) { return ROOM.left + epoch / Math.max(this.drawn.last, 1) * (this.width - ROOM.left - ROOM.right); }

  y(value) {
    const share = (value - this.low) / (this.high - this.low);
    return HIGH - ROOM.bottom - share * (HIGH - ROOM.top - ROOM.bottom);
  }

  draw() {
    if (!this.drawn.curves) return;
    this.at = this.epochs.waiting ? this.at : this.model.get("epoch");
    this.width = Math.max(this.root.clientWidth, 320);
    [this.low, this.high] = this.range();
    for (const name of ["left", "right", "row"]) this[name].value = JSON.stringify(this.model.get(name) ?? null);
    this.row.firstChild.textContent = this.model.get("own") ? "evidence of your own" : "nothing observed";
    change(this.picture, { width: this.width, height: HIGH, viewBox: `0 0 ${this.width} ${HIGH}` });
    const chosen = [this.model.get("left"), this.model.get("right")];
    const order = this.drawn.curves.map((_, i) => i).sort((a, b) => chosen.includes(a) - chosen.includes(b));
    const inside = svg("g", { class: "fgn-curves" }, ...order.map((i) => this.curve(i, chosen.includes(i))));
    this.cursor = svg("g", { class: "fgn-cursor" });
    this.picture.replaceChildren(this.axes(), inside, this.cursor);
    this.place();
  }

  axes() {
    const [right, foot] = [this.width - ROOM.right, HIGH - ROOM.bottom];
    const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor }, words);
    const across = (y, look) => svg("path", { class: look, d: `M${ROOM.left},${y}H${right}` });
    const { last, levels } = this.drawn;
    return svg("g", { class: "fgn-axes" },
      ...ticks(this.low, this.high, 4).flatMap((v) => [across(this.y(v), "fgn-grid"),
        text(ROOM.left - 6, this.y(v) + 4, "end", String(Number(v.toPrecision(8))))]),
      ...ticks(0, last, 8).filter(Number.isInteger).map((e) => text(this.x(e), foot + 15, "middle", String(e))),
      text((ROOM.left + right) / 2, HIGH - 4, "middle", "epoch"),
      text(ROOM.left - 52, 10, "start", "log-likelihood"),
      ...Object.entries(levels).flatMap(([name, v]) => [across(this.y(v), "fgn-level"),
        text(right + 5, this.y(v) + 4, "start", name)]));
  }

  curve(i, strong) {
    const { rule, values, name } = this.drawn.curves[i];
    const foot = HIGH - ROOM.bottom;
    const points = values.map((v, e) => v == null ? null : `${this.x(e).toFixed(1)},${Math.min(this.y(v), foot).toFixed(1)}`);
    const d = `M${points.filter(Boolean).join("L")}`;
    return svg("g", { class: `fgn-curve fgn-rule-${rule} ${strong ? "fgn-strong" : ""}` },
      svg("path", { class: "fgn-drawn", d }),
      svg("path", { class: "fgn-catch", d, "data-curve": i }, svg("title", {}, name)));
  }

  /** Cursor, points and numbers at the epoch; all that changes while it is dragged. */
  place() {
    const { curves, last } = this.drawn;
    const chosen = [...new Set([this.model.get("left"), this.model.get("right") ?? this.model.get("left")])];
    const x = this.x(this.at);
    const said = [];
    const flip = x > this.width - ROOM.right - 150;
    const marks = chosen.map((i) => {
      const { name, rule, values } = curves[i];
      const value = values[Math.min(this.at, values.length - 1)];
      said.push(`${name} ${value == null ? "impossible" : value.toFixed(1)}`);
      return { rule, y: Math.min(this.y(value ?? this.low), HIGH - ROOM.bottom) };
    });
    const lines = marks.map(({ y }) => y - 6);
    if (lines.length > 1 && Math.abs(lines[0] - lines[1]) < 15) {
      lines[lines[0] <= lines[1] ? 1 : 0] = Math.max(...lines) + 17;
    }
    this.cursor.replaceChildren(svg("path", { d: `M${x},${ROOM.top}V${HIGH - ROOM.bottom}` }),
      ...marks.flatMap(({ rule, y }, i) => [svg("circle", { class: `fgn-rule-${rule}`, cx: x, cy: y, r: 4.5 }),
        svg("text", { x: x + (flip ? -9 : 9), y: Math.max(lines[i], 12), "text-anchor": flip ? "end" : "start" }, said[i])]));
    const text = `epoch ${this.at} of ${last}`;
    change(this.picture, { "aria-label": `Log-likelihood by epoch. ${text}: ${said.join(", ")}` });
    this.player.draw({ at: this.at, last, text });
  }
}

export default {
  render({ model, el }) {
    store(model);
    const chart = new Chart(model, el);
    return () => chart.remove();
  },
};
