/* The living graph: draws the scene that Python made, and says what a hand wants.
 *
 *   scene    a plain value: the parts with their places, the panel, the rounds, the summary
 *   part     a branch, a node or a card; what the pointer and the arrow keys choose from
 *   card     a variable with the bars of its belief; its head cycles the evidence, a row picks it
 *   picker   the popover with all kinds of evidence on one variable
 *   frame    how large the drawing is, and where the panel lies
 *
 * Nothing of the model is computed here. No element has an id, so that any number of views share a
 * page. */

import { linked } from "../core/address.js";
import { newGesture } from "../core/drag.js";
import { ARROWS, calm, h, IconButton } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { refusedIn } from "../core/matrix.js";
import { PageView } from "../core/page_view.js";
import { Player } from "../core/player.js";
import { share, shareById } from "../core/share.js";
import { Copy } from "./copy.js";
import { Frame } from "./frame.js";
import { Frames, Handles, isHandle } from "./handles.js";
import { Legend } from "./legend.js";
import { Lens } from "./lens.js";
import { More } from "./more.js";
import { Panel } from "./panel.js";
import { PartView } from "./parts.js";
import { Picker } from "./picker.js";
import { Travels } from "./travel.js";
import { Why } from "./why.js";

/** @typedef {import("../scene").Scene} Scene */
/** @typedef {import("../scene").DrawnPart} Part */

const BEAT = 1700; // ms between two rounds of the rounds, in which messages travel
const ASLEEP = "A stored picture: run this cell (Shift+Enter), and it answers.";
const SHOWS = 500; // ms after the first picture until Jupyter has scrolled where it wants

/** A place such as "0,1" as two numbers. @param {string} place @returns {[number, number]} */
const placeOf = (place) => /** @type {any} */ (place.split(",").map(Number));

/** @extends {PageView<Scene>} */
export class GraphPage extends PageView {
  /** @param {import("../core/page_view.js").Given} given */
  constructor(given) {
    super(given);
    /** @type {string | null} the part that Tab goes to */
    this.focus = null;
    /** @type {string | null} the variable whose picker is open */
    this.picking = null;
    /** @type {{code: string, title: string, name: string} | null} what can be copied from a window */
    this.code = null;
    this.more = false; // whether the menu is open
    this.legend = false;
    this.stepping = false; // whether the buttons for single rounds are there
    this.moment = 1; // from 0, the beliefs that were pinned, to 1, those of now
    this.answers = 0;
    /** @type {import("../core/matrix.js").Refused} what was refused in the panel */
    this.refused = null;
    this.shot = -1; // the round that was drawn last
    this.picks = "";
    this.handles = new Handles(this);
    this.lens = new Lens(this);
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {any} */
    this.why = null;
    /** @type {Travels | null} */
    this.travels = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.showing = undefined;
    this.begin();
    window.addEventListener(
      "pointerdown",
      (event) => {
        clearTimeout(this.showing); // nothing may move below a finger
        const picker = this.root?.querySelector(".fgn-picker");
        if (picker && !event.composedPath().includes(picker)) this.closePicker();
        const path = event.composedPath();
        const menu = this.root?.querySelector(".fgn-menu");
        const button = this.root?.querySelector("[data-more-button]");
        if (menu && !path.includes(menu) && button && !path.includes(button)) this.closeMore();
      },
      { capture: true, signal: this.life.signal },
    );
  }

  remove() {
    this.frame?.remove();
    super.remove();
  }

  /* -- what PageView asks -- */

  /** Parts are shared by their ids: evidence adds some and takes some away.
   *
   * @param {Scene} old @param {Scene} now @returns {Scene} */
  taken(old, now) {
    return share(old, { ...now, parts: shareById(old?.parts, now.parts) });
  }

  get news() {
    return [this.scene.summary, this.refused?.text, this.told].filter(Boolean).join(" ");
  }

  /** What was refused next to a cell is not said a second time above. */
  get told() {
    if (this.asleep) return ASLEEP;
    return super.told === this.refused?.text ? "" : super.told;
  }

  /** @param {any} event */
  happened(event) {
    if (event.event === "code")
      this.code = { code: event.text, title: "The same in Python", name: "copy as Python" };
    else if (event.event === "link")
      this.code = { code: linked(event.text), title: "A link to this state", name: "copy a link" };
    else return;
    this.update();
  }

  /** @param {import("../core/requests.js").Request[]} requests @param {string} fault */
  answered(requests, fault) {
    this.answers += requests.length;
    for (const request of requests) this.refused = refusedIn(request, fault);
  }

  /** @param {any} lost */
  focusAfter(lost) {
    const { part, of } = lost.dataset ?? {};
    const id = part ?? of;
    return this.groupOf(this.partOf(id) ? id : this.focus) ?? this.root;
  }

  drawn() {
    if (!this.root) return;
    if (!this.frame) {
      const frame = new Frame(this.root, () => this.lens.id !== null && this.update());
      this.showing = setTimeout(() => this.answers || frame.reveal(), SHOWS);
      this.life.signal.addEventListener("abort", () => clearTimeout(this.showing));
      this.frame = frame;
      this.why = new Why(this);
      this.travels = new Travels(/** @type {any} */ (this.root.querySelector(".fgn-travels")));
    }
    this.frame.draw(this.scene);
    const { round, travels } = this.scene.rounds;
    if (round === this.shot + 1 && this.shot >= 0)
      this.travels?.play(travels, this.scene.parts, (id) => this.groupOf(id));
    else if (round !== this.shot) this.travels?.stop();
    const moved = round !== this.shot;
    this.shot = round;
    if (moved && round < this.scene.rounds.last && !this.stepping) this.stepwise(true);
    if (this.scene.pinned == null) this.moment = 1;
    this.why.renew();
    this.tellHeld();
  }

  /** The note beside a cell in the hand follows its number. */
  tellHeld() {
    const { held } = this.handles;
    if (!held) return;
    const cell = this.groupOf(held.id)?.querySelector(`[data-place="${held.place}"]`);
    if (cell) this.why.show(cell);
  }

  /* -- what is where -- */

  /** What the legend says. @returns {import("../scene").LegendMark[]} */
  get marks() {
    return this.model.get("legend") ?? [];
  }

  /** Whether anything is observed. */
  get observed() {
    return this.scene.parts.some((part) => /** @type {any} */ (part).seen != null);
  }

  /** Whether it was opened without Python and nobody has used it: a stored picture, and no fault. */
  get asleep() {
    return this.health === "gone" && this.answers === 0;
  }

  /** @param {string | null | undefined} id @returns {any} */
  partOf(id) {
    return this.scene.parts.find((part) => part.id === id);
  }

  /** @param {string | null | undefined} id @returns {any} */
  groupOf(id) {
    return id == null ? null : this.root?.querySelector(`[data-part="${CSS.escape(id)}"]`);
  }

  /** A number of a matrix as it was requested last, or as it is drawn: where a quick hand's next drag
   * begins. @param {string} matrix @param {number} row @param {number} column @param {number} drawn */
  valueOf(matrix, row, column, drawn) {
    const same = (/** @type {any} */ { do: what, with: asked }) =>
      what === "edit" && asked.matrix === matrix && asked.row === row && asked.column === column;
    return this.requests.open.findLast(same)?.with.value ?? drawn;
  }

  /* -- what a hand does -- */

  /** A part was chosen. @param {string} id */
  press(id) {
    const part = this.partOf(id);
    if (!part) return; // it is gone since it was pressed
    if (part.kind === "variable") this.request("cycle", { variable: part.variable });
    else this.request("select", { part: part.selects ?? id });
  }

  /** A click somewhere in the drawing. @param {any} event */
  click(event) {
    const group = event.target.closest("[data-part]");
    const part = this.partOf(group?.dataset.part);
    if (!part) return;
    const row = event.target.closest("[data-row]");
    const { place } = event.target.dataset;
    if (place && part.edit && this.askOrigin(part.edit, ...placeOf(place))) return;
    if (row) this.pick(part.variable, Number(row.dataset.row), event.detail);
    else if (event.target.closest("[data-more]")) this.openPicker(part.variable);
    else this.press(part.id);
  }

  /** Asks for the rows of the table that made a number; false where none did, or they are on show.
   *
   * @param {string} matrix @param {number} row @param {number} column */
  askOrigin(matrix, row, column) {
    const { learned, origin } = this.scene;
    if (!learned.includes(matrix)) return false;
    if (origin?.matrix === matrix && origin.row === row && origin.column === column) return false;
    this.request("origin", { matrix, row, column });
    return true;
  }

  /** A row of a card was clicked; a second click at once clears, and both are undone as one.
   *
   * @param {string} variable @param {number} state @param {number} clicks */
  pick(variable, state, clicks) {
    if (clicks < 2) this.picks = newGesture("click");
    if (clicks > 1) this.request("observe", { variable, cell: null }, this.picks, true);
    else this.request("toggle", { variable, state }, this.picks, true);
  }

  /** A press somewhere in the drawing, from which a drag may come. @param {any} event */
  grab(event) {
    const part = this.partOf(event.target.closest("[data-part]")?.dataset.part);
    if (!part) return;
    const row = event.target.closest("[data-row]");
    const place = event.target.dataset.place;
    if (row) this.handles.grabBar(event, part, row);
    else if (place) this.handles.grabCell(event, part, place);
  }

  /** @param {any} event */
  focused({ target }) {
    const { part, of, entry } = target.dataset;
    const id = part ?? of;
    if (entry) this.handles.stopAt(of, entry.split(" ").at(-1));
    if (id && id !== this.focus) {
      this.focus = id;
      this.update();
    }
    if (target.matches(":focus-visible")) this.lens.look(id ?? null);
  }

  /** @param {string} variable */
  openPicker(variable) {
    this.picking = variable;
    this.update();
  }

  /** @param {boolean} [back] whether the focus goes to the card, wherever it is */
  closePicker(back = false) {
    if (this.picking === null) return;
    const card = this.groupOf(`variable:${this.picking}`);
    const inside = this.root?.querySelector(".fgn-picker")?.contains(this.active);
    this.picking = null;
    if (back || inside) card?.focus();
    this.update();
  }

  closeCode() {
    this.code = null;
    this.update();
    this.focusMore();
  }

  openMore() {
    this.more = true;
    this.update();
  }

  /** @param {boolean} [back] whether the focus goes to the button that opens it */
  closeMore(back = false) {
    if (!this.more) return;
    const inside = this.root?.querySelector(".fgn-menu")?.contains(this.active);
    this.more = false;
    if (back || inside) this.focusMore();
    this.update();
  }

  focusMore() {
    /** @type {any} */ (this.root?.querySelector("[data-more-button]"))?.focus();
  }

  /** A window with text to copy takes the menu's place. @param {"code" | "link"} what */
  askCode(what) {
    this.closeMore(true);
    this.request(what);
  }

  openLegend() {
    this.closeMore(true);
    this.legend = true;
    this.update();
  }

  closeLegend() {
    this.legend = false;
    this.update();
    /** @type {any} */ (this.root?.querySelector("[data-legend]"))?.focus();
  }

  /** Shows the buttons for single rounds, or puts them away. @param {boolean} on */
  stepwise(on) {
    this.stepping = on;
    if (!on && this.scene.rounds.round < this.scene.rounds.last)
      this.request("set", { round: this.scene.rounds.last });
    this.update();
  }

  /** Keys that no field, bar or cell has taken. @param {KeyboardEvent} event */
  key(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "z") {
      this.request(shiftKey ? "redo" : "undo");
      return true;
    }
    if (ctrlKey || metaKey || altKey) return false;
    if (key === "Escape") return this.escape();
    const part = this.partOf(this.active?.dataset?.part);
    if (!part || shiftKey) return false;
    if (key in ARROWS) this.move(part, ARROWS[key]);
    else if (event.repeat && (key === "Enter" || key === " ")) return true;
    else if (key === "Enter" && part.kind === "variable") this.openPicker(part.variable);
    else if (key === "Enter" || key === " ") this.press(part.id);
    else if (key === "Backspace") this.request("undo");
    else return false;
    return true;
  }

  escape() {
    if (this.code !== null) this.closeCode();
    else if (this.legend) this.closeLegend();
    else if (this.more) this.closeMore(true);
    else if (this.picking !== null) this.closePicker(true);
    else if (this.scene.origin != null) this.request("set", { origin: null });
    else if (this.scene.selected != null) this.request("set", { selected: null });
    else return false;
    return true;
  }

  /** To the nearest part in a direction; what lies aside counts twice.
   *
   * @param {Part} from @param {[number, number]} way */
  move(from, [dx, dy]) {
    const cost = (/** @type {Part} */ { at }) => {
      const [x, y] = [at[0] - from.at[0], at[1] - from.at[1]];
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy + y * dx) : Infinity;
    };
    const best = this.scene.parts.reduce((a, b) => (cost(b) < cost(a) ? b : a), from);
    if (cost(best) < Infinity) this.groupOf(best.id)?.focus();
  }

  /* -- what is drawn -- */

  tree() {
    const { scene, health } = this;
    const picked = this.picking === null ? null : this.partOf(`variable:${this.picking}`);
    if (!picked) this.picking = null;
    return h(
      "div",
      {
        class: "fgn-widget fgn-drawing fgn-graph",
        "data-plain": scene.plain ? "" : null,
        "data-health": health,
        "data-asleep": this.asleep ? "" : null,
        tabindex: -1, // a press beside all parts leaves the focus in the widget
        ...onKey((event) => this.key(event)),
        onFocusIn: (/** @type {any} */ event) => this.focused(event),
      },
      this.bar(),
      this.lines(),
      h("div", { class: "fgn-spoken", role: "log", "aria-live": "polite" }),
      h("div", { class: "fgn-body" }, this.stage(), this.panel()),
      this.code === null
        ? null
        : h(Copy, { ...this.code, close: () => this.closeCode(), key: "copy" }),
      this.more ? h(More, { view: this, key: "more" }) : null,
      this.legend
        ? h(Legend, { marks: this.marks, close: () => this.closeLegend(), key: "legend" })
        : null,
      picked ? h(Picker, { view: this, part: picked, key: picked.id }) : null,
      h("div", { class: "fgn-why", role: "tooltip", hidden: true, key: "why" }),
    );
  }

  bar() {
    const { scene, health } = this;
    const gone = health === "gone";
    const { rounds } = scene;
    return h(
      "div",
      { class: "fgn-bar" },
      h("strong", { class: "fgn-title-line" }, scene.title ?? ""),
      h(Player, {
        unit: "round",
        beat: BEAT,
        at: rounds.round,
        last: rounds.last,
        text: rounds.text,
        waiting: this.requests.open.length > 0,
        able: !gone,
        steps: this.stepping,
        go: (by) => this.request("go", { by }),
        ask: (round) => this.request("set", { round }),
      }),
      h(
        "span",
        { class: "fgn-player fgn-first" },
        h(IconButton, {
          icon: "undo",
          name: "undo (Ctrl+Z)",
          act: () => this.request("undo"),
          disabled: !scene.undo || gone,
        }),
      ),
      h(
        "button",
        {
          type: "button",
          class: "fgn-first",
          title: "take all evidence back",
          disabled: gone || !this.observed,
          onClick: () => this.request("set", { evidence: {} }),
        },
        "forget all",
      ),
      h(
        "button",
        {
          type: "button",
          class: "fgn-first",
          "aria-haspopup": "dialog",
          "aria-expanded": String(this.more),
          "data-more-button": "",
          onClick: () => (this.more ? this.closeMore(true) : this.openMore()),
        },
        "more",
      ),
      h(
        "span",
        { class: "fgn-player fgn-first" },
        h(IconButton, {
          icon: "help",
          name: "what the marks mean",
          act: () => (this.legend ? this.closeLegend() : this.openLegend()),
          "aria-expanded": String(this.legend),
          "data-legend": "",
        }),
      ),
      scene.pinned == null
        ? null
        : h(
            "label",
            { class: "fgn-moment", title: `pinned: ${scene.pinned}` },
            "before",
            h("input", {
              type: "range",
              min: 0,
              max: 100,
              value: String(Math.round(100 * this.moment)),
              "aria-label": "from the pinned beliefs to those of now",
              "aria-valuetext": this.moment < 0.5 ? "before" : "after",
              onInput: (/** @type {any} */ event) => {
                this.moment = Number(event.target.value) / 100;
                this.update();
              },
            }),
            "after",
          ),
    );
  }

  /** What is observed, what is asked, how to begin: two lines that are always there. */
  lines() {
    const { scene, health } = this;
    const mild = health === "busy" || this.asleep;
    return h(
      "div",
      { class: "fgn-lines" },
      h("div", { class: "fgn-summary", title: scene.summary }, scene.summary),
      h(
        "div",
        { class: "fgn-hint-line", title: scene.asked || scene.hint, hidden: this.told !== "" },
        scene.asked || scene.hint,
      ),
      h(
        "div",
        { class: "fgn-status", role: "status", "data-mild": mild ? "" : null },
        this.told || null,
      ), // an empty text would be set anew each time
    );
  }

  stage() {
    const { parts } = this.scene;
    if (!this.partOf(this.focus))
      this.focus = (parts.find((part) => part.kind === "variable") ?? parts[0]).id;
    const { handles, lens } = this;
    return h(
      "div",
      { class: "fgn-stage" },
      h(
        "svg",
        { role: "group" },
        h(
          "g",
          {
            onClick: (/** @type {any} */ event) => this.click(event),
            onPointerDown: (/** @type {any} */ event) => this.grab(event),
            onPointerOver: (/** @type {any} */ event) =>
              lens.look(event.target.closest("[data-part]")?.dataset.part ?? null, event),
            onPointerLeave: () => lens.look(null),
          },
          ...parts.map((part) =>
            h(PartView, {
              key: part.id,
              part,
              near: part.id === this.focus,
              held: handles.held?.id === part.id ? handles.held.place : null,
              lens: lens.style(part.id),
              moment: part.kind === "variable" ? this.moment : 1,
              calm,
            }),
          ),
        ),
        h(
          "g",
          { class: "fgn-frames-layer", ...handles.keys },
          ...parts.filter(isHandle).map((part) =>
            h(Frames, {
              key: part.id,
              part,
              near: part.id === this.focus,
              stop: handles.stops.get(part.id) ?? null,
            }),
          ),
        ),
        h("g", { class: "fgn-travels", "aria-hidden": "true" }),
      ),
    );
  }

  panel() {
    const { panel } = this.scene;
    const rows = panel.variable == null ? null : this.partOf(`variable:${panel.variable}`)?.rows;
    return h(Panel, {
      view: this,
      panel,
      rows: rows ?? null,
      origin: this.scene.origin ?? null,
      open: this.requests.open,
      fault: this.refused,
      health: this.health,
    });
  }
}
