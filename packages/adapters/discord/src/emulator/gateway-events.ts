import type { GatewaySession } from "./gateway-session.ts";
import type { ChannelState, DiscordUser } from "./state.ts";
import { guildId, intentBits, toWireChannel, toWireEmoji, toWireGuild, toWireMessage, toWireRole } from "./wire.ts";
import type { WorldEvent } from "./world.ts";

interface Packet {
  readonly name: string;
  readonly data: unknown;
}

/** An event as one session gets it; undefined when its intents or the channel's rights keep it away. */
export function eventFor(event: WorldEvent, session: GatewaySession): Packet | undefined {
  const has = (bit: number) => (session.intents & bit) !== 0;
  switch (event.type) {
    case "MESSAGE_CREATE":
    case "MESSAGE_UPDATE":
    case "MESSAGE_DELETE": {
      const { channel } = event.message;
      if (!has(channel.guild ? intentBits.guildMessages : intentBits.directMessages) || !isVisible(channel))
        return undefined;
      if (event.type === "MESSAGE_DELETE")
        return { name: event.type, data: { id: event.message.id, channel_id: channel.id, ...guildId(channel) } };
      const wire = toWireMessage(event.message, session.seer);
      const nonce = event.type === "MESSAGE_CREATE" &&
        event.message.nonce !== undefined && { nonce: event.message.nonce };
      return { name: event.type, data: { ...wire, channel_type: channel.type, ...placeOf(channel), ...nonce } };
    }
    case "MESSAGE_REACTION_ADD":
    case "MESSAGE_REACTION_REMOVE": {
      const { message, user, emoji } = event;
      const { channel } = message;
      if (!has(channel.guild ? intentBits.guildReactions : intentBits.directReactions) || !isVisible(channel))
        return undefined;
      const { guild_id, member } = placeOf(channel);
      const data = {
        user_id: user.id,
        channel_id: channel.id,
        message_id: message.id,
        emoji: toWireEmoji(emoji),
        burst: false,
        type: 0,
        ...(guild_id && { guild_id }),
        ...(member &&
          event.type === "MESSAGE_REACTION_ADD" && {
            member: { ...member, user },
            message_author_id: message.author.id,
          }),
      };
      return { name: event.type, data };
    }
    case "CHANNEL_CREATE":
    case "THREAD_CREATE":
    case "CHANNEL_DELETE":
    case "THREAD_DELETE":
      return has(intentBits.guilds) && isVisible(event.channel)
        ? { name: event.type, data: toWireChannel(event.channel) }
        : undefined;
    case "GUILD_CREATE":
      return has(intentBits.guilds)
        ? { name: event.type, data: toWireGuild(event.guild, { ...anyBot, id: session.seer.botId }) }
        : undefined;
    case "GUILD_ROLE_CREATE":
    case "GUILD_ROLE_DELETE": {
      if (!has(intentBits.guilds)) return undefined;
      const { guild, role } = event;
      const told = event.type === "GUILD_ROLE_CREATE" ? { role: toWireRole(role) } : { role_id: role.id };
      return { name: event.type, data: { guild_id: guild.id, ...told } };
    }
    case "INTERACTION_CREATE":
      return { name: event.type, data: event.interaction };
    default:
      return event satisfies never;
  }
}

const anyBot: DiscordUser = {
  id: "0",
  username: "bot",
  global_name: null,
  discriminator: "0",
  avatar: null,
  bot: true,
};

function isVisible({ access }: ChannelState): boolean {
  return access !== "hidden";
}

/** The server that an event happened in, and the author as its member. Nothing in direct channels. */
function placeOf(channel: ChannelState) {
  if (channel.guild === undefined) return {};
  const joined_at = "2026-01-01T00:00:00.000000+00:00";
  const member = { nick: null, roles: [], joined_at, deaf: false, mute: false, flags: 0, pending: false };
  return { guild_id: channel.guild.id, member: member };
}
