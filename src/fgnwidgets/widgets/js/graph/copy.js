/* A window with text to copy: the lines of Python that give the same, or a link. */

import { Component, createRef, h, IconButton } from "../core/elements.js";
import { onKey } from "../core/keys.js";

/** @extends {Component<{code: string, title: string, name: string, close: () => void}>} */
export class Copy extends Component {
  constructor() {
    super();
    /** @type {import("preact").RefObject<HTMLTextAreaElement | null>} */
    this.text = createRef();
    this.told = "press Ctrl+C to copy it";
  }

  componentDidMount() {
    this.take();
  }

  /** @param {{code: string}} before */
  componentDidUpdate(before) {
    if (before.code !== this.props.code) this.take();
  }

  take() {
    this.text.current?.focus();
    this.text.current?.select();
    const copied = () => {
      this.told = "copied";
      this.forceUpdate();
    };
    navigator.clipboard?.writeText(this.props.code).then(copied, () => {}); // where it is allowed
  }

  render() {
    const { code, title, name, close } = this.props;
    return h(
      "div",
      {
        class: "fgn-copy",
        role: "dialog",
        tabindex: -1,
        "aria-label": name,
        ...onKey(({ key }) => {
          if (key !== "Escape") return false;
          close();
          return true;
        }),
      },
      h(
        "div",
        { class: "fgn-bar" },
        h("strong", {}, title),
        h("span", { class: "fgn-hint", role: "status" }, this.told),
        h(IconButton, { icon: "close", name: "close", act: close }),
      ),
      h("textarea", {
        readOnly: true,
        rows: Math.min(12, code.split("\n").length + 1),
        cols: 60,
        spellcheck: false,
        "aria-label": title,
        ref: this.text,
        value: code,
      }),
    );
  }
}
