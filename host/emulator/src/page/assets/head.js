// What stands above the messages: where one is, and what can be started there.

import { h, name, plain, rebuild, the } from "./dom.js";
import { isArchived, isDirect, isForum, isThread, signOf } from "./world.js";

function action(label, click) {
  return h("button", { type: "button", data: { key: label }, on: { click } }, label);
}

export function show(channel, context) {
  if (!channel) {
    rebuild(the("where"), h("h1", {}, "No channel chosen"));
    rebuild(the("head-actions"));
    document.title = "Ostler's emulator";
    return;
  }
  const title = context.world.titleOf(channel, context.user);
  const parent = isThread(channel) ? context.world.channels.get(channel.parent_id) : null;
  const up = () => context.open(parent.id);
  const back = { type: "button", class: "up", data: { key: "up" }, on: { click: up } };
  rebuild(
    the("where"),
    parent ? h("button", back, signOf(parent), " ", name(parent.name)) : null,
    h("h1", {}, h("span", { class: "sign", "aria-hidden": "true" }, signOf(channel)), name(title)),
    channel.topic ? h("p", { class: "topic", dir: "auto" }, channel.topic) : null,
    isArchived(channel) ? h("p", { class: "topic" }, "archived") : null,
  );
  const canThread = !isThread(channel) && !isDirect(channel) && !isForum(channel);
  rebuild(
    the("head-actions"),
    isForum(channel) ? action("New post", context.newPost) : null,
    canThread ? action("New thread", context.newThread) : null,
  );
  document.title = `${plain(title)} – Ostler's emulator`;
}
