// Discord's Markdown: what stands within a line.

import { h, name } from "./dom.js";
import { moment } from "./time.js";

/** How deep marks are looked for in marks. */
const DEPTH = 8;

/** Marks around text, longer ones first. */
const MARKS = [
  ["**", "strong"],
  ["__", "u"],
  ["~~", "s"],
  ["||", "spoiler"],
  ["*", "em"],
  ["_", "em"],
];

const ESCAPED = /^\\([^\w\s])/;
const MENTION = /^<(@[!&]?|#)(\d{1,20})>/;
const MOMENT = /^<t:(-?\d{1,14})(?::([tTdDfFR]))?>/;
const EMOJI = /^<a?:(\w{1,32}):\d{1,20}>/;
const COMMAND = /^<\/([\w -]{1,100}):\d{1,20}>/;
const EVERYBODY = /^@(everyone|here)\b/;
const LINK = /^\[([^\]\n]{1,500})\]\(<?(https?:\/\/[^\s<>()]{1,2000}(?:\([^\s<>()]*\))?)>?\)/;
const ADDRESS = /^<?(https?:\/\/[^\s<>]{1,2000}[^\s<>.,:;"'\])])>?/;
/** Where something may begin. */
const NEXT = /[\\`*_~|<[@h]/g;

/** The nodes of a piece of text. */
export function inline(text, names, depth = 0) {
  const nodes = [];
  let plain = "";
  let at = 0;
  const add = (node) => {
    if (plain) nodes.push(document.createTextNode(plain));
    plain = "";
    nodes.push(node);
  };
  while (at < text.length) {
    NEXT.lastIndex = at;
    const next = NEXT.exec(text);
    const until = next ? next.index : text.length;
    plain += text.slice(at, until);
    at = until;
    if (!next) break;
    const rest = text.slice(at);
    const escaped = ESCAPED.exec(rest);
    if (escaped) {
      plain += escaped[1];
      at += 2;
      continue;
    }
    const found = special(rest, names) ?? marked(rest, text[at - 1], names, depth);
    if (found) {
      add(found.node);
      at += found.length;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  if (plain) nodes.push(document.createTextNode(plain));
  return nodes;
}

/** Code, mentions, times, links: what has no marks in it. */
function special(rest, names) {
  if (rest[0] === "`") return code(rest);
  let found;
  if ((found = MENTION.exec(rest))) {
    return { node: mention(found[1], found[2], names), length: found[0].length };
  }
  if ((found = MOMENT.exec(rest))) {
    const node = moment(Number(found[1]), found[2]);
    return node && { node, length: found[0].length };
  }
  if ((found = EMOJI.exec(rest))) {
    return { node: h("span", { class: "emoji" }, `:${found[1]}:`), length: found[0].length };
  }
  if ((found = COMMAND.exec(rest))) {
    return { node: h("span", { class: "mention" }, `/${found[1]}`), length: found[0].length };
  }
  if ((found = EVERYBODY.exec(rest))) {
    return { node: h("span", { class: "mention" }, found[0]), length: found[0].length };
  }
  if ((found = LINK.exec(rest))) {
    // The address is always shown, so that no label can hide it.
    const label = name(found[1], { class: "link" });
    const node = h("span", {}, label, " ", h("bdi", { class: "address" }, `(${found[2]})`));
    return { node, length: found[0].length };
  }
  if ((found = ADDRESS.exec(rest))) {
    return { node: name(found[1], { class: "link" }), length: found[0].length };
  }
  return null;
}

/** Code between two equal runs of backticks; without the second one, the run itself. */
function code(rest) {
  const run = /^`+/.exec(rest)[0];
  for (let at = rest.indexOf(run, run.length); at > 0; at = rest.indexOf(run, at)) {
    let end = at + run.length;
    while (rest[end] === "`") end += 1;
    if (end === at + run.length) {
      const text = rest.slice(run.length, at);
      return { node: h("code", {}, text.trim() || text), length: end };
    }
    at = end;
  }
  return { node: document.createTextNode(run), length: run.length };
}

function mention(sign, id, names) {
  let text;
  if (sign === "#") text = `#${names.channel(id)}`;
  else if (sign === "@&") text = `@${names.role(id)}`;
  else text = `@${names.user(id)}`;
  const isMe = sign !== "#" && names.isMe?.(sign, id);
  return name(text, { class: isMe ? "mention me" : "mention", title: id });
}

/** Text between two marks. */
function marked(rest, before, names, depth) {
  if (depth >= DEPTH) return null;
  for (const [mark, tag] of MARKS) {
    if (!rest.startsWith(mark)) continue;
    if (mark === "_" && /\w/.test(before ?? "")) continue;
    const end = closing(rest, mark);
    if (end < 0) continue;
    const inner = inline(rest.slice(mark.length, end), names, depth + 1);
    const node = tag === "spoiler" ? spoiler(inner) : h(tag, {}, inner);
    return { node, length: end + mark.length };
  }
  return null;
}

/** Where the mark at the beginning of `rest` is closed; -1 if nowhere. */
function closing(rest, mark) {
  const isSingle = mark.length === 1;
  if (isSingle && /\s/.test(rest[1] ?? " ")) return -1;
  for (let at = rest.indexOf(mark, mark.length + 1); at > 0; at = rest.indexOf(mark, at + 1)) {
    if (rest[at - 1] === "\\") continue;
    // Two of a single mark belong to each other.
    if (isSingle && (rest[at + 1] === mark || rest[at - 1] === mark)) continue;
    if (mark === "_" && /\w/.test(rest[at + 1] ?? "")) continue;
    if (mark === "*" && /\s/.test(rest[at - 1])) continue;
    // The last one of three: the inner mark comes first.
    if (!isSingle && rest[at + 2] === mark[0] && rest[2] === mark[0]) continue;
    return at;
  }
  return -1;
}

function spoiler(inner) {
  const show = (event) => {
    event.currentTarget.setAttribute("aria-expanded", "true");
    event.currentTarget.removeAttribute("aria-label");
  };
  const props = { type: "button", class: "spoiler", "aria-expanded": "false" };
  return h("button", { ...props, "aria-label": "Spoiler: show it", on: { click: show } }, inner);
}
