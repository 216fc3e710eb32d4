/* The look of a widget where it is: its style sheet, and whether its host is dark.
 *
 * A widget in a shadow root gets the sheet in there. The theme is an attribute of the widget's own root,
 * since what a page says of its body does not reach into a shadow root. */

/**
 * Puts a style sheet where it reaches `element`, once for each key.
 *
 * @param {Node} element @param {string | undefined} style @param {string | undefined} key
 */
export function wear(element, style, key) {
  if (!style) return;
  const root = element.getRootNode();
  const home = root instanceof ShadowRoot ? root : document.head;
  const known = [...home.querySelectorAll("style[data-fgn]")].some(
    (sheet) => /** @type {HTMLElement} */ (sheet).dataset.fgn === key,
  );
  if (known) return;
  const sheet = document.createElement("style");
  sheet.dataset.fgn = key;
  sheet.textContent = style;
  home.append(sheet);
}

/** Whether the page is dark: as Jupyter says, or Sphinx's theme, or else the reader's system. */
export function isDark() {
  const { jpThemeLight } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false";
  const { theme } = document.documentElement.dataset;
  if (theme === "dark" || theme === "light") return theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Whether a finger presses here, which needs more than a mouse: on a touch screen, or on a page that is
 * as narrow as a phone. A view that is narrow on a wide page has a mouse. */
export function isForFingers() {
  return matchMedia("(pointer: coarse), (max-width: 479px)").matches;
}

/** Keeps `data-theme` of an element as the page is, until `signal`.
 *
 * @param {() => HTMLElement | null} root @param {AbortSignal} signal */
export function followTheme(root, signal) {
  const follow = () => {
    const element = root();
    if (element) element.dataset.theme = isDark() ? "dark" : "light";
  };
  follow();
  const observer = new MutationObserver(follow);
  const attributes = { attributeFilter: ["data-jp-theme-light", "data-theme"] };
  observer.observe(document.body, attributes);
  observer.observe(document.documentElement, attributes);
  signal.addEventListener("abort", () => observer.disconnect());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow, { signal });
}
