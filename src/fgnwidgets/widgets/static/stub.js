/* Fetches the bundle of a widget from its own model, once a page, and lets it draw.
 *
 * The bundle is text in a model that all widgets of a kind refer to. What is imported is kept by its
 * key on the page, so that fifty graphs of a notebook bring one script. */

const known = (globalThis[Symbol.for("fgnwidgets.bundles")] ??= new Map());

async function bundle(model) {
  const id = String(model.get("script") ?? "").replace("IPY_MODEL_", "");
  const held = await model.widget_manager.get_model(id);
  const key = held.get("key");
  if (!known.has(key)) {
    const address = URL.createObjectURL(new Blob([held.get("text")], { type: "text/javascript" }));
    const style = held.get("style");
    known.set(key, import(/* @vite-ignore */ address).then(({ default: draw }) => ({ draw, style, key })));
  }
  return known.get(key);
}

export default {
  async render({ model, el }) {
    try {
      const { draw, style, key } = await bundle(model);
      return draw({ model, el, style, key });
    } catch (error) {
      el.textContent = "This drawing is not live: run this cell again (Shift+Enter).";
      console.warn("fgnwidgets:", error);
    }
  },
};
