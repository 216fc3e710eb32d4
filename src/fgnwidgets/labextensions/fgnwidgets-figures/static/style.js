/* JupyterLab and Notebook 7 in a dark theme show drawings on white with light and dark exchanged.

This is a prebuilt extension that holds one style sheet, written by hand: Jupyter loads this file and
asks for the module "./style". Of all pictures in outputs the rule takes those whose PNG begins with
the note of `fgnwidgets.display.ON_WHITE`, which stands in base64 where the address of the image has
it. 0.93 makes white the dark grey of the theme's ground; colours keep their hue. */

const NOTE = "AAAADHRFWHRHcm91bmQAd2hpdGU2lz5o";
const RULE = `@media screen {
  [data-jp-theme-light="false"] .jp-OutputArea-output img[src*="${NOTE}"] {
    filter: invert(0.93) hue-rotate(180deg);
  }
}`;

window._JUPYTERLAB ??= {};
window._JUPYTERLAB["fgnwidgets-figures"] = {
  init() {},
  async get() {
    return () => {
      const sheet = document.createElement("style");
      sheet.textContent = RULE;
      document.head.append(sheet);
      return {};
    };
  },
};
