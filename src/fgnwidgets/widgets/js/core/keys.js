/* Keys of a widget: with the focus anywhere inside it, none reaches the notebook, whose `x` cuts a cell.
 *
 * Jupyter listens at the document on the way down, before any element of ours. So the window's listener
 * comes first: it asks the elements from the focus up to the root, by an event of our own, which of them
 * knows the key, and keeps it from everybody else. Browsers still do what they do with keys in fields,
 * menus and buttons. In a shadow root the focus is the first of the event's path, never its target. */

const ASK = "fgnkey";

/**
 * Attributes of an element that knows keys: `act` returns whether a key did something.
 *
 * @param {(event: KeyboardEvent, element: any) => boolean} act
 */
export const onKey = (act) => ({
  [`on${ASK}`]: (
    /** @type {CustomEvent<KeyboardEvent> & {currentTarget: any, target: any}} */ asked,
  ) => {
    if (asked.defaultPrevented || !act(asked.detail, asked.target)) return;
    asked.preventDefault();
  },
});

/** What is the host's: commands such as Ctrl+S, the keys of a browser. @param {KeyboardEvent} event */
const others = ({ key, ctrlKey, metaKey, altKey }) =>
  ctrlKey || metaKey || altKey || key === "Escape" || /^F\d+$/.test(key);

/**
 * Asks the elements inside `root` for every key until `signal`.
 *
 * @param {() => Element | null} root
 * @param {AbortSignal} signal
 * @param {() => boolean} [dragging] whether a hand drags: then Escape is the drag's
 */
export function listenForKeys(root, signal, dragging = () => false) {
  window.addEventListener(
    "keydown",
    (event) => {
      const path = event.composedPath();
      const own = root();
      if (!own || !path.includes(own) || (event.key === "Escape" && dragging())) return;
      const asked = new CustomEvent(ASK, { bubbles: true, cancelable: true, detail: event });
      path[0].dispatchEvent(asked);
      if (asked.defaultPrevented) event.preventDefault();
      if (asked.defaultPrevented || !others(event)) event.stopImmediatePropagation();
    },
    { capture: true, signal },
  );
}
