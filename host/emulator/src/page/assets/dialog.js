// Questions in a dialog, with fields that are filled in and sent.

import { h, name, plain } from "./dom.js";

let last = 0;

/** The control of a field; gives its value with `read`. */
function control(field, id) {
  const limits = {
    id,
    required: field.required,
    minlength: field.min,
    maxlength: field.max,
    placeholder: field.placeholder ? plain(field.placeholder) : null,
    "aria-describedby": field.hint ? `${id}-hint` : null,
    data: { customId: field.key },
  };
  if (field.kind === "area") {
    const area = h("textarea", { ...limits, rows: "4", value: field.value ?? "" });
    return { element: area, read: () => area.value };
  }
  if (field.kind === "choice") {
    const options = field.options.map(({ value, label }) => h("option", { value }, plain(label)));
    const select = h("select", { id, required: field.required }, options);
    return { element: select, read: () => select.value };
  }
  if (field.kind === "several") {
    const boxes = field.options.map(({ value, label }) => {
      const box = h("input", { type: "checkbox", value });
      return { box, element: h("label", { class: "check" }, box, " ", name(label)) };
    });
    const group = h(
      "div",
      { class: "checks", id },
      boxes.map(({ element }) => element),
    );
    const read = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
    return { element: group, read };
  }
  const input = h("input", {
    ...limits,
    type: "text",
    autocomplete: "off",
    value: field.value ?? "",
  });
  return { element: input, read: () => input.value };
}

/**
 * Shows a dialog. `run` gets the values by key; when it throws, its message is shown and the
 * dialog stays, else it closes. A field of the kind `note` only shows its nodes.
 */
export function ask({ title, fields, action, run }) {
  last += 1;
  const prefix = `dialog-${last}`;
  const controls = [];
  const rows = fields.map((field, index) => {
    if (field.kind === "note") return h("div", { class: "content" }, field.nodes);
    const id = `${prefix}-${index}`;
    const made = control(field, id);
    controls.push([field.key, made.read]);
    const label = [name(field.label), field.required ? h("span", { class: "must" }, " *") : null];
    const isGroup = field.kind === "several";
    return h(
      "div",
      { class: "field-row" },
      isGroup ? h("p", { class: "label" }, label) : h("label", { for: id }, label),
      field.hint ? h("p", { class: "hint", id: `${id}-hint` }, name(field.hint)) : null,
      made.element,
    );
  });
  const error = h("p", { class: "error", role: "alert" });
  const submit = h("button", { class: "primary" }, action);
  const cancel = h("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel");
  const send = async (event) => {
    event.preventDefault();
    if (submit.ariaBusy === "true") return;
    error.textContent = "";
    submit.ariaBusy = "true";
    try {
      await run(Object.fromEntries(controls.map(([key, read]) => [key, read()])));
      dialog.close();
    } catch (problem) {
      error.textContent = problem.message;
    } finally {
      submit.ariaBusy = null;
    }
  };
  const heading = h("h2", { id: prefix }, name(title));
  const buttons = h("div", { class: "dialog-buttons" }, cancel, submit);
  const form = h("form", { on: { submit: send } }, heading, rows, error, buttons);
  const dialog = h("dialog", { "aria-labelledby": prefix }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("input, textarea, select") ?? submit).focus();
}
