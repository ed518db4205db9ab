// One message.

import { attachments } from "./attachments.js";
import { components } from "./components.js";
import { h, name, plain } from "./dom.js";
import { embeds } from "./embeds.js";
import { markdown } from "./markdown.js";
import { inline } from "./inline.js";
import { written } from "./time.js";

const THREAD_CREATED = 18;
const REPLY = 19;
const THREAD_STARTER = 21;
/** What Discord itself says, by the message's type. */
const NOTES = {
  6: "pinned a message to this channel.",
  7: "joined the server.",
  18: "started a thread:",
};

const EPHEMERAL = 1 << 6;
const LOADING = 1 << 7;
const V2 = 1 << 15;
/** Messages of one author closer than this stand together, in milliseconds. */
const TOGETHER_MS = 7 * 60_000;

const COLOURS = 6;

/** The round picture of a user: a letter on a colour. */
export function avatar(id, text) {
  const letter = [...plain(text)][0] ?? "?";
  const colour = Number(BigInt(id) % BigInt(COLOURS));
  return h("span", { class: `avatar colour-${colour}`, "aria-hidden": "true" }, letter);
}

function author(user, context, props = {}) {
  const shown = name(context.names.user(user.id), { class: "author", title: plain(user.username) });
  const tag = user.bot ? h("span", { class: "tag" }, "BOT") : null;
  return h("span", { class: "who", ...props }, shown, tag);
}

/** What a reply answers, in one line. */
function answered(message, context) {
  if (message.type !== REPLY) return null;
  const original = message.referenced_message;
  if (!original) return h("p", { class: "answered" }, "↱ ", h("i", {}, "The message is gone."));
  const text = original.content.replace(/\s+/g, " ").slice(0, 120);
  return h(
    "p",
    { class: "answered" },
    "↱ ",
    h("span", { class: "unseen" }, "answers "),
    author(original.author, context),
    h("bdi", { class: "answered-text" }, text ? inline(text, context.names) : h("i", {}, "a card")),
  );
}

function reactions(message, context) {
  const list = message.reactions ?? [];
  if (list.length === 0) return null;
  return h(
    "div",
    { class: "reactions" },
    list.map((reaction) => {
      const emoji = plain(reaction.emoji.name);
      const sent = reaction.emoji.id ? `${emoji}:${reaction.emoji.id}` : emoji;
      const toggle = () => context.react(message, sent, reaction.me);
      return h(
        "button",
        {
          type: "button",
          class: "reaction",
          "aria-pressed": String(reaction.me),
          "aria-label": `${emoji}, ${reaction.count}`,
          data: { key: `react ${message.id} ${sent}` },
          on: { click: toggle },
        },
        reaction.emoji.id ? `:${emoji}:` : emoji,
        h("span", {}, String(reaction.count)),
      );
    }),
  );
}

function threadLink(message, context) {
  if (!message.thread) return null;
  const { id, name: title, message_count: count } = message.thread;
  const messages = count === 1 ? "1 message" : `${count} messages`;
  const open = () => context.open(id);
  return h(
    "button",
    { type: "button", class: "thread-link", data: { key: `thread ${id}` }, on: { click: open } },
    "↳ ",
    name(title),
    h("span", { class: "dim" }, ` ${messages}`),
  );
}

function actions(message, context) {
  if (message.flags & EPHEMERAL) return null;
  const button = (sign, label, click) =>
    h(
      "button",
      {
        type: "button",
        title: label,
        "aria-label": label,
        data: { key: `${label} ${message.id}` },
        on: { click },
      },
      sign,
    );
  const list = [button("☺", "React with 👍", () => context.react(message, "👍", false))];
  if (message.type === 0 || message.type === REPLY) {
    list.push(button("↩", "Reply", () => context.reply(message)));
    if (context.canThread && !message.thread) {
      list.push(button("↳", "Start a thread", () => context.thread(message)));
    }
  }
  return h("div", { class: "actions", role: "group", "aria-label": "Message" }, list);
}

/** What Discord says rather than a person: pinned, joined, started a thread. */
function note(message, context) {
  const isThread = message.type === THREAD_CREATED;
  const open = () => context.open(message.message_reference?.channel_id);
  const thread = h(
    "button",
    {
      type: "button",
      class: "thread-link",
      data: { key: `note ${message.id}` },
      on: { click: open },
    },
    "↳ ",
    name(message.content),
  );
  return h(
    "article",
    { class: "note", data: { id: message.id } },
    h("p", {}, author(message.author, context), " ", NOTES[message.type], " "),
    isThread ? thread : null,
    written(message.timestamp),
  );
}

/** Whether a message stands right under the one before it, without its author again. */
export function follows(message, before) {
  return (
    Boolean(before) &&
    before.author.id === message.author.id &&
    message.type === 0 &&
    !(before.type in NOTES) &&
    !((before.flags ^ message.flags) & EPHEMERAL) &&
    Date.parse(message.timestamp) - Date.parse(before.timestamp) < TOGETHER_MS
  );
}

function content(message, context) {
  if (message.flags & LOADING) {
    return h("p", { class: "dim" }, context.names.user(message.author.id), " is thinking…");
  }
  const edited = message.edited_timestamp
    ? h("span", { class: "edited", title: plain(message.edited_timestamp) }, "(edited)")
    : null;
  const nodes = markdown(message.content, context.names);
  if (edited) {
    const last = nodes.at(-1);
    if (last?.tagName === "P") last.append(" ", edited);
    else nodes.push(edited);
  }
  return h("div", { class: "content" }, nodes);
}

/** The element of a message. `context` has names, the viewer, and what its controls do. */
export function message(data, before, context) {
  if (data.type in NOTES) return note(data, context);
  if (data.type === THREAD_STARTER && data.referenced_message) {
    // The starter itself is empty; it stands for the message in the parent channel.
    const starter = message({ ...data.referenced_message, thread: undefined }, null, context);
    starter.querySelector(".actions")?.remove();
    starter.dataset.id = data.id;
    return starter;
  }
  const isTogether = follows(data, before);
  const isOnly = Boolean(data.flags & EPHEMERAL);
  const classes = ["message", isTogether && "together", isOnly && "only"].filter(Boolean);
  const isV2 = Boolean(data.flags & V2);
  return h(
    "article",
    { class: classes.join(" "), data: { id: data.id } },
    answered(data, context),
    isTogether ? null : avatar(data.author.id, context.names.user(data.author.id)),
    h(
      "div",
      { class: "body" },
      h(
        "header",
        { class: isTogether ? "unseen" : "" },
        author(data.author, context),
        " ",
        written(data.timestamp),
        data.pinned ? h("span", { class: "dim" }, " 📌 pinned") : null,
      ),
      content(data, context),
      embeds(data.embeds, context),
      components(data, isV2, context),
      attachments(isV2 ? [] : data.attachments),
      reactions(data, context),
      threadLink(data, context),
      isOnly ? h("p", { class: "only-you" }, "◉ Only you can see this.") : null,
      h("p", { class: "outcome", role: "status" }, context.outcome(data.id)),
    ),
    actions(data, context),
  );
}
