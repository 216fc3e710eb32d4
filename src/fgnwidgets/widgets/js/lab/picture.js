/* The picture of a lab: shows the pixels that Python drew, says how the page looks, and answers the
 * pointer (`reader.js`) by the map that came with them.
 *
 *   look     {dark, width, high, ratio}: the theme, the room in the page's pixels, how high a
 *            picture may be to be seen with the controls above it (0: as it comes), and how fine
 *            pixels are
 *
 * An image stays as it is until the next one is there, and when its kernel is gone. Python draws for the
 * widest view of a picture; the others show it smaller, so no view ever draws for another in turns. */

import { dataAddress } from "../core/data_address.js";
import { newGesture } from "../core/drag.js";
import { Kernel } from "../core/kernel.js";
import { listenForKeys } from "../core/keys.js";
import { followTheme, isDark, wear } from "../core/look.js";
import { Requests } from "../core/requests.js";
import { store } from "../core/stored.js";
import { Reader } from "./reader.js";

/** @typedef {{model: any, el: HTMLElement, style?: string, key?: string, still?: boolean}} Shown */
/** @typedef {{dark: boolean, width: number, high: number, ratio: number}} Look */

const PAUSE = 120; // ms without a change of the room before Python hears of it
const TURNS = 3000; // ms in which a look that comes back is a swing, as of a scroll bar
const BARS = 221; // px of a window that Jupyter's bars and a lab's own lines take
const ROWS = 150; // px for controls above a picture: three rows, and who opens the drawer scrolls

/* The window that a person sees. A frame may be as high as what it holds, as on our site: a picture
 * that minded the frame's height would make it lower, and then itself, down to the least. */
function seen() {
  try {
    return window.top?.innerHeight ?? innerHeight;
  } catch {
    return screen.availHeight; // the page around the frame is another site's
  }
}

/** @param {Element} el @param {Element | null | undefined} controls */
function highest(el, controls) {
  if (!controls) return 0;
  const { bottom, height } = controls.getBoundingClientRect();
  const above = bottom <= el.getBoundingClientRect().top;
  return above ? Math.max(Math.floor(seen() - BARS - Math.min(height, ROWS)), 0) : 0;
}

export class Picture {
  /** @param {Shown} given */
  constructor({ model, el, style, key, still = false }) {
    if (!still) store(model);
    this.model = model;
    this.el = el;
    this.life = new AbortController();
    const { signal } = this.life;
    this.image = document.createElement("img");
    /** @type {Look | null} the look that Python knows of this view */
    this.told = null;
    /** @type {{look: Look, at: number} | null} the one before */
    this.before = null;
    this.kernel = new Kernel(model, () => {}, el);
    this.requests = new Requests(
      model,
      this.kernel,
      ({ event }) => event === "look" && this.tell(this.measured(), true),
      () => this.follow(),
    );
    this.gesture = newGesture("cursor");
    this.reader = new Reader(this.image, model, (step) => {
      if (!still) this.requests.make("cursor", { step }, this.gesture);
    });
    this.root = document.createElement("div");
    this.root.className = "fgn-widget fgn-picture";
    this.root.append(this.reader.frame, this.reader.words);
    el.replaceChildren(this.root);
    listenForKeys(() => this.root, signal);
    followTheme(() => this.root, signal);
    const place = () => this.place();
    this.news = {
      size: place,
      narrow: place,
      value: () => this.show(),
      alt: () => this.say(),
      cursor: () => this.follow(),
    };
    for (const [name, act] of Object.entries(this.news)) model.on(`change:${name}`, act);
    this.show();
    this.say();
    this.reader.follow();
    wear(el, style, key);
    if (!still) this.watch();
    requestAnimationFrame(() => signal.aborted || wear(el, style, key));
  }

  remove() {
    clearTimeout(this.waiting);
    if (this.told) this.requests.make("left");
    this.life.abort();
    for (const [name, act] of Object.entries(this.news)) this.model.off(`change:${name}`, act);
    this.requests.remove();
    this.kernel.remove();
  }

  /** How large the picture is; a view with less room than that shows it smaller, or scrolls. */
  place() {
    const [width, height] = this.model.get("size");
    this.image.width = width;
    this.image.height = height;
    this.root.toggleAttribute("data-narrow", !!this.model.get("narrow"));
  }

  show() {
    this.place();
    const bytes = this.model.get("value");
    if (bytes?.byteLength) this.image.src = dataAddress(bytes, "image/png");
    this.reader.take(); // map and numbers came with it
  }

  /** Takes in the cursor that Python knows, unless a newer one is on its way there. */
  follow() {
    if (!this.requests.open.some((request) => request.do === "cursor")) this.reader.follow();
  }

  say() {
    this.image.alt = this.model.get("alt");
  }

  /* -- the look -- */

  watch() {
    const { signal } = this.life;
    const report = () => this.report();
    this.room = new ResizeObserver(report);
    this.room.observe(this.el);
    const theme = new MutationObserver(report);
    theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", report, { signal });
    window.addEventListener("resize", report, { signal }); // a zoom changes the ratio
    signal.addEventListener("abort", () => {
      this.room?.disconnect();
      theme.disconnect();
    });
  }

  report() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.tell(this.measured()), this.told ? PAUSE : 0);
  }

  /** @returns {Look} */
  measured() {
    const controls = this.el.closest(".fgn-lab-body")?.querySelector(".fgn-lab-rows");
    if (controls) this.room?.observe(controls); // they may come after the picture
    return {
      dark: isDark(),
      width: Math.floor(this.el.clientWidth),
      high: highest(this.el, controls),
      ratio: devicePixelRatio,
    };
  }

  /** @param {Look} look @param {boolean} [asked] Python asks, though it knew it */
  tell(look, asked = false) {
    const same = (/** @type {Look | undefined | null} */ other) =>
      JSON.stringify(look) === JSON.stringify(other);
    if (!look.width || (same(this.told) && !asked)) return;
    const swings = same(this.before?.look) && performance.now() - (this.before?.at ?? 0) < TURNS;
    // A scroll bar that comes with one picture and goes with the next: stay with the narrower one.
    if (swings && look.width > (this.told?.width ?? 0) && !asked) return;
    if (this.told && !same(this.told)) this.before = { look: this.told, at: performance.now() };
    this.told = look;
    this.requests.make("look", look);
  }
}
