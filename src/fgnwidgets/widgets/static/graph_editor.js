/* The graph editor: draws the scene that Python made, and sends what the hand or a key asks for.
 *
 *   scene    a plain value: cards and arrows with their places, the panel, the loop, the table
 *   intent   {do, with}: a word and its arguments; Python answers every one with a new scene
 *   handle   the circle under a card: an arrow is dragged from it to another card
 *   from     the variable that an arrow is being drawn from, by pointer or by key
 *   part     a card or an arrow; what the arrow keys choose from
 *
 * Nothing of the model is decided here. Texts of users enter as text nodes only, never as markup; no
 * element has an id, so that any number of editors share a page. */

const PATIENCE = 4000; // ms without an answer until the editor says so
const STILL = 4; // px that a press may move and still be a click
const STEP = 20; // px that a key moves a card
const MOST_BYTES = 20e6; // of a file that is dropped
const ROOM = { width: 560, height: 340, least: 0.62, most: 1.25, narrow: 680 };
const CURVE = { width: 330, height: 150, left: 58, right: 8, top: 10, bottom: 20 };
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const element = (make) => (tag, attributes = {}, ...children) => {
  const node = make(tag);
  change(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== false));
  return node;
};
const html = element((tag) => document.createElement(tag));
const svg = element((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === null || value === false || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

const looks = (...names) => names.filter(Boolean).map((name) => `fgn-${name}`).join(" ");

/* ---- drawing ------------------------------------------------------------------------------ */

function title({ text, x, y }) {
  let height = 0;
  const spans = text.map(([piece, raised]) => {
    const dy = 4.5 * (height - raised);
    height = raised;
    return svg("tspan", { class: raised ? "fgn-raised" : null, dy }, piece);
  });
  return svg("text", { class: "fgn-title", x, y }, ...spans);
}

function drawRow({ text, p, number, on }, part, i) {
  const { x, w, row: height } = part;
  const top = part.y + part.head + i * height;
  const [line, left, long] = [top + height / 2 + 4, x + part.bar, w - part.bar - 44];
  const edge = height > 16 ? 5 : 2;
  const bar = (look, share) => svg("rect", {
    class: look, x: left, y: top + edge, width: long * share, height: height - 2 * edge, rx: 1.5 });
  return svg("g", { class: looks("row", on && "on"), "data-row": i },
    svg("rect", { class: "fgn-row-hit", x: x + 4, y: top, width: w - 5, height }),
    svg("text", { class: "fgn-state", x: x + 10, y: line }, text),
    number && bar("fgn-track", 1), number && bar("fgn-belief", p),
    svg("text", { class: "fgn-number", x: x + w - 7, y: line, "text-anchor": "end" }, number));
}

function drawCard(part) {
  const { x, y, w, h, head } = part;
  const [cx, cy] = [x + w / 2, y + h + 6];
  return [
    svg("rect", { class: "fgn-card", x, y, width: w, height: h, rx: part.hidden ? 14 : 4 }),
    svg("rect", { class: "fgn-stripe", x, y: y + 5, width: 4, height: h - 10, rx: 2 }),
    svg("g", { class: "fgn-head" },
      svg("rect", { class: "fgn-row-hit", x: x + 4, y, width: w - 5, height: head }),
      title({ text: part.title, x: x + 10, y: y + 16.5 }),
      svg("text", { class: "fgn-note", x: x + w - 9, y: y + 16, "text-anchor": "end" }, part.note)),
    ...part.rows.map((row, i) => drawRow(row, part, i)),
    svg("g", { class: "fgn-handle", "data-handle": part.variable },
      svg("circle", { class: "fgn-target", cx, cy, r: 13 }),
      svg("circle", { class: "fgn-knob", cx, cy, r: 8 }),
      svg("path", { class: "fgn-sign", d: `M${cx},${cy - 4}v7.5M${cx - 3},${cy + 1}l3,3.2l3,-3.2` })),
  ];
}

/** Where the line from the middle of a card leaves it. */
function border({ x, y, w, h }, [tx, ty], space) {
  const [cx, cy] = [x + w / 2, y + h / 2];
  const [dx, dy] = [tx - cx, ty - cy];
  const share = Math.min((w / 2 + space) / Math.max(Math.abs(dx), 1e-6),
    (h / 2 + space) / Math.max(Math.abs(dy), 1e-6), 1);
  return [cx + dx * share, cy + dy * share];
}

const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];

function drawLine(from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.max(Math.hypot(dx, dy), 1e-6);
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, across) =>
    `${to[0] - along * ux - across * uy},${to[1] - along * uy + across * ux}`;
  const d = `M${from.join(",")}L${to[0] - 8 * ux},${to[1] - 8 * uy}`;
  return [
    svg("path", { class: "fgn-hit", d }),
    svg("path", { class: "fgn-wire", d }),
    svg("polygon", { class: "fgn-tip", points: `${to.join(",")} ${at(11, 5)} ${at(11, -5)}` }),
  ];
}

/* ---- the editor --------------------------------------------------------------------------- */

class Editor {
  constructor(model, el) {
    this.model = model;
    this.groups = new Map(); // id of a part -> its group: kept, so that the focus stays
    this.focus = null;
    this.from = null;
    this.life = new AbortController();
    this.build();
    el.replaceChildren(this.root);
    this.answered = () => { this.mark(false); this.draw(); };
    this.learned = () => { this.mark(false); this.drawCurve(); };
    this.parted = () => this.mark(true, "disconnected: run this cell again, then go on");
    model.on("change:scene", this.answered);
    model.on("change:curve", this.learned);
    model.on("comm_live_update", this.parted);
    const first = { capture: true, signal: this.life.signal };
    window.addEventListener("keydown", (event) => this.key(event), first);
    this.sizes = new ResizeObserver(() => this.size());
    this.sizes.observe(this.root);
    this.draw();
    this.drawCurve();
    requestAnimationFrame(() => {
      if (this.root.closest(".jupyter-widgets-disconnected")) this.parted();
    });
  }

  remove() {
    this.model.off("change:scene", this.answered);
    this.model.off("change:curve", this.learned);
    this.model.off("comm_live_update", this.parted);
    this.life.abort();
    this.sizes.disconnect();
    clearTimeout(this.patience);
    this.root.remove();
  }

  get scene() { return this.model.get("scene"); }

  card(name) { return this.scene.cards.find((card) => card.variable === name); }

  build() {
    const button = (text, help, onclick) =>
      html("button", { type: "button", title: help, onclick }, text);
    this.file = html("input", { type: "file", accept: ".csv,.tsv,.txt", class: "fgn-file", tabindex: -1,
      "aria-label": "a CSV file", onchange: () => { this.read(this.file.files[0]); this.file.value = ""; } });
    this.undo = button("Undo", "Ctrl+Z", () => this.ask("undo"));
    this.redo = button("Redo", "Ctrl+Shift+Z", () => this.ask("redo"));
    this.forget = button("Forget evidence", "nothing is known any more", () => this.ask("forget"));
    this.bar = html("div", { class: "fgn-bar", role: "toolbar", "aria-label": "edit the graph" },
      button("Add variable", "n, or a double click on the ground", () => this.add()),
      button("Open CSV…", "or drop a file here: its columns become variables", () => this.file.click()),
      this.file,
      button("Random matrices", "new random numbers in every matrix", () => this.ask("draw")),
      button("Uniform", "every matrix uniform", () => this.ask("flat")),
      button("Tidy", "lay the cards out anew, parents above", () => this.ask("tidy")),
      this.forget, this.undo, this.redo);
    this.status = html("div", { class: "fgn-status", role: "status" });
    this.loop = html("div", { class: "fgn-loop" });
    this.picture = svg("svg", { role: "group", "aria-label": "the graph" });
    this.stage = html("div", { class: "fgn-stage" }, this.picture);
    this.panel = html("div", { class: "fgn-panel", role: "region", "aria-label": "what is selected", tabindex: 0 });
    this.body = html("div", { class: "fgn-body" }, this.stage, this.panel);
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.learning = this.buildLearning();
    this.code = html("pre", { tabindex: 0, "aria-label": "Python" });
    this.copy = button("Copy", "copy the Python", () => this.copied());
    this.python = html("details", { class: "fgn-python" },
      html("summary", {}, "The Python that does the same"), this.copy, this.code);
    this.root = html("div", { class: "fgn fgn-editor", "data-lm-suppress-shortcuts": "true" },
      this.bar, this.status, this.loop, this.body, this.summary, this.learning, this.python);
    this.point();
  }

  buildLearning() {
    const number = (key, text, most) => {
      const input = html("input", { type: "number", min: key === "seed" ? 0 : 1, max: most,
        onchange: () => this.ask("settings", { [key]: Math.round(Number(input.value)) }) });
      this.settings[key] = input;
      return html("label", {}, text, input);
    };
    this.settings = {};
    const rule = html("select", { onchange: () => this.ask("settings", { rule: rule.value }) });
    this.settings.rule = rule;
    this.start = html("button", { type: "button", class: "fgn-main", onclick: () =>
      this.ask(this.model.get("curve").running ? "stop" : "learn") }, "Learn");
    this.plot = svg("svg", { class: "fgn-curve", role: "img", viewBox: `0 0 ${CURVE.width} ${CURVE.height}`,
      onpointermove: (event) => this.readOff(event), onpointerleave: () => this.drawCurve() });
    this.ends = html("div", { class: "fgn-ends-text", "aria-live": "polite" });
    return html("div", { class: "fgn-learning", role: "group", "aria-label": "learning" },
      html("div", { class: "fgn-form" }, html("label", {}, "rule", rule),
        number("restarts", "restarts", 1000), number("n_epochs", "epochs", 100000),
        number("seed", "seed", 1e9), this.start),
      html("div", { class: "fgn-result" }, this.plot, this.ends));
  }

  /* -- showing -- */

  draw() {
    const { scene } = this;
    if (!scene?.cards) return;
    if (this.from && !this.card(this.from)) this.from = null;
    this.size();
    this.drawParts();
    this.drawPanel(scene.panel);
    this.drawLoop(scene.loop);
    change(this.undo, { disabled: !scene.undo });
    change(this.redo, { disabled: !scene.redo });
    this.forget.hidden = !scene.cards.some(({ note }) => note === "known" || note === "soft");
    this.summary.textContent = scene.summary;
    this.say(scene.status);
    this.code.textContent = scene.code;
    const { rule, ...numbers } = scene.learning;
    this.settings.rule.replaceChildren(...scene.rules.map(([value, text]) =>
      html("option", { value, selected: value === rule }, text)));
    const { activeElement } = this.root.getRootNode();
    for (const [key, value] of Object.entries(numbers)) {
      if (this.settings[key] !== activeElement) this.settings[key].value = value;
    }
  }

  size() {
    const { width, height } = this.scene;
    const room = this.stage.clientWidth || ROOM.width;
    this.root.classList.toggle("fgn-narrow", this.root.clientWidth > 0 && this.root.clientWidth < ROOM.narrow);
    this.scale = Math.min(ROOM.most, Math.max(ROOM.least, room / Math.max(width, ROOM.width)));
    const [w, h] = [Math.max(width, room / this.scale - 1), Math.max(height, ROOM.height)];
    change(this.picture, { viewBox: `0 0 ${w} ${h}`, width: w * this.scale, height: h * this.scale });
  }

  drawParts() {
    const { cards, arrows } = this.scene;
    const old = this.groups;
    const parts = [...arrows, ...cards];
    this.groups = new Map(parts.map(({ id }) => [id, old.get(id) ?? this.newGroup(id)]));
    if (!this.groups.has(this.focus)) this.focus = cards[0]?.id ?? null;
    const shown = new Map(cards.map((card) => [card.variable, this.shifted(card)]));
    for (const part of parts) {
      const group = this.groups.get(part.id);
      const contents = part.kind === "card" ? drawCard(shown.get(part.variable)) : this.wire(part, shown);
      group.replaceChildren(svg("title", {}, part.name), ...contents.filter(Boolean));
      const start = part.variable !== undefined && part.variable === this.from;
      change(group, {
        class: looks("part", part.kind === "card" ? "variable" : "arrow-line", part.hidden && "hidden",
          part.lit && "lit", part.selected && "selected", start && "start"),
        style: part.hue === undefined ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-label": part.name + (part.lit ? ", on a loop" : ""), "aria-pressed": String(part.selected),
        tabindex: part.id === this.focus ? 0 : -1,
      });
    }
    const groups = [...this.groups.values()];
    const { children } = this.picture;
    this.rubber?.remove();
    if (groups.length !== children.length || groups.some((group, i) => group !== children[i])) {
      const active = groups.find((group) => group === this.root.getRootNode().activeElement);
      this.picture.replaceChildren(...groups);
      active?.focus();
    }
    if (!cards.length) this.picture.append(this.invitation());
  }

  invitation() {
    return svg("text", { class: "fgn-invitation", x: 24, y: 60 },
      svg("tspan", { x: 24 }, "An empty graph. Double-click here for a variable (key: n),"),
      svg("tspan", { x: 24, dy: 22 }, "or drop a CSV file: its columns become variables."));
  }

  wire({ parent, child }, shown) {
    const [one, two] = [shown.get(parent), shown.get(child)];
    return drawLine(border(one, middle(two), 1), border(two, middle(one), 3));
  }

  shifted(card) {
    if (this.moving?.name !== card.variable) return card;
    const { dx, dy } = this.moving;
    return { ...card, x: Math.max(1, card.x + dx), y: Math.max(1, card.y + dy) };
  }

  newGroup(id) {
    const onfocus = () => {
      this.groups.get(this.focus)?.setAttribute("tabindex", -1);
      this.groups.get(id)?.setAttribute("tabindex", 0);
      this.focus = id;
      if (this.from && id.startsWith("variable:")) this.stretch(middle(this.card(id.slice(9))));
    };
    return svg("g", { role: "button", "data-part": id, onfocus });
  }

  /** A line from the variable that an arrow starts at to a point. */
  stretch(to) {
    this.rubber?.remove();
    const start = this.card(this.from);
    if (!start) return;
    this.rubber = svg("g", { class: "fgn-rubber" }, ...drawLine(border(start, to, 1), to));
    this.picture.append(this.rubber);
  }

  drawLoop(loop) {
    const text = loop?.words ?? "";
    if (this.loopText === text + loop?.merged) return;
    this.loopText = text + loop?.merged;
    const merge = (on, words) =>
      html("button", { type: "button", onclick: () => this.ask("merge", on) }, words);
    this.loop.replaceChildren(...(loop ? [html("span", {}, text),
      loop.merged ? merge(false, "Do not merge") : loop.can && merge(true, "Merge the loop")] : []).filter(Boolean));
  }

  drawPanel(panel) {
    const { table } = this.scene;
    const drawn = JSON.stringify([panel, table, this.scene.cards.map(({ variable }) => variable)]);
    if (drawn === this.panelDrawn) return;
    this.panelDrawn = drawn;
    const held = this.panel.contains(document.activeElement) && document.activeElement.dataset.key;
    const contents = panel?.kind === "variable" ? this.variableForm(panel)
      : panel ? this.arrowForm(panel) : this.help(table);
    this.panel.replaceChildren(...contents.filter(Boolean));
    if (held) this.panel.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
  }

  help(table) {
    const item = (...text) => html("li", {}, ...text);
    const key = (text) => html("kbd", {}, text);
    return [
      html("h4", {}, "How to draw"),
      html("ul", {},
        item("Variable: double-click the ground, or ", key("n"), "."),
        item("Arrow: drag from the circle under a card to another card, or ", key("c"), ", arrow keys, ", key("Enter"), "."),
        item("Names, states, matrices: click a card, or ", key("Enter"), ", and fill in the form here."),
        item("Move: drag a card, or ", key("Shift"), " and arrow keys."),
        item("Hidden or observed: the form, or ", key("h"), ". Remove: ", key("Delete"), "."),
        item("Ask: click a state to know it, or its number; ", key("0"), " forgets it.")),
      table && html("h4", {}, `${table.name}: ${table.rows} rows`),
      table && html("p", {}, `learning sees ${table.observed.join(", ") || "nothing"}`),
      ...(table?.free ?? []).map((name) => html("button",
        { type: "button", "data-key": `free ${name}`, onclick: () => this.ask("add", name, "") }, `Add ${name}`)),
      ...(table?.left_out ?? []).map(([, why]) => html("p", {}, `left out: ${why}`)),
      table && html("button", { type: "button", onclick: () => this.ask("no table") }, "Take the table away"),
    ];
  }

  arrowForm({ parent, child }) {
    return [
      html("h4", {}, `Arrow from ${parent} to ${child}`),
      html("p", {}, `The matrix of ${child} has rows for the states of ${parent}.`),
      html("button", { type: "button", "data-key": "turn", onclick: () => this.ask("turn", parent, child) }, "Turn it round"),
      html("button", { type: "button", "data-key": "out", onclick: () => this.ask("disconnect", parent, child) }, "Take it out"),
    ];
  }

  variableForm(panel) {
    const { variable } = panel;
    const field = (words, key, value, send) => html("label", { class: "fgn-field" }, words,
      html("input", { type: "text", value, "data-key": key, onchange: (e) => send(e.target.value),
        onkeydown: (e) => { if (e.key === "Enter") e.target.blur(); } }));
    const choice = (words, key, options, now, send) => html("label", { class: "fgn-field" }, words,
      html("select", { "data-key": key, onchange: (e) => send(JSON.parse(e.target.value)) },
        ...options.map(([value, text]) => html("option",
          { value: JSON.stringify(value), selected: JSON.stringify(value) === JSON.stringify(now) }, text))));
    const soft = Array.isArray(panel.known) ? [[panel.known, "soft evidence"]] : [];
    return [
      html("h4", {}, `Variable ${variable}`),
      field("name", "name", variable, (text) => this.ask("rename", variable, text)),
      field("states", "states", panel.labels, (text) => this.ask("restate", variable, text)),
      choice("in learning", "hidden", [[false, "observed"], [true, "hidden"]], panel.hidden,
        (hidden) => this.ask("hide", variable, hidden)),
      panel.why && html("p", {}, `Hidden: ${panel.why}.`),
      choice("known now", "known", [[null, "nothing"], ...soft, ...panel.states.map((text, i) => [i, text])],
        panel.known, (code) => this.ask("evidence", variable, code)),
      panel.parents.length > 0 && html("fieldset", {}, html("legend", {}, "parents"),
        ...panel.parents.map(([name, on]) => html("label", { class: "fgn-tick" },
          html("input", { type: "checkbox", checked: on, "data-key": `parent ${name}`,
            onchange: () => this.ask(on ? "disconnect" : "connect", name, variable) }), name))),
      panel.cells.length > 0 && this.matrix(panel),
      panel.large && html("p", {}, "The matrix is too long for this form: set editor.theta."),
      html("button", { type: "button", "data-key": "remove", onclick: () => this.ask("remove", variable) }, "Remove variable"),
    ];
  }

  matrix({ matrix, rows, cells, states, heads, variable }) {
    const input = (value, i, j) => html("td", {}, html("input", {
      type: "number", min: 0, max: 1, step: 0.05, value: Number(value.toFixed(4)), "data-key": `cell ${i} ${j}`,
      "aria-label": `P(${variable} = ${states[j]}${rows[i] ? ` | ${rows[i]}` : ""})`,
      onchange: (e) => this.ask("cell", matrix, i, j, Number(e.target.value)) }));
    return html("div", { class: "fgn-scroll" }, html("table", {},
      html("caption", {}, rows.length > 1 ? `P(${variable} | ${heads[0]}), a row for each` : `P(${variable})`),
      html("thead", {}, html("tr", {}, heads[0] ? html("th", { scope: "col" }, heads[0]) : html("td", {}),
        ...states.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, ...cells.map((row, i) => html("tr", {},
        html("th", { scope: "row" }, rows[i] || "prior"), ...row.map((value, j) => input(value, i, j)))))));
  }

  drawCurve(cursor = null) {
    const curve = this.model.get("curve");
    const { width, height, left, right, top, bottom } = CURVE;
    this.start.textContent = curve.running ? "Stop" : "Learn";
    this.start.classList.toggle("fgn-running", !!curve.running);
    this.plot.replaceChildren();
    this.plot.toggleAttribute("hidden", !curve.lines);
    if (!curve.lines) { this.ends.textContent = ""; return; }
    const span = curve.high - curve.low || 1;
    const of = curve.running ? curve.of : curve.last;
    const x = (epoch) => left + (width - left - right) * epoch / Math.max(of, 1);
    const y = (value) => top + (height - top - bottom) * (curve.high - Math.max(value, curve.low)) / span;
    const line = (values, best) => svg("polyline", { class: best ? "fgn-best" : "fgn-other",
      points: values.map((v, i) => (v === null ? "" : `${x(curve.epochs[i]).toFixed(1)},${y(v).toFixed(1)}`)).join(" ") });
    const word = (text, at, anchor = "end") => svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, text);
    const floor = height - bottom;
    this.plot.append(svg("path", { class: "fgn-axis", d: `M${left},${top}V${floor}H${width - right}` }),
      ...curve.lines.map((values, i) => i !== curve.best && line(values)).filter(Boolean),
      line(curve.lines[curve.best], true),
      word(curve.high.toFixed(1), [left - 5, top + 8]), word(curve.low.toFixed(1), [left - 5, floor]),
      word("0", [left, height - 5], "middle"), word(`epoch ${of}`, [width - right, height - 5]));
    const best = curve.lines[curve.best];
    if (cursor !== null) {
      const [at, value] = [x(curve.epochs[cursor]), best[cursor]];
      this.plot.append(svg("path", { class: "fgn-cursor", d: `M${at},${top}V${floor}` }));
      this.ends.textContent = `epoch ${curve.epochs[cursor]}: best log-likelihood ${value?.toFixed(3) ?? "none"}`;
      return;
    }
    const many = curve.lines.length === 1 ? "one start" : `best of ${curve.lines.length} starts`;
    const end = best.at(-1);
    this.ends.textContent = `${curve.running ? `epoch ${curve.last} of ${curve.of}` : `after ${curve.last} epochs`}: `
      + `log-likelihood ${end?.toFixed(2) ?? "none"}, ${many}`;
    change(this.plot, { "aria-label": `log-likelihood by epoch, a line for each start; ${this.ends.textContent}` });
  }

  /** The numbers under the pointer. */
  readOff(event) {
    const { epochs, running, of, last } = this.model.get("curve");
    if (!epochs) return;
    const box = this.plot.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * CURVE.width - CURVE.left)
      / (CURVE.width - CURVE.left - CURVE.right);
    const wanted = share * (running ? of : last);
    const nearest = epochs.reduce((best, epoch, i) =>
      (Math.abs(epoch - wanted) < Math.abs(epochs[best] - wanted) ? i : best), 0);
    this.drawCurve(nearest);
  }

  /* -- asking Python -- */

  ask(what, ...arguments_) {
    this.model.send({ do: what, with: arguments_ });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.mark(true, "waiting for the kernel, which is busy or gone"), PATIENCE);
  }

  mark(lost, words = "") {
    clearTimeout(this.patience);
    this.root.classList.toggle("fgn-lost", lost);
    if (lost) this.say(words);
    else this.say(this.scene?.status ?? "");
  }

  say(text) { if (this.status.textContent !== text) this.status.textContent = text; }

  add(at = null) {
    this.ask("add", "", "2", at);
    const seen = this.scene.cards.length;
    const named = () => { // the name of a new variable is what one types first
      if (this.scene.cards.length <= seen) return;
      this.model.off("change:scene", named);
      const name = this.panel.querySelector("[data-key=name]");
      name?.focus();
      name?.select();
    };
    this.model.on("change:scene", named);
  }

  async read(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      this.say(`${file.name} has ${Math.round(file.size / 1e6)} MB: set editor.table from Python instead`);
    } else this.ask("table", file.name, await file.text());
  }

  async copied() {
    try {
      await navigator.clipboard.writeText(this.code.textContent);
      this.copy.textContent = "Copied";
    } catch { // not on a secure page
      getSelection().selectAllChildren(this.code);
      this.copy.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { this.copy.textContent = "Copy"; }, 1500);
  }

  /* -- the pointer -- */

  at(event) {
    const box = this.picture.getBoundingClientRect();
    return [(event.clientX - box.left) / this.scale, (event.clientY - box.top) / this.scale];
  }

  under([x, y]) {
    return this.scene.cards.find((c) => x >= c.x && x <= c.x + c.w && y >= c.y && y <= c.y + c.h + 14);
  }

  point() {
    const { picture, root } = this;
    picture.addEventListener("pointerdown", (event) => this.press(event));
    picture.addEventListener("pointermove", (event) => this.drag(event));
    picture.addEventListener("pointerup", (event) => this.release(event));
    picture.addEventListener("pointercancel", () => this.drop());
    picture.addEventListener("dblclick", (event) => {
      if (!event.target.closest("[data-part]")) this.add(this.at(event));
    });
    root.addEventListener("dragover", (event) => {
      event.preventDefault();
      root.classList.add("fgn-over");
    });
    root.addEventListener("dragleave", () => root.classList.remove("fgn-over"));
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation(); // the notebook would insert a cell
      root.classList.remove("fgn-over");
      this.read(event.dataTransfer.files[0]);
    });
  }

  press(event) {
    if (event.button) return;
    const handle = event.target.closest("[data-handle]")?.dataset.handle;
    const part = event.target.closest("[data-part]")?.dataset.part;
    const row = event.target.closest("[data-row]")?.dataset.row;
    this.held = { handle, part, row, start: [event.clientX, event.clientY], moved: false };
    if (handle) this.from = handle;
    if (part) this.groups.get(part).focus({ preventScroll: true });
    if (handle || part?.startsWith("variable:")) {
      this.picture.setPointerCapture(event.pointerId);
      event.preventDefault();
    }
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const [dx, dy] = [event.clientX - held.start[0], event.clientY - held.start[1]];
    held.moved ||= Math.hypot(dx, dy) > STILL;
    if (!held.moved) return;
    if (held.handle) {
      const to = this.at(event);
      this.stretch(to);
      const over = this.under(to);
      for (const [id, group] of this.groups) {
        group.classList.toggle("fgn-aim", id === over?.id && over.variable !== held.handle);
      }
    } else if (held.part?.startsWith("variable:")) {
      this.moving = { name: held.part.slice(9), dx: dx / this.scale, dy: dy / this.scale };
      this.drawParts();
    }
  }

  release(event) {
    const { held } = this;
    this.held = null;
    if (!held) return;
    if (held.handle && held.moved) {
      const over = this.under(this.at(event));
      const parent = held.handle;
      this.drop();
      if (over && over.variable !== parent) this.ask("connect", parent, over.variable);
    } else if (held.handle) {
      this.connecting(held.handle); // a click on the handle: the next click on a card is the child
    } else if (this.moving) {
      const { name, dx, dy } = this.moving;
      const { x, y, w, h } = this.card(name);
      this.ask("place", name, x + dx + w / 2, y + dy + h / 2);
      const settle = () => { this.moving = null; this.model.off("change:scene", settle); this.drawParts(); };
      this.model.on("change:scene", settle);
    } else this.click(held);
  }

  click({ part, row }) {
    const name = part?.startsWith("variable:") ? part.slice(9) : null;
    if (this.from) {
      const parent = this.from;
      this.drop();
      if (name && name !== parent) this.ask("connect", parent, name);
    } else if (name && row !== undefined) {
      this.ask("evidence", name, this.card(name).rows[row].on ? null : Number(row));
    } else this.ask("select", part ?? null);
  }

  connecting(name) {
    this.from = name;
    this.drawParts();
    this.say(`An arrow from ${name}: click the child, or go to it with the arrow keys and press Enter. Escape leaves it.`);
  }

  drop() {
    this.from = this.moving = this.held = null;
    this.rubber?.remove();
    this.say(this.scene.status);
    this.drawParts();
  }

  /* -- the keyboard -- */

  key(event) {
    if (!event.composedPath().includes(this.root)) return;
    const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "z" && !typing) {
      this.ask(event.shiftKey ? "redo" : "undo");
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = event.target.closest?.("[data-part]")?.dataset.part;
    const on = id ? this.onPart(id, key, event.shiftKey) : !typing && this.onGround(key);
    if (on) event.preventDefault();
    // Letters, arrows and Enter are keys of the notebook, too.
    if (on || (key !== "Tab" && !typing)) event.stopImmediatePropagation();
  }

  /** What a key does while nothing of the drawing has the focus. */
  onGround(key) {
    if (key === "Escape") return this.escape();
    return false;
  }

  /** What a key does to the part that has the focus; true if it does anything. */
  onPart(id, key, shift) {
    const name = id.startsWith("variable:") ? id.slice(9) : null;
    const arrow = name === null && this.scene.arrows.find((part) => part.id === id);
    if (key in MOVES && shift && name) {
      const { x, y, w, h } = this.card(name);
      const [dx, dy] = MOVES[key];
      this.ask("place", name, x + w / 2 + STEP * dx, y + h / 2 + STEP * dy);
    } else if (key in MOVES) this.move(id, MOVES[key]);
    else if (key === "Escape") return this.escape();
    else if (key === "Enter" || key === " ") this.click({ part: id });
    else if (key === "n") this.add();
    else if (key === "c" && name) this.connecting(name);
    else if (key === "h" && name) this.ask("hide", name, !this.card(name).hidden);
    else if (key === "t" && arrow) this.ask("turn", arrow.parent, arrow.child);
    else if (key === "Delete" && name) this.ask("remove", name);
    else if (key === "Delete") this.ask("disconnect", arrow.parent, arrow.child);
    else if (/^\d$/.test(key) && name) this.ask("evidence", name, key === "0" ? null : Number(key) - 1);
    else return false;
    return true;
  }

  escape() {
    if (this.from) this.drop();
    else this.ask("select", null);
    return true;
  }

  /** To the nearest part in a direction; what lies aside counts twice. */
  move(id, [dx, dy]) {
    const centre = (part) => (part.kind === "card" ? middle(part)
      : [0, 1].map((k) => (middle(this.card(part.parent))[k] + middle(this.card(part.child))[k]) / 2));
    const parts = this.from ? this.scene.cards : [...this.scene.cards, ...this.scene.arrows];
    const from = centre([...this.scene.cards, ...this.scene.arrows].find((part) => part.id === id));
    const cost = (part) => {
      const [x, y] = centre(part).map((value, k) => value - from[k]);
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy + y * dx) : Infinity;
    };
    const best = parts.reduce((a, b) => (cost(b) < cost(a) ? b : a));
    if (cost(best) < Infinity) this.groups.get(best.id).focus();
  }
}

export default {
  render({ model, el }) {
    const editor = new Editor(model, el);
    return () => editor.remove();
  },
};
