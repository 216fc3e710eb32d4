/* What a hand wants of Python, and what Python answers.
 *
 *   request     {request, from, do, with, gesture}: a number, the view that asks, a word with its arguments, and
 *            the gesture that it is part of. Messages arrive in order, and none is lost
 *   answer   {answer, from, fault}: Python has carried out, or refused, the request of this number; what it
 *            changed is in the model already
 *   event    {event, from, ...}: something that happens once and is no state, such as text to copy;
 *            only the view that asked gets it
 *
 * Of a gesture one request is on its way at a time, and the newest waits: so a slow kernel is never
 * flooded, and the end of a drag is always sent. Steps (`with.by`) that wait are added up, so that none
 * is lost. `open` has the requests without an answer. A request to a kernel that is gone is not made. */

/** @typedef {{do: string, with: Record<string, any>, gesture?: string}} Request */
/** @typedef {Request & {request: number}} Sent */
/** @typedef {{answer: number, from: string, fault?: string}} Answer */

let views = 0;

export class Requests {
  /**
   * @param {any} model
   * @param {import("./kernel.js").Kernel} kernel
   * @param {(event: any) => void} happened takes the events that are for this view
   * @param {(requests: Request[], fault: string) => void} answered is called after every answer, with the
   *   requests that it is for
   */
  constructor(model, kernel, happened, answered) {
    this.model = model;
    this.kernel = kernel;
    this.view = `${Date.now()} ${Math.random()} ${++views}`;
    this.number = 0;
    /** @type {Sent[]} */
    this.sent = [];
    /** @type {Request | null} the newest of a gesture, which waits for the answer to the one before */
    this.next = null;
    this.receive = (/** @type {any} */ message) => {
      if (message?.from !== this.view) return;
      if (message.event) happened(message);
      if (message.answer === undefined) return;
      const done = this.sent.filter(({ request }) => request <= message.answer);
      this.sent = this.sent.filter(({ request }) => request > message.answer);
      for (const _ of done) kernel.answered();
      if (this.next && !this.sent.some(({ gesture }) => gesture === this.next?.gesture))
        this.send(this.next);
      answered(done, message.fault ?? "");
    };
    model.on("msg:custom", this.receive);
  }

  remove() {
    this.model.off("msg:custom", this.receive);
  }

  /** The requests without an answer, the newest last. @returns {Request[]} */
  get open() {
    return this.next ? [...this.sent, this.next] : this.sent;
  }

  /**
   * @param {string} what
   * @param {Record<string, any>} [arguments_]
   * @param {string} [gesture] the gesture that it is part of
   * @param {boolean} [each] whether it counts although others of its gesture follow
   */
  make(what, arguments_ = {}, gesture = "", each = !gesture) {
    if (this.kernel.health === "gone") return;
    const request = { do: what, with: arguments_, gesture };
    const waits = this.next;
    if (each) {
      if (waits) this.send(waits);
      return this.send(request);
    }
    if (waits && (waits.gesture !== gesture || waits.do !== what))
      this.send(waits); // it came first
    else if (waits && typeof arguments_.by === "number")
      request.with = { ...arguments_, by: waits.with.by + arguments_.by };
    const flying = this.sent.some((sent) => sent.gesture === gesture && sent.do === what);
    if (flying) this.next = request;
    else this.send(request);
  }

  /** Breaks a gesture off: what it has changed goes back. @param {string} gesture */
  cancel(gesture) {
    if (this.next?.gesture === gesture) this.next = null;
    this.make("cancel", {}, gesture, true);
  }

  /** @param {Request} request */
  send(request) {
    this.next = null;
    const sent = { ...request, request: ++this.number };
    this.sent.push(sent);
    this.kernel.asked();
    this.model.send({ ...sent, from: this.view });
  }
}
