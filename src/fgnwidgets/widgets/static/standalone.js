/* A living graph without Jupyter: drawn at once where the page has answers of its own, and otherwise a
 * still picture until Python is ready.
 *
 *   model    what anywidget gives a view: get, send, on, off; see `answers.js`
 *   worker   where Python runs; it answers each message of the view with its state and what it says
 *
 * A page has no kernel that could be lost; the view itself does not flood Python (`requests.js`). */

{
  const text = (id) => JSON.parse(document.getElementById(id).textContent);
  const told = document.getElementById("told");
  const tell = (words) => { told.textContent = words; };
  const address = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const module = (id) => import(address(text(id))).then((found) => found.default);
  const link = location.hash.startsWith("#state=") ? location.hash : "";
  const facts = JSON.parse(text("facts"));
  const whole = new Promise((done) => {
    if (document.readyState !== "loading") done();
    else addEventListener("DOMContentLoaded", done);
  });
  let model = null;
  let shown = false;
  let begun = false;
  let stored = null; // shows the page as it was written, where Python cannot open a link

  const unpacked = async (packed) => {
    const data = await fetch(`data:application/gzip;base64,${packed}`);
    return new Response(data.body.pipeThrough(new DecompressionStream("gzip")));
  };

  async function file(element) {
    const { name } = element.dataset;
    const packed = element.textContent;
    element.remove();
    return [name, await (await unpacked(packed)).arrayBuffer()];
  }

  async function files() {
    const held = await Promise.all([...document.querySelectorAll("script.file")].map(file));
    if (facts.python) {
      const answer = await fetch(facts.python);
      if (!answer.ok) throw new Error(`${facts.python} could not be fetched`);
      held.push(["python.zip", await answer.arrayBuffer()]);
    }
    return Object.fromEntries(held);
  }

  function show(draw) {
    const live = document.getElementById("live");
    live.hidden = false;
    document.getElementById("picture").hidden = true;
    draw({ model, el: live });
    shown = true;
    tell(facts.live);
  }

  async function start() {
    if (window.top !== window) document.documentElement.classList.add("framed");
    const packed = text("answers");
    const [Model, draw] = await Promise.all([module("answering"), module("view")]);
    const answering = async () => {
      const given = await (await unpacked(packed)).json();
      model = new Model(given, () => {
        tell("Python is loading: what you asked for follows in a few seconds.");
        python(draw);
      });
      show(draw);
    };
    if (packed && !link) {
      await answering();
      performance.mark("fgn-live");
    } else {
      if (packed) stored = answering;
      model = new Model(null, () => {});
      tell("A still picture; Python is loading, and the graph will answer in a few seconds.");
    }
    if (facts.atOnce || !shown) return python(draw);
    for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, () => python(draw), { once: true });
  }

  async function python(draw) {
    if (begun) return;
    begun = true;
    try {
      await whole;
      if (shown) await new Promise((done) => setTimeout(done, 300)); // the first answers come first
      await load(draw);
    } catch (error) {
      fail(error);
    }
  }

  async function load(draw) {
    const held = await files();
    const worker = new Worker(address(text("worker")));
    const ask = (message) => worker.postMessage({ message: JSON.stringify(message) });
    let first = true;
    worker.onerror = (event) => fail(event.message);
    worker.onmessage = ({ data }) => {
      if (data.fault) return fail(data.fault);
      const answer = JSON.parse(data.answer);
      if (first) model.connect(answer.state, ask);
      else model.take(answer);
      first = false;
      if (!shown) show(draw);
      if (!model.open) {
        tell(facts.live);
        document.documentElement.dataset.python = "there";
      }
      // Python goes on by itself while it learns: the page looks in on it.
      if (answer.state.curve?.running) look ||= setTimeout(() => { look = 0; worker.postMessage({}); }, 150);
    };
    let look = 0;
    const about = { python: text("python"), model: text("model"), state: JSON.stringify(facts.state), link };
    const home = facts.address && new URL(facts.address, location.href).href;
    worker.postMessage({ files: held, address: home, ...about }, Object.values(held));
  }

  function fail(error) {
    const reason = String(error?.message ?? error);
    console.warn(reason);
    const short = reason.slice(0, 200);
    if (stored) {
      const show = stored;
      stored = null;
      show().then(() => fail(error), fail);
      return;
    }
    const first = link ? "This is the graph as it was written, without the state of its link. " : "";
    tell(shown ? `${first}Clicks on variables are answered; all else needs Python, which could not start (${short}).`
      : `A still picture: the graph could not come alive here (${short}).`);
    if (shown && !model.ask) model.without("Only Python can answer this, and it could not start here.");
  }

  addEventListener("hashchange", () => location.reload()); // another link was pasted
  start().catch(fail);
}
