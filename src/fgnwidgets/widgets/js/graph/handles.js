/* Belief bars and cells of matrices as handles: a drag to the side, or an arrow key, says how large a
 * number is.
 *
 *   frame   a transparent frame over a bar or a cell, which takes the focus and has a name and a value
 *   stop    the cell of a block that Tab goes to: the first, or the one that had the focus last
 *
 * The frames lie in a layer of their own, as a button must not hold sliders. */

import { drag, keyGesture } from "../core/drag.js";
import { h } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { LONG } from "../core/matrix.js";
import { number } from "../core/numbers.js";
import { cellName, cellPlace, Memo, NUMBER, saidOf } from "./parts.js";

/** @typedef {import("./view.js").GraphPage} GraphPage */

export const NUDGE = 0.05; // of a probability, by an arrow key
export const FINE = 0.01; // with the shift key
const FINGER = 20; // px: a lower row has no handle; the picker has bars for all states

/** @param {number} value */
const kept = (value) => Math.min(Math.max(value, 0), 1);

/** The frames over one part. @extends {Memo<{part: any, near: boolean, stop: string | null}>} */
export class Frames extends Memo {
  render() {
    const { part, near, stop } = this.props;
    const frames = part.kind === "variable" ? barFrames(part) : cellFrames(part, stop);
    return h(
      "g",
      {},
      ...frames.map((/** @type {any} */ { stops, ...attributes }) =>
        h("rect", {
          class: "fgn-bar-frame",
          role: "slider",
          rx: 3,
          "data-of": part.id,
          tabindex: near && stops ? 0 : -1,
          ...attributes,
        }),
      ),
    );
  }
}

/** Whether a part has frames. @param {any} part */
export const isHandle = (part) =>
  (part.kind === "variable" && part.row >= FINGER) || (part.edit && part.cells.length > 0);

/** @param {any} part */
const barFrames = (part) =>
  part.rows.map((/** @type {any} */ row, /** @type {number} */ i) => ({
    stops: true,
    "data-bar": `${part.variable} ${i}`,
    x: part.x + part.bar - 3,
    y: part.y + part.head + i * part.row,
    width: part.w - part.bar - NUMBER + 6,
    height: part.row,
    "aria-label": `belief in ${row.full} of ${part.variable}`,
    "aria-valuemin": 0,
    "aria-valuemax": 100,
    "aria-valuenow": Math.round(100 * row.p),
    "aria-valuetext": row.number,
    "data-why": row.why || null,
    "aria-description": row.why || null,
  }));

/** @param {any} part @param {string | null} stop */
const cellFrames = (part, stop) =>
  part.cells.flatMap((/** @type {number[]} */ row, /** @type {number} */ i) =>
    row.map((value, j) => ({
      stops: (stop ?? "0,0") === `${i},${j}`,
      "data-entry": `${part.id} ${i},${j}`,
      ...cellPlace(part, i, j),
      "aria-label": cellName(part, i, j),
      "aria-valuemin": 0,
      "aria-valuemax": 1,
      "aria-valuenow": value,
      "aria-valuetext": number(value),
      "data-why": `${saidOf(part, i, j)}: keys ← → change it, ↑ ↓ go on`,
    })),
  );

/** What drags and keys do to bars and cells. */
export class Handles {
  /** @param {GraphPage} view */
  constructor(view) {
    this.view = view;
    /** @type {Map<string, string>} id of a part -> "i,j" */
    this.stops = new Map();
    /** @type {{id: string, place: string} | null} the cell in the hand */
    this.held = null;
  }

  /** A bar of a card was pressed. @param {PointerEvent} event @param {any} part @param {Element} row */
  grabBar(event, part, row) {
    const state = Number(/** @type {HTMLElement} */ (row).dataset.row);
    const track = /** @type {Element} */ (row.querySelector(".fgn-track")).getBoundingClientRect();
    const { variable } = part;
    this.drag(event, ({ clientX }, _, gesture) => {
      const belief = kept((clientX - track.left) / track.width);
      this.view.request("soften", { variable, state, belief }, gesture);
    });
  }

  /** A cell inside a block was pressed. @param {PointerEvent} event @param {any} part
   * @param {string} place */
  grabCell(event, part, place) {
    const [i, j] = place.split(",").map(Number);
    const from = this.view.valueOf(part.edit, i, j, part.cells[i][j]);
    const ended = () => {
      this.held = null;
      this.view.why.hide();
      this.view.update();
    };
    this.drag(
      event,
      (_, [dx], gesture) => {
        this.held = { id: part.id, place };
        this.view.request(
          "edit",
          { matrix: part.edit, row: i, column: j, value: kept(from + dx / LONG) },
          gesture,
        );
        this.view.update();
      },
      ended,
    );
  }

  /** A drag that changes numbers; Escape takes it back.
   *
   * @param {PointerEvent} event
   * @param {(event: PointerEvent, by: [number, number], gesture: string) => void} moved */
  drag(event, moved, ended = () => {}) {
    const { view } = this;
    drag(
      event,
      (e, by, gesture) => {
        view.dragging = true;
        moved(e, by, gesture);
      },
      (cancelled, gesture) => {
        view.dragging = false;
        if (cancelled) view.requests.cancel(gesture);
        if (!view.root?.contains(view.active)) view.root?.focus({ preventScroll: true });
        ended();
      },
    );
  }

  /** Keys of the layer of frames. */
  get keys() {
    return onKey((event, frame) => {
      const part = this.view.partOf(frame.dataset.of);
      if (!part) return false;
      const place = String((frame.dataset.bar ?? frame.dataset.entry).split(" ").at(-1));
      return frame.dataset.bar !== undefined
        ? this.keyOnBar(event, part, Number(place))
        : this.keyOnCell(event, part, place);
    });
  }

  /** @param {KeyboardEvent} event @param {any} part @param {number} i */
  keyOnBar(event, part, i) {
    const { variable, rows } = part;
    const way = STEPS[event.key];
    const next = NEXT[event.key];
    if (way) {
      const by = way * (event.shiftKey ? FINE : NUDGE);
      this.view.request("nudge", { variable, state: i, by }, keyGesture(event));
    } else if (next) {
      this.focus(part.id, `[data-bar$=" ${(i + next + rows.length) % rows.length}"]`);
    } else if (event.key === "Enter" || event.key === " ") {
      if (!event.repeat) this.view.request("toggle", { variable, state: i });
    } else if (event.key === "Delete") {
      this.view.request("observe", { variable, cell: null });
    } else if (event.key === "Escape") {
      this.view.groupOf(part.id)?.focus();
    } else {
      return false;
    }
    return true;
  }

  /** @param {KeyboardEvent} event @param {any} part @param {string} place */
  keyOnCell(event, part, place) {
    const [i, j] = place.split(",").map(Number);
    const columns = part.cells[0].length;
    const way = STEPS[event.key];
    const next = NEXT[event.key];
    if (way) {
      const by = way * (event.shiftKey ? FINE : NUDGE);
      this.view.request("step", { matrix: part.edit, row: i, column: j, by }, keyGesture(event));
    } else if (next) {
      const [all, at] = [part.cells.length * columns, i * columns + j];
      const to = (at + next + all) % all;
      this.focus(part.id, `[data-entry$=" ${Math.floor(to / columns)},${to % columns}"]`);
    } else if (event.key === "Enter" || event.key === " ") {
      if (!event.repeat && !this.view.askOrigin(part.edit, i, j)) this.view.press(part.id);
    } else if (event.key === "Escape") {
      this.view.groupOf(part.id)?.focus();
    } else {
      return false;
    }
    return true;
  }

  /** A frame got the focus: Tab comes back to it. @param {string} id @param {string} place */
  stopAt(id, place) {
    this.stops.set(id, place);
    this.view.update();
  }

  /** @param {string} id @param {string} frame */
  focus(id, frame) {
    /** @type {any} */ (
      this.view.root?.querySelector(`.fgn-bar-frame[data-of="${CSS.escape(id)}"]${frame}`)
    )?.focus();
  }
}

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };
/** @type {Record<string, number>} */
const NEXT = { ArrowDown: 1, ArrowUp: -1 };
