// Whether what is shown is what there is now.

import { h, the } from "./dom.js";

function mark(text, isLive) {
  const sign = the("live");
  if (!sign) return;
  sign.textContent = text;
  sign.classList.toggle("is-live", isLive);
}

export function live() {
  the("lost").hidden = true;
  mark("live", true);
}

/** The connection is lost; it is tried again after `wait` milliseconds, or at once by `retry`. */
export function lost(wait, retry) {
  mark("offline", false);
  const seconds = Math.max(1, Math.round(wait / 1_000));
  const text = `The connection to the emulator is lost. Trying again in ${seconds} s.`;
  the("lost").hidden = false;
  const button = h(
    "button",
    { type: "button", data: { key: "retry" }, on: { click: retry } },
    "Try now",
  );
  the("lost").replaceChildren(h("span", {}, text), button);
}
