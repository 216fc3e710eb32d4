/* Where the curves of a chart lie: heights, ticks, and names that do not cover each other. No elements
 * here, so that all of it is tested without a browser. */

export const HIGH = 190;
const ROOM = { left: 58, right: 74, top: 16, bottom: 34 };
const LINE = 13; // px between two lines of text

/**
 * Round numbers from low to high, about so many.
 *
 * @param {number} low @param {number} high @param {number} about
 */
export function ticks(low, high, about) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * step; at += step)
    found.push(Number(at.toPrecision(12)));
  return found;
}

/**
 * Heights of lines of text, in their order, moved apart so that none covers another, and kept between
 * `top` and `foot` where there is room.
 *
 * @param {number[]} wanted @param {number} top @param {number} foot @param {number} [apart]
 */
export function spread(wanted, top, foot, apart = LINE) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const found = wanted.map((y) => Math.min(Math.max(y, top), foot));
  for (let k = 1; k < order.length; k += 1)
    found[order[k]] = Math.max(found[order[k]], found[order[k - 1]] + apart);
  const over = order.length ? found[order[order.length - 1]] - foot : 0;
  if (over > 0) {
    found[order[order.length - 1]] -= over;
    for (let k = order.length - 2; k >= 0; k -= 1)
      found[order[k]] = Math.min(found[order[k]], found[order[k + 1]] - apart);
  }
  return found;
}

/** The scales of a chart of so many pixels. */
export class Axes {
  /** @param {import("../scene").DrawnRun} drawn @param {number} width */
  constructor({ curves, levels, last }, width) {
    this.last = last;
    this.width = width;
    this.left = ROOM.left;
    this.right = width - ROOM.right;
    this.top = ROOM.top;
    this.foot = HIGH - ROOM.bottom;
    // Starts far below all that follows are cut off, so that the rest can be seen.
    const later = curves.flatMap(({ values }) => (values.length > 1 ? values.slice(1) : values));
    const all = [...later, ...levels.map(({ value }) => value)].filter((v) => v != null);
    const [low, high] = all.length
      ? [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))]
      : [-1, 0];
    const edge = 0.06 * (high - low) || 1;
    this.low = low - edge;
    this.high = high + edge;
  }

  /** @param {number} epoch */
  x(epoch) {
    return this.left + (epoch / Math.max(this.last, 1)) * (this.right - this.left);
  }

  /** The height of a likelihood; what lies below the chart is on its foot. @param {number} value */
  y(value) {
    const share = (value - this.low) / (this.high - this.low);
    return Math.min(this.foot - share * (this.foot - this.top), this.foot);
  }

  /** The epoch at so many pixels from the left. @param {number} x */
  epoch(x) {
    const share = (x - this.left) / (this.right - this.left);
    return Math.round(Math.min(Math.max(share, 0), 1) * this.last);
  }

  /** The way of a curve. @param {(number | null)[]} values */
  path(values) {
    const points = values
      .map((v, e) => (v == null ? "" : `${this.x(e).toFixed(1)},${this.y(v).toFixed(1)}`))
      .filter(Boolean);
    return points.length ? `M${points.join("L")}` : "";
  }
}
