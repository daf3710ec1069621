// The log viewer: reads on from where the server left off, by byte offset.

import { size } from "./format.js";
import { byId, setBadge, setHidden, setText } from "./dom.js";
import { Poller, getJson } from "./poll.js";

const CHUNK = 256 * 1024; // bytes asked for at once
const KEPT = 4 * 1024 * 1024; // characters kept on the page
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const OPEN_ESCAPE = /(?:\x1b(?:\[[0-?]*[ -/]*)?|\r)$/;

const viewer = byId("viewer");
const log = byId("log");
const { container, file } = viewer.dataset;
const cursor = { first: Number(viewer.dataset.offset), next: Number(viewer.dataset.next), pending: "", kept: log.textContent.length };

const address = (query) => `api/v1/logs?c=${encodeURIComponent(container)}${query}`;
const piece = (offset, limit) => getJson(address(`&f=${encodeURIComponent(file)}&offset=${offset}&limit=${limit}`));

async function ask() {
  const listing = await getJson(address(""));
  setBadge(byId("state").firstElementChild, listing.state);
  showFiles(listing.files);
  const length = listing.files[file];
  if (length === undefined) {
    setText(byId("nothing"), listing.final ? `${file} cannot be read from here.` : `Waiting for ${file}.`);
    return listing.final;
  }
  if (length < cursor.next) restart();
  while (cursor.next < length) {
    const chunk = await piece(cursor.next, CHUNK);
    if (chunk.next_offset <= cursor.next) break;
    cursor.next = chunk.next_offset;
    append(chunk.text);
  }
  setText(byId("nothing"), `${file} is empty${listing.final ? "" : " so far"}.`);
  setHidden(byId("nothing"), cursor.next > 0);
  return listing.final;
}

function restart() {
  log.textContent = "";
  Object.assign(cursor, { first: 0, next: 0, pending: "", kept: 0 });
  showEarlier();
}

/** Text without terminal escapes; a lone carriage return (progress bars) starts a new line. */
function clean(text) {
  return text.replace(ESCAPES, "").replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function append(text) {
  const whole = cursor.pending + text;
  const open = OPEN_ESCAPE.exec(whole);
  cursor.pending = open ? open[0] : "";
  const shown = clean(open ? whole.slice(0, open.index) : whole);
  log.append(shown);
  cursor.kept += shown.length;
  while (cursor.kept > KEPT && log.childNodes.length > 1) {
    cursor.kept -= log.firstChild.length;
    log.firstChild.remove();
    cursor.first = null;
  }
  showEarlier();
  if (byId("follow").checked) toEnd();
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
}

function showFiles(files) {
  for (const mark of byId("files").querySelectorAll("[data-file]")) {
    if (files[mark.dataset.file] !== undefined) setText(mark, size(files[mark.dataset.file]));
  }
  for (const name of Object.keys(files)) {
    if ([...byId("files").querySelectorAll("[data-file]")].some((e) => e.dataset.file === name)) continue;
    const link = document.createElement("a");
    link.href = `logs?c=${encodeURIComponent(container)}&f=${encodeURIComponent(name)}`;
    link.textContent = name;
    if (name === file) link.setAttribute("aria-current", "page");
    const mark = document.createElement("small");
    mark.dataset.file = name;
    setText(mark, size(files[name]));
    const item = document.createElement("li");
    item.append(link, " ", mark);
    byId("files").append(item);
  }
}

function showEarlier() {
  setHidden(byId("earlier"), !cursor.first);
}

/** Reads the piece before the first one shown and keeps the eye where it is. */
async function earlier() {
  const button = byId("earlier");
  button.disabled = true;
  try {
    const from = Math.max(0, cursor.first - CHUNK);
    const chunk = await piece(from, cursor.first - from);
    const below = log.scrollHeight - log.scrollTop;
    const shown = clean(chunk.text);
    log.prepend(shown);
    cursor.kept += shown.length;
    cursor.first = from;
    log.scrollTop = log.scrollHeight - below;
    setText(button, "Load earlier");
  } catch (error) {
    setText(button, `Load earlier (failed: ${error.message})`);
  } finally {
    button.disabled = false;
    showEarlier();
  }
}

log.addEventListener("scroll", () => {
  byId("follow").checked = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
});
byId("follow").addEventListener("change", (event) => {
  if (event.target.checked) toEnd();
});
byId("wrap").addEventListener("change", (event) => log.classList.toggle("wrap", event.target.checked));
byId("earlier").addEventListener("click", earlier);
setHidden(byId("tools"), false);
showEarlier();
toEnd();
new Poller({ ask, pause: () => 1000, endText: () => "final: the container has ended" }).start();
