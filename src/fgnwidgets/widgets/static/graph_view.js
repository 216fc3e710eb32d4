/* The living graph: draws the scene that Python made, and reports what is clicked.
 *
 *   scene    a plain value: the parts with their places, the panel, the film, the summary
 *   part     a branch, a node or a card; what the pointer and the arrow keys choose from
 *   card     a variable with the bars of its belief; its head cycles the evidence, a row picks it
 *   picker   the popover with all kinds of evidence on one variable
 *   ask      to set traits; Python answers every question with a new scene
 *
 * Nothing of the model is computed here. Texts of users enter as text nodes only, never as markup;
 * no element has an id, so that any number of views share a page. */

const PATIENCE = 3000; // ms without an answer until the view calls itself disconnected
const BEAT = 750; // ms between two rounds of the film
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const element = (make) => (tag, attributes = {}, ...children) => {
  const node = make(tag);
  change(node, attributes);
  node.append(...children.filter((child) => child !== null));
  return node;
};
const html = element((tag) => document.createElement(tag));
const svg = element((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

const ICONS = {
  first: "M2 2h2v10H2zM12 2v10L5 7z",
  back: "M10 2v10L3 7z",
  play: "M3 1.5v11L12 7z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
  on: "M3 2v10l5-5zM9 2h2v10H9z",
};

const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);
const percent = (value) => `${Math.round(100 * value)}%`;

/* ---- drawing ------------------------------------------------------------------------------ */

/** A name in runs, each raised (1), lowered (-1) or on the line (0). */
function label({ text, x, y, anchor }, look) {
  let height = 0;
  const spans = text.map(([piece, raised]) => {
    const dy = 4.5 * (height - raised);
    height = raised;
    return svg("tspan", { class: raised ? "fgn-raised" : null, dy }, piece);
  });
  return svg("text", { class: look, x, y, "text-anchor": anchor }, ...spans);
}

function triangle(x, y, [dx, dy], size) {
  const at = (along, across) =>
    `${x + along * dx * size - across * dy * size},${y + along * dy * size + across * dx * size}`;
  return svg("polygon", { points: `${at(0, 0)} ${at(-1.6, 0.7)} ${at(-1.6, -0.7)}` });
}

/** A message as small bars; the triangle says which way it travels. */
function drawMessage({ x, y, w, h, direction, towards, values, number, waiting }) {
  const step = w / values.length;
  const bars = values.map((value, i) => {
    const height = value > 0 ? Math.max(value * (h - 2), 0.75) : 0;
    return svg("rect", { x: x + i * step + 0.12 * step, y: y + h - height, width: 0.76 * step, height });
  });
  const badge = number && svg("g", { class: "fgn-badge" },
    svg("circle", { cx: x, cy: y + h - 1, r: 7 }),
    svg("text", { x, y: y + h + 2.4, "text-anchor": "middle" }, number));
  return svg("g", { class: `fgn-message fgn-${direction}${number ? " fgn-sent" : ""}${waiting ? " fgn-waiting" : ""}` },
    svg("rect", { class: "fgn-frame", x, y, width: w, height: h, rx: 2 }), ...bars,
    triangle(x + w / 2, y - 6 + 3.2 * towards[1], towards, 4), badge || null);
}

function drawBranch({ points, arrow, ends, label: name, messages }) {
  const d = "M" + points.map((point) => point.join(",")).join("L");
  return [
    svg("path", { class: "fgn-hit", d }),
    svg("path", { class: "fgn-wire", d }),
    svg("g", { class: "fgn-arrow" }, triangle(arrow.x, arrow.y, arrow.towards, 5.5)),
    ...ends.map(([cx, cy]) => svg("circle", { class: "fgn-ends", cx, cy, r: 3.5 })),
    name && label(name, "fgn-name"),
    ...messages.map(drawMessage),
  ];
}

function drawNode({ kind, x, y, w, h, label: name }) {
  return [
    svg("rect", { class: "fgn-box", x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 1.5 }),
    kind === "diverter" && svg("path", { class: "fgn-equal", d: `M${x - 5},${y - 2.6}h10M${x - 5},${y + 2.6}h10` }),
    label(name, "fgn-node-name"),
  ];
}

/** One row of a card: the state, its belief as a bar, its prior as a tick, the number. */
function drawRow({ text, p, prior, number, on }, part, i, onclick) {
  const { x, w, row: height } = part;
  const top = part.y + part.head + i * height;
  const [left, long] = [x + part.bar, w - part.bar - 44];
  const bar = (look, share) => svg("rect", { class: look, x: left, y: top + 3, width: long * share, height: height - 6, rx: 1.5 });
  return svg("g", { class: on ? "fgn-row fgn-on" : "fgn-row", onclick },
    svg("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    svg("text", { class: "fgn-state", x: x + 10, y: top + height / 2 + 4 }, text),
    bar("fgn-track", 1), bar("fgn-belief", p),
    prior === null ? null : svg("path", { class: "fgn-prior", d: `M${left + long * prior},${top + 1}v${height - 2}` }),
    svg("text", { class: "fgn-number", x: x + w - 7, y: top + height / 2 + 4, "text-anchor": "end" }, number));
}

function drawCard(part, { cycle, pick, open }) {
  const { x, y, w, h, head } = part;
  return [
    svg("rect", { class: "fgn-card", x, y, width: w, height: h, rx: 4 }),
    svg("rect", { class: "fgn-stripe", x, y, width: 4, height: h, rx: 2 }),
    svg("g", { class: "fgn-head", onclick: cycle },
      svg("rect", { class: "fgn-row-hit", x: x + 4, y: y + 1, width: w - 26, height: head - 1 }),
      label({ text: part.title, x: x + 10, y: y + 14.5 }, "fgn-title"),
      svg("text", { class: "fgn-note", x: x + w - 24, y: y + 14, "text-anchor": "end" }, part.note)),
    svg("g", { class: "fgn-more", onclick: open },
      svg("rect", { class: "fgn-row-hit", x: x + w - 22, y: y + 1, width: 21, height: head - 1 }),
      ...[-4, 0, 4].map((d) => svg("circle", { cx: x + w - 12 + d, cy: y + 10.5, r: 1.3 }))),
    ...part.rows.map((row, i) => drawRow(row, part, i, (event) => pick(i, event))),
  ];
}

function drawTable({ caption, head, rows, look }) {
  const cell = (entry) => Array.isArray(entry)
    ? html("td", { class: `fgn-${look}`, style: `--v:${percent(entry[1])}` }, entry[0])
    : html("th", { scope: "row" }, entry);
  return html("table", {},
    caption ? html("caption", {}, caption) : null,
    html("thead", {}, html("tr", {}, ...head.map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell)))));
}

/* ---- the view ----------------------------------------------------------------------------- */

class View {
  constructor(model, el) {
    this.model = model;
    this.groups = new Map(); // id of a part -> its group: kept, so that the focus stays
    this.focus = null;
    this.playing = false;
    this.build();
    el.replaceChildren(this.root);
    this.answered = () => { this.disarm(); this.draw(); this.beat(); };
    this.onKey = (event) => this.key(event);
    this.onPress = (event) => {
      if (this.picker && !event.composedPath().includes(this.picker)) this.closePicker();
    };
    model.on("change:scene", this.answered);
    // Notebook 7 takes the arrow keys while they go down through the document: the window is before it.
    window.addEventListener("keydown", this.onKey, true);
    window.addEventListener("pointerdown", this.onPress, true);
    this.draw();
  }

  remove() {
    this.model.off("change:scene", this.answered);
    window.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("pointerdown", this.onPress, true);
    this.pause();
    clearTimeout(this.patience);
    this.root.remove();
  }

  get scene() { return this.model.get("scene"); }

  build() {
    this.form = html("select", { "aria-label": "which drawing", onchange: () => this.ask({ form: this.form.value }) },
      html("option", { value: "normal" }, "normal form"), html("option", { value: "bayes" }, "Bayesian graph"));
    this.schedule = html("select", { "aria-label": "schedule", onchange: () => this.ask({ schedule: this.schedule.value }) },
      html("option", { value: "two sweeps" }, "two sweeps"), html("option", { value: "flooding" }, "flooding"));
    this.start = html("select", { "aria-label": "start of the messages", onchange: () => this.ask({ start: JSON.parse(this.start.value) }) },
      html("option", { value: "null" }, "uniform start"),
      ...[1, 2, 3].map((seed) => html("option", { value: String(seed) }, `random start ${seed}`)));
    const button = (icon, name, onclick) => html("button", { type: "button", "aria-label": name, title: name, onclick },
      svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
    this.play = button("play", "play", () => this.togglePlay());
    this.slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "round",
      oninput: () => { this.pause(); this.ask({ round: Number(this.slider.value) }); } });
    this.counter = html("span", { class: "fgn-counter" });
    this.bar = html("div", { class: "fgn-bar" }, this.form, html("span", { class: "fgn-film" },
      button("first", "first round", () => this.step(-Infinity)), button("back", "one round back", () => this.step(-1)), this.play,
      button("on", "one round on", () => this.step(1)), this.slider, this.counter), this.schedule, this.start);
    this.picture = svg("svg", { role: "group" });
    this.panel = html("div", { class: "fgn-panel" });
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.status = html("div", { class: "fgn-status", role: "status" });
    this.stage = html("div", { class: "fgn-stage" }, this.picture);
    this.root = html("div", { class: "fgn" }, this.bar, this.summary, this.status,
      html("div", { class: "fgn-body" }, this.stage, this.panel));
  }

  draw() {
    const { scene } = this;
    if (!scene || !scene.parts) return;
    const { width, height } = scene;
    change(this.picture, { viewBox: `0 0 ${width} ${height}`, "aria-label": scene.name, // as large as the window is high
      style: `min-width:${0.75 * width}px;max-width:clamp(${0.85 * width}px,${(82 * width) / height}vh,${1.5 * width}px)` });
    this.stage.style.flexBasis = `${0.75 * width}px`; // too wide for its row: the panel goes below
    this.drawParts(scene.parts);
    this.drawFilm(scene.film);
    const { title, lines, tables } = scene.panel;
    this.panel.replaceChildren(html("h4", {}, title), ...lines.map((line) => html("p", {}, line)), ...tables.map(drawTable));
    if (this.summary.textContent !== scene.summary) this.summary.textContent = scene.summary;
    if (!this.lost) this.say(scene.status);
    if (this.picker) this.fillPicker();
  }

  drawParts(parts) {
    const old = this.groups;
    this.groups = new Map();
    if (!parts.some((part) => part.id === this.focus)) this.focus = (parts.find((p) => p.kind === "variable") ?? parts[0]).id;
    for (const part of parts) {
      const group = old.get(part.id) ?? this.newGroup(part.id);
      group.replaceChildren(svg("title", {}, part.name), ...this.contents(part).filter(Boolean));
      change(group, { class: `fgn-part fgn-${part.kind}${part.look ? " fgn-" + part.look : ""}${part.selected ? " fgn-selected" : ""}`,
        style: part.hue === null ? null : `--hue:var(--fgn-hue-${part.hue})`,
        "aria-label": part.name, "aria-pressed": String(part.selected), tabindex: part.id === this.focus ? 0 : -1 });
      this.groups.set(part.id, group);
    }
    const wanted = [...this.groups.values()];
    if (wanted.length !== this.picture.children.length || wanted.some((g, i) => g !== this.picture.children[i])) {
      const active = wanted.find((g) => g === document.activeElement);
      this.picture.replaceChildren(...wanted);
      active?.focus();
    }
  }

  newGroup(id) {
    return svg("g", { role: "button", "data-part": id, onclick: () => this.press(id),
      onfocus: () => { this.groups.get(this.focus)?.setAttribute("tabindex", -1); this.focus = id; this.groups.get(id)?.setAttribute("tabindex", 0); } });
  }

  contents(part) {
    if (part.kind === "branch") return drawBranch(part);
    if (part.kind !== "variable") return drawNode(part);
    return drawCard(part, {
      cycle: (event) => { event.stopPropagation(); this.cycle(part); },
      open: (event) => { event.stopPropagation(); this.openPicker(part.variable); },
      pick: (i, event) => { event.stopPropagation(); this.observe(part.variable, this.evidenceOn(part.variable) === i ? null : i); },
    });
  }

  drawFilm({ round, last, text }) {
    change(this.slider, { max: last, "aria-valuetext": text });
    if (Number(this.slider.value) !== round) this.slider.value = round;
    this.counter.textContent = text;
    this.form.value = this.model.get("form");
    this.form.hidden = !this.scene.forms.includes("bayes");
    this.schedule.value = this.model.get("schedule");
    this.start.value = JSON.stringify(this.model.get("start"));
  }

  /* -- asking Python -- */

  ask(traits) {
    const news = Object.entries(traits).filter(([name, value]) => !same(this.model.get(name), value));
    if (!news.length) return;
    for (const [name, value] of news) this.model.set(name, value);
    this.model.save_changes();
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.arm(), PATIENCE);
  }

  arm() {
    this.lost = true;
    this.pause();
    this.root.classList.add("fgn-lost");
    this.say("disconnected: run this cell again (or wait, if the kernel is busy)");
  }

  disarm() {
    clearTimeout(this.patience);
    this.lost = false;
    this.root.classList.remove("fgn-lost");
  }

  say(text) { if (this.status.textContent !== text) this.status.textContent = text; }

  evidenceOn(variable) { return this.model.get("evidence")[variable] ?? null; }

  observe(variable, value) {
    const evidence = { ...this.model.get("evidence") };
    if (value === null) delete evidence[variable];
    else evidence[variable] = value;
    this.ask({ evidence, selected: `variable:${variable}` });
  }

  /** None, the first state, ..., the last, none. */
  cycle({ variable, rows }) {
    const now = this.evidenceOn(variable);
    if (now === null) this.observe(variable, 0);
    else this.observe(variable, Number.isInteger(now) && now + 1 < rows.length ? now + 1 : null);
  }

  press(id) {
    const part = this.scene.parts.find((p) => p.id === id);
    if (part.variable !== undefined) this.cycle(part);
    else this.ask({ selected: part.selected ? null : part.selects ?? id });
  }

  /* -- the film -- */

  step(by) {
    this.pause();
    const { last } = this.scene.film;
    this.ask({ round: Math.min(last, Math.max(0, this.model.get("round") + by)) });
  }

  togglePlay() {
    if (this.playing) return this.pause();
    this.showPlaying(true);
    const { round, last } = this.scene.film;
    if (round >= last) this.ask({ round: 0 });
    else this.beat();
  }

  pause() {
    clearTimeout(this.next);
    this.showPlaying(false);
  }

  showPlaying(playing) {
    this.playing = playing;
    const name = playing ? "pause" : "play";
    change(this.play, { "aria-label": name, title: name });
    this.play.querySelector("path").setAttribute("d", ICONS[name]);
  }

  /** The next round comes after the answer to the last one, so a slow kernel is never flooded. */
  beat() {
    clearTimeout(this.next);
    if (!this.playing) return;
    const { round, last } = this.scene.film;
    if (round >= last) this.pause();
    else this.next = setTimeout(() => this.ask({ round: round + 1 }), BEAT);
  }

  /* -- the picker -- */

  openPicker(variable) {
    this.closePicker();
    this.picked = variable;
    this.picker = html("div", { class: "fgn-picker", role: "dialog", "aria-label": `evidence on ${variable}` });
    this.root.append(this.picker);
    this.fillPicker();
    this.placePicker();
    this.picker.querySelector("button").focus();
  }

  placePicker() {
    const card = this.groups.get(`variable:${this.picked}`).getBoundingClientRect();
    const home = this.root.getBoundingClientRect();
    const left = Math.min(card.right - home.left + 6, home.width - this.picker.offsetWidth - 4);
    this.picker.style.left = `${Math.max(0, left)}px`;
    this.picker.style.top = `${card.top - home.top}px`;
  }

  /** Made once, then brought up to date: a bar that is being dragged must stay the same element. */
  fillPicker() {
    const part = this.scene.parts.find((p) => p.variable === this.picked);
    if (!part) return this.closePicker();
    if (!this.picker.children.length) this.buildPicker(part);
    const now = this.evidenceOn(this.picked);
    for (const [i, { button, bar, number }] of this.rows.entries()) {
      const value = Array.isArray(now) ? now[i] : now === null || now === i ? 1 : 0;
      button.setAttribute("aria-pressed", String(now === i));
      bar.style.setProperty("--v", percent(value));
      if (this.root.ownerDocument.activeElement !== bar) bar.value = Math.round(100 * value);
      number.textContent = value.toFixed(2);
    }
    this.none.setAttribute("aria-pressed", String(now === null));
  }

  buildPicker(part) {
    this.rows = part.rows.map((row, i) => ({
      button: html("button", { type: "button", onclick: () => this.observe(part.variable, i) }, row.full),
      bar: html("input", { type: "range", min: 0, max: 100, "aria-label": `likelihood of ${row.full}`, oninput: () => this.soften(part.variable) }),
      number: html("span", { class: "fgn-number" }),
    }));
    this.none = html("button", { type: "button", onclick: () => this.observe(part.variable, null) }, "nothing observed");
    this.picker.replaceChildren(
      html("strong", {}, part.variable), html("span", { class: "fgn-hint" }, "pick a state, or drag likelihoods"),
      ...this.rows.flatMap(({ button, bar, number }) => [button, bar, number]), this.none);
  }

  soften(variable) {
    const values = this.rows.map(({ bar }) => Number(bar.value) / 100);
    if (values.some((value) => value > 0)) this.observe(variable, values);
  }

  closePicker() {
    this.picker?.remove();
    this.picker = null;
  }

  /* -- the keyboard -- */

  key(event) {
    if (!event.composedPath().includes(this.root) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const id = event.target.closest?.("[data-part]")?.dataset.part;
    const part = this.scene.parts.find((p) => p.id === id);
    let done = true;
    if (event.key === "Escape") this.escape();
    else if (part && event.key in ARROWS) this.move(part, ARROWS[event.key]);
    else if (part && event.key === " ") this.press(part.id);
    else if (part && event.key === "Enter") part.variable === undefined ? this.press(part.id) : this.openPicker(part.variable);
    else done = false;
    if (done) event.preventDefault();
    if (done || event.key in ARROWS || event.key === "Enter" || event.key === " ") event.stopImmediatePropagation();
  }

  escape() {
    if (!this.picker) return this.ask({ selected: null });
    this.closePicker();
    this.groups.get(`variable:${this.picked}`)?.focus();
  }

  /** To the nearest part in a direction; what lies aside counts twice. */
  move(from, [dx, dy]) {
    const cost = ({ at }) => {
      const [x, y] = [at[0] - from.at[0], at[1] - from.at[1]];
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy + y * dx) : Infinity;
    };
    const best = this.scene.parts.reduce((a, b) => (cost(b) < cost(a) ? b : a));
    if (cost(best) < Infinity) this.groups.get(best.id).focus();
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.remove();
  },
};
