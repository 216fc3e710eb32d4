/* Belief bars as handles: a drag, or an arrow key, says how probable a state is.
 *
 *   bar    one state of a card; a transparent frame over it takes the focus and has a name
 *   to     the belief that is asked for; Python finds the evidence that gives it */

import { Handles, within } from "./handles.js";
import { drag } from "./hand.js";
import { Latest } from "./latest.js";

export const NUDGE = 0.05; // of a probability, by an arrow key
export const FINE = 0.01; // with the shift key

export class Bars extends Handles {
  constructor(view) {
    super(view, "fgn-bars-layer");
    this.latest = new Latest((wish) => view.wishes.make({ ask: "soften", ...wish }));
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
    // A row that is too low for a finger has no handle; the picker has bars for all states.
    const cards = parts.filter(({ variable, row }) => variable !== undefined && row >= 20);
    super.draw(cards.flatMap((part) => part.rows.map((row, i) => ({
      key: `${part.variable} ${i}`, place: { part, i },
      x: part.x + part.bar - 3, y: part.y + part.head + i * part.row, width: part.w - part.bar - 38,
      height: part.row, "data-bar": `${part.variable} ${i}`,
      "aria-label": `belief in ${row.full} of ${part.variable}`, "aria-valuemin": 0, "aria-valuemax": 100,
      "aria-valuenow": Math.round(100 * row.p), "aria-valuetext": row.number,
      "data-why": row.why || null, "aria-description": row.why || null,
    }))));
  }

  /** What a key does to a bar with the focus; true if it does anything. */
  key(frame, { key, shiftKey }) {
    const { part, i } = frame.place;
    const { variable, rows } = part;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (by) {
      const { open } = this.latest;
      const from = open?.variable === variable && open.state === i ? open.belief : rows[i].p;
      const belief = within(from + by * (shiftKey ? FINE : NUDGE));
      this.latest.ask({ variable, state: i, belief, hand: "" });
    } else if (next) {
      this.frames.get(`${variable} ${(i + next + rows.length) % rows.length}`).focus();
    } else if (key === "Enter" || key === " ") {
      this.view.wishes.toggle(variable, i);
    } else if (key === "Delete") {
      this.view.wishes.see(variable, null);
    } else if (key === "Escape") {
      this.view.groups.get(part.id)?.focus();
    } else {
      return false;
    }
    return true;
  }
}
