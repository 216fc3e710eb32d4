/* The living graph: draws the scene that Python made, and reports what is clicked.
 *
 *   scene    a plain value: the parts with their places, the panel, the film, the summary
 *   part     a branch, a node or a card; what the pointer and the arrow keys choose from
 *   card     a variable with the bars of its belief; its head cycles the evidence, a row picks it
 *   picker   the popover with all kinds of evidence on one variable
 *   ask      to set traits; Python answers every question with a new scene
 *   frame    how large the drawing is, and where the panel lies
 *   player   the film's buttons
 *
 * Nothing of the model is computed here. Texts of users enter as text nodes only, never as markup;
 * no element has an id, so that any number of views share a page. */

import { calm, change, html, iconButton, looks, menu, same, svg } from "./graph/dom.js";
import { Bars } from "./graph/bars.js";
import { Cells } from "./graph/cells.js";
import { Copy } from "./graph/copy.js";
import { Frame } from "./graph/frame.js";
import { Keys } from "./graph/keys.js";
import { Lens } from "./graph/lens.js";
import { Panel } from "./graph/panel.js";
import { drawBranch, drawCard, drawNode } from "./graph/parts.js";
import { Picker } from "./graph/picker.js";
import { Player } from "./graph/player.js";
import { Press } from "./graph/press.js";
import { store } from "./graph/stored.js";
import { Travels } from "./graph/travel.js";
import { Why } from "./graph/why.js";
import { Wishes } from "./graph/wishes.js";

const PATIENCE = 3000; // ms without an answer until the view calls itself disconnected
const BEAT = 1700; // ms between two rounds of the film, in which messages travel
const GLIDE = 250; // ms that a part takes to a new place
const STEP = 1.25; // by which a drawing grows and shrinks

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
    this.answered = () => {
      this.mark(this.gone);
      this.pressing.ask();
      for (const { latest } of [this.bars, this.cells, this.board]) latest.answered();
    };
    model.on("change:scene", this.answered);
    // Notebook 7 takes the arrow keys on their way down the document: the window comes before it.
    const first = { capture: true, signal: this.life.signal };
    window.addEventListener("keydown", (event) => this.keys.press(event), first);
    window.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(this.picker?.root)) this.closePicker();
    }, first);
    this.draw();
    requestAnimationFrame(() => { // once the view is on the page
      if (this.root.closest(".jupyter-widgets-disconnected")) this.parted();
    });
  }

  remove() {
    this.model.off("change:scene", this.answered);
    this.life.abort();
    this.frame.remove();
    this.model.off("comm_live_update", this.parted);
    this.player.pause();
    clearTimeout(this.patience);
    this.root.remove();
  }

  get scene() { return this.model.get("scene"); }

  build() {
    const choose = (name, trait, options) => menu(name, options, (value) => this.ask({ [trait]: value }));
    const forms = [["normal", "normal form"], ["bayes", "Bayesian graph"]];
    const starts = [[null, "uniform start"], ...[1, 2, 3].map((n) => [n, `random start ${n}`])];
    const schedules = ["two sweeps", "flooding"].map((name) => [name, name]);
    const form = choose("which drawing", "form", forms);
    const schedule = choose("schedule", "schedule", schedules);
    const start = choose("start of the messages", "start", starts);
    this.menus = { form, schedule, start };
    this.player = new Player({ unit: "round", beat: BEAT, ask: (round) => this.ask({ round }),
      now: () => this.model.get("round") });
    this.player.root.classList.add("fgn-rounds");
    this.undo = iconButton("undo", "undo (Ctrl+Z)", () => this.tell("undo"));
    this.redo = iconButton("redo", "redo (Ctrl+Shift+Z)", () => this.tell("redo"));
    this.copyButton = iconButton("code", "copy as Python", () => this.wishes.make({ ask: "code" }));
    const tools = html("span", { class: "fgn-film" }, this.undo, this.redo,
      this.copyButton, iconButton("smaller", "smaller", () => this.frame.rescale(1 / STEP)),
      iconButton("larger", "larger", () => this.frame.rescale(STEP)),
      iconButton("whole", "all in sight", () => this.frame.rescale(null)));
    this.title = html("strong", { class: "fgn-title-line" });
    const bar = html("div", { class: "fgn-bar" }, this.title, form, this.player.root, schedule, start, tools);
    this.picture = svg("svg", { role: "group" });
    this.stage = html("div", { class: "fgn-stage" }, this.picture);
    this.layer = svg("g");
    this.wishes = new Wishes(this);
    this.bars = new Bars(this);
    this.cells = new Cells(this);
    this.travels = new Travels();
    this.picture.append(this.layer, this.bars.layer, this.cells.layer, this.travels.layer);
    this.board = new Panel(this);
    this.panel = this.board.root;
    this.copy = new Copy(this);
    this.summary = html("div", { class: "fgn-summary", "aria-live": "polite" });
    this.status = html("div", { class: "fgn-status", role: "status" });
    this.body = html("div", { class: "fgn-body" }, this.stage, this.panel);
    this.root = html("div", { class: "fgn" }, bar, this.summary, this.status, this.body);
    this.root.addEventListener("focusin", ({ target }) => {
      if (target.dataset.entry) this.cells.stopAt(target.place);
    });
    this.frame = new Frame(this);
    this.keys = new Keys(this);
    this.why = new Why(this);
    this.lens = new Lens(this);
    const parts = (target) => this.layer.contains(target) || this.panel.contains(target);
    const draw = () => { this.draw(); this.player.next(); }; // which goes on from what is drawn
    this.pressing = new Press(this.root, parts, draw, this.life.signal);
  }

  draw() {
    const { scene } = this;
    if (!scene?.parts) return;
    this.root.classList.toggle("fgn-plain", !!this.model.get("plain"));
    this.title.textContent = this.model.get("title") ?? "";
    this.frame.draw(scene);
    this.drawParts(scene.parts);
    this.drawFilm(scene.film);
    this.board.draw(scene.panel);
    if (scene.code) this.copy.show(scene.code);
    change(this.undo, { disabled: !scene.undo });
    change(this.redo, { disabled: !scene.redo });
    if (this.summary.textContent !== scene.summary) this.summary.textContent = scene.summary;
    if (!this.lost) this.say(scene.status);
    this.picker?.fill();
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
      // The title is the name that is spoken; it says more than the texts that are drawn.
      group.replaceChildren(svg("title", {}, part.name), ...this.contents(part).filter(Boolean));
      change(group, {
        class: looks("part", part.kind, part.look, part.selected && "selected"),
        style: part.hue == null ? null : `--hue: var(--fgn-hue-${part.hue})`,
        "aria-pressed": String(part.selected),
        tabindex: part.id === this.focus ? 0 : -1,
      });
    }
    this.places = new Map(parts.map(({ id, at }) => [id, at]));
    this.arrange([...this.groups.values()]);
    this.bars.draw(parts);
    this.cells.draw(parts);
    this.lens.draw();
    this.why.renew();
  }

  /** What must move, such as into the other form, does it before the reader's eyes. */
  glide(group, from, to) {
    if (!from || calm.matches || (from[0] === to[0] && from[1] === to[1])) return;
    const way = `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)`;
    group.animate([{ transform: way }, { transform: "none" }], { duration: GLIDE, easing: "ease-out" });
  }

  /** Elements are moved only where their order changed, since a moved one loses the focus. */
  arrange(groups) {
    const { children } = this.layer;
    if (groups.length === children.length && groups.every((g, i) => g === children[i])) return;
    const active = groups.find((group) => group === this.active);
    this.layer.replaceChildren(...groups);
    active?.focus();
  }

  /** In front of all others. */
  raise(group) {
    if (this.layer.lastChild !== group) {
      this.arrange([...this.groups.values()].filter((other) => other !== group).concat(group));
    }
  }

  newGroup(id) {
    const onfocus = () => {
      this.groups.get(this.focus)?.setAttribute("tabindex", -1);
      this.groups.get(id)?.setAttribute("tabindex", 0);
      this.focus = id;
      this.bars.rove();
      this.cells.rove();
    };
    return svg("g", { role: "button", "data-part": id, onclick: () => this.press(id), onfocus });
  }

  contents(part) {
    if (part.kind === "branch") return drawBranch(part);
    if (part.kind !== "variable") return drawNode(part, (i, j) => (event) => this.cells.grab(event, part, i, j));
    const alone = (action) => (event) => { event.stopPropagation(); action(); };
    return drawCard(part, {
      cycle: alone(() => this.wishes.cycle(part)),
      open: alone(() => this.openPicker(part.variable)),
      pick: (i) => (event) => { event.stopPropagation(); this.wishes.pick(part, i, event.detail); },
      grab: (i) => (event) => this.bars.grab(event, part, i),
    });
  }

  drawFilm({ round, last, text, travels }) {
    const on = round === this.player.at + 1;
    if (on) this.travels.play(travels, this.scene.parts, this.groups);
    else if (round !== this.player.at) this.travels.stop();
    this.player.draw({ at: round, last, text });
    for (const [trait, list] of Object.entries(this.menus)) {
      list.value = JSON.stringify(this.model.get(trait) ?? null); // a page's Python has no null
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
  tell(what) { this.wishes.make({ ask: what }); }

  get active() { return this.root.getRootNode().activeElement; }

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
    this.player.pause();
    this.say("disconnected: run this cell again, then click (or wait, if the kernel is busy)");
  }

  say(text) { if (this.status.textContent !== text) this.status.textContent = text; }

  press(id) {
    const part = this.scene.parts.find((p) => p.id === id);
    if (part.variable !== undefined) this.wishes.cycle(part);
    else {
      const wanted = part.selects ?? id;
      this.ask({ selected: this.model.get("selected") === wanted ? null : wanted });
    }
  }

  /* -- the picker -- */

  openPicker(variable) {
    this.closePicker();
    this.picker = new Picker(this, variable);
  }

  closePicker() {
    this.picker?.root.remove();
    this.picker = null;
  }
}

export default {
  render({ model, el }) {
    store(model);
    const view = new View(model, el);
    return () => view.remove();
  },
};
