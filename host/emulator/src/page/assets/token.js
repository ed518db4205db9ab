// The control token: it comes in the fragment, is kept for this tab, and leaves the address bar.

const KEY = "ostler-emulator-token";

/** The token in a fragment, a link, or alone. */
export function tokenIn(text) {
  const fragment = text.includes("#") ? text.slice(text.indexOf("#") + 1) : text;
  return new URLSearchParams(fragment).get("token") ?? "";
}

/** Takes the token out of the address bar, if it is there. Says whether it was. */
export function takeFromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get("token");
  if (given === null) return false;
  fragment.delete("token");
  const rest = fragment.toString();
  history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
  if (given) keep(given);
  return Boolean(given);
}

export function keep(token) {
  sessionStorage.setItem(KEY, token);
}

export function current() {
  return sessionStorage.getItem(KEY) ?? "";
}

export function forget() {
  sessionStorage.removeItem(KEY);
}
