/* How large a drawing is, and where its panel lies: at one place, always as large, over nothing.
 *
 *   room     what of the page there is for the drawing: the width of the widget, and the height of what
 *            is in sight. The widget is never higher, so that all of it can be seen at once
 *   place    of the panel: "beside" the drawing, "inside" it, where Python found that nothing is drawn
 *            (`spare`), or "below" it
 *   zoom     null: as large as there is room, and legible; "whole": all in sight; or a scale
 *
 * A drawing for which there is no room scrolls inside its own stage, rather than to become illegible. */

import { isForFingers } from "../core/look.js";
import { margin, tiny } from "./lens.js";

/** `legible` makes letters of 12.2 px, the smallest of a drawing, 9 px high (`--k` of the sheet). */
export const ZOOM = { least: 0.2, most: 3, legible: 0.74, largest: 1.5 };
const FINGER = 1; // the least scale for fingers: rows of cards are 24 px high
const HIGHER = 1.7; // margins above and below, of the one at a side
const BESIDE = 900; // px of the view, from which the panel may lie beside the drawing
const PANEL = {
  narrowest: 262,
  least: 286,
  share: 0.25,
  most: 360,
  inside: [300, 150],
  below: [130, 0.26, 210],
};
const GAP = 12;
const GAIN = 1.15; // so much larger must a drawing become for its panel to leave its side
const LOWEST = 240; // px of a stage
const FOOT = 8; // px below all

/** @typedef {{width: number, height: number, name: string, spare?: number[] | null,
 *   selected?: string | null, parts: import("../scene").DrawnPart[]}} Drawing */
/** @typedef {{place: "beside" | "inside" | "below", scale: number, around: number, stage: [number, number],
 *   panel: [number, number], at: [number, number] | null}} Arranged */

export class Frame {
  /** @param {HTMLElement} root @param {() => void} rescaled is called when the scale has changed */
  constructor(root, rescaled) {
    /** @param {string} look @returns {any} */
    const find = (look) => root.querySelector(look);
    this.root = root;
    /** @type {HTMLElement} */
    this.body = find(".fgn-body");
    /** @type {HTMLElement} */
    this.stage = find(".fgn-stage");
    /** @type {SVGSVGElement} */
    this.picture = find(".fgn-stage > svg");
    /** @type {HTMLElement} */
    this.panel = find(".fgn-panel");
    this.rescaled = rescaled;
    /** @type {null | "whole" | number} */
    this.zoom = null;
    this.scale = 1;
    /** @type {Arranged["place"]} */
    this.place = "below";
    /** @type {Drawing | null} */
    this.scene = null;
    this.sized = false;
    /** @type {{box: Element, height: number} | null} the box that scrolled last, and how high it was */
    this.limit = null;
    this.life = new AbortController();
    this.sizes = new ResizeObserver(() => this.size());
    this.sizes.observe(root);
    window.addEventListener("resize", () => this.size(), { signal: this.life.signal });
  }

  remove() {
    this.life.abort();
    this.sizes.disconnect();
  }

  /** @param {Drawing} scene */
  draw(scene) {
    const before = this.scene;
    this.scene = scene;
    const { width, height, name } = scene;
    if (before?.width !== width || before.height !== height || before.name !== name) this.size();
    else if (before.selected !== scene.selected && this.chosen) this.bring(this.chosen.at);
  }

  /** The part that is selected. */
  get chosen() {
    return this.scene?.parts.find(({ selected }) => selected) ?? null;
  }

  /** Scrolls the stage, and nothing else, to a point that is out of its sight.
   *
   * @param {number[]} at */
  bring([x, y]) {
    const { stage, picture, scale } = this;
    const [home, drawn] = [stage, picture].map((e) => e.getBoundingClientRect());
    const { x: begin, y: top } = picture.viewBox.baseVal;
    const [left, down] = [
      drawn.left - home.left + scale * (x - begin),
      drawn.top - home.top + scale * (y - top),
    ];
    const { clientWidth: wide, clientHeight: high } = stage;
    if (left < 0 || left > wide) stage.scrollLeft += left - wide / 2;
    if (down < 0 || down > high) stage.scrollTop += down - high / 2;
  }

  size() {
    if (!this.scene || !this.root.clientWidth) return;
    const before = this.scale;
    const { width, height, name } = this.scene;
    const made = this.arranged();
    const { scale, around, stage, panel, at } = made;
    this.scale = scale;
    this.place = made.place;
    const edge = around / scale;
    const [wide, high] = [width + 2 * edge, height + HIGHER * edge];
    const [w, h] = [wide, high].map((length) => `${(scale * length).toFixed(1)}px`);
    const attributes = {
      viewBox: `${-edge} ${-edge} ${wide} ${high}`,
      width: w,
      height: h,
      "aria-label": name,
    };
    for (const [attribute, value] of Object.entries(attributes))
      if (this.picture.getAttribute(attribute) !== value)
        this.picture.setAttribute(attribute, value);
    this.root.dataset.panel = made.place;
    const px = (/** @type {number} */ length) => `${Math.round(length * 10) / 10}px`;
    this.root.style.setProperty("--k", String(Math.max(scale, ZOOM.legible)));
    Object.assign(this.stage.style, { width: px(stage[0]), height: px(stage[1]) });
    const [left, top] = at ?? [0, 0];
    Object.assign(this.panel.style, {
      width: px(panel[0]),
      height: px(panel[1]),
      left: at ? px(left) : "",
      top: at ? px(top) : "",
    });
    if (!this.sized) {
      this.sized = true;
      const first = this.chosen ?? firstVariable(this.scene);
      if (first) this.bring(first.at);
    }
    if (scale !== before) this.rescaled();
  }

  /** The least scale at which a drawing can be read, and pressed: a finger needs more than a mouse. */
  get legible() {
    return isForFingers() ? FINGER : ZOOM.legible;
  }

  /** Where all lies. @returns {Arranged} */
  arranged() {
    const wide = this.root.clientWidth;
    const [top, bottom] = this.band;
    const lines = this.body.offsetTop; // the lines above the drawing
    const high = Math.max(LOWEST, bottom - top - lines - FOOT);
    const inside = this.inside(wide, high);
    if (wide >= BESIDE) {
      const usual = Math.min(Math.max(PANEL.least, PANEL.share * wide), PANEL.most);
      const panel = this.givesWay(usual, wide);
      const [scale, around] = this.scaled(wide - panel - GAP, high);
      if (!inside || inside.scale < GAIN * scale) {
        const stage = this.stageOf(scale, around, wide - panel - GAP, high);
        const tall = Math.max(stage[1], Math.min(high, LOWEST + 60));
        return { place: "beside", scale, around, stage, panel: [panel, tall], at: null };
      }
    }
    if (inside) return inside;
    const [least, share, most] = PANEL.below;
    const tall = Math.min(Math.max(least, share * high), most);
    const left = Math.max(LOWEST, high - tall - GAP);
    const [scale, around] = this.scaled(wide, left);
    const stage = this.stageOf(scale, around, wide, left);
    return { place: "below", scale, around, stage, panel: [wide, tall], at: null };
  }

  /** The width of a panel beside a drawing: it is narrower where a few pixels more show all of this.
   *
   * @param {number} usual @param {number} wide */
  givesWay(usual, wide) {
    const left = wide - GAP - Math.ceil(this.legible * /** @type {Drawing} */ (this.scene).width);
    return this.zoom === null && left < usual && left >= PANEL.narrowest ? left : usual;
  }

  /** The panel inside the drawing: only if all of this is in sight, and the place is large enough.
   *
   * @param {number} wide @param {number} high @returns {Arranged | null} */
  inside(wide, high) {
    const { spare, width, height } = /** @type {Drawing} */ (this.scene);
    if (!spare || this.zoom !== null) return null;
    const [scale] = this.scaled(wide, high);
    if (scale * width > wide + 0.5 || scale * height > high + 0.5) return null;
    const [x, y, w, h] = spare.map((length) => scale * length);
    const size = [Math.min(w, 560), Math.min(h, 380)];
    if (size.some((length, i) => length < PANEL.inside[i])) return null;
    const shift = Math.max(0, (wide - scale * width) / 2); // the drawing stands in the middle
    // In the corner of its place that is nearest to the corner of the drawing.
    const left = x + (x + w / 2 < (scale * width) / 2 ? 0 : w - size[0]);
    const top = y + (y + h / 2 < (scale * height) / 2 ? 0 : h - size[1]);
    return {
      place: "inside",
      scale,
      around: 0,
      stage: [wide, scale * height],
      panel: [size[0], size[1]],
      at: [shift + left, top],
    };
  }

  /** The scale for so much room, and the margin that a lens needs around a small drawing.
   *
   * @param {number} wide @param {number} high @returns {[number, number]} */
  scaled(wide, high) {
    const { width, height } = /** @type {Drawing} */ (this.scene);
    const best = (/** @type {number} */ around) => {
      const fits = Math.min(
        Math.max(wide - 2 * around, 60) / width,
        Math.max(high - HIGHER * around, 60) / height,
        ZOOM.largest,
      );
      if (typeof this.zoom === "number") return this.zoom;
      return this.zoom === "whole" ? fits : Math.max(fits, this.legible);
    };
    const scale = best(0);
    if (!tiny(scale)) return [scale, 0];
    const around = margin(wide);
    return [best(around), around];
  }

  /** The size of the stage of a drawing of this scale.
   *
   * @param {number} scale @param {number} around @param {number} wide @param {number} high
   * @returns {[number, number]} */
  stageOf(scale, around, wide, high) {
    const { width, height } = /** @type {Drawing} */ (this.scene);
    const bar = scale * width + 2 * around > wide + 0.5 ? 16 : 0; // a scroll bar
    const needed = scale * height + HIGHER * around + bar;
    return [wide, Math.min(needed, high)];
  }

  /** Larger or smaller by a factor; null goes to and fro between all in sight and the best size.
   *
   * @param {number | null} by */
  rescale(by) {
    const scale = Math.min(Math.max(this.scale * (by ?? 1), ZOOM.least), ZOOM.most);
    this.zoom = by !== null ? scale : this.zoom === "whole" ? null : "whole";
    const { scrollLeft, clientWidth, scrollWidth, scrollTop, clientHeight, scrollHeight } =
      this.stage;
    const [across, down] = [
      (scrollLeft + clientWidth / 2) / scrollWidth,
      (scrollTop + clientHeight / 2) / scrollHeight,
    ];
    this.size();
    this.stage.scrollLeft = across * this.stage.scrollWidth - this.stage.clientWidth / 2;
    this.stage.scrollTop = down * this.stage.scrollHeight - this.stage.clientHeight / 2;
  }

  /** What scrolls the widget, and stays where it is meanwhile. A box for which the drawing has given
   * way scrolls no more, and is as high as it was: else the drawing would grow again, and so for ever.
   *
   * @returns {Element | null} */
  get scroller() {
    for (let at = this.root.parentElement; at && at !== document.body; at = at.parentElement) {
      if (!/auto|scroll/.test(getComputedStyle(at).overflowY)) continue;
      if (at.scrollHeight > at.clientHeight + 1) this.limit = { box: at, height: at.clientHeight };
      if (at === this.limit?.box) return at;
    }
    return this.root.closest(".jp-WindowedPanel-outer, .jp-Notebook");
  }

  /** Upper and lower edge of what is in sight, in the window. Boxes that the widget moves with, such
   * as an output, say nothing of it. @returns {[number, number]} */
  get band() {
    let [top, bottom] = [0, window.innerHeight];
    let alone = true; // nothing but the page itself scrolls
    for (let at = this.scroller; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      const height = at === this.limit?.box ? Math.max(box.height, this.limit.height) : box.height;
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.top + height)];
      alone = false;
    }
    const above = this.root.getBoundingClientRect().top + window.scrollY;
    if (alone && above < bottom / 4) top = above; // under a heading the page opens with both in sight
    return bottom > top ? [top, bottom] : [0, window.innerHeight];
  }

  /** All of it in sight, where its person has just run the cell: Jupyter shows its foot. The graphs of
   * a learning view stand below a chart, which comes first. */
  reveal() {
    const [top, bottom] = this.band;
    const whole = this.root.closest(".fgn-learning-box") ?? this.root;
    const box = whole.getBoundingClientRect();
    const runs = this.root.closest(".jp-Cell")?.nextElementSibling ?? null;
    const active = document.querySelector(".jp-Notebook .jp-Cell.jp-mod-active");
    const ran = active !== null && (active === runs || active.contains(this.root));
    if (ran && (box.top < top || box.bottom > bottom)) whole.scrollIntoView({ block: "start" });
  }
}

/** The highest variable, the leftmost of several: a drawing that scrolls opens where it stands.
 *
 * @param {{parts: import("../scene").DrawnPart[]}} scene */
export function firstVariable({ parts }) {
  const variables = parts.filter(({ kind }) => kind === "variable");
  const [first] = variables.sort((a, b) => a.at[1] - b.at[1] || a.at[0] - b.at[0]);
  return first ?? parts[0] ?? null;
}
