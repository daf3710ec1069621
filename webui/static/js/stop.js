// The "Stop job" button: asks first, then sends one PUT without a body, which YARN's proxy lets through.

import { byId, setHidden, setText } from "./dom.js";
import { getJson } from "./poll.js";

export function watchStopButton(afterwards) {
  const button = byId("stop");
  const dialog = byId("stop-dialog");
  button.addEventListener("click", () => dialog.showModal());
  byId("stop-no").addEventListener("click", () => dialog.close());
  byId("stop-yes").addEventListener("click", async () => {
    dialog.close();
    button.disabled = true;
    const stopped = await stop(button.dataset.nonce);
    button.disabled = stopped;
    afterwards();
  });
}

async function stop(nonce) {
  let answer;
  try {
    // The header satisfies a ResourceManager with its own guard against foreign requests.
    answer = await getJson(`api/v1/kill?nonce=${nonce}`, { method: "PUT", headers: { "X-XSRF-Header": "1" } });
  } catch (error) {
    answer = { ok: false, message: `The job was not stopped: ${error.message}` };
  }
  const notice = byId("notice");
  setHidden(notice, false);
  notice.classList.toggle("bad", !answer.ok);
  setText(notice, answer.message);
  return answer.ok;
}
