/* The panel beside the drawing: what is selected, in words and tables, some of which can be edited.
 *
 *   cell   a number of a matrix: type it, drag it to the side, or step it with the arrow keys */

import { html } from "./dom.js";
import { drag } from "./hand.js";
import { Latest } from "./latest.js";
import { drawTable } from "./parts.js";

const WIDE = 150; // px of a drag from probability 0 to 1
const TICK = 0.01; // by an arrow key
const LEAP = 0.1; // with the shift key

export class Panel {
  constructor(view) {
    this.view = view;
    this.unfolded = false; // whether all messages are on show
    const named = { role: "region", "aria-label": "what is selected", tabindex: 0 };
    this.root = html("div", { class: "fgn-panel", ...named });
    this.latest = new Latest((wish) => view.wishes.make({ ask: "edit", ...wish }));
  }

  draw({ title, lines, tables, more, variable }) {
    const held = this.held();
    const first = variable === undefined ? undefined : (text, i) => this.stateButton(variable, text, i);
    const fold = more && html("details", { open: this.unfolded,
      ontoggle: (e) => { this.unfolded = e.target.open; this.view.frame.follow(); } },
      html("summary", {}, more.caption), drawTable({ ...more, caption: "" }));
    this.root.replaceChildren(html("h4", {}, title), ...lines.map((line) => html("p", {}, line)),
      ...tables.map((table) => drawTable(table, first, table.edit ? this.cell(table) : undefined)),
      ...(fold ? [fold] : []));
    if (held) this.restore(held);
    this.view.frame.follow();
  }

  /** What has the focus, and what was typed into it but not sent. */
  held() {
    const { active } = this.view;
    if (!active || !this.root.contains(active)) return null;
    const { state, cell } = active.dataset;
    if (state) return { selector: `[data-state="${state}"]` };
    if (!cell) return null;
    const typed = active.value !== active.defaultValue ? active.value : null;
    return { selector: `[data-cell="${cell}"]`, typed };
  }

  restore({ selector, typed }) {
    const found = this.root.querySelector(selector);
    if (!found) return;
    if (typed !== undefined && typed !== null) found.value = typed;
    found.focus();
  }

  /** The name of a state in the panel: large enough for any finger, however small the drawing is. */
  stateButton(variable, text, i) {
    const { on } = this.view.scene.parts.find((part) => part.variable === variable)?.rows[i] ?? {};
    return html("button", { type: "button", "aria-pressed": String(!!on), "data-state": i + 1,
      onclick: () => this.view.wishes.toggle(variable, i) }, text);
  }

  /** Makes the field of a cell of a table that can be edited. */
  cell({ edit: matrix, head, rows }) {
    return ([text, value], i, j) => {
      const given = rows[i][0] ? ` given ${rows[i][0]}` : "";
      const field = html("input", {
        type: "text", inputmode: "decimal", role: "spinbutton", value: text, "data-cell": `${i},${j}`,
        "aria-label": `probability of ${head[j + 1]}${given}`, autocomplete: "off",
        "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": value,
        onchange: () => this.type(field),
        onpointerdown: (event) => drag(event, (_, dx, hand) => {
          if (this.view.active?.dataset.cell) this.view.active.blur();
          getSelection()?.removeAllRanges();
          const to = Math.min(Math.max(value + dx / WIDE, 0), 1);
          this.latest.ask({ matrix, row: i, column: j, value: to, hand });
        }),
      });
      field.place = { matrix, row: i, column: j, value };
      return field;
    };
  }

  type(field) {
    const { matrix, row, column } = field.place;
    const written = field.value.trim().replace(",", ".");
    field.value = field.defaultValue; // until Python has answered
    const value = written === "" || Number.isNaN(Number(written)) ? written : Number(written);
    this.view.wishes.make({ ask: "edit", matrix, row, column, value, hand: "" });
  }

  /** What a key does to a cell with the focus; true if it does anything. */
  key(field, { key, shiftKey }) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[key];
    const { value, ...place } = field.place;
    if (by) {
      const { open } = this.latest;
      const same = ["matrix", "row", "column"].every((name) => open?.[name] === place[name]);
      const to = (same ? open.value : value) + by * (shiftKey ? LEAP : TICK);
      this.latest.ask({ ...place, value: Math.min(Math.max(Number(to.toFixed(4)), 0), 1), hand: "" });
    } else if (key === "Escape" && field.value !== field.defaultValue) {
      field.value = field.defaultValue;
    } else {
      return false;
    }
    return true;
  }
}
