/* The picture of a lab: shows the pixels that Python drew, says how the page looks, and answers the
 * pointer by the map that came with them.
 *
 *   look     {dark, width, ratio}: the theme, the room in the page's pixels, and how fine they are
 *   map      axes with their boxes and limits, curves with their places among the numbers
 *   chosen   the label that is singled out: on every axes that have it, all else is veiled
 *   cursor   an epoch: a line through all axes that go by epochs, and the values there
 *
 * An image stays as it is until the next one is there, and when its kernel is gone. Nothing that is
 * pointed at goes to Python. */

const PAUSE = 120; // ms without a change of the room before Python hears of it
const NEAR = 14; // px from a curve that still mean it
const STILL = 3; // px that a press may move and still be a click
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 };
const TURNS = { ArrowUp: -1, ArrowDown: 1 };

function isDark() {
  const said = document.querySelector("[data-jp-theme-light]")?.dataset.jpThemeLight;
  return said === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : said === "false";
}

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A value in so many digits as tell neighbours apart on its axis. */
function written(value, [low, high, scale]) {
  if (!Number.isFinite(value)) return "none";
  if (scale === "log") return String(Number(value.toPrecision(4)));
  const digits = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(high - low) || 1))));
  return String(Number(value.toFixed(digits)));
}

/** What can be read off a picture: the map with its numbers, in the page's pixels. */
class Plot {
  constructor(map, bytes) {
    this.axes = map.axes ?? [];
    this.ground = map.ground ?? "#ffffff";
    const whole = bytes?.byteLength ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : null;
    const numbers = whole ? new Float32Array(whole) : new Float32Array();
    this.curves = (map.curves ?? []).map((curve) => {
      const row = (k) => numbers.subarray(curve.start + k * curve.count, curve.start + (k + 1) * curve.count);
      return { ...curve, x: row(0), ys: Array.from({ length: curve.parts }, (_, k) => row(k + 1)) };
    });
    this.labels = [...new Set(this.curves.map(({ label }) => label).filter(Boolean))];
    this.timed = this.curves.filter(({ byEpoch }) => byEpoch);
    this.last = Math.max(0, ...this.timed.map(({ x }) => x.at(-1) - x[0]));
  }

  on(curve) { return this.axes[curve.axes]; }

  across(ax, value) { return this.along(ax.x, value, ax.box[0], ax.box[2]); }

  down(ax, value) { return this.along(ax.y, value, ax.box[3], ax.box[1]); }

  along([low, high, scale], value, from, to) {
    const [a, b, v] = scale === "log" ? [low, high, value].map(Math.log) : [low, high, value];
    return from + (to - from) * (v - a) / (b - a);
  }

  axesAt([x, y]) {
    return this.axes.findIndex(({ box }) => x >= box[0] - 4 && x <= box[2] + 4 && y >= box[1] - 4 && y <= box[3] + 4);
  }

  /** The epoch of a place: counted from the left end of the curves that are there. */
  epochAt(index, x) {
    const ax = this.axes[index];
    let best = null;
    for (const curve of this.timed.filter(({ axes }) => axes === index)) {
      const left = this.across(ax, curve.x[0]);
      const right = this.across(ax, curve.x[0] + Math.max(this.last, 1));
      const off = Math.max(left - x, 0, x - right);
      const epoch = (Math.min(Math.max(x, left), right) - left) / Math.max(right - left, 1e-6) * this.last;
      if (!best || off < best.off) best = { off, epoch };
    }
    return best && Math.round(best.epoch);
  }

  /** The place among a curve's points that is nearest to an epoch; null where it has not come so far. */
  placeOf(curve, epoch) {
    const wanted = curve.x[0] + epoch;
    if (wanted > curve.x.at(-1) + 0.5) return null;
    let best = 0;
    for (let i = 1; i < curve.count; i += 1) {
      if (Math.abs(curve.x[i] - wanted) < Math.abs(curve.x[best] - wanted)) best = i;
    }
    return best;
  }

  /** The nearest point of a curve to a place on the picture, or the cell that it is in. */
  nearest(at) {
    const index = this.axesAt(at);
    if (index < 0) return null;
    const ax = this.axes[index];
    let best = null;
    for (const curve of this.curves) {
      if (curve.axes !== index) continue;
      const found = curve.kind === "cells" ? this.cellAt(ax, curve, at) : this.pointNear(ax, curve, at);
      if (found && (!best || found.distance < best.distance)) best = { ...found, curve, ax };
    }
    return best && best.distance <= NEAR ? best : null;
  }

  cellAt(ax, { x, ys, count }, [px, py]) {
    const [y0, x1, y1, values] = ys;
    for (let i = 0; i < count; i += 1) {
      const [left, right] = [this.across(ax, x[i]), this.across(ax, x1[i])].sort((a, b) => a - b);
      const [top, bottom] = [this.down(ax, y0[i]), this.down(ax, y1[i])].sort((a, b) => a - b);
      if (px >= left && px < right && py >= top && py < bottom) {
        return { distance: 0, i, part: 0, value: values[i], px: (left + right) / 2, py: (top + bottom) / 2 };
      }
    }
    return null;
  }

  pointNear(ax, { kind, x, ys, count }, [px, py]) {
    let best = null;
    for (let part = 0; part < ys.length; part += 1) {
      const y = ys[part];
      let [bx, by] = [null, null];
      for (let i = 0; i < count; i += 1) {
        const [qx, qy] = [this.across(ax, x[i]), this.down(ax, y[i])];
        let distance = Math.hypot(qx - px, qy - py);
        let near = i;
        if (kind === "line" && bx !== null) { // between two points a line is as near as it is drawn
          const [dx, dy] = [qx - bx, qy - by];
          const t = Math.min(1, Math.max(0, ((px - bx) * dx + (py - by) * dy) / (dx * dx + dy * dy || 1)));
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

  /** A point in words: whose it is, where, and what it is worth. */
  say({ curve, ax, i, part, value }) {
    const whose = curve.label || "";
    const number = curve.kind === "cells" ? written(value, [0, 1]) : written(value, ax.y);
    if (curve.kind === "cells") return `${whose}: ${number}`;
    const where = curve.byEpoch ? `${ax.xlabel.startsWith("iteration") ? "iteration" : "epoch"} ${Math.round(curve.x[i] - curve.x[0])}`
      : ax.xlabel ? `${ax.xlabel.split(";")[0]} ${written(curve.x[i], ax.x)}` : written(curve.x[i], ax.x);
    const line = curve.parts > 1 ? ` (coefficient ${part + 1})` : "";
    return `${whose}${line}${whose ? ", " : ""}${where}: ${number}`;
  }

  /** The values at an epoch, on the axes with this number, or on the first that go by epochs. */
  reading(epoch, index) {
    const all = this.timed.some(({ axes }) => axes === index) ? index : this.timed[0]?.axes;
    const ax = this.axes[all];
    const found = new Map();
    for (const curve of this.timed) {
      if (curve.axes !== all || curve.parts > 1 || !curve.label || found.has(curve.label)) continue;
      const place = this.placeOf(curve, epoch);
      if (place !== null) found.set(curve.label, written(curve.ys[0][place], ax.y));
    }
    const said = [...found].map(([label, value]) => `${label} ${value}`).join(", ");
    return `epoch ${epoch}${said && ax.title ? `, ${ax.title}` : ""}${said ? `: ${said}` : ""}`;
  }
}

/** What lies over the picture: veils, curves, the cursor, the point under the pointer. */
class Reader {
  constructor(el, model) {
    this.model = model;
    this.chosen = this.cursor = this.held = this.index = null;
    this.over = svg("svg", { class: "fgn-over-picture" });
    this.tip = document.createElement("div");
    this.tip.className = "fgn-tip-box";
    this.tip.hidden = true;
    this.words = document.createElement("div");
    this.words.className = "fgn-reading";
    this.words.setAttribute("role", "status");
    this.frame = document.createElement("div");
    this.frame.className = "fgn-picture-frame";
    this.frame.append(el, this.over, this.tip);
    const on = (name, act) => this.over.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => { this.held = null; });
    on("pointerleave", () => { if (!this.held) this.point(null); });
    this.take();
  }

  take() {
    this.plot = new Plot(this.model.get("map") ?? {}, this.model.get("numbers"));
    const { plot } = this;
    const alive = plot.curves.length > 0;
    this.over.toggleAttribute("hidden", !alive);
    this.words.hidden = !alive;
    const [width, height] = this.model.get("size");
    this.over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (this.cursor !== null) this.cursor = plot.timed.length ? Math.min(this.cursor, plot.last) : null;
    this.draw();
  }

  scale() { return this.over.getBoundingClientRect().width / (this.model.get("size")[0] || 1) || 1; }

  at(event) {
    const box = this.over.getBoundingClientRect();
    return [(event.clientX - box.left) / this.scale(), (event.clientY - box.top) / this.scale()];
  }

  /* -- the pointer -- */

  press(event) {
    if (event.button) return;
    const at = this.at(event);
    this.held = { start: [event.clientX, event.clientY], at, index: this.plot.axesAt(at), moved: false };
    this.over.setPointerCapture(event.pointerId);
  }

  move(event) {
    const at = this.at(event);
    const { held } = this;
    if (!held) return this.point(this.plot.nearest(at));
    held.moved ||= Math.hypot(event.clientX - held.start[0], event.clientY - held.start[1]) > STILL;
    if (!held.moved || held.index < 0) return undefined;
    const epoch = this.plot.epochAt(held.index, at[0]);
    if (epoch === null) return undefined;
    this.point(null);
    [this.cursor, this.index] = [epoch, held.index];
    return this.draw();
  }

  release(event) {
    const { held } = this;
    this.held = null;
    if (!held || held.moved) return;
    const found = this.plot.nearest(this.at(event));
    if (found?.curve.label) this.choose(found.curve.label);
    else {
      this.chosen = this.cursor = null;
      this.draw();
    }
  }

  choose(label) {
    this.chosen = this.chosen === label ? null : label;
    this.draw();
  }

  /** The dot and the words at a point of a curve. */
  point(found) {
    this.dot?.remove();
    this.tip.hidden = !found;
    if (!found) return;
    const dot = found.curve.kind === "cells" ? { r: 3 } : { r: 4.5 };
    this.dot = svg("circle", { class: "fgn-dot", cx: found.px, cy: found.py, ...dot, fill: found.curve.color });
    this.over.append(this.dot);
    this.tip.textContent = this.plot.say(found);
    const scale = this.scale();
    const [x, y] = [found.px * scale, found.py * scale];
    const { offsetWidth, offsetHeight } = this.tip;
    this.tip.style.left = `${Math.max(0, Math.min(x + 10, this.frame.clientWidth - offsetWidth - 2))}px`;
    this.tip.style.top = `${y - offsetHeight - 8 < 0 ? y + 12 : y - offsetHeight - 8}px`;
  }

  /* -- what is drawn -- */

  draw() {
    this.over.replaceChildren();
    if (!this.tip.hidden && this.dot) this.over.append(this.dot);
    const { plot } = this;
    if (this.chosen && plot.labels.includes(this.chosen)) this.single();
    if (this.cursor !== null) this.line();
    const said = [];
    if (this.chosen && plot.labels.includes(this.chosen)) said.push(`${this.chosen} alone`);
    if (this.cursor !== null) said.push(plot.reading(this.cursor, this.index));
    this.words.textContent = said.join("; ");
    this.name();
  }

  /** Everything but the chosen label veiled, on all axes that show labels. */
  single() {
    const { plot } = this;
    const veil = { fill: plot.ground, "fill-opacity": 0.8, class: "fgn-veil" };
    plot.axes.forEach((ax, index) => {
      const curves = plot.curves.filter(({ axes, label, kind }) => axes === index && label && kind !== "cells");
      const [x0, y0, x1, y1] = ax.box;
      if (curves.length) this.over.append(svg("rect", { ...veil, x: x0 + 1, y: y0, width: x1 - x0 - 1, height: y1 - y0 - 1 }));
      for (const curve of curves) if (curve.label === this.chosen) this.strong(ax, curve);
    });
    for (const curve of plot.curves) {
      if (curve.kind !== "cells" || !curve.label || curve.label === this.chosen) continue;
      const ax = plot.on(curve);
      const [xs, ys] = [[...curve.x, ...curve.ys[1]].map((v) => plot.across(ax, v)), [...curve.ys[0], ...curve.ys[2]].map((v) => plot.down(ax, v))];
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      this.over.append(svg("rect", { ...veil, x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top }));
    }
  }

  strong(ax, curve) {
    const { plot } = this;
    const inside = ([, y]) => y >= ax.box[1] - 2 && y <= ax.box[3] + 2;
    curve.ys.forEach((ys) => {
      const points = Array.from(ys, (y, i) => [plot.across(ax, curve.x[i]), plot.down(ax, y)]).filter(([, y]) => Number.isFinite(y));
      if (curve.kind === "points") {
        points.forEach(([cx, cy]) => this.over.append(svg("circle", { cx, cy, r: 3, fill: curve.color })));
      } else {
        const d = points.filter(inside).map((point) => point.map((v) => v.toFixed(1)).join(",")).join(" ");
        this.over.append(svg("polyline", { class: "fgn-strong", points: d, stroke: curve.color,
          "stroke-width": curve.parts > 1 ? 1.6 : 2.8 }));
      }
    });
  }

  /** A line through the epoch on every axes that go by epochs, with a dot on each curve. */
  line() {
    const { plot, cursor } = this;
    const drawn = new Set();
    for (const curve of plot.timed) {
      const ax = plot.on(curve);
      const x = plot.across(ax, curve.x[0] + cursor);
      if (!drawn.has(`${curve.axes} ${x.toFixed(1)}`)) {
        drawn.add(`${curve.axes} ${x.toFixed(1)}`);
        this.over.append(svg("path", { class: "fgn-cursor-line", d: `M${x},${ax.box[1]}V${ax.box[3]}` }));
      }
      const place = curve.parts === 1 && curve.label ? plot.placeOf(curve, cursor) : null;
      if (place === null || (this.chosen && curve.label !== this.chosen)) continue;
      const cy = plot.down(ax, curve.ys[0][place]);
      if (cy >= ax.box[1] && cy <= ax.box[3]) {
        this.over.append(svg("circle", { cx: plot.across(ax, curve.x[place]), cy, r: 3.5, fill: curve.color, class: "fgn-dot" }));
      }
    }
  }

  /* -- the keyboard: left and right move the cursor, up and down choose a label -- */

  name() {
    const { plot } = this;
    const slides = plot.timed.length > 0;
    const say = (name, value) => (value === null ? this.over.removeAttribute(name) : this.over.setAttribute(name, value));
    say("tabindex", plot.curves.length ? 0 : null);
    say("role", slides ? "slider" : plot.labels.length ? "group" : null);
    say("aria-label", slides ? "epoch of the cursor; up and down single a curve out" : "curves; up and down single one out");
    say("aria-valuemin", slides ? 0 : null);
    say("aria-valuemax", slides ? plot.last : null);
    say("aria-valuenow", slides ? this.cursor ?? 0 : null);
    say("aria-valuetext", slides ? this.words.textContent || "no cursor" : null);
  }

  key(event) {
    if (event.target !== this.over || event.ctrlKey || event.metaKey || event.altKey) return;
    const { plot } = this;
    const { key } = event;
    if (key in ARROWS && plot.timed.length) {
      const step = ARROWS[key] * (event.shiftKey ? 10 : 1);
      this.cursor = Math.min(plot.last, Math.max(0, this.cursor === null ? 0 : this.cursor + step));
    } else if ((key === "Home" || key === "End") && plot.timed.length) {
      this.cursor = key === "Home" ? 0 : plot.last;
    } else if (key in TURNS && plot.labels.length) {
      const ring = [null, ...plot.labels];
      const now = ring.indexOf(this.chosen);
      this.chosen = ring[(Math.max(now, 0) + TURNS[key] + ring.length) % ring.length];
    } else if (key === "Escape") {
      this.chosen = this.cursor = null;
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.draw();
  }
}

function render({ model, el }) {
  const image = document.createElement("img");
  const reader = new Reader(image, model);
  el.classList.add("fgn-picture");
  el.replaceChildren(reader.frame, reader.words);
  let address = null;

  function show() {
    const [width, height] = model.get("size");
    image.width = width;
    image.height = height;
    const bytes = model.get("value");
    if (!bytes?.byteLength) return;
    const old = address;
    address = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    image.src = address;
    if (old) image.decode().catch(() => {}).finally(() => URL.revokeObjectURL(old));
  }

  function say() { image.alt = model.get("alt"); }

  const take = () => reader.take();

  let waiting = 0;
  function report() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const look = { dark: isDark(), width: Math.floor(el.clientWidth), ratio: devicePixelRatio };
      if (!look.width || JSON.stringify(look) === JSON.stringify(model.get("look"))) return;
      model.set("look", look);
      model.save_changes();
    }, model.get("look").width ? PAUSE : 0);
  }

  const life = new AbortController();
  const room = new ResizeObserver(report);
  room.observe(el);
  const theme = new MutationObserver(report);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", report, life);
  window.addEventListener("resize", report, life); // a zoom changes the ratio
  // Notebook 7 takes the arrow keys on their way down the document: the window comes before it.
  window.addEventListener("keydown", (event) => reader.key(event), { capture: true, signal: life.signal });
  model.on("change:value", show);
  model.on("change:value", take); // map and numbers came with it
  model.on("change:alt", say);
  show();
  say();
  return () => {
    clearTimeout(waiting);
    life.abort();
    room.disconnect();
    theme.disconnect();
    model.off("change:value", show);
    model.off("change:value", take);
    model.off("change:alt", say);
    if (!el.isConnected && address) URL.revokeObjectURL(address);
  };
}

export default { render };
