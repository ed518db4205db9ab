// Embeds.

import { h, name } from "./dom.js";
import { image, link } from "./media.js";
import { inline } from "./inline.js";
import { markdown } from "./markdown.js";
import { written } from "./time.js";

/** Gives an element a colour that a message names. */
export function paint(element, colour) {
  if (!Number.isInteger(colour)) return;
  element.style.setProperty("--accent", `#${colour.toString(16).padStart(6, "0").slice(-6)}`);
}

function field(data, names) {
  return h(
    "div",
    { class: data.inline ? "field inline" : "field" },
    h("dt", { dir: "auto" }, inline(data.name ?? "", names)),
    h("dd", {}, markdown(data.value ?? "", names)),
  );
}

function foot(data) {
  const text = data.footer?.text;
  if (!text && !data.timestamp) return null;
  return h(
    "footer",
    {},
    text ? name(text) : null,
    text && data.timestamp ? " • " : null,
    data.timestamp ? written(data.timestamp) : null,
  );
}

function embed(data, { names }) {
  const title = data.title ? inline(data.title, names) : null;
  const element = h(
    "section",
    { class: "embed", "aria-label": "Embed" },
    h(
      "div",
      { class: "embed-text" },
      data.author?.name ? h("p", { class: "embed-author" }, name(data.author.name)) : null,
      title ? h("p", { class: "embed-title", dir: "auto" }, title) : null,
      data.url ? h("p", { class: "address" }, link(data.url)) : null,
      data.description ? h("div", { class: "content" }, markdown(data.description, names)) : null,
      data.fields?.length > 0
        ? h(
            "dl",
            { class: "fields" },
            data.fields.map((each) => field(each, names)),
          )
        : null,
      data.image ? image(data.image.url, "") : null,
      foot(data),
    ),
    data.thumbnail ? h("div", { class: "thumbnail" }, image(data.thumbnail.url, "")) : null,
  );
  paint(element, data.color);
  return element;
}

export function embeds(list, context) {
  return (list ?? []).map((data) => embed(data, context));
}
