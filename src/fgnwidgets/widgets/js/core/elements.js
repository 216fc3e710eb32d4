/* What the pages of all widgets are made of: elements, icons, classes, small texts.
 *
 * Elements are made by Preact's `h` as plain values, which `render` compares with the last ones: an
 * element that did not change is not touched, and keeps its focus, its selection and its text. Texts
 * of users are children, never markup. What Python calls None is null in Jupyter and undefined in
 * JupyterLite, so `== null` asks for it. */

import { h } from "preact";

export { Component, createRef, Fragment, h, render } from "preact";

/** Whether the reader asked for less motion. */
export const calm = () =>
  globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;

/** @type {Record<string, [number, number]>} */
export const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export const ICONS = {
  first: "M2 2h2v10H2zM12 2v10L5 7z",
  back: "M10 2v10L3 7z",
  play: "M3 1.5v11L12 7z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
  on: "M3 2v10l5-5zM9 2h2v10H9z",
  undo: "M5 1 1 4.5 5 8V5.7h3.5a2.4 2.4 0 0 1 0 4.8H4V12h4.5a3.9 3.9 0 0 0 0-7.8H5z",
  redo: "M9 1l4 3.5L9 8V5.7H5.5a2.4 2.4 0 0 0 0 4.8H10V12H5.5a3.9 3.9 0 0 1 0-7.8H9z",
  close: "M2.5 1 7 5.5 11.5 1 13 2.5 8.5 7 13 11.5 11.5 13 7 8.5 2.5 13 1 11.5 5.5 7 1 2.5z",
  code: "M4.5 2.5 0 7l4.5 4.5 1.2-1.2L2.4 7l3.3-3.3zM9.5 2.5 14 7l-4.5 4.5-1.2-1.2L11.6 7 8.3 3.7z",
  smaller: "M2 6h10v2H2z",
  larger: "M6 2h2v4h4v2H8v4H6V8H2V6h4z",
  whole:
    "M1 1h4.5v1.6H2.6v2.9H1zM8.5 1H13v4.5h-1.6V2.6H8.5zM1 8.5h1.6v2.9h2.9V13H1zM11.4 8.5H13V13H8.5v-1.6h2.9z",
  help: "M7 1a4 4 0 0 0-4 4h2a2 2 0 1 1 3.2 1.6C7 7.4 6 8.2 6 9.5h2c0-.6.5-1 1.4-1.700A4 4 0 0 0 7 1zM6 11h2v2H6z",
  more: "M2 6h2v2H2zM6 6h2v2H6zM10 6h2v2h-2z",
};

/**
 * Class names with the project's prefix; what is falsy is left out.
 *
 * @param {...(string | false | null | undefined)} names
 */
export const looks = (...names) =>
  names
    .filter(Boolean)
    .map((name) => `fgn-${name}`)
    .join(" ");

/** @param {unknown} one @param {unknown} two */
export const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);

/**
 * A small button that shows an icon; its name is for screen readers and for who points at it.
 *
 * @param {{icon: keyof typeof ICONS, name: string, act: () => void, [more: string]: unknown}} given
 */
export const IconButton = ({ icon, name, act, ...more }) =>
  h(
    "button",
    { type: "button", "aria-label": name, title: name, onClick: act, ...more },
    h("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, h("path", { d: ICONS[icon] })),
  );

/**
 * A list to choose from; values travel as JSON, since null is one of them.
 *
 * @param {{name: string, value: unknown, options: [unknown, string][], act: (value: any) => void,
 *   [more: string]: unknown}} given
 */
export const Menu = ({ name, value, options, act, ...more }) =>
  h(
    "select",
    {
      "aria-label": name,
      value: JSON.stringify(value ?? null),
      onChange: (/** @type {any} */ event) => act(JSON.parse(event.target.value)),
      ...more,
    },
    ...options.map(([one, text]) => h("option", { value: JSON.stringify(one) }, text)),
  );
