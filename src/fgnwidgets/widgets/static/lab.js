// Names for screen readers: what ipywidgets leaves without one gets what Python says; arrow keys where
// a page takes them away; and a word where the kernel is gone, since all else looks alive.
// A row of controls of the class fgn-control-3 has the fourth name.

const GONE = "Disconnected: run this cell again to move the controls. The picture is the last one.";

/** A button that copies the text that it stands in. */
function copier(code) {
  const text = code.textContent;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "fgn-copy jupyter-button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // not on a secure page: select it, so that a key copies it
      getSelection().selectAllChildren(code);
      button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
      return;
    }
    button.textContent = "Copied";
  });
  return button;
}

function render({ model, el }) {
  el.classList.add("fgn-gone");
  el.setAttribute("role", "status");
  let lab = null;

  function put(node, attribute, text) {
    if (node && node.getAttribute(attribute) !== text) node.setAttribute(attribute, text);
  }

  function name() {
    lab = lab ?? el.closest(".fgn-lab");
    if (!lab) return;
    const lost = lab.matches(".jupyter-widgets-disconnected");
    lab.classList.toggle("fgn-lost", lost);
    if (el.textContent !== (lost ? GONE : "")) el.textContent = lost ? GONE : "";
    for (const row of lab.querySelectorAll(".fgn-control")) {
      const text = model.get("names")[/fgn-control-(\d+)/.exec(row.className)?.[1]] ?? "";
      row
        .querySelectorAll("[role=slider], input:not([type=checkbox]), select")
        .forEach((node) => put(node, "aria-label", text));
      const box = row.querySelector("input[type=number]"); // a slider's own number is a position
      if (box) put(row.querySelector("[role=slider]"), "aria-valuetext", box.value);
      const ticks = row.querySelectorAll("[type=checkbox]");
      if (ticks.length === 1) put(ticks[0], "aria-label", text);
      if (ticks.length > 1) {
        put(row, "role", "group");
        put(row, "aria-label", text);
      }
    }
    lab.querySelectorAll(".widget-toggle-button, .widget-toggle-buttons button").forEach((node) => {
      put(node, "aria-pressed", String(node.classList.contains("mod-active")));
    });
    for (const code of lab.querySelectorAll("pre:not(:has(.fgn-copy))")) code.prepend(copier(code));
    lab.querySelectorAll("i.fa").forEach((icon) => {
      const [, what] = /fa-(play|pause|stop|repeat|retweet)/.exec(icon.className) ?? [];
      if (what) put(icon.closest("button"), "aria-label", what);
    });
  }

  // Notebook 7 takes the arrow keys before a slider sees them: there Python moves it by a position.
  function step(event) {
    const slider = event.target?.closest?.("[role=slider]");
    const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    const row = by && lab?.contains(slider) && slider.closest(".fgn-control");
    if (!row) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    model.send({ row: Number(/fgn-control-(\d+)/.exec(row.className)[1]), by });
  }
  const swallows = document.body.dataset.notebook === "notebooks";
  if (swallows) window.addEventListener("keydown", step, true);

  // Widgets arrive one by one, and some are made anew: look again whenever the page changes. A number's
  // box changes without a sign after its slider has moved: the picture that comes next is the sign.
  const watch = new MutationObserver(name);
  const begin = setInterval(() => {
    if (!el.isConnected) return;
    name();
    if (!lab) return;
    clearInterval(begin);
    const what = { subtree: true, childList: true, attributes: true, attributeFilter: ["class", "aria-valuenow", "src"] };
    watch.observe(lab, what);
  }, 50);
  model.on("change", name);
  return () => {
    clearInterval(begin);
    window.removeEventListener("keydown", step, true);
    watch.disconnect();
    model.off("change", name);
  };
}

export default { render };
