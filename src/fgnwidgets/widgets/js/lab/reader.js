/* What lies over a picture: veils, curves, the cursor, the point under the pointer.
 *
 *   chosen   the label that is singled out: on every axes that have it, all else is veiled
 *   cursor   an epoch: a line through all axes that go by epochs, and the values there
 *
 * Of all that is pointed at only the cursor goes to Python, which may draw for it; all views of a picture
 * share it. */

import { svg } from "../core/svg.js";
import { Plot } from "./plot.js";

const STILL = 3; // px that a press may move and still be a click
/** @type {Record<string, number>} */
const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };
/** @type {Record<string, number>} */
const TURNS = { ArrowUp: -1, ArrowDown: 1 };

/** @typedef {import("./plot.js").Point} Point */
/** @typedef {import("./plot.js").Curve} Curve */

export class Reader {
  /** @param {HTMLImageElement} el @param {any} model @param {(step: number | null) => void} moved */
  constructor(el, model, moved) {
    this.model = model;
    this.moved = moved;
    /** @type {string | null} */
    this.chosen = null;
    /** @type {number | null} */
    this.cursor = null;
    /** @type {{start: Point, at: Point, index: number, moved: boolean} | null} */
    this.held = null;
    /** @type {number | null} */
    this.index = null;
    /** @type {any} */
    this.dot = null;
    this.plot = new Plot({});
    this.over = svg("svg", { class: "fgn-over-picture" });
    this.tip = document.createElement("div");
    this.tip.className = "fgn-tip-box";
    this.tip.hidden = true;
    this.words = document.createElement("div");
    this.words.className = "fgn-reading";
    this.frame = document.createElement("div");
    this.frame.className = "fgn-picture-frame";
    this.frame.append(el, this.over, this.tip);
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ act) =>
      this.over.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => {
      this.held = null;
    });
    on("fgnkey", (asked) => {
      if (asked.target === this.over && this.key(asked.detail)) asked.preventDefault();
    });
    on("pointerleave", () => {
      if (!this.held) this.point(null);
    });
    this.take();
  }

  /** The cursor that Python knows, such as that of another view. */
  follow() {
    const step = this.model.get("cursor") ?? null;
    if (this.held || step === this.cursor) return;
    this.cursor = step;
    this.draw();
  }

  /** @param {number | null} step */
  go(step) {
    if (step === this.cursor) return;
    this.cursor = step;
    this.moved(step);
  }

  take() {
    this.plot = new Plot(this.model.get("map") ?? {}, this.model.get("numbers"));
    const { plot } = this;
    const alive = plot.curves.length > 0;
    this.over.toggleAttribute("hidden", !alive);
    this.words.hidden = !alive;
    const [width, height] = this.model.get("size");
    this.over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (!plot.timed.length) this.go(null); // else it waits for a run that is on its way to it
    this.draw();
  }

  scale() {
    return this.over.getBoundingClientRect().width / (this.model.get("size")[0] || 1) || 1;
  }

  /** @param {PointerEvent} event @returns {Point} */
  at(event) {
    const box = this.over.getBoundingClientRect();
    return [(event.clientX - box.left) / this.scale(), (event.clientY - box.top) / this.scale()];
  }

  /* -- the pointer -- */

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button) return;
    const at = this.at(event);
    this.held = {
      start: [event.clientX, event.clientY],
      at,
      index: this.plot.axesAt(at),
      moved: false,
    };
    this.over.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const at = this.at(event);
    const { held } = this;
    if (!held) return this.point(this.plot.nearest(at));
    held.moved ||= Math.hypot(event.clientX - held.start[0], event.clientY - held.start[1]) > STILL;
    if (!held.moved || held.index < 0) return undefined;
    const epoch = this.plot.epochAt(held.index, at[0]);
    if (epoch === null) return undefined;
    this.point(null);
    this.index = held.index;
    this.go(epoch);
    return this.draw();
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { held } = this;
    this.held = null;
    if (!held || held.moved) return;
    const found = this.plot.nearest(this.at(event));
    const label = found && this.plot.labelOf(found);
    if (label) this.choose(label);
    else {
      this.chosen = null;
      this.go(null);
      this.draw();
    }
  }

  /** @param {string} label */
  choose(label) {
    this.chosen = this.chosen === label ? null : label;
    this.draw();
  }

  /** The dot and the words at a point of a curve. @param {import("./plot.js").Found | null} found */
  point(found) {
    this.dot?.remove();
    this.tip.hidden = !found;
    if (!found) return;
    const dot = found.curve.kind === "cells" ? { r: 3 } : { r: 4.5 };
    this.dot = svg("circle", {
      class: "fgn-point",
      cx: found.px,
      cy: found.py,
      ...dot,
      fill: found.curve.color,
    });
    this.over.append(this.dot);
    this.tip.textContent = this.plot.say(found);
    const scale = this.scale();
    const [x, y] = [found.px * scale, found.py * scale];
    const { offsetWidth, offsetHeight } = this.tip;
    this.tip.style.left = `${Math.max(0, Math.min(x + 10, this.frame.clientWidth - offsetWidth - 2))}px`;
    this.tip.style.top = `${y - offsetHeight - 8 < 0 ? y + 12 : y - offsetHeight - 8}px`;
  }

  /* -- what is drawn -- */

  draw() {
    this.over.replaceChildren();
    if (!this.tip.hidden && this.dot) this.over.append(this.dot);
    const { plot } = this;
    if (this.chosen && plot.labels.includes(this.chosen)) this.single();
    if (this.cursor !== null) this.line();
    const said = [];
    if (this.chosen && plot.labels.includes(this.chosen)) said.push(`${this.chosen} alone`);
    if (this.cursor !== null) said.push(plot.reading(this.cursor, this.index));
    this.words.textContent = said.join("; ");
    this.name();
  }

  /** Everything but the chosen label veiled, on all axes that show labels. */
  single() {
    const { plot } = this;
    const veil = { fill: plot.ground, "fill-opacity": 0.8, class: "fgn-veil" };
    plot.axes.forEach((ax, index) => {
      const curves = plot.curves.filter(
        ({ axes, label, kind }) => axes === index && label && kind !== "cells",
      );
      const [x0, y0, x1, y1] = ax.box;
      if (curves.length)
        this.over.append(
          svg("rect", { ...veil, x: x0 + 1, y: y0, width: x1 - x0 - 1, height: y1 - y0 - 1 }),
        );
      for (const curve of curves) if (curve.label === this.chosen) this.strong(ax, curve);
    });
    for (const curve of plot.curves.filter(({ kind }) => kind === "cells")) {
      if (curve.label && curve.label === this.chosen) continue;
      if (curve.names) this.others(curve, veil);
      else if (curve.label) this.hide(curve, Array.from(curve.x.keys()), veil);
    }
  }

  /** Cells and bars veiled one by one: those that the chosen label does not name.
   * @param {Curve} curve @param {Record<string, any>} veil */
  others(curve, veil) {
    curve.names?.forEach((names, i) => {
      if (this.chosen === null || !names.includes(this.chosen)) this.hide(curve, [i], veil);
    });
  }

  /** A veil over the box of some cells.
   * @param {Curve} curve @param {number[]} which @param {Record<string, any>} veil */
  hide(curve, which, veil) {
    const { plot } = this;
    const ax = plot.on(curve);
    const [y0, x1, y1] = curve.ys;
    const xs = which.flatMap((i) => [curve.x[i], x1[i]]).map((v) => plot.across(ax, v));
    const ys = which.flatMap((i) => [y0[i], y1[i]]).map((v) => plot.down(ax, v));
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    this.over.append(
      svg("rect", {
        ...veil,
        x: left,
        y: top,
        width: Math.max(...xs) - left,
        height: Math.max(...ys) - top,
      }),
    );
  }

  /** @param {import("./plot.js").Axes} ax @param {Curve} curve */
  strong(ax, curve) {
    const { plot } = this;
    const inside = (/** @type {Point} */ [, y]) => y >= ax.box[1] - 2 && y <= ax.box[3] + 2;
    curve.ys.forEach((ys) => {
      /** @type {Point[]} */
      const points = Array.from(
        ys,
        (y, i) => /** @type {Point} */ ([plot.across(ax, curve.x[i]), plot.down(ax, y)]),
      ).filter(([, y]) => Number.isFinite(y));
      if (curve.kind === "points") {
        for (const [cx, cy] of points)
          this.over.append(svg("circle", { cx, cy, r: 3, fill: curve.color }));
      } else {
        const d = points
          .filter(inside)
          .map((point) => point.map((v) => v.toFixed(1)).join(","))
          .join(" ");
        this.over.append(
          svg("polyline", {
            class: "fgn-alone",
            points: d,
            stroke: curve.color,
            "stroke-width": curve.parts > 1 ? 1.6 : 2.8,
          }),
        );
      }
    });
  }

  /** A line through the epoch on every axes that go by epochs, with a dot on each curve. */
  line() {
    const { plot } = this;
    const cursor = this.cursor ?? 0;
    const drawn = new Set();
    for (const curve of plot.timed) {
      const ax = plot.on(curve);
      const x = plot.across(ax, curve.x[0] + cursor);
      if (!drawn.has(`${curve.axes} ${x.toFixed(1)}`)) {
        drawn.add(`${curve.axes} ${x.toFixed(1)}`);
        this.over.append(
          svg("path", { class: "fgn-cursor-line", d: `M${x},${ax.box[1]}V${ax.box[3]}` }),
        );
      }
      const place = curve.parts === 1 && curve.label ? plot.placeOf(curve, cursor) : null;
      if (place === null || (this.chosen && curve.label !== this.chosen)) continue;
      const cy = plot.down(ax, curve.ys[0][place]);
      if (cy >= ax.box[1] && cy <= ax.box[3]) {
        this.over.append(
          svg("circle", {
            cx: plot.across(ax, curve.x[place]),
            cy,
            r: 3.5,
            fill: curve.color,
            class: "fgn-point",
          }),
        );
      }
    }
  }

  /* -- the keyboard: left and right move the cursor, up and down choose a label -- */

  name() {
    const { plot } = this;
    const slides = plot.timed.length > 0;
    const say = (/** @type {string} */ name, /** @type {any} */ value) =>
      value === null ? this.over.removeAttribute(name) : this.over.setAttribute(name, value);
    say("tabindex", plot.curves.length ? 0 : null);
    say("role", slides ? "slider" : plot.labels.length ? "group" : null);
    say(
      "aria-label",
      slides
        ? "epoch of the cursor; up and down single a curve out"
        : "curves; up and down single one out",
    );
    say("aria-valuemin", slides ? 0 : null);
    say("aria-valuemax", slides ? plot.last : null);
    say("aria-valuenow", slides ? (this.cursor ?? 0) : null);
    say("aria-valuetext", slides ? this.words.textContent || "no cursor" : null);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it did something */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { plot } = this;
    const { key } = event;
    if (key in SIDEWAYS && plot.timed.length) {
      const step = SIDEWAYS[key] * (event.shiftKey ? 10 : 1);
      this.go(Math.min(plot.last, Math.max(0, this.cursor === null ? 0 : this.cursor + step)));
    } else if ((key === "Home" || key === "End") && plot.timed.length) {
      this.go(key === "Home" ? 0 : plot.last);
    } else if (key in TURNS && plot.labels.length) {
      const ring = [null, ...plot.labels];
      const now = ring.indexOf(this.chosen);
      this.chosen = ring[(Math.max(now, 0) + TURNS[key] + ring.length) % ring.length];
    } else if (key === "Escape" && (this.chosen !== null || this.cursor !== null)) {
      this.chosen = null;
      this.go(null);
    } else return false;
    this.draw();
    return true;
  }
}
