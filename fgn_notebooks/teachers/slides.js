/* The bar below the slides of a lesson. Keys and buttons turn the page, the frame fills the screen, and
 * a slide that is higher than the room is made smaller until it fits. */

const ON = ["ArrowRight", "PageDown", " "];
const BACK = ["ArrowLeft", "PageUp"];
const SIZES = [1.5, 1.4, 1.3, 1.2, 1.1, 1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4];
const OTHERS = "input, textarea, select, button, a, [role=slider], [tabindex='0'], [contenteditable]";

function button(words, name, act) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: words });
  made.setAttribute("aria-label", name);
  made.addEventListener("click", act);
  return made;
}

function render({ model, el }) {
  const life = new AbortController();
  const { signal } = life;
  let stage = null;
  let size = "";
  let biggest = 0;

  const go = (by) => {
    const last = model.get("names").length - 1;
    const place = Math.min(Math.max(model.get("place") + by, 0), last);
    if (place === model.get("place")) return;
    model.set("place", place);
    model.save_changes();
  };

  /* The largest size at which the slide fits; on one slide, in one window, it only shrinks, so that a
   * picture that is drawn for its width does not make it go back and forth. */
  const fit = () => {
    const pages = stage?.querySelector(".fgn-slides-pages");
    const page = pages && [...pages.children].find((each) => each.offsetParent !== null);
    if (!page) return;
    const now = `${model.get("place")} ${pages.clientWidth} ${pages.clientHeight}`;
    if (now !== size) biggest = document.fullscreenElement === stage ? 0 : SIZES.indexOf(1);
    size = now;
    for (; biggest < SIZES.length; biggest += 1) {
      page.style.zoom = SIZES[biggest];
      const high = page.getBoundingClientRect().height <= pages.clientHeight + 1;
      if (high && page.scrollWidth <= page.clientWidth + 1) break;
    }
  };

  const where = document.createElement("span");
  where.setAttribute("role", "status");
  const tell = () => {
    const names = model.get("names");
    const waits = names.length - model.get("ready");
    const place = model.get("place");
    where.textContent = `${place + 1} of ${names.length}${waits > 0 ? `, ${waits} are still being made` : ""}`;
    back.disabled = place === 0;
    on.disabled = place === names.length - 1;
  };
  const fill = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else stage.requestFullscreen().then(() => stage.focus(), () => stage.classList.toggle("fgn-slides-whole"));
  };
  const back = button("←", "the slide before", () => go(-1));
  const on = button("→", "the next slide", () => go(1));
  const whole = button("Fill the screen", "fill the screen, or leave it", fill);
  el.classList.add("fgn-slides-bar");
  el.replaceChildren(back, on, where, whole);
  tell();

  const press = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const paged = event.key.startsWith("Page");
    if (event.target !== stage && !paged && event.target.closest(OTHERS)) return;
    const by = ON.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    go(event.key === " " && event.shiftKey ? -1 : by);
  };

  const begin = () => {
    if (signal.aborted) return;
    stage = el.closest(".fgn-slides");
    if (!stage) return requestAnimationFrame(begin);
    stage.tabIndex = 0;
    stage.dataset.lmSuppressShortcuts = "true"; // JupyterLab's own keys
    stage.setAttribute("aria-label", `slides: ${model.get("names")[0]}`);
    stage.setAttribute("role", "region");
    stage.addEventListener("keydown", press, { signal });
    const watch = new ResizeObserver(() => requestAnimationFrame(fit));
    for (const part of [stage, ...stage.querySelector(".fgn-slides-pages").children]) watch.observe(part);
    signal.addEventListener("abort", () => watch.disconnect());
    fit();
  };
  requestAnimationFrame(begin);

  const turned = () => { tell(); requestAnimationFrame(fit); };
  model.on("change:place", turned);
  model.on("change:ready", turned);
  return () => {
    life.abort();
    model.off("change:place", turned);
    model.off("change:ready", turned);
  };
}

export default { render };
