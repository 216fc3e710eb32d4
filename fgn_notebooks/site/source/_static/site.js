/* A lab on a page: the picture stands until a reader starts the lab, then JupyterLite takes its
 * place, with nothing around the widgets. Without JavaScript the picture stays. */

const BARE = `
  .jp-CodeConsole-banner, .jp-CodeConsole-input, .jp-CodeConsole-promptCell, .jp-InputArea,
  .jp-Cell-inputWrapper, .jp-OutputPrompt, .jp-InputPrompt, .jp-CellHeader, .jp-CellFooter,
  .jp-Cell-inputCollapser, .jp-Cell-outputCollapser, .jp-Collapser { display: none !important; }
  .jp-CodeConsole-content { padding: 8px !important; overflow: auto !important; }
  .jp-Cell, .jp-OutputArea-child { padding: 0 !important; margin: 0 !important; }`;

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
    if (page.querySelector(".jp-OutputArea-output[data-mime-type*=widget] *")) {
      clearInterval(watch);
      stage.querySelector("img").remove();
      frame.style.cssText = "";
      status.textContent = "The lab is live.";
      frame.contentWindow.dispatchEvent(new Event("resize"));
    } else if (Date.now() - began > 120000) {
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
