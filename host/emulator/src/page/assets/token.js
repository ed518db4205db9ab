// The control token: it comes in the fragment, is kept for this tab, and leaves the address bar.

const KEY = "ostler-emulator-token";

/** The fields of a fragment. A plus stands for itself: tokens may have some. */
function fieldsOf(fragment) {
  return new URLSearchParams(fragment.replaceAll("+", "%2B"));
}

/** The token in a link, or alone. */
export function tokenIn(text) {
  const at = text.indexOf("#");
  return (at < 0 ? null : fieldsOf(text.slice(at + 1)).get("token")) ?? text;
}

/** Takes the token out of the address bar, if it is there. Says whether it was. */
export function takeFromAddress() {
  const fragment = fieldsOf(location.hash.slice(1));
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
