// Who speaks, and what they write.

import { post } from "./api.js";
import { h, name, plain, the } from "./dom.js";
import { isDirect, isForum } from "./world.js";

/** Others hear of typing no more often than this. */
const TYPING_MS = 8_000;
const LONGEST = 2_000;

const who = h("select", { id: "speaker" });
const bots = h("input", { type: "checkbox", id: "with-bots" });
const mention = h("input", { type: "checkbox", id: "mention", checked: true });
const mentioned = h("select", { id: "mentioned", "aria-label": "Which bot to mention" });
const mentionName = h("span");
const mentionPart = h("span", { class: "check" });
const reply = h("p", { class: "replying" });
const text = h("textarea", { id: "text", rows: "1", maxlength: LONGEST, dir: "auto" });
const write = h("div", { class: "write" }, text, h("button", { class: "primary" }, "Send"));

let context = null;
let answered = null;
let lastTyping = 0;

function fit() {
  text.style.setProperty("height", "auto");
  // Nothing has a height while it is not shown.
  if (text.scrollHeight === 0) return;
  text.style.setProperty("overflow-y", text.scrollHeight > 198 ? "auto" : "hidden");
  text.style.setProperty("height", `${Math.min(text.scrollHeight + 2, 200)}px`);
}

/** Names after @ become mentions, as in Discord's own clients. */
function withMentions(content) {
  const { world, channel } = context;
  const people = world.peopleIn(channel).map((id) => ({ id, user: world.users.get(id) }));
  const known = people.filter(({ user }) => user);
  known.sort((a, b) => b.user.username.length - a.user.username.length);
  return content.replace(/(^|\s)@(\S[^\n]*?)(?=$|\s|[.,:;!?])/g, (whole, before, written) => {
    const found = known.find(({ user }) => user.username === written);
    return found ? `${before}<@${found.id}>` : whole;
  });
}

async function send() {
  const content = withMentions(text.value.trim());
  if (!content || !context?.channel) return;
  const body = { user: context.user, channel: context.channel.id, content };
  if (mention.checked && mentioned.value && !mentionPart.hidden) body.mention_bot = mentioned.value;
  if (answered) body.message_reference = { message_id: answered.id };
  const draft = text.value;
  text.value = "";
  fit();
  try {
    await post("say", body);
    answerTo(null);
    lastTyping = 0;
    context.say("");
  } catch (error) {
    if (!text.value) text.value = draft;
    fit();
    context.say(error.message, true);
  }
}

function typed() {
  fit();
  if (!text.value.trim() || Date.now() - lastTyping < TYPING_MS || !context?.channel) return;
  lastTyping = Date.now();
  // Whoever may not write here is told when they send.
  post("typing", { user: context.user, channel: context.channel.id }).catch(() => {});
}

/** The next message answers this one. */
export function answerTo(message) {
  answered = message;
  reply.hidden = !message;
  if (!message) return;
  const stop = {
    type: "button",
    "aria-label": "Do not reply",
    on: { click: () => answerTo(null) },
  };
  reply.replaceChildren(
    "Replying to ",
    name(context.names.user(message.author.id)),
    h("button", stop, "✕"),
  );
  text.focus();
}

/** Builds the form. `choose` is called with the user that was chosen. */
export function build(choose) {
  const form = the("composer");
  form.append(
    h(
      "div",
      { class: "speaker" },
      h("label", { for: "speaker" }, "Speak as"),
      who,
      h("label", { class: "check" }, bots, " bots too"),
      mentionPart,
    ),
    reply,
    write,
  );
  mentionPart.append(
    h("label", { class: "check", for: "mention" }, mention, mentionName),
    mentioned,
  );
  reply.hidden = true;
  who.addEventListener("change", () => choose(who.value));
  bots.addEventListener("change", () => context && fill());
  text.addEventListener("input", typed);
  text.addEventListener("keydown", (event) => {
    // While an input method composes, Enter is its own.
    if (event.key === "Escape") answerTo(null);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}

function option(id, chosen) {
  const { world, names } = context;
  const isBot = world.users.get(id)?.bot;
  const label = plain(names.user(id)) + (isBot ? " (bot)" : "");
  return h("option", { value: id, selected: id === chosen }, label);
}

/** Who may speak: first those who are where the channel is. */
function fill() {
  const { world, channel, user, names } = context;
  const here = new Set(world.peopleIn(channel));
  const all = [...world.users.values()].filter(
    (one) => !one.bot || bots.checked || one.id === user,
  );
  const near = all.filter((one) => here.has(one.id)).map((one) => option(one.id, user));
  const far = all.filter((one) => !here.has(one.id)).map((one) => option(one.id, user));
  const others = far.length > 0 ? h("optgroup", { label: "Not in here" }, far) : null;
  who.replaceChildren(...near, ...(others ? [others] : []));
  const speaker = world.users.get(user);
  const list = world.botsIn(channel).filter((bot) => bot !== user);
  const before = mentioned.value;
  mentioned.replaceChildren(...list.map((bot) => option(bot, before)));
  // One bot is named; of several one is chosen.
  mentioned.hidden = list.length === 1;
  mentionName.replaceChildren("mention ", mentioned.hidden ? name(names.user(list[0])) : "");
  const isNeeded = channel && !isDirect(channel) && !isForum(channel) && !speaker?.bot;
  mentionPart.hidden = list.length === 0 || !isNeeded;
}

/** Shows who can speak in the chosen channel. */
export function show(next) {
  if (context && context.channel?.id !== next.channel?.id) answerTo(null);
  context = next;
  const { world, channel, user, names } = next;
  fill();
  write.hidden = !channel || isForum(channel);
  if (!channel) return;
  const where = (isDirect(channel) ? "@" : "#") + plain(world.titleOf(channel, user));
  text.placeholder = `Message ${where}`;
  text.setAttribute("aria-label", `Message ${where} as ${plain(names.user(user))}`);
  fit();
}
