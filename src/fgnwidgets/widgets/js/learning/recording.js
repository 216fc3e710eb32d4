/* A learning view without Python: scenes of some epochs and curves that were stored, and what plays them.
 *
 *   record   what Python wrote: the run's chart, the epochs that were stored, and by curve a first scene
 *            with the changes of the others
 *   change   what is different: [value] is a new value, an object has the changes inside
 *   tape     a model as a page knows it, which answers by stored scenes and computes nothing */

import { GraphPage } from "../graph/view.js";
import { LearningPage } from "./view.js";

/** @typedef {import("../scene").LearningScene} Look */
/**
 * @typedef {object} Recorded
 * @property {import("../scene").DrawnRun} drawn
 * @property {Look} look what is shown first
 * @property {number[]} epochs those that were stored, in their order
 * @property {{curve: number, first: any, changes: any[]}[]} curves
 */

export const STORED =
  "A recording: its epochs and curves play here. To ask the graph, run the notebook.";

/** A value with its changes, which shares all else with the one before.
 *
 * @param {any} value @param {any} change @returns {any} */
export function changed(value, change) {
  if (Array.isArray(change)) return change[0];
  const made = Array.isArray(value) ? [...value] : { ...value };
  for (const [name, inner] of Object.entries(change)) made[name] = changed(made[name], inner);
  return made;
}

/** The stored epoch that is nearest. @param {number[]} epochs @param {number} wanted */
export const nearest = (epochs, wanted) =>
  epochs.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best));

/** The stored epoch so many stored epochs on. @param {number[]} epochs @param {number} at
 * @param {number} by */
export function stepped(epochs, at, by) {
  const place = epochs.indexOf(nearest(epochs, at)) + by;
  return epochs[Math.min(Math.max(place, 0), epochs.length - 1)];
}

/** A model whose requests are heard by `hear`, which returns a fault or nothing. */
export class Tape {
  /** @param {globalThis.Record<string, any>} state @param {(what: string, asked: any) => string} hear */
  constructor(state, hear) {
    this.state = state;
    this.hear = hear;
    /** @type {[string, (news?: any) => void][]} */
    this.listeners = [];
  }

  /** @param {string} name */
  get(name) {
    return this.state[name];
  }

  /** @param {string} name @param {any} value */
  tell(name, value) {
    this.state[name] = value;
    this.call(`change:${name}`);
  }

  /** @param {{request: number, from: string, do: string, with: any}} message */
  send({ request, from, do: what, with: asked }) {
    setTimeout(() => {
      const fault = this.hear(what, asked);
      this.call("msg:custom", { answer: request, from, fault });
    }, 0);
  }

  /** @param {string} event @param {any} [news] */
  call(event, news) {
    for (const [heard, listener] of [...this.listeners]) if (heard === event) listener(news);
  }

  /** @param {string} event @param {(news?: any) => void} listener */
  on(event, listener) {
    this.listeners.push([event, listener]);
  }

  /** @param {string} event @param {(news?: any) => void} listener */
  off(event, listener) {
    this.listeners = this.listeners.filter(([e, l]) => e !== event || l !== listener);
  }
}

/** Draws a record into an element, and plays it. */
export class Recording {
  /** @param {HTMLElement} el @param {Recorded} record */
  constructor(el, record) {
    this.record = record;
    this.look = record.look;
    const { drawn } = record;
    const scene = { ...record.look, undo: false, redo: false, status: "" };
    this.chart = new Tape({ drawn, scene }, (what, asked) => this.requested(what, asked));
    this.sides = [record.look.left, record.look.right ?? record.look.left].map(
      (curve) => new Tape({ scene: this.sceneOf(curve), legend: [] }, () => this.refused()),
    );
    const home = document.createElement("div");
    home.className = "fgn-recorded";
    /** @type {HTMLElement[]} */
    this.places = this.sides.map(() => document.createElement("div"));
    const above = document.createElement("div");
    home.append(...this.places);
    el.append(above, home);
    this.show();
    new LearningPage({ model: this.chart, el: above });
    this.sides.forEach((model, i) => {
      new GraphPage({ model, el: this.places[i] });
    });
  }

  /** @param {number} curve */
  sceneOf(curve) {
    const { curves, epochs } = this.record;
    const held = curves.find((one) => one.curve === curve) ?? curves[0];
    const change = held.changes[epochs.indexOf(this.look.epoch)] ?? {};
    return changed(held.first, change);
  }

  /** @param {string} what @param {any} asked @returns {string} */
  requested(what, asked) {
    const { epochs, curves } = this.record;
    const stored = (/** @type {any} */ curve) => curves.some((one) => one.curve === curve);
    const look = { ...this.look, ...(what === "set" ? asked : {}) };
    if (what === "go") look.epoch = stepped(epochs, look.epoch, asked.by);
    // The next of what plays is the next that was stored.
    if (what === "set" && asked.epoch !== undefined) {
      const next = asked.epoch === this.look.epoch + 1;
      look.epoch = next ? stepped(epochs, this.look.epoch, 1) : nearest(epochs, asked.epoch);
    }
    const other = look.row !== this.look.row || !stored(look.left);
    if (other || (look.right !== null && look.right !== undefined && !stored(look.right))) {
      this.chart.tell("scene", { ...this.chart.get("scene"), status: STORED });
      return STORED;
    }
    this.look = look;
    this.chart.tell("scene", { ...look, undo: false, redo: false, status: "" });
    this.show();
    return "";
  }

  /** Asked for what was not stored. */
  refused() {
    this.chart.tell("scene", { ...this.chart.get("scene"), status: STORED });
    return STORED;
  }

  show() {
    const { left, right } = this.look;
    [left, right].forEach((curve, i) => {
      this.places[i].hidden = curve === null || curve === undefined;
      if (curve !== null && curve !== undefined) this.sides[i].tell("scene", this.sceneOf(curve));
    });
  }
}
