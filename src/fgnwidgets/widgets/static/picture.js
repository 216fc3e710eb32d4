/* The picture of a lab: shows the pixels that Python drew, says how the page looks, and answers the
 * pointer (`picture/reader.js`) by the map that came with them.
 *
 *   look     {dark, width, high, ratio}: the theme, the room in the page's pixels, how high a
 *            picture may be to be seen with the controls above it (0: as it comes), and how fine
 *            pixels are
 *
 * An image stays as it is until the next one is there, and when its kernel is gone. */

import { store } from "./graph/stored.js";
import { Reader } from "./picture/reader.js";

const PAUSE = 120; // ms without a change of the room before Python hears of it
const BARS = 221; // px of a window that Jupyter's bars and a lab's own lines take
const ROWS = 90; // px for controls above a picture: three rows, and who opens the drawer scrolls

function isDark() {
  const said = document.querySelector("[data-jp-theme-light]")?.dataset.jpThemeLight;
  return said === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : said === "false";
}

/* The window that a person sees. A frame may be as high as what it holds, as on our site: a picture
 * that minded the frame's height would make it lower, and then itself, down to the least. */
function seen() {
  try {
    return window.top.innerHeight;
  } catch {
    return screen.availHeight; // the page around the frame is another site's
  }
}

function highest(el, controls) {
  const { bottom, height } = controls?.getBoundingClientRect() ?? {};
  const above = bottom <= el.getBoundingClientRect().top;
  return above ? Math.max(Math.floor(seen() - BARS - Math.min(height, ROWS)), 0) : 0;
}

function render({ model, el }) {
  store(model);
  const image = document.createElement("img");
  const reader = new Reader(image, model);
  el.classList.add("fgn-picture");
  el.replaceChildren(reader.frame, reader.words);
  let address = null;

  function show() {
    const [width, height] = model.get("size");
    image.width = width;
    image.height = height;
    const bytes = model.get("value");
    if (!bytes?.byteLength) return;
    const old = address;
    address = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    image.src = address;
    if (old) image.decode().catch(() => {}).finally(() => URL.revokeObjectURL(old));
  }

  function say() { image.alt = model.get("alt"); }

  const take = () => reader.take();

  let waiting = 0;
  function report() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const width = Math.floor(el.clientWidth);
      const controls = el.closest(".fgn-lab-body")?.querySelector(".fgn-lab-rows");
      if (controls) room.observe(controls); // they may come after the picture
      const look = { dark: isDark(), width, high: highest(el, controls), ratio: devicePixelRatio };
      if (!look.width || JSON.stringify(look) === JSON.stringify(model.get("look"))) return;
      model.set("look", look);
      model.save_changes();
    }, model.get("look").width ? PAUSE : 0);
  }

  const life = new AbortController();
  const room = new ResizeObserver(report);
  room.observe(el);
  const theme = new MutationObserver(report);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", report, life);
  window.addEventListener("resize", report, life); // a zoom changes the ratio
  // Notebook 7 takes the arrow keys on their way down the document: the window comes before it.
  window.addEventListener("keydown", (event) => reader.key(event), { capture: true, signal: life.signal });
  model.on("change:value", show);
  model.on("change:value", take); // map and numbers came with it
  model.on("change:alt", say);
  show();
  say();
  return () => {
    clearTimeout(waiting);
    life.abort();
    room.disconnect();
    theme.disconnect();
    model.off("change:value", show);
    model.off("change:value", take);
    model.off("change:alt", say);
    if (!el.isConnected && address) URL.revokeObjectURL(address);
  };
}

export default { render };
