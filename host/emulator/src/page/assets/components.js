// Components of messages: rows of buttons and menus, and the second version's layouts.

import { attachments, file } from "./attachments.js";
import { h, name, plain } from "./dom.js";
import { paint } from "./embeds.js";
import { markdown } from "./markdown.js";
import { image, safeAddress } from "./media.js";
import { menu } from "./menus.js";

const ROW = 1;
const BUTTON = 2;
const MENUS = [3, 5, 6, 7, 8];
const SECTION = 9;
const TEXT = 10;
const THUMBNAIL = 11;
const GALLERY = 12;
const FILE = 13;
const SEPARATOR = 14;
const CONTAINER = 17;

const LINK = 5;
const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link", 6: "premium" };

function label(data) {
  const emoji = data.emoji ? (data.emoji.id ? `:${data.emoji.name}:` : data.emoji.name) : null;
  return [
    emoji ? h("span", { class: "emoji" }, emoji) : null,
    data.label ? name(data.label) : null,
  ];
}

function button(data, message, context) {
  const style = STYLES[data.style] ?? "secondary";
  if (data.style === LINK) {
    const href = safeAddress(data.url);
    const props = { class: "component link", title: plain(data.url) };
    if (!href || data.disabled)
      return h("span", { ...props, "aria-disabled": "true" }, label(data));
    return h(
      "a",
      { ...props, href, target: "_blank", rel: "noopener noreferrer" },
      label(data),
      " ↗",
    );
  }
  const press = (event) => context.press(message, data.custom_id, { from: event.currentTarget });
  return h(
    "button",
    {
      type: "button",
      class: `component ${style}`,
      disabled: Boolean(data.disabled) || !data.custom_id,
      data: { key: `press ${message.id} ${data.custom_id}`, customId: data.custom_id ?? "" },
      on: { click: press },
    },
    label(data),
  );
}

function media(item) {
  return h(
    "div",
    { class: "media" },
    image(item.media?.url, item.description),
    item.description ? h("p", { class: "dim" }, name(item.description)) : null,
  );
}

function fileOf(data, message) {
  const url = data.file?.url;
  const known = message.attachments.find((each) => each.url === url);
  const last = String(url ?? "")
    .split("/")
    .pop();
  return file(known ?? { url, filename: data.name ?? last, size: data.size });
}

function container(data, message, context) {
  const element = h(
    "section",
    { class: "container", "aria-label": "Card" },
    list(data.components, message, context),
  );
  paint(element, data.accent_color);
  return element;
}

function component(data, message, context) {
  switch (data.type) {
    case ROW:
      return h("div", { class: "row" }, list(data.components, message, context));
    case BUTTON:
      return button(data, message, context);
    case SECTION:
      return h(
        "div",
        { class: "section" },
        h("div", {}, list(data.components, message, context)),
        h("div", { class: "accessory" }, list([data.accessory], message, context)),
      );
    case TEXT:
      return h("div", { class: "content" }, markdown(data.content ?? "", context.names));
    case THUMBNAIL:
      return h("div", { class: "thumbnail" }, image(data.media?.url, data.description));
    case GALLERY:
      return h("div", { class: "gallery" }, (data.items ?? []).map(media));
    case FILE:
      return fileOf(data, message);
    case SEPARATOR:
      return h("hr", {
        class: `${data.divider === false ? "bare" : ""} space-${data.spacing ?? 1}`,
      });
    case CONTAINER:
      return container(data, message, context);
    default:
      if (MENUS.includes(data.type)) return menu(data, message, context);
      return h("p", { class: "dim" }, `A component that this page does not know: ${data.type}`);
  }
}

function list(components, message, context) {
  return (components ?? []).filter(Boolean).map((data) => component(data, message, context));
}

/** All components of a message; with the second version also files that none of them shows. */
export function components(message, isV2, context) {
  if (!message.components?.length) return isV2 ? attachments(message.attachments) : null;
  return h("div", { class: "components" }, list(message.components, message, context));
}
