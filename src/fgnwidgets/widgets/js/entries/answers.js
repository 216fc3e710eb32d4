/* A model that answers before Python is there, from scenes that Python made when the page was written
 * (`widgets/graph/answers.py`).
 *
 *   states    evidence as text -> places in the tables: the parts, the panels, the other values
 *   log       every request, with or without an answer: Python gets all of them when it is there, so that
 *             it is where the page is, and the view changes nothing
 *   waiting   whether a request had no answer here; those that follow wait, too, so that their order holds
 *   refusal   why Python will never be there, or ""; then nothing waits, and what only it could answer is
 *             refused with these words */

/** @typedef {Record<string, any>} Codes */

/** The scene of some evidence; null if it is not among the states. @param {any} given
 * @param {Codes} codes @param {string | null} selected @returns {any} */
export function sceneOf(given, codes, selected) {
  const names = Object.keys(given.variables);
  const state = given.states[JSON.stringify(names.map((name) => codes[name] ?? null))];
  if (!state) return null;
  const chosen =
    selected === null ? 0 : 1 + names.findIndex((name) => `variable:${name}` === selected);
  if (selected !== null && !chosen) return null;
  /** @type {Record<string, any>} */
  const scene = {};
  for (const [name, place] of Object.entries(state.others)) scene[name] = given.others[name][place];
  const seen = Object.entries(codes).map(([name, cell]) => given.said[name][spaced(cell)]);
  if (seen.length) {
    const end = scene.summary.slice(scene.summary.lastIndexOf(". log P("));
    scene.summary = `Observed: ${seen.join(", ")}${end}`;
  }
  scene.parts = state.parts.map((/** @type {number} */ place) => {
    const part = given.parts[place];
    const on = selected !== null && (part.selects ?? part.id) === selected;
    return part.selected === on ? part : { ...part, selected: on };
  });
  return { ...scene, panel: given.panels[state.panels[chosen]], selected };
}

/** A cell as Python's JSON has it, with a space after a comma. @param {any} cell */
const spaced = (cell) => JSON.stringify(cell).replaceAll(",", ", ");

/** The evidence and the selection, changed by requests as `GraphView` does it. */
export class Evidence {
  /** @param {any} given */
  constructor(given) {
    this.given = given;
    /** @type {Codes} */
    this.codes = given.evidence;
    /** @type {string | null} */
    this.selected = given.scene.selected;
    /** @type {Codes[]} */
    this.past = [];
    /** @type {Codes[]} */
    this.future = [];
    this.gesture = "";
  }

  /** Carries out a request: its scene, or null for one that only Python can answer; nothing has changed
   * then. @param {any} request */
  take(request) {
    const before = { ...this, past: [...this.past], future: [...this.future] };
    const known = this.carry(request.do, request.with ?? {}, request.gesture ?? "");
    const scene = known ? sceneOf(this.given, this.codes, this.selected) : null;
    if (!scene) return Object.assign(this, before) && null;
    return { ...scene, undo: this.past.length > 0, redo: this.future.length > 0, status: "" };
  }

  /** @param {string} what @param {any} to @param {string} gesture @returns {boolean} */
  carry(what, to, gesture) {
    const now = this.codes[to.variable] ?? null;
    switch (what) {
      case "toggle":
        return this.observe(to.variable, now === to.state ? null : to.state, gesture);
      case "cycle":
        if (now !== null && typeof now !== "number")
          return this.observe(to.variable, null, gesture);
        return this.observe(to.variable, next(now, this.given.variables[to.variable]), gesture);
      case "observe":
        return this.observe(to.variable, to.cell, gesture);
      case "undo":
        return this.walk(this.past, this.future);
      case "redo":
        return this.walk(this.future, this.past);
      case "select":
        this.selected = to.part === this.selected ? null : (to.part ?? null);
        return true;
      case "set":
        return this.set(to, gesture);
      default:
        return false;
    }
  }

  /** @param {string} variable @param {number | null} cell @param {string} gesture */
  observe(variable, cell, gesture) {
    if (!(variable in this.given.variables) || (cell !== null && typeof cell !== "number"))
      return false;
    const { [variable]: _, ...others } = this.codes;
    if (cell === null) this.change(others, gesture);
    else this.change({ ...this.codes, [variable]: cell }, gesture);
    this.selected = `variable:${variable}`;
    return true;
  }

  /** @param {any} to @param {string} gesture */
  set(to, gesture) {
    const names = Object.keys(to);
    if (names.length !== 1) return false;
    if (names[0] === "selected" && to.selected === null) {
      this.selected = null;
      return true;
    }
    if (names[0] !== "evidence" || Object.keys(to.evidence).length) return false;
    if (Object.keys(this.codes).length) this.change({}, gesture);
    return true;
  }

  /** @param {Codes} codes @param {string} gesture */
  change(codes, gesture) {
    if (!gesture || gesture !== this.gesture) this.past.push(this.codes);
    this.gesture = gesture;
    this.future.length = 0;
    this.codes = codes;
  }

  /** @param {Codes[]} source @param {Codes[]} target */
  walk(source, target) {
    const to = source.pop();
    if (to) {
      target.push(this.codes);
      this.codes = to;
      this.gesture = "";
    }
    return true;
  }
}

/** @param {number | null} now @param {number} size */
const next = (now, size) => (now === null ? 0 : now + 1 < size ? now + 1 : null);

/** What anywidget gives a view: here with answers of its own until `ask` leads to Python. */
export class Answering {
  /** @param {any} given the answers, or null if the page has none @param {() => void} wanted is called
   * for the first request that Python must answer */
  constructor(given, wanted) {
    this.evidence = given && new Evidence(given);
    /** @type {Record<string, any>} */
    this.state = given ? { scene: given.scene, legend: given.legend } : {};
    /** @type {[string, (...news: any[]) => void][]} */
    this.listeners = [];
    /** @type {any[]} */
    this.log = [];
    /** @type {any[]} */
    this.late = []; // those of it that wait
    this.wanted = wanted;
    this.waiting = false;
    this.refusal = "";
    /** @type {((message: any) => void) | null} */
    this.ask = null;
    this.open = 0; // messages to Python without an answer
  }

  /** @param {string} name */
  get(name) {
    return this.state[name];
  }

  /** @param {any} request */
  send(request) {
    if (this.ask) return this.toPython(request);
    this.log.push(request);
    if (!this.waiting && this.answer(request)) return;
    if (!this.waiting) this.wanted();
    this.waiting = true;
    this.late.push(request);
  }

  /** Answers a request from what is stored, or refuses it where nobody else can; false if it is to wait.
   *
   * @param {any} request */
  answer(request) {
    const known = this.evidence?.take(request);
    if (!known && !this.refusal) return false;
    const scene = known ?? { ...this.state.scene, status: this.refusal };
    this.state = { ...this.state, scene };
    const fault = known ? "" : this.refusal;
    // An answer never comes while its request is being made.
    queueMicrotask(() => {
      this.tell("change:scene");
      this.tell("msg:custom", { answer: request.request, from: request.from, fault });
    });
    return true;
  }

  /** Python will never be there: what waited for it is answered from what is stored, or refused.
   *
   * @param {string} refusal */
  without(refusal) {
    this.refusal = refusal;
    this.waiting = false;
    for (const request of this.late.splice(0)) this.answer(request);
  }

  /** Python is there: it gets all requests so far, and answers from now on. @param {any} state its first
   * state @param {(message: any) => void} ask */
  connect(state, ask) {
    this.ask = ask;
    for (const request of this.log) this.toPython(request);
    if (!this.log.length) this.take({ state, said: [] }); // else its answers bring the state
    this.log = [];
  }

  /** @param {any} message */
  toPython(message) {
    this.open += 1;
    this.ask?.(message);
  }

  /** An answer of Python. Those to requests of which others follow are passed over: the page is there
   * already. @param {{state: Record<string, any>, said: any[]}} answer */
  take({ state, said }) {
    this.open = Math.max(0, this.open - 1);
    const before = this.state;
    if (!this.open) this.state = state;
    const changed = (/** @type {string} */ name) =>
      JSON.stringify(this.state[name]) !== JSON.stringify(before[name]);
    for (const name of Object.keys(this.state).filter(changed)) this.tell(`change:${name}`);
    for (const message of said) this.tell("msg:custom", message);
  }

  /** @param {string} event @param {any[]} news */
  tell(event, ...news) {
    for (const [heard, listener] of [...this.listeners]) if (heard === event) listener(...news);
  }

  /** @param {string} event @param {(...news: any[]) => void} listener */
  on(event, listener) {
    this.listeners.push([event, listener]);
  }

  /** @param {string} event @param {(...news: any[]) => void} listener */
  off(event, listener) {
    this.listeners = this.listeners.filter(([heard, own]) => heard !== event || own !== listener);
  }
}

export default Answering;
