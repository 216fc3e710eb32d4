/* Transparent frames over parts of a drawing: each takes the focus, and has a name and a value.
 *
 *   key     names a frame; the same key keeps its frame, so that the focus stays
 *   place   what a frame stands for, as its owner likes it; `place.part` is the part below it
 *
 * The frames lie in a layer of their own, as a button must not hold sliders. */

import { change, svg } from "./dom.js";

export class Handles {
  constructor(view, look) {
    this.view = view;
    this.frames = new Map();
    this.layer = svg("g", { class: look });
  }

  /** Frames of these keys, places and attributes, in this order. */
  draw(wanted) {
    const old = this.frames;
    this.frames = new Map();
    for (const { key, place, ...attributes } of wanted) {
      const frame = old.get(key) ?? svg("rect", { class: "fgn-bar-frame", role: "slider", rx: 3 });
      frame.place = place;
      change(frame, attributes);
      this.frames.set(key, frame);
    }
    const frames = [...this.frames.values()];
    const { children } = this.layer;
    if (frames.length !== children.length || frames.some((f, i) => f !== children[i])) {
      const active = frames.find((f) => f === this.view.active);
      this.layer.replaceChildren(...frames);
      active?.focus();
    }
    this.rove();
  }

  /** Tab goes from a part to its own frames, not through those of all others. */
  rove() {
    for (const frame of this.frames.values()) {
      const near = frame.place.part.id === this.view.focus && this.stops(frame);
      change(frame, { tabindex: near ? 0 : -1 });
    }
  }

  /** Whether Tab stops at a frame of the part that it comes from. */
  stops() { return true; }
}

/** A number of a slider, moved by so much and kept from 0 to 1. */
export const within = (value) => Math.min(Math.max(Number(value.toFixed(4)), 0), 1);
