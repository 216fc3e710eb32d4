/* An element of a drawing that is made for an animation and removed at its end: no keyed rendering. */

/** @param {string} tag @param {Record<string, any>} [attributes] @param {(Node | string)[]} children
 * @returns {any} */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
