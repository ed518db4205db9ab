// Files of messages.

import { h } from "./dom.js";
import { download, image } from "./media.js";

function size(bytes) {
  if (!Number.isFinite(bytes)) return "";
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** One file, with its picture if it is one. */
export function file(data) {
  const isPicture = /^image\/(png|jpeg|gif|webp|avif)\b/.test(data.content_type ?? "");
  return h(
    "figure",
    { class: "file" },
    isPicture ? image(data.url, data.description) : null,
    h(
      "figcaption",
      {},
      "⇩ ",
      download(data.url, data.filename ?? data.name ?? "file"),
      h("span", { class: "dim" }, ` ${size(data.size)}`),
    ),
  );
}

export function attachments(list) {
  if (!list?.length) return null;
  return h("div", { class: "files" }, list.map(file));
}
