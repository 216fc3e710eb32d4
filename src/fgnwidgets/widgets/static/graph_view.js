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
const looks = (...names) => names.filter(Boolean).map((name) => `fgn-${name}`).join(" ");
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
    return svg("rect", { x: x + (i + 0.12) * step, y: y + h - height, width: 0.76 * step, height });
  });
  const badge = number && svg("g", { class: "fgn-badge" },
    svg("circle", { cx: x, cy: y + h - 1, r: 7 }),
    svg("text", { x, y: y + h + 2.4, "text-anchor": "middle" }, number));
  return svg("g", { class: looks("message", direction, number && "sent", waiting && "waiting") },
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
  const equal = `M${x - 5},${y - 2.6}h10M${x - 5},${y + 2.6}h10`;
  return [
    svg("rect", { class: "fgn-box", x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 1.5 }),
    kind === "diverter" && svg("path", { class: "fgn-equal", d: equal }),
    label(name, "fgn-node-name"),
  ];
}

/** One row of a card: the state, its belief as a bar, its prior as a tick, the number. */
function drawRow({ text, p, prior, number, on }, part, i, onclick) {
  const { x, w, row: height } = part;
  const top = part.y + part.head + i * height;
  const [line, left, long] = [top + height / 2 + 4, x + part.bar, w - part.bar - 44];
  const bar = (look, share) => svg("rect", {
    class: look, x: left, y: top + 3, width: long * share, height: height - 6, rx: 1.5 });
  const tick = `M${left + long * prior},${top + 1}v${height - 2}`;
  return svg("g", { class: looks("row", on && "on"), onclick },
    svg("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    svg("text", { class: "fgn-state", x: x + 10, y: line }, text),
    bar("fgn-track", 1), bar("fgn-belief", p),
    prior === null ? null : svg("path", { class: "fgn-prior", d: tick }),
    svg("text", { class: "fgn-number", x: x + w - 7, y: line, "text-anchor": "end" }, number));
}

function drawCard(part, { cycle, pick, open }) {
  const { x, y, w, h, head } = part;
  return [
    svg("rect", { class: "fgn-card", x, y, width: w, height: h, rx: 4 }),
    svg("rect", { class: "fgn-stripe", x, y, width: 4, height: h, rx: 2 }),
    svg("g", { class: "fgn-head", onclick: cycle },
      svg("rect", { class: "fgn-row-hit", x: x + 4, y: y + 1, width: w - 26, height: head - 1 }),
      label({ text: part.title, x: x + 10, y: y + 14.5 }, "fgn-title"),
      label({ text: [[part.note, 0]], x: x + w - 24, y: y + 14, anchor: "end" }, "fgn-note")),
    svg("g", { class: "fgn-more", onclick: open },
      svg("rect", { class: "fgn-row-hit", x: x + w - 22, y: y + 1, width: 21, height: head - 1 }),
      ...[-4, 0, 4].map((d) => svg("circle", { cx: x + w - 12 + d, cy: y + 10.5, r: 1.3 }))),
    ...part.rows.map((row, i) => drawRow(row, part, i, pick(i))),
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
    this.life = new AbortController();
    this.build();
    el.replaceChildren(this.root);
    this.answered = () => { this.mark(false); this.draw(); this.beat(); };
    model.on("change:scene", this.answered);
    // Notebook 7 takes the arrow keys on their way down the document: the window comes before it.
    const first = { capture: true, signal: this.life.signal };
    window.addEventListener("keydown", (event) => this.key(event), first);
    window.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(this.picker?.root)) this.closePicker();
    }, first);
    this.draw();
    requestAnimationFrame(() => { // a wide drawing shows its first variable first
      const [x] = this.scene.parts.find((part) => part.id === this.focus).at;
      const { scrollWidth, clientWidth } = this.stage;
      this.stage.scrollLeft = (x / this.scene.width) * scrollWidth - clientWidth / 2;
    });
  }

  remove() {
    this.model.off("change:scene", this.answered);
    this.life.abort();
    this.pause();
    clearTimeout(this.patience);
    this.root.remove();
  }

  get scene() { return this.model.get("scene"); }

  build() {
    const menu = (name, trait, options) => html("select",
      { "aria-label": name, onchange: (e) => this.ask({ [trait]: JSON.parse(e.target.value) }) },
      ...options.map(([value, text]) => html("option", { value: JSON.stringify(value) }, text)));
    const button = (icon, name, onclick) => html("button",
      { type: "button", "aria-label": name, title: name, onclick },
      svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
    const forms = [["normal", "normal form"], ["bayes", "Bayesian graph"]];
    const starts = [[null, "uniform start"], ...[1, 2, 3].map((n) => [n, `random start ${n}`])];
    const schedules = ["two sweeps", "flooding"].map((name) => [name, name]);
    const form = menu("which drawing", "form", forms);
    const schedule = menu("schedule", "schedule", schedules);
    const start = menu("start of the messages", "start", starts);
    this.menus = { form, schedule, start };
    this.play = button("play", "play", () => this.togglePlay());
    this.slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "round",
      oninput: () => { this.pause(); this.ask({ round: Number(this.slider.value) }); } });
    this.counter = html("span", { class: "fgn-counter" });
    const film = html("span", { class: "fgn-film" },
      button("first", "first round", () => this.step(-Infinity)),
      button("back", "one round back", () => this.step(-1)),
      this.play, button("on", "one round on", () => this.step(1)), this.slider, this.counter);
    const bar = html("div", { class: "fgn-bar" }, form, film, schedule, start);
    this.picture = svg("svg", { role: "group" });
    this.stage = html("div", { class: "fgn-stage" }, this.picture);
    this.panel = html("div", { class: "fgn-panel" });
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.status = html("div", { class: "fgn-status", role: "status" });
    const body = html("div", { class: "fgn-body" }, this.stage, this.panel);
    this.root = html("div", { class: "fgn" }, bar, this.summary, this.status, body);
  }

  draw() {
    const { scene } = this;
    if (!scene?.parts) return;
    this.size(scene);
    this.drawParts(scene.parts);
    this.drawFilm(scene.film);
    const { title, lines, tables } = scene.panel;
    const paragraphs = lines.map((line) => html("p", {}, line));
    this.panel.replaceChildren(html("h4", {}, title), ...paragraphs, ...tables.map(drawTable));
    if (this.summary.textContent !== scene.summary) this.summary.textContent = scene.summary;
    if (!this.lost) this.say(scene.status);
    this.picker?.fill();
  }

  /** As large as the window is high, within bounds; too wide for its row, the panel goes below. */
  size({ width, height, name }) {
    const most = `clamp(${0.85 * width}px, ${(82 * width) / height}vh, ${1.5 * width}px)`;
    const style = `min-width: ${0.75 * width}px; max-width: ${most}`;
    change(this.picture, { viewBox: `0 0 ${width} ${height}`, "aria-label": name, style });
    this.stage.style.flexBasis = `${0.75 * width}px`;
  }

  drawParts(parts) {
    const old = this.groups;
    this.groups = new Map(parts.map(({ id }) => [id, old.get(id) ?? this.newGroup(id)]));
    if (!this.groups.has(this.focus)) {
      this.focus = (parts.find((part) => part.kind === "variable") ?? parts[0]).id;
    }
    for (const part of parts) {
      const group = this.groups.get(part.id);
      group.replaceChildren(svg("title", {}, part.name), ...this.contents(part).filter(Boolean));
      change(group, {
        class: looks("part", part.kind, part.look, part.selected && "selected"),
        style: part.hue === null ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-label": part.name, "aria-pressed": String(part.selected),
        tabindex: part.id === this.focus ? 0 : -1,
      });
    }
    this.arrange([...this.groups.values()]);
  }

  /** Elements are moved only where their order changed, since a moved one loses the focus. */
  arrange(groups) {
    const { children } = this.picture;
    if (groups.length === children.length && groups.every((g, i) => g === children[i])) return;
    const active = groups.find((group) => group === this.root.getRootNode().activeElement);
    this.picture.replaceChildren(...groups);
    active?.focus();
  }

  newGroup(id) {
    const onfocus = () => {
      this.groups.get(this.focus)?.setAttribute("tabindex", -1);
      this.groups.get(id)?.setAttribute("tabindex", 0);
      this.focus = id;
    };
    return svg("g", { role: "button", "data-part": id, onclick: () => this.press(id), onfocus });
  }

  contents(part) {
    if (part.kind === "branch") return drawBranch(part);
    if (part.kind !== "variable") return drawNode(part);
    const alone = (action) => (event) => { event.stopPropagation(); action(); };
    return drawCard(part, {
      cycle: alone(() => this.cycle(part)),
      open: alone(() => this.openPicker(part.variable)),
      pick: (i) => alone(() => this.observe(part.variable, part.rows[i].on ? null : i)),
    });
  }

  drawFilm({ round, last, text }) {
    change(this.slider, { max: last, "aria-valuetext": text });
    if (Number(this.slider.value) !== round) this.slider.value = round;
    this.counter.textContent = text;
    for (const [trait, menu] of Object.entries(this.menus)) {
      menu.value = JSON.stringify(this.model.get(trait) ?? null); // a page's Python has no null
    }
    this.menus.form.hidden = !this.scene.forms.includes("bayes");
  }

  /* -- asking Python -- */

  ask(traits) {
    const changed = ([name, value]) => !same(this.model.get(name), value);
    const news = Object.entries(traits).filter(changed);
    if (!news.length) return;
    for (const [name, value] of news) this.model.set(name, value);
    this.model.save_changes();
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.mark(true), PATIENCE);
  }

  /** Whether the kernel is silent; the next answer ends it. */
  mark(lost) {
    clearTimeout(this.patience);
    this.lost = lost;
    this.root.classList.toggle("fgn-lost", lost);
    if (!lost) return;
    this.pause();
    this.say("disconnected: run this cell again (or wait, if the kernel is busy)");
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
    this.show("pause");
    const { round, last } = this.scene.film;
    if (round >= last) this.ask({ round: 0 });
    else this.beat();
  }

  pause() { this.show("play"); }

  /** What the button does next: play or pause. */
  show(name) {
    clearTimeout(this.next);
    this.playing = name === "pause";
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

  /* -- the picker and the keyboard -- */

  openPicker(variable) {
    this.closePicker();
    this.picker = new Picker(this, variable);
  }

  closePicker() {
    this.picker?.root.remove();
    this.picker = null;
  }

  key(event) {
    const held = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (held || !event.composedPath().includes(this.root)) return;
    const id = event.target.closest?.("[data-part]")?.dataset.part;
    const part = this.scene.parts.find((p) => p.id === id);
    const done = event.key === "Escape" ? this.escape() : part && this.keyOn(part, event.key);
    if (done) event.preventDefault();
    // The notebook would take these too; menus and bars still act on what is not prevented.
    const ours = event.key in ARROWS || event.key === " " || event.key === "Enter";
    if (done || ours) event.stopImmediatePropagation();
  }

  /** What a key does to a part that has the focus; true if it does anything. */
  keyOn(part, key) {
    if (key in ARROWS) this.move(part, ARROWS[key]);
    else if (key === "Enter" && part.variable !== undefined) this.openPicker(part.variable);
    else if (key === "Enter" || key === " ") this.press(part.id);
    else return false;
    return true;
  }

  escape() {
    if (this.picker) {
      this.groups.get(`variable:${this.picker.variable}`)?.focus();
      this.closePicker();
    } else {
      this.ask({ selected: null });
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
    const best = this.scene.parts.reduce((a, b) => (cost(b) < cost(a) ? b : a));
    if (cost(best) < Infinity) this.groups.get(best.id).focus();
  }
}

/** All evidence that one variable can have: a state, likelihoods as bars to drag, nothing. */
class Picker {
  constructor(view, variable) {
    this.view = view;
    this.variable = variable;
    const button = (text, value) => html("button",
      { type: "button", onclick: () => view.observe(variable, value) }, text);
    this.rows = this.part.rows.map(({ full }, i) => ({
      button: button(full, i),
      bar: html("input", { type: "range", min: 0, max: 100, "aria-label": `likelihood of ${full}`,
        oninput: () => this.soften() }),
      number: html("span", { class: "fgn-number" }),
    }));
    this.none = button("nothing observed", null);
    const named = { role: "dialog", "aria-label": `evidence on ${variable}` };
    this.root = html("div", { class: "fgn-picker", ...named },
      html("strong", {}, variable),
      html("span", { class: "fgn-hint" }, "pick a state, or drag likelihoods"),
      ...this.rows.flatMap(({ button, bar, number }) => [button, bar, number]), this.none);
    view.root.append(this.root);
    this.fill();
    this.place();
    this.rows[0].button.focus();
  }

  get part() { return this.view.scene.parts.find((part) => part.variable === this.variable); }

  /** Over the panel, where it hides no beliefs; below the card where the panel is not beside. */
  place() {
    const { root, stage: drawn, panel: words, groups } = this.view;
    const frame = groups.get(this.part.id).querySelector(".fgn-card");
    const [home, stage, panel, card] =
      [root, drawn, words, frame].map((e) => e.getBoundingClientRect());
    const beside = panel.left >= stage.right;
    const left = (beside ? panel.left + 8 : card.left) - home.left;
    const top = (beside ? card.top : card.bottom + 6) - home.top;
    const { offsetWidth, offsetHeight, style } = this.root;
    style.left = `${Math.max(0, Math.min(left, home.width - offsetWidth - 4))}px`;
    style.top = `${Math.max(0, Math.min(top, home.height - offsetHeight - 4))}px`;
  }

  fill() {
    if (!this.part) return this.view.closePicker();
    const now = this.view.evidenceOn(this.variable);
    const active = this.root.getRootNode().activeElement;
    for (const [i, { button, bar, number }] of this.rows.entries()) {
      const value = Array.isArray(now) ? now[i] : now === null || now === i ? 1 : 0;
      button.setAttribute("aria-pressed", String(now === i));
      bar.style.setProperty("--v", percent(value));
      if (bar !== active) bar.value = Math.round(100 * value); // else it may be in someone's hand
      number.textContent = value.toFixed(2);
    }
    this.none.setAttribute("aria-pressed", String(now === null));
  }

  soften() {
    const values = this.rows.map(({ bar }) => Number(bar.value) / 100);
    if (values.some((value) => value > 0)) this.view.observe(this.variable, values);
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.remove();
  },
};
