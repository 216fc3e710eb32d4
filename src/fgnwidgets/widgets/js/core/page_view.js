/* What the views of all widgets have in common: a scene that Python made, a hand's requests, the health of
 * the kernel, keys, theme, what is spoken, and a focus that never falls to the page.
 *
 * A subclass says what it draws (`tree`), and may say what happens (`happened`, `answered`), how a scene
 * is taken in (`taken`), and what gets the focus of an element that is gone (`focusAfter`). */

import { render } from "preact";

import { newGesture } from "./drag.js";
import { healthText, Kernel } from "./kernel.js";
import { listenForKeys } from "./keys.js";
import { followTheme, wear } from "./look.js";
import { Requests } from "./requests.js";
import { share } from "./share.js";
import { store } from "./stored.js";

const PAUSE = 600; // ms without a change until a screen reader is told of the last one

/** @typedef {{model: any, el: HTMLElement, style?: string, key?: string}} Given */

/** @template {Record<string, any>} Scene */
export class PageView {
  /** @param {Given} given */
  constructor({ model, el, style, key }) {
    store(model);
    this.model = model;
    this.el = el;
    this.life = new AbortController();
    /** @type {HTMLElement | null} */
    this.root = null;
    this.dragging = false;
    this.drawing = false;
    this.again = false;
    this.spoken = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.speaking = undefined;
    this.kernel = new Kernel(model, () => this.update(), el);
    this.requests = new Requests(
      model,
      this.kernel,
      (event) => this.happened(event),
      (requests, fault) => {
        this.answered(requests, fault);
        this.update();
      },
    );
    this.lastFault = "";
    /** @type {Scene} */
    this.scene = model.get("scene");
    this.changed = () => {
      this.scene = this.taken(this.scene, model.get("scene"));
      this.update();
    };
    model.on("change:scene", this.changed);
    listenForKeys(
      () => this.root,
      this.life.signal,
      () => this.dragging,
    );
    wear(el, style, key);
    requestAnimationFrame(() => {
      // once the view is on the page
      if (this.life.signal.aborted) return;
      wear(el, style, key);
      this.kernel.look();
    });
  }

  /** To be called by the subclass once all of it is there. */
  begin() {
    this.update();
    followTheme(() => this.root, this.life.signal);
    this.speak();
  }

  remove() {
    this.life.abort();
    clearTimeout(this.speaking);
    this.model.off("change:scene", this.changed);
    this.requests.remove();
    this.kernel.remove();
    render(null, this.el);
  }

  /* -- for subclasses -- */

  /** @returns {any} what is drawn */
  tree() {
    return null;
  }

  /** @param {any} _event */
  happened(_event) {}

  /** @param {import("./requests.js").Request[]} _wishes @param {string} _fault */
  answered(_wishes, _fault) {}

  /** @param {Scene} old @param {Scene} now @returns {Scene} */
  taken(old, now) {
    return share(old, now);
  }

  /** Draws after the elements are as they should be. */
  drawn() {}

  /** What takes the focus of an element that is gone. @param {any} _lost @returns {any} */
  focusAfter(_lost) {
    return this.root;
  }

  /** What a screen reader is told when hands rest. @returns {string} */
  get news() {
    return "";
  }

  /* -- drawing -- */

  get health() {
    return this.kernel.health;
  }

  /** What a status line says. */
  get told() {
    return healthText(this.health) || this.scene.status || "";
  }

  /** Draws; what asks for it while it is being drawn, such as a field that loses the focus since it is
   * taken away, is drawn after that. */
  update() {
    if (this.life.signal.aborted) return;
    if (this.drawing) {
      this.again = true;
      return;
    }
    do {
      this.again = false;
      this.drawing = true;
      try {
        this.draw();
      } finally {
        this.drawing = false;
      }
    } while (this.again);
  }

  draw() {
    if (!this.scene || !Object.keys(this.scene).length) return;
    const before = this.active;
    const held = before && before !== this.root && this.root?.contains(before);
    render(this.tree(), this.el);
    this.root = /** @type {HTMLElement} */ (this.el.firstElementChild);
    this.drawn();
    if (held && !before.isConnected) this.focusAfter(before)?.focus();
    this.speak();
  }

  /** The element of this tree with the focus. @returns {any} */
  get active() {
    return /** @type {any} */ (this.el.getRootNode()).activeElement ?? null;
  }

  /** A screen reader is told of changes when the hand rests, not of each step of a drag. */
  speak() {
    clearTimeout(this.speaking);
    if (this.news === this.spoken) return;
    this.speaking = setTimeout(() => {
      if (this.dragging) return this.speak();
      this.spoken = this.news;
      const region = this.root?.querySelector(".fgn-spoken");
      if (region) region.textContent = this.spoken;
    }, PAUSE);
  }

  /* -- requests -- */

  /** @param {string} what @param {Record<string, any>} [arguments_] @param {string} [gesture]
   * @param {boolean} [each] as `Requests.make` has them */
  request(what, arguments_ = {}, gesture = "", each = !gesture) {
    this.requests.make(what, arguments_, gesture, each);
    this.update();
  }

  /** One of several requests that are undone together has this name. */
  newGesture(kind = "click") {
    return newGesture(kind);
  }
}
