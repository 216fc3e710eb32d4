/* A lab on a page: the picture stands until a reader starts the lab, then JupyterLite takes its
 * place, with nothing around the widgets. Without JavaScript the picture stays. */

const BARE = `
  .jp-CodeConsole-banner, .jp-CodeConsole-input, .jp-CodeConsole-promptCell, .jp-InputArea,
  .jp-Cell-inputWrapper, .jp-OutputPrompt, .jp-InputPrompt, .jp-CellHeader, .jp-CellFooter,
  .jp-Cell-inputCollapser, .jp-Cell-outputCollapser, .jp-Collapser { display: none !important; }
  .jp-CodeConsole-content { padding: 8px !important; overflow: auto !important; }
  .jp-Cell, .jp-OutputArea-child { padding: 0 !important; margin: 0 !important; }`;

/* As high as the lab, which grows and shrinks with what it shows. */
function fit(frame, page) {
  const measure = () => {
    const lab = page.querySelector(".fgn-lab, .jp-OutputArea");
    frame.style.height = `${Math.ceil(lab.getBoundingClientRect().height) + 48}px`;
  };
  new ResizeObserver(measure).observe(page.querySelector(".jp-OutputArea"));
  measure();
}

function fullScreen(stage) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "fgn-run", textContent: "Fill the screen" });
  button.addEventListener("click", () => stage.requestFullscreen());
  return button;
}

function start(stage) {
  const frame = document.createElement("iframe");
  const dark = document.documentElement.dataset.theme === "dark";
  frame.title = stage.dataset.title;
  frame.src = `${stage.dataset.src}&theme=JupyterLab ${dark ? "Dark" : "Light"}`;
  const status = stage.querySelector("[role=status]");
  stage.querySelector("button").remove();
  status.textContent = "Loading Python and the lab: up to half a minute the first time.";
  frame.style.cssText = "position:absolute;opacity:0;pointer-events:none";
  stage.append(frame);
  const began = Date.now();
  const watch = setInterval(() => {
    const page = frame.contentDocument;
    if (!page?.body) return;
    if (!page.querySelector("#fgn-bare") && page.head) {
      const style = page.createElement("style");
      style.id = "fgn-bare";
      style.textContent = BARE;
      page.head.append(style);
    }
    if (page.querySelector(".jp-OutputArea-output .jupyter-widgets")) {
      clearInterval(watch);
      stage.querySelector("img").remove();
      frame.style.cssText = "";
      status.textContent = "The lab is live.";
      stage.append(fullScreen(stage));
      fit(frame, page);
    } else if (Date.now() - began > 240000 || page.querySelector("[data-mime-type*=error]")) {
      clearInterval(watch);
      status.textContent = "The lab did not start. A page that runs Python needs a web server, and "
        + "unless the site hosts Pyodide itself, a network.";
    }
  }, 250);
}

for (const stage of document.querySelectorAll(".fgn-stage")) {
  const button = stage.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", () => start(stage));
}

/* What can be scrolled sideways can be reached by keys: wide tables, on whatever width there is. */
function reachable() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}
reachable();
addEventListener("load", reachable);
addEventListener("resize", reachable);

/* Sphinx lays out a long signature as a list of definitions without terms: to a reader of the
 * screen it is one line of code. */
for (const part of document.querySelectorAll("dt.sig dl, dt.sig dl > dd")) {
  part.setAttribute("role", "none");
}

/* Slides: a key goes to the beginning of the next one, or to the rest of one that is higher than the
 * window. Browsers do not stop there by themselves where a page of theirs is no slide of ours. */
const KEYS = { PageDown: 1, ArrowRight: 1, " ": 1, PageUp: -1, ArrowLeft: -1 };

function slideBy(event) {
  let step = event.key in KEYS ? KEYS[event.key] : 0;
  const other = event.target.closest("input, textarea, select, dialog, a, button, summary, [tabindex]");
  if (!step || event.altKey || event.ctrlKey || event.metaKey || (other && other.tabIndex >= 0)) return;
  if (event.key === " " && event.shiftKey) step = -1;
  const top = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  const places = [...document.querySelectorAll(".bd-article section > section")].map((slide) => {
    const { top: y, bottom } = slide.getBoundingClientRect();
    return { start: y - top, rest: bottom - parseFloat(getComputedStyle(slide).paddingBottom) - innerHeight };
  });
  const shown = places.filter(({ start }) => start < 5).at(-1);
  let by;
  if (step > 0 && shown && shown.rest > 5) by = Math.min(shown.rest, innerHeight - top);
  else if (step > 0) by = places.find(({ start }) => start > 5)?.start;
  else by = places.filter(({ start }) => start < -5).at(-1)?.start ?? -scrollY;
  if (by === undefined) return;
  event.preventDefault();
  scrollBy({ top: by, behavior: "instant" });
}
if (document.querySelector(".fgn-deck")) addEventListener("keydown", slideBy);
