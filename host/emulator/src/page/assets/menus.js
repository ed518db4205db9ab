// Select menus. A choice is sent by its own button, so that looking through the options with the
// keyboard chooses nothing.

import { h, plain } from "./dom.js";

const TEXT = 3;
const USER = 5;
const ROLE = 6;
const MENTIONABLE = 7;

/** What a menu offers: its own options, or what there is in the server. */
function optionsOf(data, { world, channel, names }) {
  if (data.type === TEXT) return data.options ?? [];
  const users = () =>
    world.peopleIn(channel).map((id) => ({ value: id, label: `@${names.user(id)}` }));
  const roles = () => {
    const guild = world.guilds.find((each) => each.id === channel.guild_id);
    return (guild?.roles ?? []).map((role) => ({ value: role.id, label: role.name }));
  };
  if (data.type === USER) return users();
  if (data.type === ROLE) return roles();
  if (data.type === MENTIONABLE) return [...users(), ...roles()];
  const kinds = data.channel_types ?? [];
  return world
    .channelsOf(channel.guild_id)
    .filter((each) => kinds.length === 0 || kinds.includes(each.type))
    .map((each) => ({ value: each.id, label: `#${each.name}` }));
}

export function menu(data, message, context) {
  const isMany = (data.max_values ?? 1) > 1;
  const title = plain(data.placeholder || "Choose");
  const chosen = (data.default_values ?? []).map((each) => each.id);
  const options = optionsOf(data, context).map((option) => {
    const text = [option.emoji?.name, option.label].filter(Boolean).map(plain).join(" ");
    const full = option.description ? `${text} — ${plain(option.description)}` : text;
    const selected = Boolean(option.default) || chosen.includes(option.value);
    return h("option", { value: option.value, selected }, full);
  });
  const select = h(
    "select",
    {
      "aria-label": title,
      multiple: isMany,
      size: isMany ? Math.min(Math.max(options.length, 2), 6) : null,
      disabled: data.disabled,
      data: { key: `menu ${message.id} ${data.custom_id}`, customId: data.custom_id },
    },
    isMany
      ? null
      : h("option", { value: "", selected: !options.some((each) => each.selected) }, title),
    options,
  );
  const send = (event) => {
    const values = [...select.selectedOptions].map((option) => option.value).filter(Boolean);
    context.press(message, data.custom_id, { values, from: event.currentTarget });
  };
  return h(
    "div",
    { class: "menu" },
    select,
    h(
      "button",
      {
        type: "button",
        class: "component secondary",
        disabled: data.disabled,
        data: { key: `send ${message.id} ${data.custom_id}` },
        on: { click: send },
      },
      "Choose",
    ),
  );
}
