/* A living graph without Jupyter: the still picture, then the graph as soon as Python is ready.
 *
 *   model    what anywidget gives a view: get, set, save_changes, on, off
 *   worker   where Python runs; it is asked for changes and answers with all traits that it shares
 *
 * One question is on its way at a time. What is asked meanwhile goes together, newest values. */

{
  const text = (id) => JSON.parse(document.getElementById(id).textContent);
  const told = document.getElementById("told");
  const tell = (words) => { told.textContent = words; };
  const address = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));

  class Model {
    constructor(worker, state) {
      Object.assign(this, { worker, state, asked: {}, pending: false, listeners: [] });
    }
    get(name) { return this.state[name]; }
    set(name, value) {
      this.state = { ...this.state, [name]: value };
      this.asked[name] = value;
    }
    save_changes() {
      if (this.pending || !Object.keys(this.asked).length) return;
      this.pending = true;
      this.worker.postMessage({ changes: JSON.stringify(this.asked) });
      this.asked = {};
    }
    take(state) {
      this.pending = false;
      this.state = { ...state, ...this.asked };
      for (const [event, listener] of [...this.listeners]) if (event.startsWith("change:")) listener();
      this.save_changes();
    }
    /* A new state is told as a change of every trait; a page has no kernel that could be lost. */
    on(event, listener) { this.listeners.push([event, listener]); }
    off(event, listener) { this.listeners = this.listeners.filter((own) => own[1] !== listener); }
  }

  async function unpack(element) {
    const packed = await fetch(`data:application/gzip;base64,${element.textContent}`);
    element.remove();
    const plain = packed.body.pipeThrough(new DecompressionStream("gzip"));
    return [element.dataset.name, await new Response(plain).arrayBuffer()];
  }

  async function start() {
    tell("A still picture; Python is loading, and the graph will answer in a few seconds.");
    const facts = JSON.parse(text("facts"));
    const elements = [...document.querySelectorAll("script.file")];
    const files = Object.fromEntries(await Promise.all(elements.map(unpack)));
    const worker = new Worker(address(text("worker")));
    const view = (await import(address(text("view")))).default;
    const home = facts.address && new URL(facts.address, location.href).href;
    let model = null;
    worker.onerror = (event) => fail(event.message);
    worker.onmessage = ({ data }) => {
      if (data.fault) return fail(data.fault);
      const state = JSON.parse(data.state);
      if (model) return model.take(state);
      model = new Model(worker, state);
      const live = document.getElementById("live");
      live.hidden = false;
      document.getElementById("still").hidden = true;
      view.render({ model, el: live });
      tell("Live: click a variable, a branch or a block.");
    };
    const about = { python: text("python"), model: text("model"), state: JSON.stringify(facts.state) };
    worker.postMessage({ files, address: home, ...about }, Object.values(files));
  }

  function fail(reason) {
    console.warn(reason);
    tell(`A still picture: the graph could not come alive here (${String(reason).slice(0, 200)}).`);
  }

  start().catch(fail);
}
