// The messages of the chosen channel.

import { h, rebuild, the } from "./dom.js";
import { follows, message } from "./message.js";

/** This near to the end, new messages are scrolled to. */
const NEAR = 80;

const shown = new Map();
let place = "";
let atEnd = true;

function toEnd() {
  const log = the("log");
  log.scrollTop = log.scrollHeight;
}

/** Keeps the end in sight when pictures arrive or the window changes. */
export function watch() {
  const log = the("log");
  log.addEventListener("scroll", () => {
    atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  });
  const keep = () => atEnd && toEnd();
  log.addEventListener("load", keep, true);
  new ResizeObserver(keep).observe(log);
}

/** Forgets what is shown: another channel or viewer follows. */
export function clear() {
  shown.clear();
  place = "";
  atEnd = true;
}

/** A message's element; the one that is shown already if nothing about it is different. */
function element(data, before, context) {
  const signature = JSON.stringify([data, follows(data, before), context.version]);
  const known = shown.get(data.id);
  if (known?.signature === signature) return known.element;
  const made = message(data, before, context);
  shown.set(data.id, { signature, element: made });
  return made;
}

/** Shows messages, oldest first. `more` is called for older ones, if there may be some. */
export function show(messages, context, more) {
  const log = the("log");
  const isNew = place !== context.place;
  place = context.place;
  // A whole channel is not read aloud; what comes later is.
  if (isNew) log.setAttribute("aria-live", "off");
  const before = log.scrollHeight - log.scrollTop;
  const elements = messages.map((data, index) => element(data, messages[index - 1], context));
  const ids = new Set(messages.map(({ id }) => id));
  for (const id of shown.keys()) if (!ids.has(id)) shown.delete(id);
  const older = { type: "button", class: "older", data: { key: "older" }, on: { click: more } };
  const wanted = [
    more ? h("button", older, "Show older messages") : null,
    elements.length === 0 ? h("p", { class: "empty" }, "Nothing was said here yet.") : null,
    elements,
  ]
    .flat()
    .filter(Boolean);
  const isSame =
    wanted.length === log.children.length && wanted.every((one, at) => one === log.children[at]);
  if (!isSame) patch(log, wanted);
  if (isNew || atEnd) toEnd();
  else if (more !== undefined) log.scrollTop = keepPlace(log, before);
  if (isNew) requestAnimationFrame(() => log.setAttribute("aria-live", "polite"));
}

/** Where to scroll, so that what was seen stays: messages are added at the end as a rule. */
function keepPlace(log, before) {
  const isAtStart = log.scrollTop < NEAR && log.scrollHeight > before;
  return isAtStart ? log.scrollHeight - before : log.scrollTop;
}

/** Puts elements in place without touching those that stay: a live region tells what is new. */
function patch(log, wanted) {
  const active = document.activeElement;
  const key = log.contains(active) ? active.closest("[data-key]")?.dataset.key : undefined;
  const keep = new Set(wanted);
  for (const child of [...log.children]) if (!keep.has(child)) child.remove();
  let at = log.firstChild;
  for (const one of wanted) {
    if (one === at) at = at.nextSibling;
    else log.insertBefore(one, at);
  }
  if (key !== undefined && !log.contains(document.activeElement)) {
    log.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }
}

/** Says why there is nothing to show. */
export function explain(text) {
  clear();
  rebuild(the("log"), h("p", { class: "empty" }, text));
}
