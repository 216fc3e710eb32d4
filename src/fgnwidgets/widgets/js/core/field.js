/* A field that belongs to the person who types in it, until they leave it.
 *
 * What was typed stays, whatever is answered meanwhile. When the field is left, or by Enter, it is given
 * to `commit`, also where it reads as before: who types a number means it. It stays in sight until Python
 * has answered. Escape takes the old text back. */

import { Component, createRef, h } from "preact";

import { onKey } from "./keys.js";

/**
 * @typedef {object} FieldProps
 * @property {string} value what Python says
 * @property {boolean} waiting whether Python has still to answer what was committed
 * @property {(typed: string) => void} commit
 * @property {(key: string, event: KeyboardEvent) => boolean} [press] a key; true if it did something
 * @property {Record<string, unknown>} [attributes]
 */

/** @extends {Component<FieldProps>} */
export class Field extends Component {
  /** @param {FieldProps} props */
  constructor(props) {
    super(props);
    /** @type {import("preact").RefObject<HTMLInputElement | null>} */
    this.ref = createRef();
    this.typed = false; // somebody has typed, and not left the field
    this.committed = false; // what is in the field has gone to Python
  }

  get held() {
    const input = this.ref.current;
    return !!input && /** @type {any} */ (input.getRootNode()).activeElement === input;
  }

  componentDidMount() {
    this.show();
  }

  componentDidUpdate() {
    this.show();
  }

  componentWillUnmount() {
    this.commit(); // what was typed is not lost with the field
  }

  /** What Python says, where nobody is typing. */
  show() {
    const input = this.ref.current;
    if (!input || this.typed || (this.committed && this.props.waiting)) return;
    this.committed = false;
    if (input.value === this.props.value) return;
    const all =
      this.held && input.selectionStart === 0 && input.selectionEnd === input.value.length;
    input.value = this.props.value;
    if (all) input.select(); // the next key writes over it, as Tab has promised
  }

  commit() {
    const input = this.ref.current;
    if (!input || !this.typed) return false;
    this.typed = false;
    this.committed = true;
    this.props.commit(input.value);
    return true;
  }

  revert() {
    const input = this.ref.current;
    if (!input || !this.typed) return false;
    this.typed = false;
    input.value = this.props.value;
    return true;
  }

  /** @param {string} key @param {KeyboardEvent} event */
  key(key, event) {
    if (key === "Enter") {
      this.commit();
      return true;
    }
    if (key === "Escape") return this.revert();
    return !!this.props.press?.(key, event);
  }

  render() {
    return h("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: false,
      ...this.props.attributes,
      ref: this.ref,
      onInput: () => {
        this.typed = true;
      },
      onBlur: () => this.commit(),
      ...onKey((event) => this.key(event.key, event)),
    });
  }
}
