/* What can be read off a picture: the map that came with it, in the page's pixels.
 *
 *   map       axes with their boxes and limits, curves with their places among the numbers
 *   by epoch  curves whose x counts epochs from their own left end */

import { number } from "../core/numbers.js";

const NEAR = 14; // px from a curve that still mean it
const CELL = 4; // y0, x1, y1 and the value of a cell; a further row is what was pinned

/** @typedef {[number, number, string]} Limits */
/**
 * @typedef {object} Axes
 * @property {[number, number, number, number]} box @property {Limits} x @property {Limits} y
 * @property {string} title @property {string} xlabel @property {string} [unit]
 */
/**
 * @typedef {object} Given
 * @property {string} label @property {"line" | "points" | "cells"} kind @property {string} color
 * @property {boolean} byEpoch @property {number} axes @property {number} start
 * @property {number} count @property {number} parts @property {string[][]} [names]
 */
/** @typedef {Given & {x: Float32Array, ys: Float32Array[]}} Curve */
/** @typedef {{distance: number, i: number, part: number, value: number, px: number, py: number}} Near */
/** @typedef {Near & {curve: Curve, ax: Axes}} Found */
/** @typedef {[number, number]} Point */

/** A value in so many digits as tell neighbours apart on its axis.
 * @param {number} value @param {[number, number, string?]} limits */
export function written(value, [low, high, scale]) {
  if (!Number.isFinite(value)) return "none";
  if (scale === "log") return String(Number(value.toPrecision(4)));
  const digits = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(high - low) || 1))));
  return value.toFixed(digits);
}

/** What the steps of a run are called on an axis. @param {Axes} ax */
const unit = (ax) => ax.unit ?? "epoch";

export class Plot {
  /** @param {{axes?: Axes[], curves?: Given[], ground?: string}} map @param {DataView | null} [bytes] */
  constructor(map, bytes) {
    /** @type {Axes[]} */
    this.axes = map.axes ?? [];
    this.ground = map.ground ?? "#ffffff";
    // a copy, since numbers of four bytes must not begin between two fours
    const end = bytes ? bytes.byteOffset + bytes.byteLength : 0;
    const whole = bytes?.byteLength ? bytes.buffer.slice(bytes.byteOffset, end) : null;
    const numbers = whole ? new Float32Array(whole) : new Float32Array();
    /** @type {Curve[]} */
    this.curves = (map.curves ?? []).map((curve) => {
      const row = (/** @type {number} */ k) =>
        numbers.subarray(curve.start + k * curve.count, curve.start + (k + 1) * curve.count);
      return { ...curve, x: row(0), ys: Array.from({ length: curve.parts }, (_, k) => row(k + 1)) };
    });
    this.labels = [
      ...new Set(
        this.curves
          .flatMap(({ label, names }) => [label, ...(names ?? []).map(([own]) => own)])
          .filter(Boolean),
      ),
    ];
    this.timed = this.curves.filter(({ byEpoch }) => byEpoch);
    this.last = Math.max(0, ...this.timed.map(({ x }) => /** @type {number} */ (x.at(-1)) - x[0]));
  }

  /** @param {Curve} curve */
  on(curve) {
    return this.axes[curve.axes];
  }

  /** @param {Axes} ax @param {number} value */
  across(ax, value) {
    return this.along(ax.x, value, ax.box[0], ax.box[2]);
  }

  /** @param {Axes} ax @param {number} value */
  down(ax, value) {
    return this.along(ax.y, value, ax.box[3], ax.box[1]);
  }

  /** @param {Limits} limits @param {number} value @param {number} from @param {number} to */
  along([low, high, scale], value, from, to) {
    const [a, b, v] = scale === "log" ? [low, high, value].map(Math.log) : [low, high, value];
    return from + ((to - from) * (v - a)) / (b - a);
  }

  /** @param {Point} place */
  axesAt([x, y]) {
    return this.axes.findIndex(
      ({ box }) => x >= box[0] - 4 && x <= box[2] + 4 && y >= box[1] - 4 && y <= box[3] + 4,
    );
  }

  /** The epoch of a place: counted from the left end of the curves that are there.
   * @param {number} index @param {number} x */
  epochAt(index, x) {
    const ax = this.axes[index];
    /** @type {{off: number, epoch: number} | null} */
    let best = null;
    for (const curve of this.timed.filter(({ axes }) => axes === index)) {
      const left = this.across(ax, curve.x[0]);
      const right = this.across(ax, curve.x[0] + Math.max(this.last, 1));
      const off = Math.max(left - x, 0, x - right);
      const epoch =
        ((Math.min(Math.max(x, left), right) - left) / Math.max(right - left, 1e-6)) * this.last;
      if (!best || off < best.off) best = { off, epoch };
    }
    return best && Math.round(best.epoch);
  }

  /** The place among a curve's points that is nearest to an epoch; null where it has not come so far.
   * @param {Curve} curve @param {number} epoch */
  placeOf(curve, epoch) {
    const wanted = curve.x[0] + epoch;
    if (wanted > /** @type {number} */ (curve.x.at(-1)) + 0.5) return null;
    let best = 0;
    for (let i = 1; i < curve.count; i += 1) {
      if (Math.abs(curve.x[i] - wanted) < Math.abs(curve.x[best] - wanted)) best = i;
    }
    return best;
  }

  /** The nearest point of a curve to a place on the picture, or the cell that it is in.
   * @param {Point} at @returns {Found | null} */
  nearest(at) {
    const index = this.axesAt(at);
    if (index < 0) return null;
    const ax = this.axes[index];
    /** @type {Found | null} */
    let best = null;
    for (const curve of this.curves) {
      if (curve.axes !== index) continue;
      const found =
        curve.kind === "cells" ? this.cellAt(ax, curve, at) : this.pointNear(ax, curve, at);
      if (found && (!best || found.distance < best.distance)) best = { ...found, curve, ax };
    }
    return best && best.distance <= NEAR ? best : null;
  }

  /** @param {Axes} ax @param {Curve} curve @param {Point} place @returns {Near | null} */
  cellAt(ax, { x, ys, count }, [px, py]) {
    const [y0, x1, y1, values] = ys;
    for (let i = 0; i < count; i += 1) {
      const [left, right] = [this.across(ax, x[i]), this.across(ax, x1[i])].sort((a, b) => a - b);
      const [top, bottom] = [this.down(ax, y0[i]), this.down(ax, y1[i])].sort((a, b) => a - b);
      if (px >= left && px < right && py >= top && py < bottom) {
        return {
          distance: 0,
          i,
          part: 0,
          value: values[i],
          px: (left + right) / 2,
          py: (top + bottom) / 2,
        };
      }
    }
    return null;
  }

  /** @param {Axes} ax @param {Curve} curve @param {Point} place @returns {Near | null} */
  pointNear(ax, { kind, x, ys, count }, [px, py]) {
    /** @type {{distance: number, i: number, part: number} | null} */
    let best = null;
    for (let part = 0; part < ys.length; part += 1) {
      const y = ys[part];
      let [bx, by] = [Number.NaN, Number.NaN];
      for (let i = 0; i < count; i += 1) {
        const [qx, qy] = [this.across(ax, x[i]), this.down(ax, y[i])];
        let distance = Math.hypot(qx - px, qy - py);
        let near = i;
        if (kind === "line" && !Number.isNaN(bx)) {
          // between two points a line is as near as it is drawn
          const [dx, dy] = [qx - bx, qy - by];
          const t = Math.min(
            1,
            Math.max(0, ((px - bx) * dx + (py - by) * dy) / (dx * dx + dy * dy || 1)),
          );
          const off = Math.hypot(bx + t * dx - px, by + t * dy - py);
          if (off < distance) [distance, near] = [off, t < 0.5 ? i - 1 : i];
        }
        if (!best || distance < best.distance) best = { distance, i: near, part };
        [bx, by] = [qx, qy];
      }
    }
    if (!best) return null;
    const value = ys[best.part][best.i];
    return { ...best, value, px: this.across(ax, x[best.i]), py: this.down(ax, value) };
  }

  /** What a click on a point singles out: a cell's or a bar's own name, else the curve's.
   * @param {Found} found */
  labelOf({ curve, i }) {
    return curve.names?.[i][0] ?? curve.label;
  }

  /** A point in words: whose it is, where, and what it is worth. @param {Found} found */
  say({ curve, ax, i, part, value }) {
    const whose = [curve.label, curve.names?.[i][0]].filter(Boolean).join(", ");
    if (curve.kind === "cells") {
      if (!Number.isFinite(value)) return whose ? `${whose}: none` : "none";
      const was = curve.parts > CELL ? `, pinned ${number(curve.ys[CELL][i])}` : "";
      return `${whose}${whose ? ": " : ""}${number(value)}${was}`;
    }
    const where = curve.byEpoch
      ? `${unit(ax)} ${Math.round(curve.x[i] - curve.x[0])}`
      : ax.xlabel
        ? `${ax.xlabel.split(";")[0]} ${written(curve.x[i], ax.x)}`
        : written(curve.x[i], ax.x);
    const line = curve.parts > 1 ? ` (coefficient ${part + 1})` : "";
    return `${whose}${line}${whose ? ", " : ""}${where}: ${written(value, ax.y)}`;
  }

  /** The values at an epoch, on the axes with this number, or on the first that go by epochs.
   * @param {number} epoch @param {number | null} index */
  reading(epoch, index) {
    const own = this.timed.some(({ axes }) => axes === index);
    const all = (own ? index : this.timed[0]?.axes) ?? -1;
    const ax = this.axes[all];
    const found = new Map();
    for (const curve of this.timed) {
      if (curve.axes !== all || curve.parts > 1 || !curve.label || found.has(curve.label)) continue;
      const place = this.placeOf(curve, epoch);
      if (place !== null) found.set(curve.label, written(curve.ys[0][place], ax.y));
    }
    const said = [...found].map(([label, value]) => `${label} ${value}`).join(", ");
    const what = said && ax.title ? `, ${ax.title.split(" after ")[0]}` : "";
    return `${ax ? unit(ax) : "epoch"} ${epoch}${what}${said ? `: ${said}` : ""}`;
  }
}
