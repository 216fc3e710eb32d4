/* Belief bars as handles: a drag, or an arrow key, says how probable a state is.
 *
 *   bar    one state of a card; a transparent frame over it takes the focus and has a name
 *   to     the belief that is asked for; Python finds the evidence that gives it
 *
 * The frames lie in a layer of their own, as a button must not hold sliders. */

import { change, svg } from "./dom.js";
import { drag } from "./hand.js";
import { Latest } from "./latest.js";

const NUDGE = 0.05; // of a belief, by an arrow key
const FINE = 0.01; // with the shift key

export class Bars {
  constructor(view) {
    this.view = view;
    this.frames = new Map(); // "variable i" -> its frame: kept, so that the focus stays
    this.layer = svg("g", { class: "fgn-bars-layer" });
    this.latest = new Latest((wish) => view.wish({ ask: "soften", ...wish }));
  }

  /** A bar of a card was pressed. */
  grab(event, part, state) {
    const track = event.currentTarget.querySelector(".fgn-track").getBoundingClientRect();
    drag(event, ({ clientX }, _, hand) => {
      const to = (clientX - track.left) / track.width;
      this.latest.ask({ variable: part.variable, state, belief: Math.min(Math.max(to, 0), 1), hand });
    });
  }

  draw(parts) {
    const cards = parts.filter(({ variable }) => variable !== undefined);
    const old = this.frames;
    this.frames = new Map();
    for (const part of cards) {
      if (part.row < 20) continue; // too low for a finger; the picker has bars for all states
      for (const [i, row] of part.rows.entries()) {
        const key = `${part.variable} ${i}`;
        const frame = old.get(key) ?? svg("rect", { class: "fgn-bar-frame", role: "slider",
          "aria-valuemin": 0, "aria-valuemax": 100, rx: 3 });
        frame.place = { part, i };
        change(frame, {
          x: part.x + part.bar - 3, y: part.y + part.head + i * part.row, width: part.w - part.bar - 38,
          height: part.row, "data-bar": key, "aria-label": `belief in ${row.full} of ${part.variable}`,
          "aria-valuenow": Math.round(100 * row.p), "aria-valuetext": row.number,
          "data-why": row.why || null, "aria-description": row.why || null,
        });
        this.frames.set(key, frame);
      }
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

  /** Tab goes from a card to its own bars, not through those of all others. */
  rove() {
    for (const frame of this.frames.values()) {
      change(frame, { tabindex: frame.place.part.id === this.view.focus ? 0 : -1 });
    }
  }

  /** What a key does to a bar with the focus; true if it does anything. */
  key(frame, { key, shiftKey }) {
    const { part, i } = frame.place;
    const { variable, rows } = part;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (by) {
      const belief = Math.min(Math.max(rows[i].p + by * (shiftKey ? FINE : NUDGE), 0), 1);
      this.latest.ask({ variable, state: i, belief, hand: "" });
    } else if (next) {
      this.frames.get(`${variable} ${(i + next + rows.length) % rows.length}`).focus();
    } else if (key === "Enter" || key === " ") {
      this.view.observe(variable, rows[i].on ? null : i);
    } else if (key === "Delete") {
      this.view.observe(variable, null);
    } else if (key === "Escape") {
      this.view.groups.get(part.id)?.focus();
    } else {
      return false;
    }
    return true;
  }
}
