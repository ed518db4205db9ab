// Starts the page, keeps what it shows true, and passes on what the person does.

import { get, post } from "./api.js";
import * as composer from "./composer.js";
import * as connection from "./connection.js";
import { the } from "./dom.js";
import { listen } from "./events.js";
import * as head from "./head.js";
import * as log from "./log.js";
import * as places from "./places.js";
import * as posts from "./posts.js";
import { outcome, press } from "./press.js";
import * as route from "./route.js";
import * as signIn from "./sign-in.js";
import * as starts from "./starts.js";
import { keepTrue } from "./time.js";
import * as token from "./token.js";
import { inTurn } from "./turns.js";
import * as typing from "./typing.js";
import { CATEGORY, World, isDirect, isForum, isThread } from "./world.js";

const PAGE = 100;

let world = null;
/** Who and what is called how, as text: messages are drawn anew when it changes. */
let called = "";
let version = 0;
let channel = "";
let user = "";
let limit = PAGE;

function say(text, isFailure = false) {
  const notice = the("notice");
  notice.textContent = text;
  notice.classList.toggle("failed", isFailure);
}

/** What all parts of the page know. */
function context() {
  const here = world.channels.get(channel);
  const guild = here?.guild_id;
  return {
    world,
    channel: here,
    user,
    place: `${channel} ${user}`,
    version,
    names: {
      user: (id) => world.nameOf(id, guild),
      channel: (id) => world.channels.get(id)?.name ?? "unknown channel",
      role: (id) => world.roles.get(id)?.name ?? "unknown role",
      isMe: (sign, id) =>
        sign === "@&" ? Boolean(world.member(guild, user)?.roles.includes(id)) : id === user,
    },
    say,
    open,
    arrived,
    outcome,
    canThread: Boolean(here) && !isThread(here) && !isDirect(here),
    press: (message, customId, rest) => press(message, customId, rest, context()),
    react: (message, emoji, remove) => act("react", { user, message: message.id, emoji, remove }),
    reply: (message) => composer.answerTo(message),
    thread: (message) => starts.thread(here, message, context()),
    newThread: () => starts.thread(here, null, context()),
    newPost: () => starts.forumPost(here, context()),
    newDirect: () => starts.direct(context()),
  };
}

async function act(path, body) {
  try {
    await post(path, body);
    say("");
  } catch (error) {
    say(error.message, true);
  }
}

/** Chooses what is there, where nothing or something unknown is chosen. */
function settle() {
  if (!world.users.has(user)) {
    const people = [...world.users.values()].filter((one) => !one.bot);
    const owner = people.find((one) => one.id === world.guilds[0]?.owner_id);
    user = (owner ?? people[0])?.id ?? "";
  }
  if (!world.channels.has(channel)) {
    const all = world.guilds.flatMap((guild) => world.channelsOf(guild.id));
    const first = all.find((one) => one.type === 0) ?? all.find((one) => one.type !== CATEGORY);
    channel = first?.id ?? "";
  }
  route.write({ channel, user }, false);
}

function draw() {
  const now = context();
  const here = now.channel;
  const forum = Boolean(here) && isForum(here);
  the("log").hidden = forum;
  the("posts").hidden = !forum;
  places.show({ ...now, channel });
  head.show(here, now);
  composer.show(now);
  typing.show({ ...now, channel });
  if (forum) posts.show(here, now);
  if (!here) {
    log.explain("There is no server yet. Make one with the control API: POST /_emulator/guilds.");
  }
}

const loadWorld = inTurn(async () => {
  const state = await get("state");
  world = new World(state);
  const names = state.channels.concat(state.threads).map((each) => [each.id, each.name]);
  const next = JSON.stringify([state.users, state.members, state.guilds, names]);
  if (next !== called) version += 1;
  called = next;
  settle();
  draw();
});

const loadMessages = inTurn(async () => {
  const now = context();
  if (!now.channel || isForum(now.channel)) return;
  const query = `messages?channel=${channel}&as=${user}&limit=${limit}`;
  const { place } = now;
  let list;
  try {
    list = await get(query);
  } catch (error) {
    if (error.status === 401) throw error;
    const text =
      error.status === 403 ? `${now.names.user(user)} does not see this channel.` : error.message;
    if (context().place === place) log.explain(text);
    return;
  }
  const later = context();
  if (later.place !== place) return;
  const more = list.length >= limit ? showOlder : undefined;
  log.show(list.reverse(), later, more);
  for (const message of list.slice(-3)) noteWritten(message);
});

const written = new Set();

/** Who wrote something new types no more. */
function noteWritten(message) {
  if (written.has(message.id)) return;
  written.add(message.id);
  typing.stopped(message.channel_id, message.author.id, Date.parse(message.timestamp));
  typing.show({ ...context(), channel });
}

function showOlder() {
  limit += PAGE;
  load(loadMessages);
}

function load(...parts) {
  (async () => {
    for (const part of parts) await part();
  })().catch(failed);
}

function failed(error) {
  if (error.status === 401) {
    token.forget();
    start("The emulator does not take this token. It was started anew, perhaps.");
  } else {
    say(error.message, true);
  }
}

function open(id) {
  if (!world.channels.has(id)) return;
  channel = id;
  moved(true);
  places.toggle(false);
}

/** Shows what was made just now. */
async function arrived(id) {
  await loadWorld();
  open(id);
}

function moved(step) {
  limit = PAGE;
  log.clear();
  say("");
  route.write({ channel, user }, step);
  draw();
  load(loadMessages);
}

function choose(id) {
  user = id;
  moved(false);
}

function heard(notice) {
  const { type } = notice;
  if (type === "typing_start") {
    typing.started(notice.channel, notice.id, () => ({ ...context(), channel }));
    return;
  }
  const isMessage = type.startsWith("message_");
  if (!isMessage) load(loadWorld, loadMessages);
  else if (notice.channel === channel) load(loadMessages, loadWorld);
  else load(loadWorld);
}

let isListening = false;

async function start(problem = "") {
  if (!token.current()) {
    signIn.ask(problem, () => start());
    return;
  }
  try {
    await loadWorld();
  } catch (error) {
    if (error.status !== 0) token.forget();
    signIn.ask(error.status === 401 ? "The token is not the right one." : error.message, start);
    return;
  }
  the("sign-in").hidden = true;
  the("app").hidden = false;
  load(loadMessages);
  if (isListening) return;
  isListening = true;
  listen({
    opened: () => {
      connection.live();
      load(loadWorld, loadMessages);
    },
    notice: heard,
    lost: connection.lost,
    refused: (error) => {
      isListening = false;
      failed(error);
    },
  });
}

function fragmentChanged() {
  if (token.takeFromAddress()) {
    location.reload();
    return;
  }
  const chosen = route.read();
  if (!world || (chosen.channel === channel && chosen.user === user)) return;
  if (world.channels.has(chosen.channel)) channel = chosen.channel;
  if (world.users.has(chosen.user)) user = chosen.user;
  moved(false);
}

token.takeFromAddress();
({ channel, user } = route.read());
composer.build(choose);
log.watch();
keepTrue();
the("menu").addEventListener("click", () => {
  places.toggle(!document.body.classList.contains("places-open"));
});
the("shade").addEventListener("click", () => places.toggle(false));
window.addEventListener("keydown", (event) => {
  if (event.key === "Escape") places.toggle(false);
});
// Not every change is told: users that are made join nothing yet.
window.addEventListener("focus", () => world && load(loadWorld));
window.addEventListener("hashchange", fragmentChanged);
window.addEventListener("popstate", fragmentChanged);
start();
