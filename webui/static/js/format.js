// Numbers and times for people. The same rules as view.py, so that a page does not change its words
// when the scripts take over; times alone move into the viewer's own zone.

export const NOTHING = "–";
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const SIGNALS = {
  1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
  9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
  24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
};

export function size(count) {
  if (count === null || count === undefined) return NOTHING;
  let value = count;
  let unit = 0;
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const number = unit === 0 || value >= 9.95 ? Math.floor(value + 0.5) : (Math.floor(value * 10 + 0.5) / 10).toFixed(1);
  return `${number} ${UNITS[unit]}`;
}

export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const steps = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
  for (let i = 0; i < steps.length - 1; i += 1) {
    const [unit, length] = steps[i];
    const [finer, part] = steps[i + 1];
    if (whole >= length) return `${Math.floor(whole / length)} ${unit} ${Math.floor((whole % length) / part)} ${finer}`;
  }
  return `${whole} s`;
}

export function percent(fraction) {
  return fraction === null || fraction === undefined ? NOTHING : `${Math.floor(fraction * 100 + 1e-9)} %`;
}

export function cpu(value) {
  return value === null ? NOTHING : `${Math.floor(value + 0.5)} %`;
}

export function gpus(list) {
  const one = (g) => `GPU ${g.index}: ${cpu(g.busy_percent)}, ${size(g.memory_bytes)} of ${size(g.memory_limit_bytes)}`;
  return (list ?? []).map(one).join("; ");
}

export function exit(code) {
  if (code === null) return NOTHING;
  const name = SIGNALS[code - 128];
  return name ? `${code} ${name}` : String(code);
}

export function transfer(moving) {
  if (!moving) return "";
  const files = moving.total_files ? `${moving.files} of ${moving.total_files} files, ` : "";
  const bytes = moving.total_size ? `${size(moving.size)} of ${size(moving.total_size)}` : size(moving.size);
  return `${moving.what}: ${files}${bytes}, ${size(moving.rate)}/s`;
}

export function place(container) {
  return container.index === null ? container.role : `${container.role}:${container.index}`;
}

export function webLink(url) {
  try {
    const { protocol } = new URL(url);
    return protocol === "http:" || protocol === "https:" ? url : "";
  } catch {
    return "";
  }
}

const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const CLOCK = new Intl.DateTimeFormat(undefined, TIME);
const DAY_CLOCK = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", ...TIME });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const today = () => new Date().toDateString();

/** Seconds since 1970 in the viewer's zone: the clock alone for today, else with the day. */
export function clock(at) {
  const date = new Date(at * 1000);
  return (date.toDateString() === today() ? CLOCK : DAY_CLOCK).format(date);
}

/** Puts a moment (seconds since 1970, or null) into a <time> element. */
export function showMoment(element, at) {
  const key = at ? String(at) : "";
  if (element.shownMoment === key) return;
  element.shownMoment = key;
  if (at) {
    element.dateTime = new Date(at * 1000).toISOString();
    element.textContent = clock(at);
    element.title = FULL.format(new Date(at * 1000));
  } else {
    element.removeAttribute("datetime");
    element.removeAttribute("title");
    element.textContent = NOTHING;
  }
}
