/* The graph editor: draws the scene that Python made, and says what a hand wants.
 *
 *   scene    a plain value: cards and arrows with their places, the form, the loop, the table
 *   handle   the circle under a card: an arrow is dragged from it to another card
 *   from     the variable that an arrow is being drawn from, by pointer or by key
 *   part     a card or an arrow; what the pointer and the arrow keys choose from
 *   form     of the selected part. It is there at once, before Python has answered, so that no letter
 *            that is typed after a double click is lost
 *
 * Nothing of the model is decided here. No element has an id, so that any number of editors share a
 * page. */

import { linked } from "../core/address.js";
import { drag, keyGesture } from "../core/drag.js";
import { ARROWS, Fragment, h, IconButton } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { refusedIn } from "../core/matrix.js";
import { PageView } from "../core/page_view.js";
import { share, shareById } from "../core/share.js";
import { Board } from "./board.js";
import { BoardPart, border, drawLine, middle } from "./cards.js";
import { refusal, Sending } from "./files.js";
import { Forms, provisional } from "./forms.js";
import { Learning } from "./learning.js";

/** @typedef {import("../scene").EditorScene} Scene */
/** @typedef {import("../scene").EditorCard} Card */

const STEP = 20; // px that a key moves a card
const ZOOM = 1.25; // by which a drawing grows and shrinks
const HANDLE = 14; // px under a card that belong to it

/** @extends {PageView<Scene>} */
export class EditorPage extends PageView {
  /** @param {import("../core/page_view.js").Given} given */
  constructor(given) {
    super(given);
    /** @type {string | null} the part that Tab goes to */
    this.focus = null;
    /** @type {string | null} */
    this.from = null;
    /** @type {number[] | null} where the arrow in someone's hand points */
    this.to = null;
    /** @type {string | null} the card in someone's hand */
    this.carried = null;
    /** @type {string | null} a variable that Python has still to add */
    this.draft = null;
    this.formId = 0; // counts the parts that had a form
    this.formOf = ""; // the part that has it
    this.now = ""; // the name of its variable since the last request
    this.typing = false; // somebody has typed in the form, and not left the field
    /** @type {any} the form that is shown */
    this.form = null;
    /** @type {Sending | null} */
    this.sending = null;
    this.said = ""; // of a file that is not sent
    this.copied = ""; // what is said of what was copied
    this.link = ""; // shown in the place of the code until something changes
    this.over = false; // a file is held above
    /** @type {import("../core/matrix.js").Refused} what was refused in a row */
    this.refused = null;
    this.board = new Board(() => this.carried !== null);
    /** @type {import("../scene").EditorCurve | null} */
    this.curve = this.model.get("curve") ?? null;
    this.learned = () => {
      this.curve = this.model.get("curve") ?? null;
      this.update();
    };
    this.model.on("change:curve", this.learned);
    this.begin();
  }

  remove() {
    this.model.off("change:curve", this.learned);
    this.board.remove();
    super.remove();
  }

  /* -- what PageView asks -- */

  /** @param {Scene} old @param {Scene} now @returns {Scene} */
  taken(old, now) {
    if (old?.code !== now.code) this.link = "";
    const cards = shareById(old?.cards, now.cards);
    return share(old, { ...now, cards, arrows: shareById(old?.arrows, now.arrows) });
  }

  get news() {
    return [this.scene.summary, this.refused?.text, this.told].filter(Boolean).join(" ");
  }

  /** What was refused next to a cell is not said a second time below the board. */
  get told() {
    return super.told === this.refused?.text ? "" : super.told;
  }

  /** @param {import("../core/requests.js").Request[]} requests @param {string} fault */
  answered(requests, fault) {
    for (const request of requests) {
      const { do: what, with: asked } = request;
      this.refused = refusedIn(request, fault);
      if (what === "add" && asked.name === this.draft) this.draft = null;
      if (what === "rename" && fault && this.now === asked.new.trim()) this.now = asked.name;
      if (what === "tidy") this.board.stale = true;
      if (what === "file") this.send(fault);
    }
  }

  /** @param {any} lost */
  focusAfter(lost) {
    const { part, key, cell } = lost.dataset ?? {};
    if (part) return this.groupOf(this.focus) ?? this.root?.querySelector(".fgn-stage");
    const panel = this.root?.querySelector(".fgn-panel");
    const again = key
      ? `[data-key="${CSS.escape(key)}"]`
      : cell
        ? `[data-cell="${CSS.escape(cell)}"]`
        : null;
    return (again && panel?.querySelector(again)) || panel || this.root;
  }

  drawn() {
    if (this.root) this.board.draw(this.root, this.scene);
  }

  /* -- what is where -- */

  /** @param {string | null} [name] @returns {Card | undefined} */
  card(name) {
    return this.scene.cards.find((card) => card.variable === name);
  }

  /** @param {string | null | undefined} id @returns {any} */
  partOf(id) {
    const { cards, arrows } = this.scene;
    return cards.find((part) => part.id === id) ?? arrows.find((part) => part.id === id);
  }

  /** @param {string | null | undefined} id @returns {any} */
  groupOf(id) {
    return id == null ? null : this.root?.querySelector(`[data-part="${CSS.escape(id)}"]`);
  }

  /** The card under a point, its handle included. @param {number[]} point */
  under([x, y]) {
    return this.scene.cards.findLast((card) => {
      const [left, top] = this.placeOf(card);
      return x >= left && x <= left + card.w && y >= top && y <= top + card.h + HANDLE;
    });
  }

  /** Where a card is drawn: where the hand has it, until Python has placed it there. @param {Card} card
   * @returns {[number, number]} */
  placeOf({ variable, x, y, w, h: high }) {
    const own = this.requests.open.findLast(
      ({ do: what, with: asked }) =>
        what === "cancel" || (what === "place" && asked.name === variable),
    );
    if (own?.do !== "place") return [x, y];
    return [Math.max(1, own.with.x - w / 2), Math.max(1, own.with.y - high / 2)];
  }

  /** The points of an arrow; the end at a card in someone's hand goes with it.
   *
   * @param {import("../scene").EditorArrow} arrow @param {Map<string, number[]>} moved */
  pointsOf({ points, parent, child }, moved) {
    const [first, last] = [moved.get(parent), moved.get(child)];
    if (!first && !last) return points;
    const made = points.map((point) => [...point]);
    /** @param {number} i @param {number[] | undefined} by */
    const shift = (i, by) => {
      if (by) made[i] = [made[i][0] + by[0], made[i][1] + by[1]];
    };
    shift(0, first);
    shift(made.length - 1, last);
    return made;
  }

  /* -- the form -- */

  /** The form on show: of the part that is wanted last, and never taken from under who types in it. */
  chooseForm() {
    const { panel } = this.scene;
    const wanted = this.requests.open.findLast(
      ({ do: what }) => what === "select" || what === "add",
    );
    const shown = this.form?.variable;
    if (this.typing && shown && (this.card(this.now) || this.card(shown) || this.draft === shown)) {
      if (panel?.kind === "variable" && [shown, this.now].includes(panel.variable)) {
        this.form = panel;
        this.formOf = panel.variable;
      }
      return; // who types is not disturbed by a selection from elsewhere
    }
    /** @type {any} */
    let form = panel ?? null;
    const id = wanted?.do === "select" ? wanted.with.part : wanted && `variable:${this.draft}`;
    if (wanted && id == null) form = null;
    else if (id?.startsWith("variable:")) {
      const name = id.slice(9);
      const there = panel?.kind === "variable" && panel.variable === name;
      if (!there && (this.card(name) || this.draft === name)) form = provisional(name, this.scene);
    } else if (id) {
      const arrow = this.partOf(id);
      if (arrow) form = { kind: "arrow", parent: arrow.parent, child: arrow.child };
    }
    const own = form?.variable ?? (form ? `${form.parent}->${form.child}` : "");
    if (own !== this.formOf && !(form?.variable && own === this.now)) {
      this.formId += 1;
      this.now = form?.variable ?? "";
    } else if (form?.variable && !this.requests.open.some(({ do: what }) => what === "rename")) {
      this.now = form.variable;
    }
    this.formOf = own;
    this.form = form;
  }

  /** @param {string} name @param {string} typed @param {number} id of the form in which it was typed */
  rename(name, typed, id) {
    if (id === this.formId && typed.trim()) this.now = typed.trim();
    this.request("rename", { name, new: typed });
  }

  /** What is typed in the form, or a field that is left. @param {any} event */
  typed({ type, target }) {
    if (type === "input" && target.type === "text") this.typing = true;
    else if (type === "focusout") {
      this.typing = false;
      this.update();
    }
  }

  /** To the first field of the form, all of it selected. */
  fill() {
    /** @type {any} */
    const first = this.root?.querySelector(".fgn-own :is(input, select, button)");
    first?.focus();
    first?.select?.();
  }

  /* -- requests -- */

  /** Those about a matrix say of which variable it is: a name that was just typed may change its own.
   *
   * @param {string} what @param {Record<string, any>} [asked] @param {string} [gesture]
   * @param {boolean} [each] */
  request(what, asked = {}, gesture = "", each = !gesture) {
    const matrix = what === "row" || what === "step" || what === "edit";
    if (what !== "file") this.said = "";
    super.request(what, matrix ? { ...asked, of: this.now } : asked, gesture, each);
  }

  /** A new variable; its name is what one types first. @param {number[] | null} [at] */
  add(at = null) {
    if (this.health === "gone") return;
    const known = new Set(this.scene.cards.map(({ variable }) => variable));
    for (const { do: what, with: asked } of this.requests.open) {
      if (what === "add") known.add(asked.name);
      if (what === "rename") known.add(asked.new.trim());
    }
    let n = 1;
    while (known.has(`X${n}`)) n += 1;
    this.typing = false;
    this.draft = `X${n}`;
    this.request("add", { name: this.draft, states: "2", at });
    this.fill();
  }

  /** @param {string | null} part */
  select(part) {
    const shown = this.form?.variable
      ? `variable:${this.form.variable}`
      : this.form && `arrow:${this.formOf}`;
    if ((shown || null) !== part || this.draft) this.request("select", { part });
  }

  /** @param {File | undefined} file */
  read(file) {
    if (!file) return;
    const why = refusal(file, this.scene.most_bytes);
    if (why || this.health === "gone") {
      this.said = why;
      return this.update();
    }
    this.sending = new Sending(file);
    this.send("");
  }

  /** The next slice, when the last one is there. @param {string} fault of the last one */
  async send(fault) {
    const { sending } = this;
    if (!sending) return;
    if (fault || (sending.over && sending.at > 0)) {
      this.sending = null;
      return;
    }
    try {
      const slice = await sending.next();
      if (this.sending === sending && !this.life.signal.aborted) this.request("file", slice);
    } catch (error) {
      this.sending = null;
      this.said = `${sending.file.name} cannot be read: ${error}`; // a folder, a file that is gone
      this.update();
    }
  }

  /** A link has come, which is copied; where that is not allowed, it is shown. @param {any} event */
  happened(event) {
    if (event.event === "link") this.copy(linked(event.text), "The link is copied");
  }

  /** @param {string} text @param {string} done what is said then */
  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      this.copied = done;
    } catch {
      this.copied = "Press Ctrl+C"; // not on a secure page
    }
    this.link = text === this.scene.code ? "" : text;
    this.update();
    const code = this.root?.querySelector(".fgn-python pre");
    if (code && this.copied !== done) getSelection()?.selectAllChildren(code);
    setTimeout(() => {
      this.copied = "";
      this.update();
    }, 1500);
  }

  /* -- the pointer -- */

  /** A press on the board, from which a drag may come. @param {any} event */
  press(event) {
    if (event.button !== 0 || this.health === "gone") return;
    const handle = event.target.closest("[data-handle]")?.dataset.handle;
    const name = event.target.closest("[data-part]")?.dataset.part?.match(/^variable:(.*)$/s)?.[1];
    if (handle) this.drawArrow(event, handle);
    else if (name) this.carry(event, name);
  }

  /** An arrow is dragged from a handle. @param {PointerEvent} event @param {string} name */
  drawArrow(event, name) {
    drag(
      event,
      (e) => {
        this.dragging = true;
        this.from = name;
        this.to = this.board.at(e);
        this.update();
      },
      (cancelled) => {
        const over = this.to && this.under(this.to);
        this.dragging = false;
        this.drop();
        if (!cancelled && over && over.variable !== name)
          this.request("connect", { parent: name, child: over.variable });
      },
    );
  }

  /** A card is carried elsewhere. @param {PointerEvent} event @param {string} name */
  carry(event, name) {
    const card = this.card(name);
    if (!card) return;
    const [x, y] = this.placeOf(card);
    const { scale } = this.board;
    drag(
      event,
      (_, [dx, dy], gesture) => {
        this.dragging = true;
        this.carried = name;
        const at = { x: x + dx / scale + card.w / 2, y: y + dy / scale + card.h / 2 };
        this.request("place", { name, ...at }, gesture);
      },
      (cancelled, gesture) => {
        this.dragging = false;
        this.carried = null;
        if (cancelled) this.requests.cancel(gesture);
        this.update();
      },
    );
  }

  /** @param {any} event */
  click(event) {
    const handle = event.target.closest("[data-handle]")?.dataset.handle;
    const part = this.partOf(event.target.closest("[data-part]")?.dataset.part);
    const row = event.target.closest("[data-row]")?.dataset.row;
    if (handle && !this.from) this.connecting(handle);
    else this.choose(part, row === undefined ? null : Number(row));
  }

  /** A part was chosen, or the ground. @param {any} part @param {number | null} [row] */
  choose(part, row = null) {
    const name = part?.variable ?? null;
    if (this.from) {
      const parent = this.from;
      this.drop();
      if (name && name !== parent) this.request("connect", { parent, child: name });
    } else if (name && row !== null) this.request("toggle", { variable: name, state: row });
    else this.select(part?.id ?? null);
  }

  /** @param {any} event */
  twice(event) {
    const at = this.board.at(event);
    if (!this.under(at) && !event.target.closest("[data-part]")) this.add(at);
  }

  /** @param {string} name */
  connecting(name) {
    this.from = name;
    this.update();
  }

  drop() {
    this.from = this.to = null;
    this.update();
  }

  /** @param {any} event @param {boolean} over */
  hover(event, over) {
    if (over) event.preventDefault();
    else if (this.root?.contains(event.relatedTarget)) return;
    if (this.over === over) return;
    this.over = over;
    this.update();
  }

  /* -- the keyboard -- */

  /** @param {any} event */
  focused({ target }) {
    const { part } = target.dataset ?? {};
    if (!part) return;
    this.focus = part;
    if (this.from) {
      const card = this.card(part.slice(9));
      if (card) this.to = middle(card);
    }
    this.update();
  }

  /** Keys that no field has taken. @param {KeyboardEvent} event */
  key(event) {
    const { active } = this;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const field = active?.matches?.("input:not([type=checkbox]), select, textarea");
    if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "z") {
      if (field && this.typing) {
        event.stopImmediatePropagation(); // the field's own, and no key of the notebook
        return false;
      }
      this.request(event.shiftKey ? "redo" : "undo");
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (key === "Escape") return this.escape(active);
    if (field) return false;
    const part = this.partOf(active?.dataset?.part);
    if (part) return this.onPart(part, key, event);
    const stage = this.root?.querySelector(".fgn-stage");
    if (key !== "n" || !(active === stage || active === this.root)) return false;
    if (!event.repeat) this.add();
    return true;
  }

  /** What a key does to the part that has the focus. @param {any} part @param {string} key
   * @param {KeyboardEvent} event */
  onPart(part, key, event) {
    const name = part.variable ?? null;
    const { parent, child } = part;
    if (key in ARROWS && event.shiftKey && name) this.push(name, ARROWS[key], event);
    else if (key in ARROWS) this.move(part, ARROWS[key]);
    else if (event.repeat && key.length === 1)
      return true; // a letter that is held is one
    else if (key === "Enter" && !this.from) {
      this.select(part.id);
      this.fill();
    } else if (key === "Enter" || key === " ") this.choose(part);
    else if (key === "n") this.add();
    else if (key === "c" && name) this.connecting(name);
    else if (key === "h" && name) this.request("flip", { name });
    else if (key === "t" && !name) this.request("turn", { parent, child });
    else if (key === "Delete" && name) this.request("remove", { name });
    else if (key === "Delete") this.request("disconnect", { parent, child });
    else if (/^\d$/.test(key) && name) {
      const cell = Number(key) - 1;
      if (cell < part.rows.length)
        this.request("observe", { variable: name, cell: cell < 0 ? null : cell });
    } else return false;
    return true;
  }

  /** Moves a card by a key; one that is held is undone as one.
   *
   * @param {string} name @param {[number, number]} way @param {KeyboardEvent} event */
  push(name, [dx, dy], event) {
    const axis = dx ? 0 : 1;
    this.request("shift", { name, axis, by: STEP * (dx + dy) }, keyGesture(event));
  }

  /** @param {any} active */
  escape(active) {
    if (this.from) this.drop();
    else if (active && this.root?.querySelector(".fgn-panel")?.contains(active) && this.form) {
      const { variable } = this.form;
      this.groupOf(variable ? `variable:${variable}` : `arrow:${this.formOf}`)?.focus();
    } else if (this.form) this.select(null);
    else return false;
    return true;
  }

  /** To the nearest part in a direction; what lies aside counts twice.
   *
   * @param {any} from @param {[number, number]} way */
  move(from, [dx, dy]) {
    const { cards, arrows } = this.scene;
    const parts = this.from ? cards : [...cards, ...arrows];
    const cost = (/** @type {any} */ { at }) => {
      const [x, y] = [at[0] - from.at[0], at[1] - from.at[1]];
      const along = x * dx + y * dy;
      return along > 1 ? along + 2 * Math.abs(x * dy + y * dx) : Infinity;
    };
    const best = parts.reduce((a, b) => (cost(b) < cost(a) ? b : a), from);
    if (cost(best) < Infinity) this.groupOf(best.id)?.focus();
  }

  /* -- what is drawn -- */

  tree() {
    this.chooseForm();
    const { scene, health } = this;
    const line = this.line();
    /** @param {string} text @param {string} help @param {() => void} act */
    const button = (text, help, act) =>
      h("button", { type: "button", title: help, onClick: act }, text);
    return h(
      "div",
      {
        class: `fgn-widget fgn-drawing fgn-editor${this.over ? " fgn-over" : ""}`,
        "data-health": health,
        tabindex: -1, // a press beside all parts leaves the focus in the widget
        ...onKey((event) => this.key(event)),
        onFocusIn: (/** @type {any} */ event) => this.focused(event),
        onDragOver: (/** @type {any} */ event) => this.hover(event, true),
        onDragLeave: (/** @type {any} */ event) => this.hover(event, false),
        onDrop: (/** @type {any} */ event) => {
          event.preventDefault();
          event.stopPropagation(); // the notebook would insert a cell
          this.over = false;
          this.read(event.dataTransfer?.files[0]);
          this.update();
        },
      },
      this.bar(),
      h(
        "div",
        {
          class: "fgn-body",
          onInput: (/** @type {any} */ event) => this.typed(event),
          onFocusOut: (/** @type {any} */ event) => this.typed(event),
        },
        this.stage(),
        h(Forms, {
          view: this,
          form: this.form,
          table: scene.table ?? null,
          open: this.requests.open,
          fault: this.refused,
          health,
          id: this.formId,
        }),
      ),
      h(
        "div",
        { class: "fgn-status", role: "status", "data-mild": line.mild ? "" : null },
        line.text || null, // an empty text would be set anew each time
      ),
      this.loop(),
      h("div", { class: "fgn-summary" }, scene.summary),
      h("div", { class: "fgn-spoken", role: "log", "aria-live": "polite" }),
      h(Learning, { view: this, scene, curve: this.curve, open: this.requests.open, health }),
      h(
        "details",
        { class: "fgn-python" },
        h("summary", {}, "The Python that does the same"),
        h(
          "span",
          { class: "fgn-copies" },
          this.copied,
          button("Copy", "copy the Python", () => this.copy(scene.code, "Copied")),
          button("Copy a link", "the end of an address that holds this graph", () => {
            this.request("link");
          }),
        ),
        h(
          "pre",
          { tabindex: 0, role: "region", "aria-label": this.link ? "link" : "Python" },
          this.link || scene.code,
        ),
      ),
    );
  }

  /** What is said below the board; in no colour of alarm where nothing is wrong. */
  line() {
    const { told, said, sending, from, scene, health } = this;
    const hint = from
      ? `An arrow from ${from}: click the child, or go to it with the arrow keys and press Enter. Escape leaves it.`
      : "";
    if (told || said) return { text: told || said, mild: health === "busy" };
    return { text: sending?.told || hint || scene.note || "", mild: true };
  }

  bar() {
    const { scene, health } = this;
    const gone = health === "gone";
    /** @param {string} text @param {string} help @param {() => void} act */
    const button = (text, help, act, more = {}) =>
      h(
        "button",
        { type: "button", title: help, onClick: act, disabled: gone, key: text, ...more },
        text,
      );
    const known = scene.cards.some(({ note }) => note === "known" || note === "soft");
    return h(
      "div",
      { class: "fgn-bar", role: "toolbar", "aria-label": "edit the graph" },
      button("Add variable", "n, or a double click on the ground", () => this.add()),
      button("Open CSV…", "or drop a file here: its columns become variables", () =>
        /** @type {any} */ (this.root?.querySelector(".fgn-file"))?.click(),
      ),
      h("input", {
        type: "file",
        accept: ".csv,.tsv,.txt",
        class: "fgn-file",
        hidden: true,
        "aria-label": "a CSV file",
        onChange: (/** @type {any} */ { target }) => {
          this.read(target.files[0]);
          target.value = "";
        },
      }),
      button("Random matrices", "new random numbers in every matrix", () => this.request("draw")),
      button("Uniform", "every matrix uniform", () => this.request("flat")),
      button("Tidy", "lay the cards out anew, parents above", () => this.request("tidy")),
      known
        ? button("Forget evidence", "nothing is known any more", () => this.request("forget"))
        : null,
      h(
        "span",
        { class: "fgn-player fgn-tools" },
        h(IconButton, {
          icon: "undo",
          name: "undo (Ctrl+Z)",
          act: () => this.request("undo"),
          disabled: !scene.undo || gone,
        }),
        h(IconButton, {
          icon: "redo",
          name: "redo (Ctrl+Shift+Z)",
          act: () => this.request("redo"),
          disabled: !scene.redo || gone,
        }),
        h(IconButton, {
          icon: "smaller",
          name: "smaller",
          act: () => this.board.rescale(1 / ZOOM),
        }),
        h(IconButton, { icon: "larger", name: "larger", act: () => this.board.rescale(ZOOM) }),
        h(IconButton, { icon: "whole", name: "all in sight", act: () => this.board.whole() }),
      ),
    );
  }

  loop() {
    const { loop } = this.scene;
    const merge = (/** @type {boolean} */ on, /** @type {string} */ words) =>
      h(
        "button",
        {
          type: "button",
          onClick: () => this.request("merge", { merge: on }),
          disabled: this.health === "gone",
        },
        words,
      );
    return h(
      "div",
      { class: "fgn-loop" },
      loop
        ? h(
            Fragment,
            {},
            h("span", {}, loop.words),
            loop.merged
              ? merge(false, "Do not merge")
              : loop.can
                ? merge(true, "Merge the loop")
                : null,
          )
        : null,
    );
  }

  stage() {
    const { cards, arrows } = this.scene;
    if (!this.partOf(this.focus)) this.focus = cards[0]?.id ?? null;
    if (this.from && !this.card(this.from)) this.from = this.to = null;
    const places = new Map(cards.map((card) => [card.variable, this.placeOf(card)]));
    const moved = new Map(
      cards
        .map((card) => {
          const [x, y] = places.get(card.variable) ?? [card.x, card.y];
          return /** @type {[string, number[]]} */ ([card.variable, [x - card.x, y - card.y]]);
        })
        .filter(([, [dx, dy]]) => dx || dy),
    );
    const aim = this.from && this.to ? this.under(this.to)?.variable : null;
    return h(
      "div",
      { class: "fgn-stage", tabindex: -1 },
      h(
        "svg",
        {
          role: "group",
          "aria-label": "the graph",
          onClick: (/** @type {any} */ event) => this.click(event),
          onDblClick: (/** @type {any} */ event) => this.twice(event),
          onPointerDown: (/** @type {any} */ event) => this.press(event),
        },
        ...arrows.map((part) =>
          h(BoardPart, {
            key: part.id,
            part,
            x: 0,
            y: 0,
            points: this.pointsOf(part, moved),
            near: part.id === this.focus,
            look: null,
          }),
        ),
        ...cards.map((part) => {
          const [x, y] = places.get(part.variable) ?? [part.x, part.y];
          const { variable } = part;
          const look = variable === this.from ? "start" : variable === aim ? "aim" : null;
          return h(BoardPart, {
            key: part.id,
            part,
            x,
            y,
            points: null,
            near: part.id === this.focus,
            look,
          });
        }),
        this.rubber(),
        cards.length ? null : invitation(),
      ),
    );
  }

  /** The arrow in someone's hand. */
  rubber() {
    const start = this.from ? this.card(this.from) : undefined;
    if (!start || !this.to) return null;
    return h("g", { class: "fgn-rubber" }, ...drawLine([border(start, this.to), this.to]));
  }
}

const invitation = () =>
  h(
    "text",
    { class: "fgn-invitation", x: 24, y: 60 },
    h("tspan", { x: 24 }, "An empty graph. Double-click here for a variable (key: n),"),
    h("tspan", { x: 24, dy: 22 }, "or drop a CSV file: its columns become variables."),
  );
