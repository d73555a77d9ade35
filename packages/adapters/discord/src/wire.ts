import { list, odd } from "@talaria/adapter-kit";
import { z } from "zod";

/**
 * What we read of Discord's objects, in events and in REST answers alike. Nothing here trusts the sender: an odd
 * optional field counts as absent, unknown fields are left out.
 */
export const snowflake = z.string().regex(/^\d{1,20}$/);

/** Discord's own limits: 500 channels, 250 roles and 1,000 active threads in a server; fewer of everything in a message. */
const most = { inMessage: 200, inGuild: 1_500 };

/** ISO 8601, also as part of an id. */
const time = z.string().regex(/^[\d.:TZ+-]{1,40}$/);

const user = z.object({
  id: snowflake,
  username: odd(z.string()),
  global_name: odd(z.string()),
  bot: odd(z.boolean()),
  system: odd(z.boolean()),
});

const member = z.object({ nick: odd(z.string()) });

const attachment = z.object({
  id: snowflake,
  filename: odd(z.string()),
  content_type: odd(z.string()),
  size: odd(z.number().nonnegative()),
  url: odd(z.url({ protocol: /^https?$/ })),
});

const named = z.object({ name: odd(z.string()) });

const embed = z.object({
  title: odd(z.string()),
  url: odd(z.url({ protocol: /^https?$/ })),
  author: odd(z.object({ name: odd(z.string()) })),
  description: odd(z.string()),
  fields: list(z.object({ name: odd(z.string()), value: odd(z.string()) }), most.inMessage),
  footer: odd(z.object({ text: odd(z.string()) })),
});

const content = z.object({
  flags: odd(z.int()),
  content: odd(z.string()),
  attachments: list(attachment, most.inMessage),
  /** Discord allows ten. */
  embeds: list(embed, 10),
  /** Of any kind; what they say is read in `app-words.ts`. */
  components: list(z.looseObject({}), most.inMessage),
  sticker_items: list(named, most.inMessage),
  poll: odd(z.object({ question: odd(z.object({ text: odd(z.string()) })) })),
});

const snapshots = list(z.object({ message: content }), most.inMessage);

const replied = content.extend({
  id: snowflake,
  author: user,
  webhook_id: odd(snowflake),
  message_snapshots: snapshots,
});

const message = content.extend({
  id: snowflake,
  channel_id: snowflake,
  guild_id: odd(snowflake),
  type: odd(z.int()),
  author: user,
  member: odd(member),
  webhook_id: odd(snowflake),
  timestamp: odd(time),
  edited_timestamp: odd(time),
  mentions: list(user, most.inMessage),
  message_reference: odd(z.object({ type: odd(z.int()), message_id: odd(snowflake) })),
  referenced_message: odd(replied),
  message_snapshots: snapshots,
});

const channel = z.object({
  id: snowflake,
  type: z.int(),
  guild_id: odd(snowflake),
  name: odd(z.string()),
  parent_id: odd(snowflake),
  last_message_id: odd(snowflake),
});

const role = z.object({
  id: snowflake,
  name: odd(z.string()),
  tags: odd(z.object({ bot_id: odd(snowflake) })),
});
const roleChange = z.object({ guild_id: snowflake, role });
const roleDeletion = z.object({ guild_id: snowflake, role_id: snowflake });

const guild = z.object({
  id: snowflake,
  joined_at: odd(z.string()),
  channels: list(channel, most.inGuild),
  threads: list(channel, most.inGuild),
  roles: list(role, most.inGuild),
});
const deletion = z.object({ id: snowflake, channel_id: snowflake, guild_id: odd(snowflake) });
const bulkDeletion = z.object({
  ids: list(snowflake, most.inMessage),
  channel_id: snowflake,
  guild_id: odd(snowflake),
});

const reaction = z.object({
  user_id: snowflake,
  channel_id: snowflake,
  message_id: snowflake,
  guild_id: odd(snowflake),
  emoji: z.object({ id: odd(snowflake), name: odd(z.string()) }),
  member: odd(member.extend({ user: odd(user) })),
});

/** Rows of buttons, or of one menu; what is neither is left out. */
const button = z.object({ type: z.literal(2), custom_id: z.string(), label: odd(z.string()) });
const option = z.object({ label: z.string(), value: z.string() });
const menu = z.object({ type: z.literal(3), custom_id: z.string(), options: list(option, most.inMessage) });
const components = list(z.object({ components: list(z.union([button, menu]), most.inMessage) }), most.inMessage);

const commandOption = z.object({ value: z.union([z.string(), z.number(), z.boolean()]) });

const interaction = z.object({
  id: snowflake,
  token: z.string().regex(/^[\w.+/=-]+$/),
  type: z.int(),
  channel_id: snowflake,
  guild_id: odd(snowflake),
  application_id: odd(snowflake),
  data: odd(
    z.object({
      custom_id: odd(z.string()),
      values: list(z.string(), most.inMessage),
      name: odd(z.string()),
      options: list(commandOption, most.inMessage),
    }),
  ),
  message: odd(z.object({ id: snowflake, components })),
  /** Of who pressed or wrote it; messages have none: docs.discord.com/developers/interactions/receiving-and-responding. */
  locale: odd(z.string()),
  user: odd(user),
  member: odd(member.extend({ user: odd(user) })),
});

const ready = z.object({
  user: z.object({ id: snowflake }),
  session_id: z.string(),
  application: odd(z.object({ id: snowflake })),
});
const threadList = z.object({ threads: list(channel, most.inGuild) });
const sent = z.object({ id: snowflake, timestamp: odd(z.string()) });
const gatewayInfo = z.object({
  session_start_limit: z.object({ remaining: z.int(), reset_after: z.number().nonnegative() }),
});

export type DiscordUser = z.output<typeof user>;
export type DiscordEmbed = z.output<typeof embed>;
export type DiscordContent = z.output<typeof content>;
export type DiscordMessage = z.output<typeof message>;
export type DiscordChannel = z.output<typeof channel>;
export type DiscordGuild = z.output<typeof guild>;
export type DiscordRole = z.output<typeof role>;
export type DiscordReaction = z.output<typeof reaction>;
export type DiscordComponents = z.output<typeof components>;
export type DiscordInteraction = z.output<typeof interaction>;

/** Each reads one kind of object, or returns undefined when it is not one. */
export const read = {
  message: reader(message),
  messages: reader(list(message, most.inMessage)),
  channel: reader(channel),
  guild: reader(guild),
  roles: reader(list(role, most.inGuild)),
  roleChange: reader(roleChange),
  roleDeletion: reader(roleDeletion),
  deletion: reader(deletion),
  bulkDeletion: reader(bulkDeletion),
  reaction: reader(reaction),
  interaction: reader(interaction),
  ready: reader(ready),
  threadList: reader(threadList),
  sent: reader(sent),
  gatewayInfo: reader(gatewayInfo),
};

function reader<Schema extends z.ZodType>(schema: Schema): (raw: unknown) => z.output<Schema> | undefined {
  return (raw) => schema.safeParse(raw).data;
}
