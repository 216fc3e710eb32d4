/* One question on its way at a time: what a quick hand asks meanwhile is kept, and the newest wins.
 *
 *   ask        asks now, or keeps it until the answer to the last question is there
 *   answered   to be called with every answer
 *   open       the newest that was asked and has no answer yet: where a quick hand's next step begins */

const SILENCE = 2000; // ms after which an answer that never came is not waited for

export class Latest {
  constructor(send) { Object.assign(this, { send, waiting: null, open: null, since: -Infinity, frame: 0 }); }

  ask(value) {
    this.waiting = { value };
    this.open = value;
    this.frame ||= requestAnimationFrame(() => this.go());
  }

  answered() {
    this.since = -Infinity;
    if (this.waiting) this.frame ||= requestAnimationFrame(() => this.go());
    else this.open = null;
  }

  go() {
    this.frame = 0;
    if (!this.waiting || performance.now() - this.since < SILENCE) return;
    const { value } = this.waiting;
    this.waiting = null;
    this.since = performance.now();
    this.send(value);
  }
}
