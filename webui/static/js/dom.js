// Small writers that touch the document only where something changed.

export const byId = (id) => document.getElementById(id);

export function setText(element, text) {
  const value = text ?? "";
  element.shownText ??= element.textContent; // what the server has rendered
  if (element.shownText === value) return;
  element.shownText = value;
  const only = element.firstChild;
  // Writing into the text that is there spares the browser a new node for each of thousands of cells.
  if (only && only === element.lastChild && only.nodeType === Node.TEXT_NODE) only.nodeValue = value;
  else element.textContent = value;
}

export function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Shows text, or hides the element when there is none. */
export function setOptional(element, text) {
  setText(element, text);
  setHidden(element, !text);
}

export function setBadge(element, state) {
  setText(element, state);
  setAttribute(element, "data-state", state);
}

/** A bar of `value` (of `max`), hidden when there is no value. */
export function setBar(element, value, max) {
  const known = value !== null && max > 0;
  setHidden(element, !known);
  if (!known) return;
  if (element.max !== max) element.max = max;
  if (element.value !== value) element.value = value;
}

export function setLink(element, address) {
  setHidden(element, !address);
  if (address) setAttribute(element, "href", address);
}

/** Elements of a row or card by their data-f names. */
export function fields(root) {
  return Object.fromEntries([...root.querySelectorAll("[data-f]")].map((e) => [e.dataset.f, e]));
}

/** Makes the children of `parent` exactly `order`, moving as few as possible and keeping the focus. */
export function arrange(parent, order) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  let cursor = parent.firstElementChild;
  for (const element of order) {
    if (element === cursor) cursor = cursor.nextElementSibling;
    else parent.insertBefore(element, cursor);
  }
  while (cursor) {
    const next = cursor.nextElementSibling;
    cursor.remove();
    cursor = next;
  }
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}
