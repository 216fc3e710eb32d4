// Names for screen readers: what ipywidgets leaves without one gets what Python says.
// The i-th row of controls has the i-th name.

function render({ model, el }) {
  el.style.display = "none";
  let lab = null;

  function put(node, attribute, text) {
    if (node && node.getAttribute(attribute) !== text) node.setAttribute(attribute, text);
  }

  function name() {
    lab = lab ?? el.closest(".fgn-lab");
    if (!lab) return;
    lab.querySelectorAll(".fgn-control").forEach((row, i) => {
      const text = model.get("names")[i] ?? "";
      row
        .querySelectorAll("[role=slider], input:not([type=checkbox]), select")
        .forEach((node) => put(node, "aria-label", text));
      const box = row.querySelector("input[type=number]"); // a slider's own number is a position
      if (box) put(row.querySelector("[role=slider]"), "aria-valuetext", box.value);
      if (row.querySelector("[type=checkbox]")) {
        put(row, "role", "group");
        put(row, "aria-label", text);
      }
    });
    lab.querySelectorAll(".widget-toggle-button, .widget-toggle-buttons button").forEach((node) => {
      put(node, "aria-pressed", String(node.classList.contains("mod-active")));
    });
    put(lab.querySelector(".widget-image"), "alt", model.get("picture"));
  }

  // Widgets arrive one by one, and some are made anew: look again whenever the page changes.
  const watch = new MutationObserver(name);
  const begin = setInterval(() => {
    if (!el.isConnected) return;
    name();
    if (!lab) return;
    clearInterval(begin);
    const what = { subtree: true, childList: true, attributes: true, attributeFilter: ["class", "aria-valuenow"] };
    watch.observe(lab, what);
  }, 50);
  model.on("change", name);
  return () => {
    clearInterval(begin);
    watch.disconnect();
    model.off("change", name);
  };
}

export default { render };
