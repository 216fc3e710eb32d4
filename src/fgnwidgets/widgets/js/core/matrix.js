/* Rows of a matrix as fields: typed with Tab, dragged to the side, stepped with the arrow keys.
 *
 *   cell    a number of a matrix
 *   visit   from the moment the focus enters a row until it leaves it. What is typed in one visit stays
 *           as it was typed, and is undone as one */

import { drag, keyGesture, newGesture } from "./drag.js";
import { h } from "./elements.js";
import { Field } from "./field.js";

/** @typedef {import("../scene").DrawnTable} Table */
/** @typedef {{matrix: string, row: number, columns: string[], text: string} | null} Refused */

export const LONG = 150; // px of a drag from probability 0 to 1
const TICK = 0.01; // by an arrow key
const LEAP = 0.1; // with the shift key

/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowDown: -1 };

export class Rows {
  /** @param {import("./page_view.js").PageView<any>} view
   * @param {(matrix: string, row: number, column: number) => void} entered hears of the cell that gets
   * the focus */
  constructor(view, entered = () => {}) {
    this.view = view;
    this.entered = entered;
    /** @type {{matrix: string, row: number, gesture: string} | null} */
    this.visit = null;
  }

  /** The gesture of the visit to a row: a new one, or the one that goes on.
   *
   * @param {string} matrix @param {number} row */
  visitTo(matrix, row) {
    if (this.visit?.matrix !== matrix || this.visit.row !== row)
      this.visit = { matrix, row, gesture: newGesture("row") };
    return this.visit.gesture;
  }

  /** The focus has left a row, or the panel: the visit is over. @param {any} event */
  left({ relatedTarget }) {
    const cell = relatedTarget?.dataset?.cell;
    if (cell === undefined || Number(cell.split(",")[0]) !== this.visit?.row) this.visit = null;
  }

  /** Makes the field of a cell of a table that can be edited.
   *
   * @param {Table} table @param {Refused} fault what was refused last */
  field({ edit: matrix = "", head, rows }, fault) {
    const { view } = this;
    return (
      /** @type {[string, number]} */ [text, value],
      /** @type {number} */ i,
      /** @type {number} */ j,
    ) => {
      const given = rows[i][0] ? ` given ${rows[i][0]}` : "";
      const waiting = view.requests.open.some(
        ({ do: what, with: asked }) => what === "row" && asked.matrix === matrix && asked.row === i,
      );
      const wrong =
        fault?.matrix === matrix && fault.row === i && fault.columns.includes(String(j));
      return h(Field, {
        value: text,
        waiting,
        commit: (/** @type {string} */ typed) => {
          const gesture = this.visitTo(matrix, i);
          view.request("row", { matrix, row: i, typed: { [j]: typed } }, gesture, true);
        },
        press: (key, event) => {
          const way = STEPS[key];
          if (!way) return false;
          this.visit = null; // a step is no typing
          const by = way * (event.shiftKey ? LEAP : TICK);
          view.request("step", { matrix, row: i, column: j, by }, keyGesture(event));
          return true;
        },
        attributes: {
          inputMode: "decimal",
          role: "spinbutton",
          "data-cell": `${i},${j}`,
          "aria-label": `probability of ${head[j + 1]}${given}`,
          "aria-valuemin": 0,
          "aria-valuemax": 1,
          "aria-valuenow": value,
          "aria-invalid": wrong ? "true" : null,
          "aria-description": wrong ? fault.text : null,
          disabled: view.health === "gone",
          onFocus: () => {
            this.visitTo(matrix, i);
            this.entered(matrix, i, j);
          },
          onPointerDown: (/** @type {PointerEvent} */ event) =>
            this.slide(event, matrix, i, j, value),
        },
      });
    };
  }

  /** A cell was pressed: a drag to the side says how large it is, and Escape takes that back.
   *
   * @param {PointerEvent} event @param {string} matrix @param {number} row @param {number} column
   * @param {number} value */
  slide(event, matrix, row, column, value) {
    const { view } = this;
    const same = (/** @type {any} */ { do: what, with: asked }) =>
      what === "edit" && asked.matrix === matrix && asked.row === row && asked.column === column;
    const from = view.requests.open.findLast(same)?.with.value ?? value;
    drag(
      event,
      (_, [dx], gesture) => {
        view.dragging = true;
        // The field leaves the hand, and the keys stay with the widget: never with the page.
        if (view.active?.dataset?.cell) view.root?.focus({ preventScroll: true });
        getSelection()?.removeAllRanges();
        this.visit = null;
        const to = Math.min(Math.max(from + dx / LONG, 0), 1);
        view.request("edit", { matrix, row, column, value: to }, gesture);
      },
      (cancelled, gesture) => {
        view.dragging = false;
        if (cancelled) view.requests.cancel(gesture);
      },
    );
  }
}

/** What was refused, of a request that was answered, if it was typed in a row.
 *
 * @param {import("./requests.js").Request} request @param {string} fault @returns {Refused} */
export const refusedIn = ({ do: what, with: asked }, fault) =>
  what === "row" && fault
    ? { matrix: asked.matrix, row: asked.row, columns: Object.keys(asked.typed), text: fault }
    : null;

/** Makes the words below a row of which something was refused.
 *
 * @param {Table} table @param {Refused} fault */
export const refusedBelow = (table, fault) => (/** @type {number} */ i) =>
  table.edit && fault?.matrix === table.edit && fault.row === i
    ? h(
        "tr",
        {},
        h(
          "td",
          { class: "fgn-refused", colSpan: table.head.length },
          h("span", { role: "status" }, fault.text),
        ),
      )
    : null;
