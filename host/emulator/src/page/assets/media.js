// Pictures and addresses. Only what this server keeps is loaded; everything else is named.

import { h, name } from "./dom.js";

/** The path of one of the emulator's own attachments, whatever name it was reached by. */
function ownPath(address) {
  try {
    const url = new URL(address);
    const isOwn = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
    const isHere = isOwn && url.port === location.port && url.protocol === "http:";
    return isHere && url.pathname.startsWith("/attachments/") ? url.pathname : null;
  } catch {
    return null;
  }
}

/** An address that a person may open: the web, nothing else. */
export function safeAddress(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** An address as text, and as a link where it is safe. */
export function link(address, props = {}) {
  const href = ownPath(address) ?? safeAddress(address);
  if (!href) return name(address);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer", ...props }, name(address));
}

/** A picture that this server keeps; of another one only where it is. */
export function image(address, alternative) {
  const path = ownPath(address);
  if (path) return h("img", { src: path, alt: alternative || "Picture", loading: "lazy" });
  return h("p", { class: "address" }, "Picture, not loaded: ", name(address));
}

/** A file that can be kept. */
export function download(address, label) {
  const path = ownPath(address);
  return path ? h("a", { href: path, download: true }, name(label)) : name(label);
}
