// What YARN says about the application, for when its ApplicationMaster does not answer.
//
// The page may ask where YARN's proxy is part of the ResourceManager, for then both have one origin.

const PLACE = /^(.*)\/proxy\/(application_\d+_\d+)(?:\/|$)/.exec(location.pathname);
const ENDED = ["FINISHED", "FAILED", "KILLED"];
const TIMEOUT = 10000;

/** YARN's own page of the application; empty where the page does not come through YARN's proxy. */
export const yarnPage = PLACE ? `${PLACE[1]}/proxy/${PLACE[2]}/` : "";

/**
 * How YARN sees the application: {ended, outcome, words}; null when it cannot be asked.
 *
 * `outcome` is SUCCEEDED, FAILED or KILLED once it has ended, else YARN's own word for its state.
 */
export async function askYarn() {
  if (!PLACE) return null;
  try {
    const options = { cache: "no-store", headers: { Accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT) };
    const answer = await fetch(`${PLACE[1]}/ws/v1/cluster/apps/${PLACE[2]}`, options);
    if (!answer.ok || !(answer.headers.get("content-type") ?? "").startsWith("application/json")) return null;
    const { app } = await answer.json();
    const ended = ENDED.includes(app.state);
    const outcome = app.state === "FINISHED" ? app.finalStatus : app.state;
    return { ended, outcome, words: (app.diagnostics ?? "").trim() };
  } catch {
    return null;
  }
}
