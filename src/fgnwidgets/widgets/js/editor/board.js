/* How large the drawing is on its board, and what of it is in sight.
 *
 *   scale   px on the page for a px of the scene. It changes when the board gets another size, when new
 *           cards would be out of sight, and when a reader says so: never under a hand that moves a card
 *   whole   all cards in sight, however small */

import { isForFingers } from "../core/look.js";

const LEAST = 0.79; // letters of 11.5 px have 9 px or more; what is larger is scrolled
const FINGER = 1; // rows have 24 px
const SMALLEST = 0.15; // by a reader's own request
const LARGEST = 2.5;
const MOST = 1.15;
const NARROW = 660; // px: less, and the forms lie below

export class Board {
  /** @param {() => boolean} held whether a hand moves something */
  constructor(held) {
    this.held = held;
    this.scale = 1;
    this.stale = true; // the scale is to be chosen anew
    this.own = false; // a reader has chosen it
    this.cards = 0;
    /** @type {HTMLElement | null} */
    this.stage = null;
    /** @type {HTMLElement | null} */
    this.root = null;
    this.width = 0;
    this.height = 0;
    this.room = "";
    this.sizes = new ResizeObserver(() => this.resized());
  }

  remove() {
    this.sizes.disconnect();
  }

  /** After every drawing. @param {HTMLElement} root @param {import("../scene").EditorScene} scene */
  draw(root, scene) {
    const stage = /** @type {HTMLElement} */ (root.querySelector(".fgn-stage"));
    if (stage !== this.stage) {
      this.sizes.disconnect();
      this.sizes.observe(stage);
      this.sizes.observe(root);
      this.stage = stage;
      this.root = root;
      this.resized();
    }
    this.width = scene.width;
    this.height = scene.height;
    const more = scene.cards.length > this.cards;
    this.cards = scene.cards.length;
    if (more && !this.own && !this.fits) this.stale = true;
    this.size();
  }

  /** The room of the board, within its border. */
  get space() {
    return [this.stage?.clientWidth ?? 0, this.stage?.clientHeight ?? 0];
  }

  get fits() {
    const [wide, high] = this.space;
    return this.width * this.scale <= wide + 1 && this.height * this.scale <= high + 1;
  }

  resized() {
    const wide = this.root?.clientWidth ?? 0;
    if (wide > 0) this.root?.toggleAttribute("data-narrow", wide < NARROW);
    const room = this.space.join();
    if (room === this.room) return;
    this.room = room;
    if (!this.own) this.stale = true;
    this.size();
  }

  /** The least scale at which cards can be read and pressed. */
  get legible() {
    return isForFingers() ? FINGER : LEAST;
  }

  /** As large as all of it fits, within bounds. @param {number} [least] */
  fit(least = this.legible) {
    const [wide, high] = this.space;
    if (!wide || !high) return;
    const scale = Math.min(wide / this.width, high / this.height);
    this.scale = Math.max(least, Math.min(MOST, scale));
    this.stale = false;
  }

  /** All in sight. */
  whole() {
    this.own = false;
    this.fit(SMALLEST);
    this.size();
    this.stage?.scrollTo(0, 0);
  }

  /** Larger or smaller, about the middle. @param {number} by */
  rescale(by) {
    const { stage } = this;
    if (!stage) return;
    const [wide, high] = this.space;
    const [x, y] = [stage.scrollLeft + wide / 2, stage.scrollTop + high / 2];
    const before = this.scale;
    this.own = true;
    this.scale = Math.min(Math.max(before * by, SMALLEST), LARGEST);
    this.size();
    const grown = this.scale / before;
    stage.scrollTo(x * grown - wide / 2, y * grown - high / 2);
  }

  size() {
    const picture = this.stage?.querySelector("svg");
    if (!picture) return;
    if (this.stale && !this.held()) this.fit();
    const [wide, high] = this.space;
    const { scale } = this;
    const [w, h] = [Math.max(this.width, wide / scale), Math.max(this.height, high / scale)];
    const size = {
      viewBox: `0 0 ${w.toFixed(1)} ${h.toFixed(1)}`,
      width: (w * scale).toFixed(1),
      height: (h * scale).toFixed(1),
    };
    for (const [name, value] of Object.entries(size))
      if (picture.getAttribute(name) !== value) picture.setAttribute(name, value);
  }

  /** Where a pointer is in the scene. @param {{clientX: number, clientY: number}} event */
  at({ clientX, clientY }) {
    const box = this.stage?.querySelector("svg")?.getBoundingClientRect();
    return [(clientX - (box?.left ?? 0)) / this.scale, (clientY - (box?.top ?? 0)) / this.scale];
  }
}
