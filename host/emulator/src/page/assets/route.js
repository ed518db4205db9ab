// The chosen channel and user stand in the fragment, so that a reload keeps them.

/** What is chosen; empty where nothing is. */
export function read() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  return { channel: fragment.get("channel") ?? "", user: fragment.get("user") ?? "" };
}

/** Writes what is chosen. A `step` can be gone back from. */
export function write({ channel, user }, step) {
  const fragment = new URLSearchParams();
  if (channel) fragment.set("channel", channel);
  if (user) fragment.set("user", user);
  const address = `${location.pathname}#${fragment}`;
  if (address === location.pathname + location.hash) return;
  if (step) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
