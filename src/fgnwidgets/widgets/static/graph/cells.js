/* Cells of the matrices as they are drawn inside their blocks: a drag to the side, or an arrow key,
 * sets a number, and Python keeps its row a distribution.
 *
 *   cell    row i and column j of a block's matrix; a frame over it takes the focus and has a name
 *   stop    the cell of a block that Tab goes to: the first, or the one that had the focus last
 *   held    the cell in the hand, of which a note says the number all the while */

import { FINE, NUDGE } from "./bars.js";
import { Handles, within } from "./handles.js";
import { drag } from "./hand.js";
import { Latest } from "./latest.js";
import { cellName, cellPlace, saidOf } from "./parts.js";

const LONG = 150; // px of a drag from probability 0 to 1, as in the panel

export class Cells extends Handles {
  constructor(view) {
    super(view, "fgn-cells-layer");
    this.stop = new Map(); // id of a part -> "i,j"
    this.held = null;
    this.latest = new Latest((wish) => view.wishes.make({ ask: "edit", ...wish }));
  }

  /** A cell inside a block was pressed. */
  grab(event, part, i, j) {
    const value = part.cells[i][j];
    drag(event, (_, dx, hand) => {
      this.held = { part, i, j };
      this.latest.ask({ matrix: part.edit, row: i, column: j, value: within(value + dx / LONG), hand });
    }, () => {
      this.held = null;
      this.view.why.hide();
    });
  }

  draw(parts) {
    const blocks = parts.filter(({ edit, cells }) => edit && cells.length);
    super.draw(blocks.flatMap((part) => part.cells.flatMap((row, i) => row.map((value, j) => ({
      key: `${part.id} ${i},${j}`, place: { part, i, j }, ...cellPlace(part, i, j),
      "data-entry": `${part.id} ${i},${j}`, "aria-label": cellName(part, i, j), "aria-valuemin": 0, "aria-valuemax": 1,
      "aria-valuenow": value, "aria-valuetext": value.toFixed(3), "data-why": `${saidOf(part, i, j)}: keys ← → change it, ↑ ↓ go on`,
    })))));
    if (this.held) this.tell(this.held);
  }

  /** The note beside a cell in the hand follows its number. */
  tell({ part, i, j }) {
    const seen = this.view.groups.get(part.id)?.querySelector(`[data-place="${i},${j}"]`);
    if (!seen) return;
    seen.classList.add("fgn-held");
    seen.dataset.why = saidOf(this.part(part.id), i, j);
    this.view.why.show(seen);
  }

  part(id) { return this.view.scene.parts.find((part) => part.id === id); }

  stops({ place: { part, i, j } }) { return (this.stop.get(part.id) ?? "0,0") === `${i},${j}`; }

  /** A frame got the focus; a page's layer must not listen itself, as that would take the focus. */
  stopAt({ part, i, j }) {
    this.stop.set(part.id, `${i},${j}`);
    this.rove();
  }

  /** What a key does to a cell with the focus; true if it does anything. */
  key(frame, { key, shiftKey }) {
    const { part, i, j } = frame.place;
    const columns = part.cells[0].length;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (by) {
      const { open } = this.latest;
      const same = open?.matrix === part.edit && open.row === i && open.column === j;
      const value = within((same ? open.value : part.cells[i][j]) + by * (shiftKey ? FINE : NUDGE));
      this.latest.ask({ matrix: part.edit, row: i, column: j, value, hand: "" });
    } else if (next) {
      const [all, at] = [part.cells.length * columns, i * columns + j];
      const to = (at + next + all) % all;
      this.frames.get(`${part.id} ${Math.floor(to / columns)},${to % columns}`).focus();
    } else if (key === "Enter" || key === " ") {
      this.view.press(part.id);
    } else if (key === "Escape") {
      this.view.groups.get(part.id)?.focus();
    } else {
      return false;
    }
    return true;
  }
}
