// Servers, their channels with threads, and direct messages.

import { h, name, rebuild, the } from "./dom.js";
import { CATEGORY, isArchived, isDirect, signOf } from "./world.js";

/** The last message of each channel that the person has seen. */
const seen = new Map();
/** Channels that are there at the start are not new; later ones are. */
let isFirst = true;

const isNewer = (one, other) => BigInt(one ?? 0) > BigInt(other ?? 0);

function markSeen(channel) {
  seen.set(channel.id, channel.last_message_id ?? "0");
}

function entry(channel, context) {
  const isChosen = channel.id === context.channel;
  if (isChosen || (isFirst && !seen.has(channel.id))) markSeen(channel);
  const isUnread = !isChosen && isNewer(channel.last_message_id, seen.get(channel.id));
  const isDim = isArchived(channel);
  const classes = ["place", isUnread && "unread", isDim && "archived"].filter(Boolean).join(" ");
  return h(
    "button",
    {
      type: "button",
      class: classes,
      "aria-current": isChosen ? "page" : null,
      data: { key: `place ${channel.id}` },
      on: { click: () => context.open(channel.id) },
    },
    h("span", { class: "sign", "aria-hidden": "true" }, signOf(channel)),
    name(context.world.titleOf(channel, context.user)),
    isUnread ? h("span", { class: "dot" }, h("span", { class: "unseen" }, "new messages")) : null,
    isDim ? h("span", { class: "unseen" }, "archived") : null,
  );
}

function item(channel, context) {
  const threads = context.world.threadsOf(channel.id);
  const list = threads.map((thread) => h("li", {}, entry(thread, context)));
  return h(
    "li",
    {},
    entry(channel, context),
    list.length > 0 ? h("ul", { class: "threads", "aria-label": "Threads" }, list) : null,
  );
}

function server(guild, context) {
  const all = context.world.channelsOf(guild.id);
  const within = (parent) =>
    all.filter((one) => one.type !== CATEGORY && (one.parent_id ?? null) === parent);
  const list = (channels) =>
    h(
      "ul",
      {},
      channels.map((channel) => item(channel, context)),
    );
  const categories = all.filter((one) => one.type === CATEGORY);
  return h(
    "section",
    {},
    h("h2", {}, name(guild.name)),
    list(within(null)),
    categories.map((one) => [h("h3", {}, name(one.name)), list(within(one.id))]),
  );
}

function direct(context) {
  const list = context.world.directOf(context.user);
  const add = {
    type: "button",
    class: "add",
    "aria-label": "New direct message",
    title: "New direct message",
    data: { key: "new-direct" },
    on: { click: context.newDirect },
  };
  const chosen = context.world.channels.get(context.channel);
  // A reload with another user may leave somebody else's conversation open.
  if (chosen && isDirect(chosen) && !list.includes(chosen)) list.push(chosen);
  return h(
    "section",
    {},
    h("h2", {}, "Direct messages", h("button", add, "+")),
    list.length > 0
      ? h(
          "ul",
          {},
          list.map((channel) => item(channel, context)),
        )
      : h("p", { class: "dim" }, "None yet"),
  );
}

function brand() {
  return h(
    "p",
    { class: "brand" },
    h("img", { src: "/page/icon.svg", alt: "", width: "24", height: "24" }),
    h("span", {}, "Ostler's emulator"),
    h("span", { id: "live", class: "live" }),
  );
}

export function show(context) {
  const places = the("places");
  if (!places.firstChild) places.append(brand(), h("div", { id: "tree" }));
  const { world } = context;
  rebuild(
    the("tree"),
    world.guilds.map((guild) => server(guild, context)),
    direct(context),
  );
  isFirst = false;
}

/** Opens or closes the list where the window is narrow. */
export function toggle(isOpen) {
  document.body.classList.toggle("places-open", isOpen);
  the("menu").setAttribute("aria-expanded", String(isOpen));
  the("shade").hidden = !isOpen;
}
