// The table of containers: rows keyed by id, filled where they changed, sorted and filtered here.

import { cpu, exit, gpus, percent, place, showMoment, size, transfer, webLink } from "./format.js";
import { arrange, byId, fields, setAttribute, setBadge, setBar, setHidden, setLink, setOptional, setText } from "./dom.js";

const STATES = ["GRANTED", "REGISTERED", "PREPARING", "LAUNCHING", "RUNNING", "STOPPING", "UPLOADING", "SUCCEEDED", "FAILED", "STOPPED", "LOST"];

const KEYS = {
  id: (c) => c.id,
  host: (c) => c.host,
  role: (c, about) => about.roles.indexOf(c.role) * 1e6 + (c.index ?? 999999),
  state: (c) => STATES.indexOf(c.state),
  started: (c) => c.started,
  finished: (c) => c.finished,
  progress: (c) => c.progress,
  cpu: (c) => c.cpu_percent,
  memory: (c) => c.memory_bytes,
  files: (c) => c.input_files,
  exit: (c) => c.exit_code,
};

export const logAddress = (id) => `logs?c=${encodeURIComponent(id)}&f=stdout`;

export class Rows {
  constructor() {
    this.body = byId("rows");
    this.blank = byId("row-template").content.querySelector("tr");
    this.known = new Map();
    for (const element of this.body.children) this.known.set(element.dataset.id, { element, fields: fields(element) });
    this.sort = { key: "", down: false };
    this.containers = [];
    this.about = { roles: [], failing: [], replaced: [] };
    this.listen();
  }

  listen() {
    setHidden(byId("tools"), false);
    for (const id of ["filter", "role-filter", "state-filter"]) byId(id).addEventListener("input", () => this.arrange());
    for (const head of document.querySelectorAll("#containers th[data-sort]")) {
      head.querySelector("button").addEventListener("click", () => this.sortBy(head));
    }
  }

  sortBy(head) {
    const key = head.dataset.sort;
    this.sort = { key, down: this.sort.key === key && !this.sort.down };
    for (const other of document.querySelectorAll("#containers th[data-sort]")) {
      setAttribute(other, "aria-sort", other !== head ? "none" : this.sort.down ? "descending" : "ascending");
    }
    this.arrange();
  }

  update(containers, about) {
    this.containers = containers;
    this.about = about;
    this.bad = new Set(about.failing);
    const replaced = new Set(about.replaced);
    const present = new Set();
    for (const c of containers) {
      present.add(c.id);
      this.fill(this.row(c.id), c, replaced.has(c.id));
    }
    for (const id of this.known.keys()) if (!present.has(id)) this.known.delete(id);
    this.choices(byId("role-filter"), about.roles);
    this.choices(byId("state-filter"), STATES.filter((s) => containers.some((c) => c.state === s)));
    this.arrange();
  }

  row(id) {
    let row = this.known.get(id);
    if (!row) {
      const element = this.blank.cloneNode(true);
      element.dataset.id = id;
      row = { element, fields: fields(element) };
      setText(row.fields.id, id);
      row.fields.log.href = logAddress(id);
      this.known.set(id, row);
    }
    return row;
  }

  fill(row, c, replaced) {
    // Equal JSON is equal content; most rows of a large job do not change between two answers.
    const content = JSON.stringify(c) + replaced + this.bad.has(c.id);
    if (row.content === content) return;
    row.content = content;
    const f = row.fields;
    row.element.classList.toggle("failing", this.bad.has(c.id));
    setText(f.host, c.host);
    setText(f.place, place(c));
    setHidden(f.chief, !c.chief);
    setHidden(f.replaced, !replaced);
    setBadge(f.state, c.state);
    setOptional(f.transfer, transfer(c.transfer));
    setOptional(f.reason, c.reason);
    showMoment(f.started, c.started);
    showMoment(f.finished, c.finished);
    setBar(f.progress, c.progress, 1);
    setText(f.percent, percent(c.progress));
    setText(f.cpu, cpu(c.cpu_percent));
    setOptional(f.gpus, gpus(c.gpus));
    setBar(f.memory, c.memory_bytes, c.memory_limit_bytes);
    if (c.memory_limit_bytes) f.memory.high = c.memory_limit_bytes * 0.9;
    setText(f.memorytext, size(c.memory_bytes) + (c.memory_bytes !== null && c.memory_limit_bytes ? ` of ${size(c.memory_limit_bytes)}` : ""));
    setText(f.files, String(c.input_files));
    setText(f.exit, exit(c.exit_code));
    setLink(f.nodelog, webLink(c.log_url));
    row.words = [c.id, c.host, place(c), c.chief ? "chief" : "", c.reason].join("\n").toLowerCase();
  }

  choices(select, values) {
    const chosen = select.value;
    const all = chosen && !values.includes(chosen) ? [...values, chosen] : values;
    if (select.shownChoices === all.join()) return;
    select.shownChoices = all.join();
    select.replaceChildren(new Option("all", ""), ...all.map((v) => new Option(v, v)));
    select.value = chosen;
  }

  wanted() {
    const words = byId("filter").value.trim().toLowerCase().split(/\s+/);
    const role = byId("role-filter").value;
    const state = byId("state-filter").value;
    return this.containers.filter(
      (c) => (!role || c.role === role) && (!state || c.state === state) && words.every((w) => this.known.get(c.id).words.includes(w)),
    );
  }

  order(containers) {
    const role = (c) => KEYS.role(c, this.about);
    const first = (a, b) => this.bad.has(b.id) - this.bad.has(a.id) || role(a) - role(b) || a.generation - b.generation || compare(a.id, b.id);
    const { key, down } = this.sort;
    if (!key) return containers.sort(first);
    const value = new Map(containers.map((c) => [c, KEYS[key](c, this.about)]));
    return containers.sort((a, b) => {
      const [x, y] = [value.get(a), value.get(b)];
      // What is unknown stands last in both directions.
      if (x === null || y === null) return (x === null) - (y === null) || first(a, b);
      return (down ? compare(y, x) : compare(x, y)) || first(a, b);
    });
  }

  arrange() {
    const shown = this.order(this.wanted());
    arrange(this.body, shown.map((c) => this.known.get(c.id).element));
    const all = this.containers.length;
    setText(byId("shown"), shown.length === all ? `${all} container${all === 1 ? "" : "s"}` : `${shown.length} of ${all} shown`);
    setOptional(byId("empty"), !all ? "No container yet." : shown.length ? "" : "No container matches the filter.");
  }
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
