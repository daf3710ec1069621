// The "Save Model" button and the list of what was saved.

import { ask } from "./asks.js";
import { duration, size } from "./format.js";
import { arrange, byId, fields, setBadge, setHidden, setOptional, setText } from "./dom.js";

const rows = new Map();
let asking = false;
let blocked = true;

export function watchSaveButton(afterwards) {
  for (const element of byId("saves").children) rows.set(element.dataset.id, element);
  const button = byId("save");
  button.addEventListener("click", async () => {
    asking = true;
    showButton();
    await ask("api/v1/save", button.dataset.nonce, "Nothing was saved");
    await afterwards();
    asking = false;
    showButton();
  });
}

function showButton() {
  const button = byId("save");
  if (button.disabled !== (asking || blocked)) button.disabled = asking || blocked;
}

/** `over`: the job has ended. */
export function showSaves(job, over) {
  setHidden(byId("save"), over);
  blocked = job.save_note !== "";
  showButton();
  setText(byId("save-note"), job.summary.saving);
  arrange(byId("saves"), job.saves.map(saveRow));
  setHidden(byId("saves-empty"), job.saves.length > 0);
}

function saveRow(save) {
  const row = rows.get(save.id) ?? byId("save-template").content.querySelector("tr").cloneNode(true);
  rows.set(save.id, row);
  const f = fields(row);
  setText(f.id, save.id);
  setText(f.paths, save.paths.join("\n"));
  setText(f.parts, `${save.done}/${save.containers}`);
  setText(f.size, size(save.size));
  setText(f.trigger, save.trigger);
  setText(f.by, save.by);
  setText(f.lasted, save.finished === null ? "" : duration(save.finished - save.started));
  setBadge(f.state, save.state);
  setOptional(f.failures, [...save.failures, ...save.notes].join("\n"));
  return row;
}
