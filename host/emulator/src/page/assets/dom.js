// Makes elements. Text only ever becomes text nodes: whatever people and bots write is hostile.

/** Characters that change the direction of what follows them, or show nothing. */
const INVISIBLE = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Makes an element. `on` has listeners, `data` has data attributes, everything else is an
 * attribute; false, null and undefined leave it out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else if (name === "value" || name === "checked" || name === "selected") {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

/** The element with an id of the page itself. */
export function the(id) {
  return document.getElementById(id);
}

/** A name by somebody else, apart from the text around it. */
export function name(text, props = {}) {
  return h("bdi", props, String(text));
}

/** Text for places that cannot set it apart: options, titles, labels. */
export function plain(text) {
  return String(text ?? "").replace(INVISIBLE, "");
}

/** Rebuilds what is in `root`, and gives the focus back to the element with the same key. */
export function rebuild(root, ...children) {
  const active = document.activeElement;
  const key = root.contains(active) ? active.closest("[data-key]")?.dataset.key : undefined;
  root.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key !== undefined) {
    root.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }
}
