/* The keys of a living graph: what each does to the bar, the cell or the part that has the focus. */

import { ARROWS } from "./dom.js";

export class Keys {
  constructor(view) { this.view = view; }

  press(event) {
    if (!event.composedPath().includes(this.view.root)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z") {
      this.view.tell(event.shiftKey ? "redo" : "undo");
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const done = this.keyAt(event);
    if (done) event.preventDefault();
    // The notebook would take these too; menus, fields and bars still act on what is not prevented.
    const ours = event.key in ARROWS || event.key === " " || event.key === "Enter";
    if (done || ours) event.stopImmediatePropagation();
  }

  /** A key on whatever has the focus; true if it does anything. */
  keyAt(event) {
    const near = (mark) => event.target.closest?.(`[${mark}]`);
    const { bars, cells, board } = this.view;
    const [bar, entry, cell] = [near("data-bar"), near("data-entry"), near("data-cell")];
    const held = bar ?? entry ?? cell;
    if (held && (bar ? bars : entry ? cells : board).key(held, event)) return true;
    if (event.key === "Escape") return this.escape();
    if (held || event.shiftKey) return false;
    const part = this.view.scene.parts.find((p) => p.id === near("data-part")?.dataset.part);
    return part !== undefined && this.keyOn(part, event.key);
  }

  /** What a key does to a part that has the focus; true if it does anything. */
  keyOn(part, key) {
    if (key in ARROWS) this.move(part, ARROWS[key]);
    else if (key === "Enter" && part.variable !== undefined) this.view.openPicker(part.variable);
    else if (key === "Enter" || key === " ") this.view.press(part.id);
    else if (key === "Backspace") this.view.tell("undo");
    else return false;
    return true;
  }

  escape() {
    if (this.view.copy.open) {
      this.view.copy.close();
    } else if (this.view.picker) {
      this.view.groups.get(`variable:${this.view.picker.variable}`)?.focus();
      this.view.closePicker();
    } else {
      this.view.ask({ selected: null });
    }
    return true;
  }

  /** To the nearest part in a direction; what lies aside counts twice. */
  move(from, [dx, dy]) {
    const cost = ({ at }) => {
      const [x, y] = [at[0] - from.at[0], at[1] - from.at[1]];
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy + y * dx) : Infinity;
    };
    const drawn = this.view.scene.parts.filter(({ id }) => this.view.groups.has(id)); // a press delays
    const best = drawn.reduce((a, b) => (cost(b) < cost(a) ? b : a), from);
    if (cost(best) < Infinity) this.view.groups.get(best.id).focus();
  }
}
