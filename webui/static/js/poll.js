// Asks again and again, with patience, and tells how fresh the page is.
//
// Modes: live (the last answer is recent), stale (one is overdue), gone (several failed in a row),
// ended (nothing will change any more).

import { clock, duration } from "./format.js";
import { byId, setHidden, setText } from "./dom.js";

const HIDDEN_FACTOR = 15;
const GONE_AFTER = 3; // failures in a row
const LONGEST_PAUSE = 30000;
const TIMEOUT = 20000;

/** GETs JSON. A web proxy may put a page of its own in the way, with status 200. */
export async function getJson(address, options = {}) {
  const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT), ...options });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("application/json")) {
    throw new Error(response.ok ? "the web proxy answered with a page of its own; reload to see it" : `status ${response.status}`);
  }
  const data = await response.json();
  if (!response.ok && data.ok === undefined) throw new Error(data.error ?? `status ${response.status}`);
  return data;
}

export class Poller {
  /**
   * @param ask called for every round; resolves to true when nothing will change any more
   * @param pause milliseconds between two rounds, as a function
   * @param endText what to say then
   */
  constructor({ ask, pause, endText }) {
    this.ask = ask;
    this.pause = pause;
    this.endText = endText;
    this.failures = 0;
    this.heard = Date.now();
    this.ended = false;
    this.timer = 0;
    this.running = false;
    this.reason = "";
  }

  start() {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.now();
    });
    this.ticker = setInterval(() => this.show(), 1000);
    return this.now();
  }

  async now() {
    if (this.running || this.ended) return;
    clearTimeout(this.timer);
    this.running = true;
    try {
      this.ended = await this.ask();
      this.failures = 0;
      this.heard = Date.now();
    } catch (error) {
      this.failures += 1;
      this.reason = error instanceof TypeError ? "no connection" : error.name === "TimeoutError" ? "no answer in time" : error.message;
    }
    this.running = false;
    this.show();
    if (this.ended) clearInterval(this.ticker);
    else this.timer = setTimeout(() => this.now(), this.wait());
  }

  wait() {
    const pause = this.pause();
    if (this.failures) return Math.min(LONGEST_PAUSE, pause * 2 ** Math.min(this.failures - 1, 8));
    return document.hidden ? pause * HIDDEN_FACTOR : pause;
  }

  mode() {
    if (this.ended) return "ended";
    if (this.failures >= GONE_AFTER) return "gone";
    const overdue = Date.now() - this.heard > Math.max(5000, this.wait() * 3);
    return this.failures || overdue ? "stale" : "live";
  }

  show() {
    const mode = this.mode();
    const age = duration((Date.now() - this.heard) / 1000);
    const words = { live: "live", stale: "stale", gone: "ApplicationMaster gone" };
    byId("live").dataset.mode = mode;
    setText(byId("live-text"), words[mode] ?? this.endText());
    setText(byId("live-age"), mode === "ended" ? "" : `· updated ${age} ago`);
    const gone = byId("gone");
    if (mode === "gone") {
      setText(gone, `ApplicationMaster gone (${this.reason}). It has ended or cannot be reached; this is how things stood at ${clock(this.heard / 1000)}. Still trying.`);
    }
    setHidden(gone, mode !== "gone");
  }
}
