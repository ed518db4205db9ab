// Who is typing where.

import { h, name, the } from "./dom.js";

/** Typing lasts this long, as in Discord's own clients. */
const LASTS_MS = 10_000;

/** By channel: users, and since when. */
const typing = new Map();

export function started(channel, user, context) {
  if (!typing.has(channel)) typing.set(channel, new Map());
  typing.get(channel).set(user, Date.now());
  setTimeout(() => show(context()), LASTS_MS + 50);
  show(context());
}

/** Who wrote a message at `when` does not type it any more. */
export function stopped(channel, user, when) {
  if (typing.get(channel)?.get(user) <= when) typing.get(channel).delete(user);
}

export function show({ channel, user, names }) {
  const known = [...(typing.get(channel) ?? [])];
  const now = known.filter(([who, since]) => since + LASTS_MS > Date.now() && who !== user);
  const who = now.map(([id]) => name(names.user(id)));
  const parts = who.flatMap((one, at) => (at === 0 ? [one] : [", ", one]));
  const verb = who.length === 1 ? " is typing…" : " are typing…";
  const line = the("typing");
  if (who.length === 0) line.replaceChildren();
  else
    line.replaceChildren(
      h("span", { class: "typing-dots", "aria-hidden": "true" }),
      ...parts,
      verb,
    );
}
