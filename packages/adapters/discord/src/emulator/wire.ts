import {
  type ChannelState,
  channelTypes,
  type DiscordUser,
  type GuildState,
  isThread,
  type RoleState,
  type StoredMessage,
} from "./state.ts";

/** Bits of the gateway's intents that this server knows to be needed. */
export const intentBits = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  messageContent: 1 << 15,
} as const;

export interface Seer {
  readonly botId: string;
  /** Whether texts that do not concern the bot are shown to it. */
  readonly seesContent: boolean;
  /** Where files are downloaded from. */
  readonly url: string;
}

/** A message as the bot sees it, over REST and in events. Without the intent, other people's texts are empty. */
export function toWireMessage(message: StoredMessage, seer: Seer): Record<string, unknown> {
  const { channel } = message;
  const isShown = seer.seesContent || concernsBot(message, seer.botId);
  const referenced = message.replyTo === undefined ? undefined : channel.messages.get(message.replyTo);
  return {
    id: message.id,
    channel_id: channel.id,
    type: message.type,
    author: message.author,
    content: isShown ? message.content : "",
    timestamp: new Date(message.sentAt).toISOString().replace("Z", "000+00:00"),
    edited_timestamp:
      message.editedAt === undefined ? null : new Date(message.editedAt).toISOString().replace("Z", "000+00:00"),
    tts: false,
    mention_everyone: false,
    mentions: message.mentions,
    mention_roles: rolesIn(message).map(({ id }) => id),
    attachments: isShown ? message.files.map((file) => toWireFile(file, message, seer)) : [],
    embeds: [],
    components: isShown ? message.components : [],
    pinned: false,
    flags: message.flags,
    ...(message.reactions.size > 0 && { reactions: toWireReactions(message, seer.botId) }),
    // A forward has the message as it was then, without its author (docs.discord.com/developers/resources/message, "Message Snapshot").
    ...(message.forwards !== undefined && {
      message_reference: { type: 1, message_id: "1", channel_id: "2" },
      message_snapshots: [
        {
          message: {
            type: 0,
            content: isShown ? message.forwards.content : "",
            attachments: isShown ? message.forwards.files.map((file) => toWireFile(file, message, seer)) : [],
            embeds: [],
            flags: 0,
          },
        },
      ],
    }),
    ...(message.replyTo !== undefined && {
      message_reference: { type: 0, message_id: message.replyTo, channel_id: channel.id, ...guildId(channel) },
      referenced_message:
        referenced && !referenced.deleted ? toWireMessage({ ...referenced, replyTo: undefined }, seer) : null,
    }),
  };
}

/** Roles of the server that a text names, each once. */
function rolesIn({ content, channel }: StoredMessage): readonly RoleState[] {
  const named = new Set([...content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id));
  return (channel.guild?.roles ?? []).filter(({ id }) => named.has(id));
}

function concernsBot({ author, channel, mentions }: StoredMessage, botId: string): boolean {
  return author.id === botId || channel.type === channelTypes.dm || mentions.some(({ id }) => id === botId);
}

function toWireFile(file: StoredMessage["files"][number], message: StoredMessage, { url }: Seer) {
  const link = `${url}/attachments/${message.channel.id}/${file.id}/${encodeURIComponent(file.filename)}`;
  return {
    id: file.id,
    filename: file.filename,
    size: file.bytes.byteLength,
    content_type: file.contentType,
    url: `${link}?ex=1&is=1&hm=1`,
    proxy_url: link,
  };
}

function toWireReactions({ reactions }: StoredMessage, botId: string) {
  return [...reactions].map(([emoji, users]) => ({
    emoji: toWireEmoji(emoji),
    count: users.size,
    me: users.has(botId),
    me_burst: false,
    burst_colors: [],
    count_details: { burst: 0, normal: users.size },
  }));
}

/** `name:id` is a custom emoji, everything else a character. */
export function toWireEmoji(emoji: string): { readonly id: string | null; readonly name: string } {
  const custom = /^(\w+):(\d+)$/.exec(emoji);
  return custom ? { id: custom[2] ?? null, name: custom[1] ?? "" } : { id: null, name: emoji };
}

export function guildId(channel: ChannelState): { readonly guild_id?: string } {
  return channel.guild === undefined ? {} : { guild_id: channel.guild.id };
}

export function toWireChannel(channel: ChannelState): Record<string, unknown> {
  const base = {
    id: channel.id,
    type: channel.type,
    last_message_id: [...channel.messages.keys()].at(-1) ?? null,
    flags: 0,
  };
  if (channel.type === channelTypes.dm) return { ...base, recipients: [channel.recipient] };
  const placed = { ...base, ...guildId(channel), name: channel.name, parent_id: channel.parent?.id ?? null };
  if (!isThread(channel)) return { ...placed, position: 0, permission_overwrites: [], nsfw: false, topic: null };
  return {
    ...placed,
    owner_id: "1",
    message_count: channel.messages.size,
    member_count: 1,
    thread_metadata: {
      archived: channel.archived,
      auto_archive_duration: 1440,
      archive_timestamp: "2026-01-01T00:00:00.000000+00:00",
      locked: false,
    },
  };
}

export function toWireGuild(guild: GuildState, bot: DiscordUser): Record<string, unknown> {
  const visible = guild.channels.filter(({ deleted, access }) => !deleted && access !== "hidden");
  return {
    id: guild.id,
    name: guild.name,
    owner_id: "1",
    joined_at: "2026-01-01T00:00:00.000000+00:00",
    large: false,
    unavailable: false,
    member_count: 2,
    members: [
      { user: bot, roles: [], joined_at: "2026-01-01T00:00:00.000000+00:00", deaf: false, mute: false, flags: 0 },
    ],
    channels: visible.filter((channel) => !isThread(channel)).map(toWireChannel),
    threads: visible.filter((channel) => isThread(channel) && !channel.archived).map(toWireChannel),
    roles: guildRoles(guild),
    emojis: [],
    stickers: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    features: [],
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    premium_tier: 0,
    preferred_locale: "en-US",
    nsfw_level: 0,
    system_channel_flags: 0,
    premium_progress_bar_enabled: false,
  };
}

/** What GUILD_CREATE and `GET /guilds/:guild/roles` list: everyone's role has the server's id. */
export function guildRoles(guild: GuildState): readonly object[] {
  const everyone = { ...toWireRole({ id: guild.id, name: "@everyone", botId: undefined }), position: 0 };
  return [everyone, ...guild.roles.map(toWireRole)];
}

/** A role; `tags.bot_id` names the bot that Discord keeps it for. */
export function toWireRole({ id, name, botId }: RoleState): Record<string, unknown> {
  return {
    id,
    name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    position: 1,
    permissions: "2251799813685247",
    managed: botId !== undefined,
    mentionable: false,
    flags: 0,
    ...(botId === undefined ? {} : { tags: { bot_id: botId } }),
  };
}
