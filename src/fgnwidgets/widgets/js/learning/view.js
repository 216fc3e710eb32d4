/* The curves of a learning run: the epoch is dragged here, and curves and rows are chosen.
 *
 *   left, right   the indices of the curves whose matrices the graphs below have
 *   row           which row of the table sends its messages, by the order of the list
 *   at            the epoch that the hand is at: the cursor goes with it at once, and the graphs follow
 *                 as fast as Python answers */

import { drag, keyGesture, newGesture } from "../core/drag.js";
import { createRef, h, looks, Menu } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { PageView } from "../core/page_view.js";
import { Player } from "../core/player.js";
import { Axes, HIGH, spread, ticks } from "./axes.js";

/** @typedef {import("../scene").LearningScene} Scene */
/** @typedef {import("../scene").DrawnRun} DrawnRun */

const BEAT = 120; // ms between two epochs that play
const LEAST = 300; // px of a chart
const BESIDE = 150; // px that the words beside the cursor take

/** @type {Record<string, number>} */
const STEPS = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

/** @extends {PageView<Scene>} */
export class LearningPage extends PageView {
  /** @param {import("../core/page_view.js").Given} given */
  constructor(given) {
    super(given);
    /** @type {DrawnRun} */
    this.drawn_ = this.model.get("drawn");
    this.width = LEAST;
    this.gesture = newGesture("epoch");
    /** @type {import("preact").RefObject<any>} */
    this.picture = createRef();
    this.news_ = () => {
      this.drawn_ = this.model.get("drawn");
      this.update();
    };
    this.model.on("change:drawn", this.news_);
    this.begin();
    this.sizes = new ResizeObserver(() => this.measure());
    if (this.root) this.sizes.observe(this.root);
    this.measure();
  }

  remove() {
    this.sizes.disconnect();
    this.model.off("change:drawn", this.news_);
    super.remove();
  }

  measure() {
    const width = Math.max(this.root?.clientWidth ?? 0, LEAST);
    if (width === this.width) return;
    this.width = width;
    this.update();
  }

  /* -- what a hand does -- */

  /** The epoch that the last request leads to. */
  get at() {
    let { epoch } = this.scene;
    for (const { do: what, with: asked } of this.requests.open) {
      if (what === "set" && asked.epoch !== undefined) epoch = asked.epoch;
      if (what === "go") epoch += asked.by;
    }
    return Math.min(Math.max(epoch, 0), this.drawn_.last);
  }

  /** @param {number} epoch */
  goTo(epoch) {
    const wanted = Math.min(Math.max(epoch, 0), this.drawn_.last);
    if (wanted !== this.at) this.request("set", { epoch: wanted }, this.gesture);
  }

  /** A press on the chart: a curve is chosen where it is let go at once, else the epoch is dragged.
   *
   * @param {any} event */
  grab(event) {
    if (event.button !== 0 || this.health === "gone") return;
    const { curve } = event.target.dataset;
    if (curve !== undefined && event.pointerType !== "touch") return this.dragFrom(event);
    this.goTo(this.epochOf(event));
    this.dragFrom(event);
  }

  /** @param {any} event */
  dragFrom(event) {
    const before = this.at;
    drag(
      event,
      (e) => {
        this.dragging = true;
        this.goTo(this.epochOf(e));
      },
      (cancelled) => {
        this.dragging = false;
        if (cancelled) this.goTo(before);
      },
    );
  }

  /** @param {any} event */
  epochOf({ clientX }) {
    const { left } = this.picture.current.getBoundingClientRect();
    return this.axes.epoch(clientX - left);
  }

  /** A curve was clicked. @param {any} event */
  choose(event) {
    const { curve } = event.target.dataset;
    if (curve !== undefined && this.health !== "gone")
      this.request("set", { [event.shiftKey ? "right" : "left"]: Number(curve) });
  }

  /** Keys on the chart. @param {KeyboardEvent} event */
  key(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return false;
    if (key === "Home") this.goTo(0);
    else if (key === "End") this.goTo(this.drawn_.last);
    else if (STEPS[key]) this.request("go", { by: STEPS[key] }, keyGesture(event));
    else return false;
    return true;
  }

  /* -- what is drawn -- */

  get axes() {
    return new Axes(this.drawn_, this.width);
  }

  get text() {
    return `epoch ${this.at} of ${this.drawn_.last}`;
  }

  /** The chosen curves with what they say at this epoch. */
  get said() {
    const { left, right } = this.scene;
    return [...new Set([left, right ?? left])].map((i) => {
      const { name, rule, values } = this.drawn_.curves[i];
      const value = values[Math.min(this.at, values.length - 1)];
      return { i, rule, value, text: `${name} ${value == null ? "impossible" : value.toFixed(1)}` };
    });
  }

  get news() {
    return `${this.text}: ${this.said.map(({ text }) => text).join(", ")}. ${this.told}`.trim();
  }

  tree() {
    const { health } = this;
    return h(
      "div",
      {
        class: "fgn-widget fgn-learning-view",
        "data-health": health,
        tabindex: -1,
        ...onKey(() => false), // what nothing here knows stays here
      },
      this.bar(),
      h("div", { class: "fgn-spoken", role: "log", "aria-live": "polite" }),
      h(
        "div",
        { class: "fgn-status", role: "status", "data-mild": health === "busy" ? "" : null },
        this.told || null,
      ),
      this.chart(),
    );
  }

  bar() {
    const { scene, health, at } = this;
    const { curves, rows, last } = this.drawn_;
    const gone = health === "gone";
    /** @type {[unknown, string][]} */
    const names = curves.map(({ name }, i) => [i, name]);
    /** @type {[unknown, string][]} */
    const listed = rows.map((words, i) => [i, words]);
    const nothing = scene.own ? "evidence of your own" : "nothing observed";
    /** @param {string} text @param {string} name @param {keyof Scene} face @param {[unknown, string][]} options */
    const menu = (text, name, face, options) =>
      h(
        "label",
        { class: "fgn-named" },
        text,
        h(Menu, {
          name,
          value: scene[face] ?? null,
          options,
          act: (value) => this.request("set", { [face]: value }),
          disabled: gone,
        }),
      );
    return h(
      "div",
      { class: "fgn-bar" },
      h(Player, {
        unit: "epoch",
        beat: BEAT,
        at,
        last,
        text: this.text,
        waiting: this.requests.open.length > 0,
        able: !gone,
        go: (by) => this.request("go", { by }),
        ask: (epoch) => this.goTo(epoch),
      }),
      menu("curve", "whose matrices the graph has", "left", names),
      curves.length > 1
        ? menu("beside", "curve beside it", "right", [[null, "none beside"], ...names])
        : null,
      menu("row", "row of the table", "row", [[null, nothing], ...listed]),
    );
  }

  chart() {
    const { axes, scene, width } = this;
    const chosen = [scene.left, scene.right];
    const order = this.drawn_.curves
      .map((_, i) => i)
      .sort((a, b) => Number(chosen.includes(a)) - Number(chosen.includes(b)));
    return h(
      "svg",
      {
        class: "fgn-chart",
        ref: this.picture,
        width,
        height: HIGH,
        viewBox: `0 0 ${width} ${HIGH}`,
        role: "slider",
        tabindex: 0,
        "aria-label": "Log-likelihood by epoch",
        "aria-valuemin": 0,
        "aria-valuemax": this.drawn_.last,
        "aria-valuenow": this.at,
        "aria-valuetext": `${this.text}: ${this.said.map(({ text }) => text).join(", ")}`,
        onPointerDown: (/** @type {any} */ event) => this.grab(event),
        onClick: (/** @type {any} */ event) => this.choose(event),
        ...onKey((event) => this.key(event)),
      },
      this.grid(axes),
      h("g", { class: "fgn-curves" }, ...order.map((i) => this.curve(axes, i, chosen.includes(i)))),
      this.cursor(axes),
    );
  }

  /** @param {Axes} axes */
  grid(axes) {
    const { left, right, top, foot, low, high, last } = axes;
    /** @param {number} x @param {number} y @param {string} anchor @param {string} words */
    const text = (x, y, anchor, words) => h("text", { x, y, "text-anchor": anchor }, words);
    /** @param {number} y @param {string} look */
    const across = (y, look) => h("path", { class: look, d: `M${left},${y}H${right}` });
    const { levels } = this.drawn_;
    const heights = spread(
      levels.map(({ value }) => axes.y(value) + 4),
      top + 4,
      foot + 4,
    );
    const epochs = ticks(0, last, Math.max(2, Math.min(8, (right - left) / 60)));
    return h(
      "g",
      { class: "fgn-axes" },
      ...ticks(low, high, 4).flatMap((v) => [
        across(axes.y(v), "fgn-grid"),
        text(left - 6, axes.y(v) + 4, "end", String(Number(v.toPrecision(8)))),
      ]),
      ...epochs
        .filter(Number.isInteger)
        .map((e) => text(axes.x(e), foot + 15, "middle", String(e))),
      text((left + right) / 2, HIGH - 4, "middle", "epoch"),
      text(left - 52, 10, "start", "log-likelihood"),
      ...levels.flatMap(({ name, value }, i) => [
        across(axes.y(value), "fgn-level"),
        text(right + 5, heights[i], "start", name),
      ]),
    );
  }

  /** @param {Axes} axes @param {number} i @param {boolean} strong */
  curve(axes, i, strong) {
    const { rule, values, name } = this.drawn_.curves[i];
    const d = axes.path(values);
    return h(
      "g",
      { class: looks("curve", `rule-${rule}`, strong && "strong"), key: i },
      h("path", { class: "fgn-drawn", d }),
      h("path", { class: "fgn-catch", d, "data-curve": i }, h("title", {}, name)),
    );
  }

  /** The line at the epoch, and what the chosen curves say there. @param {Axes} axes */
  cursor(axes) {
    const { said } = this;
    const x = axes.x(this.at);
    const flip = x > axes.right - BESIDE && x - axes.left > BESIDE;
    const marks = said.map(({ value }) => axes.y(value ?? axes.low));
    const lines = spread(
      marks.map((y) => y - 6),
      12,
      axes.foot,
      17,
    );
    return h(
      "g",
      { class: "fgn-cursor" },
      h("path", { d: `M${x},${axes.top}V${axes.foot}` }),
      ...said.flatMap(({ i, rule, text }, k) => [
        h("circle", { class: `fgn-rule-${rule}`, cx: x, cy: marks[k], r: 4.5, key: `o${i}` }),
        h(
          "text",
          {
            x: x + (flip ? -9 : 9),
            y: lines[k],
            "text-anchor": flip ? "end" : "start",
            key: `t${i}`,
          },
          text,
        ),
      ]),
    );
  }
}
