/* The window with the lines of Python that give the same graph, matrices and evidence. */

import { html, iconButton } from "./dom.js";

export class Copy {
  constructor(view) {
    this.view = view;
    this.told = html("span", { class: "fgn-hint", role: "status" });
    this.text = html("textarea", { readonly: true, rows: 12, cols: 60, spellcheck: "false",
      "aria-label": "the same in Python" });
    this.root = html("div", { class: "fgn-copy", role: "dialog", "aria-label": "copy as Python" },
      html("div", { class: "fgn-bar" }, html("strong", {}, "The same in Python"), this.told,
        iconButton("close", "close", () => this.close())), this.text);
  }

  get open() { return this.root.isConnected; }

  show(code) {
    this.text.value = code;
    this.view.body.before(this.root);
    this.text.focus();
    this.text.select();
    this.told.textContent = "press Ctrl+C to copy it";
    const copied = () => { this.told.textContent = "copied"; };
    navigator.clipboard?.writeText(code).then(copied, () => {}); // where the browser allows it
  }

  close() {
    this.root.remove();
    this.view.copyButton.focus();
  }
}
