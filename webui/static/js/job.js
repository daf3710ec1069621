// The job page: the server has rendered it; from here on it is kept fresh.

import { clock, duration, exit, percent, place, showMoment, size, webLink } from "./format.js";
import { arrange, byId, fields, setAttribute, setBadge, setBar, setHidden, setLink, setOptional, setText } from "./dom.js";
import { Poller, getJson } from "./poll.js";
import { Rows, logAddress } from "./rows.js";
import { showSaves, watchSaveButton } from "./saves.js";
import { watchStopButton } from "./stop.js";

const FINAL = ["SUCCEEDED", "FAILED", "KILLED"];
const PINNED = 3;

const page = { job: null, version: -1, ahead: 0, rows: new Rows(), cards: new Map() };

async function ask() {
  const answer = await getJson(page.job ? `api/v1/job?since=${page.version}` : "api/v1/job");
  page.ahead = answer.server_time - Date.now() / 1000;
  if (String(answer.attempt) !== byId("page").dataset.attempt) {
    // Another ApplicationMaster answers now: its page has another nonce.
    location.reload();
    return false;
  }
  if (!answer.unchanged) {
    page.job = answer;
    page.version = answer.version;
    showJob(answer);
  }
  showElapsed();
  return FINAL.includes(page.job.state);
}

function showJob(job) {
  const about = job.summary;
  showHead(job);
  showFailures(job);
  page.rows.update(job.containers, about);
  const wait = about.waiting;
  setOptional(byId("waiting"), wait ? `waiting for containers: ${wait.present} of ${wait.wanted}` : "");
  showInputs(job);
  showResources(job);
  setHidden(byId("board-page"), !about.board_page);
  const board = byId("board-link");
  setHidden(byId("board-direct"), !webLink(job.board.url));
  setLink(board, webLink(job.board.url));
  setText(board, webLink(job.board.url));
  setText(byId("board-note"), about.board_note);
  showSaves(job, FINAL.includes(job.state));
  setHidden(byId("stop"), FINAL.includes(job.state));
}

function showHead(job) {
  setAttribute(byId("head"), "data-state", job.state);
  setBadge(byId("state").firstElementChild, job.state);
  setText(byId("phase"), job.summary.phase);
  setOptional(byId("reason"), job.reason);
  byId("progress").value = job.progress ?? 0;
  setText(byId("percent"), percent(job.progress));
  for (const name of ["submitted", "started", "finished"]) showMoment(byId(name).firstElementChild, job[name]);
}

function showElapsed() {
  const { job } = page;
  if (!job) return;
  const end = job.finished ?? Date.now() / 1000 + page.ahead;
  setText(byId("elapsed"), duration(end - (job.started || job.submitted)));
}

function showFailures(job) {
  const byKey = new Map(job.containers.map((c) => [c.id, c]));
  const failing = job.summary.failing.map((id) => byKey.get(id));
  arrange(byId("failure-list"), failing.slice(0, PINNED).map(failureCard));
  setHidden(byId("failures"), !failing.length);
  const more = failing.length - PINNED;
  setOptional(byId("failures-more"), more > 0 ? `${more} more in the table below.` : "");
}

function failureCard(c) {
  const card = page.cards.get(c.id) ?? byId("failure-template").content.firstElementChild.cloneNode(true);
  page.cards.set(c.id, card);
  const f = fields(card);
  setText(f.place, place(c));
  setText(f.host, c.host);
  setBadge(f.state, c.state);
  setOptional(f.exitnote, c.exit_code === null ? "" : `exit code ${exit(c.exit_code)}`);
  setOptional(f.reason, c.reason);
  setOptional(f.lines, c.last_lines.join("\n"));
  setText(f.id, c.id);
  f.log.href = logAddress(c.id);
  return card;
}

function showInputs(job) {
  const rows = job.inputs.map((i) => [i.local, i.patterns.join("\n"), String(i.files), size(i.size)]);
  if (rows.length) fillTable(byId("inputs"), rows, ["", "uri", "n", "n"]);
}

function showResources(job) {
  const rows = job.roles.map((r) => [
    r.name,
    String(r.instances),
    size(r.memory_mb * 1048576),
    String(r.vcores),
    Object.entries(job.summary.counts[r.name]).map(([state, n]) => `${n} ${state}`).join(", ") || "–",
  ]);
  fillTable(byId("resources"), rows, ["", "n", "n", "n", ""]);
}

/** Fills a small table, adding or removing rows as needed; the first cell heads its row. */
function fillTable(body, rows, classes) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((texts, n) => {
    if (body.rows[n]?.cells.length !== texts.length) {
      const row = document.createElement("tr");
      classes.forEach((name, column) => {
        const cell = document.createElement(column ? "td" : "th");
        if (!column) cell.scope = "row";
        if (name) cell.className = name;
        row.append(cell);
      });
      if (body.rows[n]) body.rows[n].replaceWith(row);
      else body.append(row);
    }
    texts.forEach((text, column) => setText(body.rows[n].cells[column], text));
  });
}

// A large job is asked for less often: each answer holds all of its containers.
const pause = () => Math.min(5000, 1000 + 2 * Math.max(0, page.rows.containers.length - 100));

const endText = () => {
  const at = page.job.finished ? ` at ${clock(page.job.finished)}` : "";
  return `final: the job ${{ SUCCEEDED: "succeeded", FAILED: "failed", KILLED: "was stopped" }[page.job.state]}${at}`;
};

/** YARN has the last word where the ApplicationMaster could not say it. */
function onYarnsWord({ outcome }) {
  setAttribute(byId("head"), "data-state", outcome);
  setBadge(byId("state").firstElementChild, outcome);
  setText(byId("phase"), "");
  for (const id of ["stop", "save"]) setHidden(byId(id), true);
  setText(byId("save-note"), "");
}

const farewell = "The job has ended, and its ApplicationMaster with it: logs are no longer read from this page.";
const poller = new Poller({ ask, pause, endText, farewell, onYarnsWord });
watchStopButton(() => poller.now());
watchSaveButton(() => poller.now());
setInterval(() => {
  if (!poller.ended) showElapsed();
}, 1000);
poller.start();
