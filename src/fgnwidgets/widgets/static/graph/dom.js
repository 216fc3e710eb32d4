/* Elements of a page, and what several parts of a living graph share. Texts enter as text nodes.
 *
 * What Python calls None is null in Jupyter and undefined in JupyterLite, so `== null` asks for it. */

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const element = (make) => (tag, attributes = {}, ...children) => {
  const node = make(tag);
  change(node, attributes);
  node.append(...children.filter((child) => child != null));
  return node;
};
export const html = element((tag) => document.createElement(tag));
export const svg = element((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

export function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value == null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

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
  whole: "M1 1h4.5v1.6H2.6v2.9H1zM8.5 1H13v4.5h-1.6V2.6H8.5zM1 8.5h1.6v2.9h2.9V13H1zM11.4 8.5H13V13H8.5v-1.6h2.9z",
};

export const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);
export const looks = (...names) => names.filter(Boolean).map((name) => `fgn-${name}`).join(" ");
export const percent = (value) => `${Math.round(100 * value)}%`;

/** A small button that shows an icon; its name is for screen readers and for who points at it. */
export function iconButton(icon, name, onclick) {
  return html("button", { type: "button", "aria-label": name, title: name, onclick },
    svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
}

/** A list to choose from; values travel as JSON, since null is one of them. */
export function menu(name, options, onchange) {
  return html("select", { "aria-label": name, onchange: (e) => onchange(JSON.parse(e.target.value)) },
    ...options.map(([value, text]) => html("option", { value: JSON.stringify(value) }, text)));
}
