/* How large a drawing is, and where the panel beside it stays in sight.
 *
 *   band   what of the page is in sight: the panel keeps within it
 *   zoom   null: as wide as there is room, and legible; "whole": all in sight; or a scale */

import { change } from "./dom.js";
import { margin, tiny } from "./lens.js";

const ZOOM = { least: 0.2, most: 3, legible: 1, largest: 1.5 };
const HIGHER = 1.7; // margins above and below, of the one at a side
const NARROW = 680; // px of the view, below which the panel lies under the drawing
const GAIN = 1.2; // so much larger must a drawing become that is too small beside its panel

export class Frame {
  constructor({ root, body, stage, picture, panel }) {
    Object.assign(this, { root, body, stage, picture, panel, zoom: null });
    this.life = new AbortController();
    const { signal } = this.life;
    this.sizes = new ResizeObserver(() => this.size());
    this.sizes.observe(root);
    window.addEventListener("resize", () => this.size(), { signal });
    const quietly = { capture: true, passive: true, signal };
    document.addEventListener("scroll", () => this.follow(), quietly);
    this.pressed = false; // the panel must not slide under a finger between press and release
    root.addEventListener("pointerdown", () => { this.pressed = true; }, quietly);
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, () => {
        if (!this.pressed) return;
        this.pressed = false;
        requestAnimationFrame(() => this.follow());
      }, quietly);
    }
  }

  remove() {
    this.life.abort();
    this.sizes.disconnect();
  }

  draw(scene) {
    this.scene = scene;
    this.size();
  }

  /** Never wider than its room unless it was enlarged; as high as the window, if it stays legible. */
  size() {
    if (!this.scene) return;
    const { width, height, name } = this.scene;
    const around = this.arrange();
    const edge = around / this.scale;
    const [wide, high] = [width + 2 * edge, height + HIGHER * edge];
    const [w, h] = [wide, high].map((length) => `${(this.scale * length).toFixed(1)}px`);
    const viewBox = `${-edge} ${-edge} ${wide} ${high}`;
    change(this.picture, { viewBox, width: w, height: h, "aria-label": name });
    this.follow();
  }

  /** The panel beside the drawing, or below it where that makes a drawing larger that is hard to
   * read; and the scale. Returns the margin that a lens needs around a small drawing. */
  arrange() {
    const { clientWidth, classList } = this.root;
    const narrow = clientWidth > 0 && clientWidth < NARROW;
    classList.toggle("fgn-narrow", narrow);
    if (narrow) return this.put(true);
    const key = [clientWidth, this.scene.width, this.scene.height, this.zoom, window.innerHeight].join();
    if (key === this.arranged) return this.put(this.below);
    this.arranged = key;
    const around = this.put(false);
    const { scale } = this;
    if (!tiny(scale) || this.zoom !== null) return around;
    const other = this.put(true);
    return this.scale >= GAIN * scale ? other : this.put(false);
  }

  put(below) {
    this.below = below;
    this.root.classList.toggle("fgn-below", below);
    this.scale = this.best(0);
    if (!tiny(this.scale)) return 0;
    const around = margin(this.stage.clientWidth || this.scene.width); // for a lens
    this.scale = this.best(around);
    return around;
  }

  /** The scale for the present zoom, with a margin at both sides. */
  best(around) {
    const { width, height } = this.scene;
    const room = Math.max((this.stage.clientWidth || width) - 2 * around, 60) / width;
    const high = window.innerHeight / height;
    const found = { null: Math.min(room, Math.max(ZOOM.legible, 0.82 * high), ZOOM.largest),
      whole: Math.min(room, 0.72 * high - HIGHER * around / height, ZOOM.largest) };
    return found[this.zoom] ?? this.zoom;
  }

  /** Larger or smaller by a factor; null goes to and fro between all in sight and the best size. */
  rescale(by) {
    const scale = Math.min(Math.max(this.scale * by, ZOOM.least), ZOOM.most);
    this.zoom = by === null ? (this.zoom === "whole" ? null : "whole") : scale;
    const { scrollLeft, clientWidth, scrollWidth } = this.stage;
    const middle = (scrollLeft + clientWidth / 2) / scrollWidth;
    this.size();
    this.stage.scrollLeft = middle * this.stage.scrollWidth - clientWidth / 2;
  }

  /** Upper and lower edge of what is in sight, in the window. */
  get band() {
    let [top, bottom] = [0, window.innerHeight];
    for (let at = this.root.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return [top, bottom];
  }

  /** The panel stays in sight while the page scrolls; `position: sticky` ends at an output's edge. */
  follow() {
    if (!this.root.isConnected || this.pressed) return;
    const [top, bottom] = this.band;
    const { style } = this.panel;
    const { below } = this;
    style.maxHeight = below ? "" : `${Math.max(120, bottom - top - 12)}px`;
    const box = this.body.getBoundingClientRect();
    const room = Math.max(0, box.height - this.panel.offsetHeight);
    const shift = below ? this.overlap(top, bottom, box) : Math.min(Math.max(top + 4 - box.top, 0), room);
    style.transform = shift ? `translateY(${shift}px)` : "";
  }

  /** How far the panel moves over a drawing that leaves it no room: up from the foot of what is in
   * sight, where it is as wide as the drawing over the lower half at most; or onto the top, where it
   * would hide what is selected. While nothing is, it says how to begin, and hides nothing. */
  overlap(top, bottom, box) {
    const chosen = this.picture.querySelector(".fgn-selected")?.getBoundingClientRect();
    if (!chosen) return 0;
    const high = this.panel.offsetHeight;
    const wide = this.root.classList.contains("fgn-narrow");
    const most = this.stage.offsetHeight * (wide ? 0.5 : 1);
    const shift = Math.max(Math.min(bottom - 4 - box.bottom, 0), -most);
    const hides = shift && chosen.bottom > box.bottom - high + shift && chosen.top < bottom;
    return hides ? Math.max(top + 4, box.top) - (box.bottom - high) : shift;
  }
}
