// What there is but messages, as `GET state` gave it, found by id.

export const CATEGORY = 4;
export const FORUMS = [15, 16];
const THREADS = [10, 11, 12];
const DIRECT = 1;

const byId = (list) => new Map(list.map((item) => [item.id, item]));
const byPosition = (a, b) => (a.position ?? 0) - (b.position ?? 0) || older(a, b);
const older = (a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);

export class World {
  constructor(state) {
    this.guilds = state.guilds;
    this.users = byId(state.users);
    this.channels = byId([...state.channels, ...state.threads]);
    this.members = state.members;
    this.roles = byId(state.guilds.flatMap((guild) => guild.roles));
  }

  /** The channels of a guild in their order, without threads. */
  channelsOf(guild) {
    const own = [...this.channels.values()].filter((channel) => channel.guild_id === guild);
    return own.filter((channel) => !isThread(channel)).sort(byPosition);
  }

  /** The threads of a channel: open ones first, then newest first. */
  threadsOf(channel) {
    const own = [...this.channels.values()].filter(
      (thread) => isThread(thread) && thread.parent_id === channel,
    );
    return own.sort((a, b) => isArchived(a) - isArchived(b) || older(b, a));
  }

  /** The direct messages that a user is in. */
  directOf(user) {
    const all = [...this.channels.values()].filter((channel) => channel.type === DIRECT);
    return all.filter((channel) => channel.recipients.some((one) => one.id === user)).sort(older);
  }

  member(guild, user) {
    return this.members.find((member) => member.guild === guild && member.user === user);
  }

  /** Everybody who is where a channel is: its guild's members, or its recipients. */
  peopleIn(channel) {
    if (!channel) return [];
    if (!channel.guild_id) return channel.recipients.map((one) => one.id);
    const here = this.members.filter((member) => member.guild === channel.guild_id);
    return here.map((member) => member.user);
  }

  botsIn(channel) {
    return this.peopleIn(channel).filter((id) => this.users.get(id)?.bot);
  }

  /** How a user is called in a guild, or anywhere. */
  nameOf(id, guild) {
    const user = this.users.get(id);
    const nick = guild && this.member(guild, id)?.nick;
    return nick || user?.global_name || user?.username || "unknown user";
  }

  /** How a channel is called; direct messages by who is in them beside the viewer. */
  titleOf(channel, viewer) {
    if (channel.type !== DIRECT) return channel.name;
    const others = channel.recipients.filter((one) => one.id !== viewer);
    const shown = others.length < channel.recipients.length ? others : channel.recipients;
    return shown.map((one) => this.nameOf(one.id)).join(" and ");
  }
}

export function isThread(channel) {
  return THREADS.includes(channel.type);
}

export function isArchived(thread) {
  return Boolean(thread.thread_metadata?.archived);
}

export function isForum(channel) {
  return FORUMS.includes(channel.type);
}

export function isDirect(channel) {
  return channel.type === DIRECT;
}

/** The sign before a channel's name. */
export function signOf(channel) {
  if (isThread(channel)) return "↳";
  if (isForum(channel)) return "▤";
  if (isDirect(channel)) return "@";
  return channel.type === 2 || channel.type === 13 ? "♪" : "#";
}
