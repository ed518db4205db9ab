// What people start: threads, posts in forums, direct messages.

import { post } from "./api.js";
import { ask } from "./dialog.js";
import { tagName } from "./posts.js";

const NAME = { key: "name", label: "Name", kind: "text", required: true, min: 1, max: 100 };

/** Starts a thread in a channel, from a message if one is given. */
export function thread(channel, message, context) {
  const first = message?.content.split("\n")[0].slice(0, 60) ?? "";
  ask({
    title: message ? "Start a thread from this message" : "Start a thread",
    fields: [{ ...NAME, value: first }],
    action: "Start",
    run: async ({ name }) => {
      const body = { user: context.user, channel: channel.id, name, message: message?.id };
      const made = await post("threads", body);
      await context.arrived(made.id);
    },
  });
}

/** Posts in a forum. */
export function forumPost(forum, context) {
  const tags = forum.available_tags ?? [];
  const choice = {
    key: "applied_tags",
    label: "Tags",
    kind: "several",
    options: tags.map((tag) => ({ value: tag.id, label: tagName(tag) })),
  };
  ask({
    title: "New post",
    fields: [
      { ...NAME, label: "Title" },
      { key: "content", label: "Message", kind: "area", required: true, max: 2_000 },
      ...(tags.length > 0 ? [choice] : []),
    ],
    action: "Post",
    run: async ({ name, content, applied_tags = [] }) => {
      const body = { user: context.user, channel: forum.id, name, content, applied_tags };
      const made = await post("threads", body);
      await context.arrived(made.id);
    },
  });
}

/** Opens a direct message with somebody. */
export function direct(context) {
  const others = [...context.world.users.values()].filter((user) => user.id !== context.user);
  others.sort((a, b) => Number(Boolean(b.bot)) - Number(Boolean(a.bot)));
  const options = others.map((user) => ({
    value: user.id,
    label: user.bot ? `${user.username} (bot)` : user.username,
  }));
  ask({
    title: "New direct message",
    fields: [{ key: "other", label: "With", kind: "choice", required: true, options }],
    action: "Open",
    run: async ({ other }) => {
      const made = await post("channels", { recipients: [context.user, other] });
      await context.arrived(made.id);
    },
  });
}
