/* Learning in the graph editor: its settings, a button, and the likelihood of every start by epoch.
 *
 *   curve   {epochs, lines, best, last, of, low, high, running}: the lines are thinned in Python, which
 *           also sets the ends of the axis, so that a flat likelihood is flat */

import { html, svg, change } from "../graph/dom.js";

const CURVE = { width: 330, height: 150, left: 58, right: 8, top: 10, bottom: 20 };

export class LearningBox {
  constructor(model, ask) {
    this.model = model;
    this.ask = ask;
    this.build();
  }

  build() {
    const number = (key, text, most) => {
      const input = html("input", { type: "number", min: key === "seed" ? 0 : 1, max: most,
        onchange: () => this.ask("settings", { [key]: Math.round(Number(input.value)) }) });
      this.settings[key] = input;
      return html("label", {}, text, input);
    };
    this.settings = {};
    const rule = html("select", { onchange: () => this.ask("settings", { rule: rule.value }) });
    this.settings.rule = rule;
    this.start = html("button", { type: "button", class: "fgn-main", onclick: () =>
      this.ask(this.model.get("curve").running ? "stop" : "learn") }, "Learn");
    this.plot = svg("svg", { class: "fgn-curve", role: "img", viewBox: `0 0 ${CURVE.width} ${CURVE.height}`,
      onpointermove: (event) => this.readOff(event), onpointerleave: () => this.draw() });
    this.warnings = html("ul", { class: "fgn-warnings", "aria-label": "what a careful reader should know" });
    this.ends = html("div", { class: "fgn-ends-text", "aria-live": "polite" });
    this.root = html("div", { class: "fgn-learning", role: "group", "aria-label": "learning" },
      html("div", { class: "fgn-form" }, html("label", {}, "rule", rule),
        number("restarts", "restarts", 1000), number("n_epochs", "epochs", 100000),
        number("seed", "seed", 1e9), this.start),
      html("div", { class: "fgn-result" }, this.plot, this.ends), this.warnings);
  }

  /** The settings of the next run, but for one that is being typed. */
  set({ rule, ...numbers }, rules, warnings) {
    this.warnings.replaceChildren(...warnings.map((text) => html("li", {}, text)));
    this.settings.rule.replaceChildren(...rules.map(([value, text]) =>
      html("option", { value, selected: value === rule }, text)));
    const { activeElement } = this.root.getRootNode();
    for (const [key, value] of Object.entries(numbers)) {
      if (this.settings[key] !== activeElement) this.settings[key].value = value;
    }
  }

  draw(cursor = null) {
    const curve = this.model.get("curve");
    const { width, height, left, right, top, bottom } = CURVE;
    this.start.textContent = curve.running ? "Stop" : "Learn";
    this.start.classList.toggle("fgn-running", !!curve.running);
    this.plot.replaceChildren();
    this.plot.toggleAttribute("hidden", !curve.lines);
    if (!curve.lines) { this.ends.textContent = ""; return; }
    const span = curve.high - curve.low || 1;
    const digits = Math.min(Math.max(1, Math.ceil(-Math.log10(span))), 6); // so that both ends differ
    const of = curve.running ? curve.of : curve.last;
    const x = (epoch) => left + (width - left - right) * epoch / Math.max(of, 1);
    const y = (value) => top + (height - top - bottom) * (curve.high - Math.max(value, curve.low)) / span;
    const line = (values, best) => svg("polyline", { class: best ? "fgn-best" : "fgn-other",
      points: values.map((v, i) => (v == null ? "" : `${x(curve.epochs[i]).toFixed(1)},${y(v).toFixed(1)}`)).join(" ") });
    const word = (text, at, anchor = "end") => svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, text);
    const floor = height - bottom;
    this.plot.append(svg("path", { class: "fgn-axis", d: `M${left},${top}V${floor}H${width - right}` }),
      ...curve.lines.map((values, i) => i !== curve.best && line(values)).filter(Boolean),
      line(curve.lines[curve.best], true),
      word(curve.high.toFixed(digits), [left - 5, top + 8]), word(curve.low.toFixed(digits), [left - 5, floor]),
      word("0", [left, height - 5], "middle"), word(`epoch ${of}`, [width - right, height - 5]));
    const best = curve.lines[curve.best];
    if (cursor != null) {
      const [at, value] = [x(curve.epochs[cursor]), best[cursor]];
      this.plot.append(svg("path", { class: "fgn-cursor", d: `M${at},${top}V${floor}` }));
      this.ends.textContent = `epoch ${curve.epochs[cursor]}: best log-likelihood ${value?.toFixed(3) ?? "none"}`;
      return;
    }
    const many = curve.lines.length === 1 ? "one start" : `best of ${curve.lines.length} starts`;
    const end = best.at(-1);
    this.ends.textContent = `${curve.running ? `epoch ${curve.last} of ${curve.of}` : `after ${curve.last} epochs`}: `
      + `log-likelihood ${end?.toFixed(2) ?? "none"}, ${many}`;
    change(this.plot, { "aria-label": `log-likelihood by epoch, a line for each start; ${this.ends.textContent}` });
  }

  /** The numbers under the pointer. */
  readOff(event) {
    const { epochs, running, of, last } = this.model.get("curve");
    if (!epochs) return;
    const box = this.plot.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * CURVE.width - CURVE.left)
      / (CURVE.width - CURVE.left - CURVE.right);
    const wanted = share * (running ? of : last);
    const nearest = epochs.reduce((best, epoch, i) =>
      (Math.abs(epoch - wanted) < Math.abs(epochs[best] - wanted) ? i : best), 0);
    this.draw(nearest);
  }
}
