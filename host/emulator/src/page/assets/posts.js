// The posts of a forum.

import { h, name, rebuild, the } from "./dom.js";
import { moment } from "./time.js";
import { isArchived } from "./world.js";

function tags(post, forum) {
  const known = forum.available_tags ?? [];
  const applied = known.filter((tag) => post.applied_tags?.includes(tag.id));
  return applied.map((tag) => h("span", { class: "forum-tag" }, name(tagName(tag))));
}

/** A tag's name with its emoji. */
export function tagName(tag) {
  return [tag.emoji_name, tag.name].filter(Boolean).join(" ");
}

function post(thread, forum, context) {
  const count = thread.message_count;
  const started = Date.parse(thread.thread_metadata.create_timestamp) / 1_000;
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: isArchived(thread) ? "post archived" : "post",
        data: { key: `post ${thread.id}` },
        on: { click: () => context.open(thread.id) },
      },
      h("span", { class: "post-title" }, name(thread.name), tags(thread, forum)),
      h(
        "span",
        { class: "dim" },
        name(context.names.user(thread.owner_id)),
        ` · ${count} ${count === 1 ? "answer" : "answers"} · `,
        moment(started, "R"),
        isArchived(thread) ? " · archived" : null,
      ),
    ),
  );
}

export function show(forum, context) {
  const list = context.world.threadsOf(forum.id).map((thread) => post(thread, forum, context));
  rebuild(
    the("posts"),
    list.length > 0
      ? h("ul", {}, list)
      : h("p", { class: "empty" }, "Nothing was posted here yet. Use “New post” above."),
  );
}
