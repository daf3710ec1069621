// The "Stop job" button: asks back first.

import { ask } from "./asks.js";
import { byId } from "./dom.js";

export function watchStopButton(afterwards) {
  const button = byId("stop");
  const dialog = byId("stop-dialog");
  button.addEventListener("click", () => dialog.showModal());
  byId("stop-no").addEventListener("click", () => dialog.close());
  byId("stop-yes").addEventListener("click", async () => {
    dialog.close();
    button.disabled = true;
    const stopped = await ask("api/v1/kill", button.dataset.nonce, "The job was not stopped");
    button.disabled = stopped;
    afterwards();
  });
}
