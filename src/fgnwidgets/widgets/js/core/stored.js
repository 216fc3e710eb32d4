/* What is saved is seen again: JupyterLab and Notebook 7 leave widgets out of a file unless one of
 * their settings says otherwise, and where it is opened again, "model not found" takes their place.
 *
 *   store    with a notebook that shows a widget of ours go the models that its outputs need, and
 *            no other; models that came from the file go back to it, though they have no kernel
 *
 * A page that has no such notebook (a widget in Voila, on a web page) is left alone. */

const WIDGETS = "application/vnd.jupyter.widget-state+json";
const ONCE = Symbol.for("fgnwidgets stores its widgets");

/** @param {any} model */
export function store(model) {
  const manager = model.widget_manager;
  const context = manager?.context;
  const able = [context?.saveState?.connect, context?.model?.setMetadata, manager?.get_state_sync];
  if (able.some((part) => typeof part !== "function") || manager[ONCE]) return;
  manager[ONCE] = true;
  let known = context.model.getMetadata("widgets")?.[WIDGETS]?.state ?? {};
  context.saveState.connect((/** @type {any} */ _, /** @type {string} */ phase) => {
    if (phase !== "started") return;
    const now = manager.get_state_sync({ drop_defaults: true });
    known = needed(context.model.toJSON(), { ...known, ...now.state });
    if (Object.keys(known).length === 0) return;
    context.model.setMetadata("widgets", { [WIDGETS]: { ...now, state: known } });
  });
}

/** Of these models, those that the outputs of a notebook show, with all that they are made of.
 *
 * @param {any} notebook @param {Record<string, any>} models */
function needed({ cells }, models) {
  const views = JSON.stringify(cells.map((/** @type {any} */ { outputs }) => outputs ?? []));
  const waiting = [...views.matchAll(/"model_id":"(\w+)"/g)].map(([, id]) => id);
  /** @type {Record<string, any>} */
  const found = {};
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id in found || !(id in models)) continue;
    found[id] = models[id];
    const parts = JSON.stringify(models[id]).matchAll(/IPY_MODEL_(\w+)/g);
    waiting.push(...[...parts].map(([, part]) => part));
  }
  return found;
}
