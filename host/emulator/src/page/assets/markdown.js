// Discord's Markdown: blocks. Everything becomes elements with text nodes; no text is ever parsed
// as HTML.

import { h } from "./dom.js";
import { inline } from "./inline.js";

// None of these looks at a character more than a few times, whatever the text is.
const FENCE = "```";
const LANGUAGE = /^[\w+#.-]{1,40}\n/;
const HEADING = /^(#{1,3}) +(\S[^]*)$/;
const SMALL = /^-# +(\S[^]*)$/;
const ITEM = /^( *)([-*]|\d{1,9}\.) +(\S[^]*)$/;

/** The elements of a message's content. `names` resolves mentions. */
export function markdown(text, names) {
  const nodes = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(FENCE, at);
    const end = start < 0 ? -1 : text.indexOf(FENCE, start + FENCE.length);
    if (end < 0) break;
    nodes.push(...lines(text.slice(at, start), names));
    const code = text.slice(start + FENCE.length, end).replace(LANGUAGE, "");
    nodes.push(h("pre", { tabindex: "0" }, h("code", {}, code.replace(/^\n|\n$/g, ""))));
    at = end + FENCE.length;
    if (text[at] === "\n") at += 1;
  }
  nodes.push(...lines(text.slice(at), names));
  return nodes;
}

/** Blocks that begin and end with lines. */
function lines(text, names) {
  const nodes = [];
  const list = text.split("\n");
  let plain = [];
  const flush = () => {
    const joined = plain.join("\n").replace(/\n$/, "");
    if (joined.trim() !== "") nodes.push(h("p", { dir: "auto" }, inline(joined, names)));
    plain = [];
  };
  while (list.length > 0) {
    const line = list.shift();
    let found;
    if (line.startsWith(">>> ")) {
      flush();
      const quoted = [line.slice(4), ...list.splice(0)].join("\n");
      nodes.push(h("blockquote", {}, lines(quoted, { ...names, quoted: true })));
    } else if (line.startsWith("> ") && !names.quoted) {
      flush();
      const quoted = [line.slice(2)];
      while (list[0]?.startsWith("> ")) quoted.push(list.shift().slice(2));
      nodes.push(h("blockquote", {}, lines(quoted.join("\n"), { ...names, quoted: true })));
    } else if ((found = HEADING.exec(line))) {
      flush();
      // The page has its own first heading; those of messages come after it.
      const level = found[1].length;
      nodes.push(h(`h${level + 3}`, { class: `h${level}`, dir: "auto" }, inline(found[2], names)));
    } else if ((found = SMALL.exec(line))) {
      flush();
      nodes.push(h("p", { class: "small", dir: "auto" }, inline(found[1], names)));
    } else if (ITEM.test(line)) {
      flush();
      const items = [line];
      while (list.length > 0 && continues(line, list[0])) items.push(list.shift());
      nodes.push(
        bullets(
          items.map((item) => ITEM.exec(item)),
          names,
        ),
      );
    } else {
      plain.push(line);
    }
  }
  flush();
  return nodes;
}

/** Whether a line belongs to the list that begins with `first`: one of a kind, or further in. */
function continues(first, line) {
  const item = ITEM.exec(line);
  const start = ITEM.exec(first);
  return item && (item[1].length > start[1].length || ordered(item) === ordered(start));
}

function ordered(item) {
  return /\d/.test(item[2]);
}

/** A list, with lists in it where items stand further in. */
function bullets(items, names) {
  const open = (item) =>
    ordered(item) ? h("ol", { start: Number.parseInt(item[2], 10) }) : h("ul");
  const root = open(items[0]);
  const levels = [{ indent: items[0][1].length, list: root }];
  for (const item of items) {
    const indent = item[1].length;
    while (levels.length > 1 && indent < levels.at(-1).indent) levels.pop();
    const level = levels.at(-1);
    if (indent > level.indent + 1 && level.list.lastChild && levels.length < 10) {
      const list = open(item);
      level.list.lastChild.append(list);
      levels.push({ indent, list });
    }
    levels.at(-1).list.append(h("li", { dir: "auto" }, inline(item[3], names)));
  }
  return root;
}
