// Times as people read them.

import { h } from "./dom.js";

const FORMATS = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};
const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
/** The last second that a date can be. */
const LAST = 8_640_000_000_000;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function fromNow(date) {
  const seconds = Math.round((date - Date.now()) / 1_000);
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS.at(-1);
  return relative.format(Math.trunc(seconds / length), unit);
}

function format(date, style) {
  return new Intl.DateTimeFormat("en-GB", FORMATS[style]).format(date);
}

/** A moment in one of Discord's styles, or nothing if there is no such moment. */
export function moment(seconds, style = "f") {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > LAST) return null;
  const date = new Date(seconds * 1_000);
  const isRelative = style === "R";
  const known = isRelative || style in FORMATS ? style : "f";
  return h(
    "time",
    {
      class: "moment",
      datetime: date.toISOString(),
      title: format(date, "F"),
      data: isRelative ? { relative: "" } : {},
    },
    isRelative ? fromNow(date) : format(date, known),
  );
}

/** When a message was written: today only the time. */
export function written(text) {
  const date = new Date(text);
  const isToday = date.toDateString() === new Date().toDateString();
  const shown = isToday
    ? format(date, "t")
    : new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(date);
  return h("time", { datetime: text, title: format(date, "F") }, shown);
}

/** Keeps relative times true while the page is open. */
export function keepTrue() {
  setInterval(() => {
    for (const time of document.querySelectorAll("time[data-relative]")) {
      time.textContent = fromNow(new Date(time.dateTime));
    }
  }, 5_000);
}
