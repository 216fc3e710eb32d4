/* The living graph: draws the scene that Python made, and reports what is clicked.
 *
 *   scene    a plain value: the parts with their places, the panel, the film, the summary
 *   part     a branch, a node or a card; what the pointer and the arrow keys choose from
 *   card     a variable with the bars of its belief; its head cycles the evidence, a row picks it
 *   picker   the popover with all kinds of evidence on one variable
 *   ask      to set traits; Python answers every question with a new scene
 *   band     what of the page is in sight: the panel keeps within it
 *   zoom     null: as wide as there is room, and legible; "whole": all in sight; or a scale
 *
 * Nothing of the model is computed here. Texts of users enter as text nodes only, never as markup;
 * no element has an id, so that any number of views share a page. */

const PATIENCE = 3000; // ms without an answer until the view calls itself disconnected
const BEAT = 750; // ms between two rounds of the film
const GLIDE = 250; // ms that a part takes to a new place
const ZOOM = { least: 0.2, most: 3, step: 1.25, legible: 1, largest: 1.5 };
const NARROW = 680; // px of the view, below which the panel lies under the drawing
const calm = matchMedia("(prefers-reduced-motion: reduce)");
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
  undo: "M5 1 1 4.5 5 8V5.7h3.5a2.4 2.4 0 0 1 0 4.8H4V12h4.5a3.9 3.9 0 0 0 0-7.8H5z",
  redo: "M9 1l4 3.5L9 8V5.7H5.5a2.4 2.4 0 0 0 0 4.8H10V12H5.5a3.9 3.9 0 0 1 0-7.8H9z",
  smaller: "M2 6h10v2H2z",
  larger: "M6 2h2v4h4v2H8v4H6V8H2V6h4z",
  whole: "M1 1h4.5v1.6H2.6v2.9H1zM8.5 1H13v4.5h-1.6V2.6H8.5zM1 8.5h1.6v2.9h2.9V13H1zM11.4 8.5H13V13H8.5v-1.6h2.9z",
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
    svg("rect", { class: "fgn-target", x: x - 12, y: y - 12, width: 24, height: 24 }),
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
  const edge = height > 16 ? 5 : 2;
  const bar = (look, share) => svg("rect", {
    class: look, x: left, y: top + edge, width: long * share, height: height - 2 * edge, rx: 1.5 });
  const tick = `M${left + long * prior},${top + edge - 2}v${height - 2 * edge + 4}`;
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
      svg("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 29, height: head }),
      label({ text: part.title, x: x + 10, y: y + 16.5 }, "fgn-title"),
      label({ text: [[part.note, 0]], x: x + w - 27, y: y + 16, anchor: "end" }, "fgn-note")),
    svg("g", { class: "fgn-more", onclick: open },
      svg("rect", { class: "fgn-row-hit", x: x + w - 25, y, width: 24, height: head }),
      ...[-4, 0, 4].map((d) => svg("circle", { cx: x + w - 13 + d, cy: y + 12.5, r: 1.3 }))),
    ...part.rows.map((row, i) => drawRow(row, part, i, pick(i))),
  ];
}

/** A table; ``first`` makes what stands at the head of a row, else its text does. */
function drawTable({ caption, head, rows, look }, first = (text) => text) {
  const cell = (entry, i) => Array.isArray(entry)
    ? html("td", { class: `fgn-${look}`, style: `--v:${percent(entry[1])}` }, entry[0])
    : html("th", { scope: "row" }, first(entry, i));
  return html("table", {},
    caption ? html("caption", {}, caption) : null,
    html("thead", {}, html("tr", {}, ...head.map((text) =>
      text ? html("th", { scope: "col" }, text) : html("td", {})))),
    html("tbody", {}, ...rows.map((row, i) =>
      html("tr", {}, ...row.map((entry) => cell(entry, i))))));
}

/* ---- the view ----------------------------------------------------------------------------- */

class View {
  constructor(model, el) {
    this.model = model;
    this.places = new Map(); // id of a part -> where it was
    this.groups = new Map(); // id of a part -> its group: kept, so that the focus stays
    this.focus = null;
    this.life = new AbortController();
    this.build();
    el.replaceChildren(this.root);
    // A model that loses its kernel says so; one that was stored has none from the start.
    // A late answer of the old kernel changes nothing of that: the cell makes a new model.
    this.gone = false;
    this.parted = () => {
      this.gone = true;
      this.mark(true);
    };
    model.on("comm_live_update", this.parted);
    this.answered = () => { this.mark(this.gone); this.draw(); this.beat(); };
    model.on("change:scene", this.answered);
    // Notebook 7 takes the arrow keys on their way down the document: the window comes before it.
    const first = { capture: true, signal: this.life.signal };
    window.addEventListener("keydown", (event) => this.key(event), first);
    window.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(this.picker?.root)) this.closePicker();
    }, first);
    this.draw();
    const { signal } = this.life;
    this.sizes = new ResizeObserver(() => this.size());
    this.sizes.observe(this.root);
    requestAnimationFrame(() => { // once the view is on the page
      if (this.root.closest(".jupyter-widgets-disconnected")) this.parted();
    });
    window.addEventListener("resize", () => this.size(), { signal });
    document.addEventListener("scroll", () => this.follow(), { capture: true, passive: true, signal });
  }

  remove() {
    this.model.off("change:scene", this.answered);
    this.life.abort();
    this.sizes.disconnect();
    this.model.off("comm_live_update", this.parted);
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
    this.zoom = null;
    this.undo = button("undo", "undo (Ctrl+Z)", () => this.tell("undo"));
    this.redo = button("redo", "redo (Ctrl+Shift+Z)", () => this.tell("redo"));
    const tools = html("span", { class: "fgn-film" }, this.undo, this.redo,
      button("smaller", "smaller", () => this.rescale(1 / ZOOM.step)),
      button("larger", "larger", () => this.rescale(ZOOM.step)),
      button("whole", "all in sight", () => this.rescale(null)));
    const bar = html("div", { class: "fgn-bar" }, form, film, schedule, start, tools);
    this.picture = svg("svg", { role: "group" });
    this.stage = html("div", { class: "fgn-stage" }, this.picture);
    const named = { role: "region", "aria-label": "what is selected", tabindex: 0 };
    this.panel = html("div", { class: "fgn-panel", ...named });
    this.unfolded = false; // whether all messages are on show
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.status = html("div", { class: "fgn-status", role: "status" });
    this.body = html("div", { class: "fgn-body" }, this.stage, this.panel);
    this.root = html("div", { class: "fgn" }, bar, this.summary, this.status, this.body);
  }

  draw() {
    const { scene } = this;
    if (!scene?.parts) return;
    this.size();
    this.drawParts(scene.parts);
    this.drawFilm(scene.film);
    this.drawPanel(scene.panel);
    change(this.undo, { disabled: !scene.undo });
    change(this.redo, { disabled: !scene.redo });
    if (this.summary.textContent !== scene.summary) this.summary.textContent = scene.summary;
    if (!this.lost) this.say(scene.status);
    this.picker?.fill();
  }

  drawPanel({ title, lines, tables, more, variable }) {
    const held = this.panel.contains(this.root.getRootNode().activeElement) &&
      this.root.getRootNode().activeElement.dataset.state;
    const first = variable === undefined ? undefined : (text, i) => this.stateButton(variable, text, i);
    const fold = more && html("details", { open: this.unfolded,
      ontoggle: (e) => { this.unfolded = e.target.open; this.follow(); } },
      html("summary", {}, more.caption), drawTable({ ...more, caption: "" }));
    this.panel.replaceChildren(html("h4", {}, title), ...lines.map((line) => html("p", {}, line)),
      ...tables.map((table) => drawTable(table, first)), ...(fold ? [fold] : []));
    if (held) this.panel.querySelector(`[data-state="${held}"]`)?.focus();
    this.follow();
  }

  /** The name of a state in the panel: large enough for any finger, however small the drawing is. */
  stateButton(variable, text, i) {
    const { on } = this.scene.parts.find((part) => part.variable === variable)?.rows[i] ?? {};
    return html("button", { type: "button", "aria-pressed": String(!!on), "data-state": i + 1,
      onclick: () => this.observe(variable, on ? null : i) }, text);
  }

  /** Never wider than its room unless it was enlarged; as high as the window, if it stays legible. */
  size() {
    const { width, height, name } = this.scene;
    const { clientWidth } = this.root;
    this.root.classList.toggle("fgn-narrow", clientWidth > 0 && clientWidth < NARROW);
    const [room, high] = [(this.stage.clientWidth || width) / width, window.innerHeight / height];
    const best = { null: Math.min(room, Math.max(ZOOM.legible, 0.82 * high), ZOOM.largest),
      whole: Math.min(room, 0.72 * high, ZOOM.largest) };
    this.scale = best[this.zoom] ?? this.zoom;
    const [w, h] = [width, height].map((length) => `${(this.scale * length).toFixed(1)}px`);
    change(this.picture, { viewBox: `0 0 ${width} ${height}`, width: w, height: h, "aria-label": name });
    this.follow();
  }

  rescale(by) {
    const scale = Math.min(Math.max(this.scale * by, ZOOM.least), ZOOM.most);
    this.zoom = by === null ? (this.zoom === "whole" ? null : "whole") : scale;
    const { scrollLeft, clientWidth, scrollWidth } = this.stage;
    const middle = (scrollLeft + clientWidth / 2) / scrollWidth;
    this.size();
    this.stage.scrollLeft = middle * this.stage.scrollWidth - clientWidth / 2;
  }

  /** Upper and lower edge of what is in sight, in the window. */
  get band() {
    let [top, bottom] = [0, window.innerHeight];
    for (let at = this.root.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return [top, bottom];
  }

  /** The panel stays in sight while the page scrolls; `position: sticky` ends at an output's edge. */
  follow() {
    if (!this.root.isConnected) return;
    const [top, bottom] = this.band;
    const { style } = this.panel;
    const narrow = this.root.classList.contains("fgn-narrow");
    style.maxHeight = narrow ? "" : `${Math.max(120, bottom - top - 12)}px`;
    const box = this.body.getBoundingClientRect();
    const room = Math.max(0, box.height - this.panel.offsetHeight);
    const shift = narrow ? this.overlap(top, bottom, box) : Math.min(Math.max(top + 4 - box.top, 0), room);
    style.transform = shift ? `translateY(${shift}px)` : "";
  }

  /** How far the panel moves over a drawing that leaves it no room: up from the foot of what is in
   * sight, over the lower half at most; or onto the top, where it would hide what is selected. */
  overlap(top, bottom, box) {
    const high = this.panel.offsetHeight;
    const shift = Math.max(Math.min(bottom - 4 - box.bottom, 0), -this.stage.offsetHeight / 2);
    const part = this.scene.parts.find(({ selected }) => selected);
    const chosen = part && this.groups.get(part.id)?.getBoundingClientRect();
    const hides = chosen && shift && chosen.bottom > box.bottom - high + shift && chosen.top < bottom;
    return hides ? Math.max(top + 4, box.top) - (box.bottom - high) : shift;
  }

  drawParts(parts) {
    const old = this.groups;
    this.groups = new Map(parts.map(({ id }) => [id, old.get(id) ?? this.newGroup(id)]));
    if (!this.groups.has(this.focus)) {
      this.focus = (parts.find((part) => part.kind === "variable") ?? parts[0]).id;
    }
    for (const part of parts) {
      const group = this.groups.get(part.id);
      this.glide(group, this.places.get(part.id), part.at);
      group.replaceChildren(svg("title", {}, part.name), ...this.contents(part).filter(Boolean));
      change(group, {
        class: looks("part", part.kind, part.look, part.selected && "selected"),
        style: part.hue === null ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-label": part.name, "aria-pressed": String(part.selected),
        tabindex: part.id === this.focus ? 0 : -1,
      });
    }
    this.places = new Map(parts.map(({ id, at }) => [id, at]));
    this.arrange([...this.groups.values()]);
  }

  /** What must move, such as into the other form, does it before the reader's eyes. */
  glide(group, from, to) {
    if (!from || calm.matches || (from[0] === to[0] && from[1] === to[1])) return;
    const way = `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)`;
    group.animate([{ transform: way }, { transform: "none" }], { duration: GLIDE, easing: "ease-out" });
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
    this.wait();
    for (const [name, value] of news) this.model.set(name, value);
    this.model.save_changes();
  }

  /** Undo or redo: Python knows what there is to take back. */
  tell(what) {
    this.model.send({ ask: what });
    this.wait();
  }

  wait() {
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
    this.say("disconnected: run this cell again, then click (or wait, if the kernel is busy)");
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
    if (!event.composedPath().includes(this.root)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z") {
      this.tell(event.shiftKey ? "redo" : "undo");
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
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
    else if (key === "Backspace") this.tell("undo");
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
    const { root: whole, stage: drawn, panel: words, groups } = this.view;
    const { root } = this;
    const frame = groups.get(this.part.id).querySelector(".fgn-card");
    const [home, stage, panel, card] =
      [whole, drawn, words, frame].map((e) => e.getBoundingClientRect());
    const beside = panel.left >= stage.right;
    const left = (beside ? panel.left + 8 : card.left) - home.left;
    const top = (beside ? card.top : card.bottom + 6) - home.top;
    const [above, below] = this.view.band.map((edge) => edge - home.top);
    const { style } = root;
    style.maxHeight = `${Math.max(120, Math.min(320, below - above - 8))}px`;
    const { offsetWidth, offsetHeight } = root;
    const highest = Math.max(0, above + 4);
    const lowest = Math.min(home.height, below) - offsetHeight - 4;
    style.left = `${Math.max(0, Math.min(left, home.width - offsetWidth - 4))}px`;
    style.top = `${Math.max(highest, Math.min(top, lowest))}px`;
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
