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
  const what = stage.dataset.what;
  const are = what.endsWith("s") ? "are" : "is";
  status.textContent = `Loading Python and ${what}: up to half a minute the first time.`;
  frame.allow = "fullscreen";
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
      stage.querySelector("img")?.remove();
      frame.style.cssText = "";
      status.textContent = `${what[0].toUpperCase()}${what.slice(1)} ${are} live.`;
      dispatchEvent(new Event("fgn-live"));
      if (page.querySelector(".fgn-slides")) {
        frame.style.height = "max(30rem, calc(100vh - 9rem))"; // slides are as high as their frame
        stage.scrollIntoView();
      } else {
        stage.append(fullScreen(stage));
        fit(frame, page);
      }
    } else if (Date.now() - began > 240000 || page.querySelector("[data-mime-type*=error]")) {
      clearInterval(watch);
      status.textContent = `${what[0].toUpperCase()}${what.slice(1)} did not start. A page that runs `
        + "Python needs a web server, and unless the site hosts Pyodide itself, a network.";
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

/* A slide that is higher than the window is made smaller until it fits. */
function fitSlides() {
  const room = innerHeight - parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  for (const slide of document.querySelectorAll(".bd-article section > section")) {
    slide.style.minHeight = "0";
    const image = slide.querySelector(".cell_output img");
    const tall = image && image.naturalHeight > image.naturalWidth && slide.querySelector("p");
    slide.classList.toggle("fgn-beside", Boolean(tall));
    for (let size = 1; size >= 0.4; size -= 0.05) {
      slide.style.zoom = size;
      if (slide.getBoundingClientRect().height <= room) break;
    }
    slide.style.minHeight = `${room / slide.style.zoom}px`;
  }
}
if (document.querySelector(".fgn-deck")) {
  addEventListener("keydown", slideBy);
  addEventListener("load", fitSlides);
  addEventListener("resize", fitSlides);
}

/* What was loaded is kept for a second visit and for a lesson without a network. */
const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href);

/* JupyterLite unregisters every service worker of the site when it meets one of its own for the first
 * time. So that is registered before, as known to it. */
async function keep() {
  const workers = navigator.serviceWorker;
  const { lite } = await (await fetch(new URL("keep.json", root))).json();
  if (lite) {
    const own = new URL("lite/service-worker.js?enableCache=false", root).href;
    localStorage.setItem(`${own}-version`, lite);
    await workers.register(own);
  }
  const { active, installing, waiting } = await workers.register(new URL("sw.js", root));
  const worker = active ?? waiting ?? installing;
  if (worker.state !== "activated")
    await new Promise((done) => worker.addEventListener("statechange", () => worker.state === "activated" && done()));
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  worker.postMessage({ keep: [location.href.split("#")[0], ...loaded] });
  document.documentElement.dataset.kept = "yes";
}

if ("serviceWorker" in navigator && isSecureContext && location.protocol !== "file:") {
  const tell = (error) => console.info(`nothing is kept for the next visit: ${error}`); // a private window
  addEventListener("load", () => keep().catch(tell));
  addEventListener("fgn-live", () => keep().catch(tell));
}
