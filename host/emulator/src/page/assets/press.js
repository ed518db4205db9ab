// A person presses a component, or submits a form, and sees what comes of it.

import { post } from "./api.js";
import { ask } from "./dialog.js";
import { h, name } from "./dom.js";
import { markdown } from "./markdown.js";

const MODAL = 9;
/** What the application did, by its response's type. */
const DONE = {
  4: "answered",
  5: "will answer",
  6: "acknowledged",
  7: "changed the message",
  9: "showed a form",
};

const PARAGRAPH = 2;

/** What is said under messages about the last press of each. */
const outcomes = new Map();

/** What is said under a message. */
export function outcome(message) {
  const known = outcomes.get(message);
  if (!known) return [];
  return [h("span", { class: known.isFailure ? "failed" : "" }, known.text), known.more].filter(
    Boolean,
  );
}

function tell(message, known, say) {
  outcomes.set(message, known);
  const place = document.querySelector(`[data-id="${CSS.escape(message)}"] .outcome`);
  if (place) place.replaceChildren(...outcome(message));
  else say(known.text, known.isFailure);
}

/** Sends a press and says under its message what came of it. Gives the answer. */
async function send(body, message, context) {
  tell(message, { text: "Waiting for the bot…" }, context.say);
  let answer;
  try {
    answer = await post("press", body);
  } catch (error) {
    tell(message, { text: error.message, isFailure: true }, context.say);
    throw error;
  }
  if (answer.failed) {
    const more = h("span", { class: "dim" }, " The bot did not answer in 3 seconds.");
    tell(message, { text: answer.failed, isFailure: true, more }, context.say);
    throw new Error(answer.failed);
  }
  const done = DONE[answer.response?.type] ?? "acknowledged";
  const who = name(context.names.user(body.user));
  const text = `Acknowledged in ${answer.acknowledged_ms} ms`;
  const more = h("span", { class: "dim" }, ` · the bot ${done} · pressed as `, who);
  tell(message, { text, more }, context.say);
  return answer;
}

/** The fields of a form that a bot shows. */
function fieldsOf(modal, names) {
  const input = (data, label, hint) => ({
    key: data.custom_id,
    label: label ?? data.custom_id,
    hint,
    kind: data.style === PARAGRAPH ? "area" : "text",
    value: data.value,
    placeholder: data.placeholder,
    required: data.required !== false,
    min: data.min_length,
    max: data.max_length,
  });
  return (modal.components ?? []).map((each) => {
    if (each.type === 1) return input(each.components[0], each.components[0].label);
    if (each.type === 18) return input(each.component, each.label, each.description);
    return { kind: "note", nodes: markdown(each.content ?? "", names) };
  });
}

function show(modal, message, context) {
  const { user } = context;
  ask({
    title: modal.title,
    fields: fieldsOf(modal, context.names),
    action: "Submit",
    run: (fields) => send({ user, message, custom_id: modal.custom_id, fields }, message, context),
  });
}

/** Presses a component of a message as the chosen user. */
export async function press(message, customId, { values, from }, context) {
  // It stays enabled, so that it keeps the focus.
  if (from.ariaBusy === "true") return;
  from.ariaBusy = "true";
  try {
    const body = { user: context.user, message: message.id, custom_id: customId, values };
    const answer = await send(body, message.id, context);
    if (answer.response?.type === MODAL) show(answer.response.data, message.id, context);
  } catch {
    // What is wrong is said under the message.
  } finally {
    from.ariaBusy = null;
  }
}
