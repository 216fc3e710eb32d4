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

import { ARROWS, html, svg, change, looks } from "./graph/dom.js";
import { border, drawLine, editorCard, middle, wire } from "./editor/drawing.js";
import { Forms } from "./editor/forms.js";
import { LearningBox } from "./editor/learning_box.js";
import { STILL } from "./graph/hand.js";
import { Press } from "./graph/press.js";
import { store } from "./graph/stored.js";

const PATIENCE = 4000; // ms without an answer until the editor says so
const STEP = 20; // px that a key moves a card
const MOST_BYTES = 20e6; // of a file that is dropped
const ROOM = { width: 560, height: 340, least: 1, most: 1.25, share: 0.5, narrow: 680 };

class Editor {
  constructor(model, el) {
    this.model = model;
    this.groups = new Map(); // id of a part -> its group: kept, so that the focus stays
    this.focus = null;
    this.from = null;
    this.life = new AbortController();
    this.build();
    el.replaceChildren(this.root);
    this.answered = () => { this.mark(false); this.pressing.ask(); };
    this.learned = () => { this.mark(false); this.learning.draw(); };
    this.parted = () => this.mark(true, "disconnected: run this cell again, then go on");
    model.on("change:scene", this.answered);
    model.on("change:curve", this.learned);
    model.on("comm_live_update", this.parted);
    const first = { capture: true, signal: this.life.signal };
    window.addEventListener("keydown", (event) => this.key(event), first);
    this.sizes = new ResizeObserver(() => this.size());
    this.sizes.observe(this.root);
    this.draw();
    this.learning.draw();
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
    this.file = html("input", { type: "file", accept: ".csv,.tsv,.txt", class: "fgn-file", hidden: true,
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
    this.stage = html("div", { class: "fgn-stage", tabindex: -1 }, this.picture);
    this.panel = html("div", { class: "fgn-panel", role: "region", "aria-label": "what is selected", tabindex: 0 });
    this.forms = new Forms(this.panel, (...intent) => this.ask(...intent));
    this.body = html("div", { class: "fgn-body" }, this.stage, this.panel);
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.learning = new LearningBox(this.model, (...intent) => this.ask(...intent));
    this.code = html("pre", { tabindex: 0, role: "region", "aria-label": "Python" });
    this.copy = button("Copy", "copy the Python", () => this.copied());
    this.python = html("details", { class: "fgn-python" },
      html("summary", {}, "The Python that does the same"), this.copy, this.code);
    this.root = html("div", { class: "fgn fgn-editor", "data-lm-suppress-shortcuts": "true" },
      this.bar, this.body, this.status, this.loop, this.summary, this.learning.root, this.python);
    const forms = (target) => this.panel.contains(target) || this.loop.contains(target);
    this.pressing = new Press(this.root, forms, () => this.draw(), this.life.signal);
    this.point();
  }

  /* -- showing -- */

  draw() {
    const { scene } = this;
    if (!scene?.cards) return;
    if (this.from && !this.card(this.from)) this.from = null;
    this.size();
    this.drawParts();
    this.forms.draw(scene.panel, scene.table);
    this.drawLoop(scene.loop);
    change(this.undo, { disabled: !scene.undo });
    change(this.redo, { disabled: !scene.redo });
    this.forget.hidden = !scene.cards.some(({ note }) => note === "known" || note === "soft");
    this.summary.textContent = scene.summary;
    this.say(scene.status);
    this.code.textContent = scene.code;
    this.learning.set(scene.learning, scene.rules, scene.warnings);
  }

  size() {
    const { width, height } = this.scene;
    const room = this.stage.clientWidth || ROOM.width;
    this.root.classList.toggle("fgn-narrow", this.root.clientWidth > 0 && this.root.clientWidth < ROOM.narrow);
    const high = ROOM.share * window.innerHeight / Math.max(height, ROOM.height); // learning stays in sight
    this.scale = Math.max(ROOM.least, Math.min(ROOM.most, high, room / Math.max(width, ROOM.width)));
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
    const families = [...new Set(arrows.map(({ parent }) => parent))];
    for (const part of parts) {
      const group = this.groups.get(part.id);
      const contents = part.kind === "card" ? editorCard(shown.get(part.variable))
        : wire(shown.get(part.parent), shown.get(part.child), [...shown.values()], families.indexOf(part.parent));
      group.replaceChildren(svg("title", {}, part.name), ...contents.filter(Boolean));
      const start = part.variable !== undefined && part.variable === this.from;
      change(group, {
        class: looks("part", part.kind === "card" ? "variable" : "arrow-line", part.hidden && "hidden",
          part.lit && "lit", part.selected && "selected", start && "start"),
        style: part.hue == null ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-label": part.name + (part.lit ? ", on a loop" : ""), "aria-pressed": String(part.selected),
        tabindex: part.id === this.focus ? 0 : -1,
      });
    }
    const groups = [...this.groups.values()];
    const { children } = this.picture;
    this.rubber?.remove();
    if (groups.length !== children.length || groups.some((group, i) => group !== children[i])) {
      const { activeElement } = this.root.getRootNode();
      const held = this.picture.contains(activeElement); // or the next key would be the notebook's
      this.picture.replaceChildren(...groups);
      if (held) (groups.find((group) => group === activeElement) ?? this.groups.get(this.focus) ?? this.stage).focus();
    }
    if (!cards.length) this.picture.append(this.invitation());
  }

  invitation() {
    return svg("text", { class: "fgn-invitation", x: 24, y: 60 },
      svg("tspan", { x: 24 }, "An empty graph. Double-click here for a variable (key: n),"),
      svg("tspan", { x: 24, dy: 22 }, "or drop a CSV file: its columns become variables."));
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
    this.rubber = svg("g", { class: "fgn-rubber" }, ...drawLine([border(start, to, 1), to]));
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

  /** Below the drawing, so that it holds still under the hand; a hint is no alarm. */
  say(text, hint = false) {
    this.status.classList.toggle("fgn-advice", hint);
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  add(at = null) {
    this.ask("add", "", "2", at);
    const seen = this.scene.cards.length;
    const named = () => { // the name of a new variable is what one types first
      if (this.scene.cards.length <= seen && !this.scene.status) return;
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
      if (!this.under(this.at(event))) this.add(this.at(event)); // a card captures the pointer: no target
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
      this.ask("press", name, Number(row));
    } else this.ask("select", part ?? null);
  }

  connecting(name) {
    this.from = name;
    this.drawParts();
    this.say(`An arrow from ${name}: click the child, or go to it with the arrow keys and press Enter. Escape leaves it.`, true);
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
    const written = typing && "defaultValue" in event.target && event.target.value !== event.target.defaultValue;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "z" && !written) { // else the field's own
      this.ask(event.shiftKey ? "redo" : "undo");
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Escape" && this.leave(event.target)) {
      event.stopImmediatePropagation();
      return;
    }
    if (typing) { // the notebook would take Enter and arrows from a field; the browser still acts on them
      if (key !== "Tab") event.stopImmediatePropagation();
      return;
    }
    const id = event.target.closest?.("[data-part]")?.dataset.part;
    const on = id ? this.onPart(id, key, event.shiftKey) : this.onGround(key);
    if (on) event.preventDefault();
    // Letters, arrows and Enter are keys of the notebook, too.
    if (on || key !== "Tab") event.stopImmediatePropagation();
  }

  /** What a key does while nothing of the drawing has the focus. */
  onGround(key) {
    if (key === "Escape") return this.escape();
    if (key !== "n" || !this.stage.matches(":focus")) return false;
    this.add();
    return true;
  }

  /** What a key does to the part that has the focus; true if it does anything. */
  onPart(id, key, shift) {
    const name = id.startsWith("variable:") ? id.slice(9) : null;
    const arrow = name === null && this.scene.arrows.find((part) => part.id === id);
    if (key in ARROWS && shift && name) {
      const { x, y, w, h } = this.card(name);
      const [dx, dy] = ARROWS[key];
      this.ask("place", name, x + w / 2 + STEP * dx, y + h / 2 + STEP * dy);
    } else if (key in ARROWS) this.move(id, ARROWS[key]);
    else if (key === "Escape") return this.escape();
    else if (key === "Enter" && !this.from) this.fill(id);
    else if (key === "Enter" || key === " ") this.click({ part: id });
    else if (key === "n") this.add();
    else if (key === "c" && name) this.connecting(name);
    else if (key === "h" && name) this.ask("flip", name);
    else if (key === "t" && arrow) this.ask("turn", arrow.parent, arrow.child);
    else if (key === "Delete" && name) this.ask("remove", name);
    else if (key === "Delete") this.ask("disconnect", arrow.parent, arrow.child);
    else if (/^\d$/.test(key) && name) this.ask("evidence", name, key === "0" ? null : Number(key) - 1);
    else return false;
    return true;
  }

  /** From a part to the first field of its form, which may have to be drawn first. */
  fill(id) {
    const selected = () => [...this.scene.cards, ...this.scene.arrows].find((part) => part.id === id)?.selected;
    const go = () => {
      if (!selected()) return;
      this.model.off("change:scene", go);
      this.panel.querySelector("input, select, button")?.focus();
    };
    if (!selected()) {
      this.model.on("change:scene", go);
      this.ask("select", id);
    } else go();
  }

  /** From the form of a part to the part itself; what was written and not sent is forgotten. */
  leave(field) {
    const part = [...this.scene.cards, ...this.scene.arrows].find(({ selected }) => selected);
    if (!part || !this.forms.root.contains(field)) return false;
    if ("defaultValue" in field) field.value = field.defaultValue;
    this.groups.get(part.id).focus();
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
    store(model);
    const editor = new Editor(model, el);
    return () => editor.remove();
  },
};
