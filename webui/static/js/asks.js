// Requests that change something: one PUT without a body, which YARN's proxy lets through.

import { byId, setHidden, setText } from "./dom.js";
import { getJson } from "./poll.js";

/** Sends the request, shows its answer in the notice, and says whether it was accepted. */
export async function ask(address, nonce, failed) {
  let answer;
  try {
    // The header satisfies a ResourceManager with its own guard against foreign requests.
    answer = await getJson(`${address}?nonce=${nonce}`, { method: "PUT", headers: { "X-XSRF-Header": "1" } });
  } catch (error) {
    answer = { ok: false, message: `${failed}: ${error.message}` };
  }
  const notice = byId("notice");
  setHidden(notice, false);
  notice.classList.toggle("bad", !answer.ok);
  setText(notice, answer.message);
  return answer.ok;
}
