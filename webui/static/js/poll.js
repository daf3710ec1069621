// Asks again and again, with patience, and tells how fresh the page is.
//
// Modes: live (the last answer is recent), stale (one is overdue), gone (several failed in a row, or YARN
// says that the ApplicationMaster is not there), ended (nothing will change any more).

import { clock, duration } from "./format.js";
import { byId, setHidden, setOptional, setText } from "./dom.js";
import { askYarn, yarnPage } from "./yarn.js";

const HIDDEN_FACTOR = 15;
const GONE_AFTER = 3; // failures in a row
const LONGEST_PAUSE = 30000;
const LONGEST_PAUSE_AWAY = 3000; // while YARN says that the application goes on
const TIMEOUT = 20000;
const ENDINGS = { SUCCEEDED: "The job has succeeded.", FAILED: "The job has failed.", KILLED: "The job was killed." };

/** A web proxy has put a page of its own in the way. */
class ProxyPage extends Error {}

/** GETs JSON. A web proxy may answer in our place, with status 200. */
export async function getJson(address, options = {}) {
  const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT), ...options });
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("application/json")) {
    throw new ProxyPage(response.ok ? "the web proxy answered with a page of its own; reload to see it" : `status ${response.status}`);
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
   * @param farewell more words about it for a notice; without them there is none
   * @param onYarnsWord told {outcome, words} when only YARN knows how the application ended
   */
  constructor({ ask, pause, endText, farewell = "", onYarnsWord = () => {} }) {
    this.ask = ask;
    this.pause = pause;
    this.endText = endText;
    this.farewell = farewell;
    this.onYarnsWord = onYarnsWord;
    this.failures = 0;
    this.heard = Date.now();
    this.ended = false;
    this.timer = 0;
    this.running = false;
    this.reason = "";
    this.yarn = null; // what YARN said since the last answer
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
      this.yarn = null;
    } catch (error) {
      this.failures += 1;
      this.reason = error instanceof TypeError ? "no connection" : error.name === "TimeoutError" ? "no answer in time" : error.message;
      if (error instanceof ProxyPage || this.failures >= GONE_AFTER) await this.hearYarn();
    }
    this.running = false;
    this.show();
    if (this.ended) clearInterval(this.ticker);
    else this.timer = setTimeout(() => this.now(), this.wait());
  }

  async hearYarn() {
    this.yarn = await askYarn();
    if (this.yarn?.ended) {
      this.ended = true;
      this.onYarnsWord(this.yarn);
    }
  }

  wait() {
    const pause = this.pause();
    const longest = this.yarn ? LONGEST_PAUSE_AWAY : LONGEST_PAUSE;
    if (this.failures) return Math.min(longest, pause * 2 ** Math.min(this.failures - 1, 8));
    return document.hidden ? pause * HIDDEN_FACTOR : pause;
  }

  mode() {
    if (this.ended) return "ended";
    if (this.yarn || this.failures >= GONE_AFTER) return "gone";
    const overdue = Date.now() - this.heard > Math.max(5000, this.wait() * 3);
    return this.failures || overdue ? "stale" : "live";
  }

  show() {
    const mode = this.mode();
    const age = duration((Date.now() - this.heard) / 1000);
    const words = { live: "live", stale: "stale", gone: "ApplicationMaster gone" };
    byId("live").dataset.mode = mode;
    setText(byId("live-text"), words[mode] ?? (this.yarn ? "final: YARN's word" : this.endText()));
    setText(byId("live-age"), mode === "ended" && !this.yarn ? "" : `· updated ${age} ago`);
    showAbsence(this.absence(mode), mode, this.yarn?.ended && this.yarn.outcome !== "SUCCEEDED");
  }

  /** Why nobody answers: [what is so, what YARN says]. */
  absence(mode) {
    const heard = clock(this.heard / 1000);
    if (mode === "ended") {
      if (!this.yarn) return [this.farewell, ""];
      const { outcome, words } = this.yarn;
      return [`${ENDINGS[outcome] ?? `The job has ended (${outcome}).`} Its ApplicationMaster is gone; below is how things stood at ${heard}.`, words];
    }
    if (this.yarn) {
      const { outcome, words } = this.yarn;
      const hope = outcome === "RUNNING" ? `(${this.reason}). Another attempt may be starting` : "and may start another attempt";
      return [`ApplicationMaster gone. YARN says that the application is ${outcome} ${hope}, which this page then shows. Below is how things stood at ${heard}.`, words];
    }
    return [`ApplicationMaster gone (${this.reason}). It has ended or cannot be reached; this is how things stood at ${heard}. Still trying.`, ""];
  }
}

function showAbsence([text, words], mode, bad) {
  const shown = text !== "" && (mode === "gone" || mode === "ended");
  const gone = byId("gone");
  setHidden(gone, !shown);
  if (!shown) return;
  gone.classList.toggle("over", mode === "ended");
  gone.classList.toggle("bad", bad === true);
  setText(byId("gone-text"), text);
  setOptional(byId("gone-words"), words);
  const link = byId("gone-yarn");
  setHidden(link, !yarnPage);
  if (yarnPage) link.href = yarnPage;
}
