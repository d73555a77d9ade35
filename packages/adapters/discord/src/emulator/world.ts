import {
  type ChannelState,
  channelTypes,
  type DiscordUser,
  type Forwarded,
  type GuildState,
  type RoleState,
  SnowflakeSource,
  type StoredFile,
  type StoredMessage,
} from "./state.ts";

export interface NewMessage {
  readonly content: string;
  readonly files?: readonly StoredFile[];
  readonly replyTo?: string | undefined;
  readonly forwards?: Forwarded | undefined;
  readonly nonce?: string | number | undefined;
  readonly components?: readonly unknown[];
  readonly flags?: number;
  readonly type?: number;
  /** Users that are told although the text does not name them, as the author of an answered message. */
  readonly alsoMentions?: readonly DiscordUser[];
  /** Naming people in the text notifies nobody, as a bot may ask. */
  readonly isQuiet?: boolean;
}

export type WorldEvent =
  | { readonly type: "MESSAGE_CREATE" | "MESSAGE_UPDATE" | "MESSAGE_DELETE"; readonly message: StoredMessage }
  | {
      readonly type: "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE";
      readonly message: StoredMessage;
      readonly user: DiscordUser;
      readonly emoji: string;
    }
  | {
      readonly type: "CHANNEL_CREATE" | "CHANNEL_DELETE" | "THREAD_CREATE" | "THREAD_DELETE";
      readonly channel: ChannelState;
    }
  | { readonly type: "GUILD_CREATE"; readonly guild: GuildState }
  | {
      readonly type: "GUILD_ROLE_CREATE" | "GUILD_ROLE_DELETE";
      readonly guild: GuildState;
      readonly role: RoleState;
    }
  | { readonly type: "INTERACTION_CREATE"; readonly interaction: Record<string, unknown> };

/** How long Discord remembers a nonce. */
const nonceLifetimeMs = 5 * 60_000;
const keptMessages = 5_000;

/** Everything the server knows: one bot, people, servers, channels and messages. Tells its listener what happens. */
export class World {
  readonly now: () => number;
  readonly bot: DiscordUser;
  readonly users = new Map<string, DiscordUser>();
  /** The languages that people have chosen, by their ids; of everybody else `en-US`. Told in interactions only. */
  readonly locales = new Map<string, string>();
  readonly guilds = new Map<string, GuildState>();
  readonly channels = new Map<string, ChannelState>();
  readonly files = new Map<string, StoredFile>();
  /** Texts of channels are shown to the bot also where they do not concern it. */
  readonly seesContent: boolean;
  onEvent: (event: WorldEvent) => void = () => undefined;
  readonly #ids: SnowflakeSource;

  constructor(options: { readonly now: () => number; readonly botName: string; readonly seesContent: boolean }) {
    this.now = options.now;
    this.seesContent = options.seesContent;
    this.#ids = new SnowflakeSource(options.now);
    this.bot = { ...this.newUser(options.botName), bot: true };
    this.users.set(this.bot.id, this.bot);
  }

  nextId(): string {
    return this.#ids.next();
  }

  newUser(username: string, globalName: string | null = null, bot = false): DiscordUser {
    const user = { id: this.nextId(), username, global_name: globalName, discriminator: "0", avatar: null, bot };
    this.users.set(user.id, user);
    return user;
  }

  newGuild(name: string): GuildState {
    const role = { id: this.nextId(), name: this.bot.username, botId: this.bot.id };
    const guild: GuildState = { id: this.nextId(), name, channels: [], roles: [role] };
    this.guilds.set(guild.id, guild);
    this.onEvent({ type: "GUILD_CREATE", guild });
    return guild;
  }

  newRole(guild: GuildState, name: string, botId?: string): RoleState {
    const role = { id: this.nextId(), name, botId };
    guild.roles.push(role);
    this.onEvent({ type: "GUILD_ROLE_CREATE", guild, role });
    return role;
  }

  deleteRole(guild: GuildState, role: RoleState): void {
    guild.roles.splice(guild.roles.indexOf(role), 1);
    this.onEvent({ type: "GUILD_ROLE_DELETE", guild, role });
  }

  newChannel(facts: Pick<ChannelState, "type"> & Partial<ChannelState>): ChannelState {
    const channel: ChannelState = {
      name: undefined,
      guild: undefined,
      parent: undefined,
      recipient: undefined,
      messages: new Map(),
      typings: [],
      access: facts.parent?.access ?? "open",
      archived: false,
      deleted: false,
      ...facts,
      id: facts.id ?? this.nextId(),
    };
    this.channels.set(channel.id, channel);
    channel.guild?.channels.push(channel);
    if (channel.type !== channelTypes.dm)
      this.onEvent({ type: channel.type === channelTypes.publicThread ? "THREAD_CREATE" : "CHANNEL_CREATE", channel });
    return channel;
  }

  deleteChannel(channel: ChannelState): void {
    channel.deleted = true;
    this.onEvent({ type: channel.type === channelTypes.publicThread ? "THREAD_DELETE" : "CHANNEL_DELETE", channel });
  }

  /** The direct channel of a person with the bot; the same one each time. */
  directChannel(recipient: DiscordUser): ChannelState {
    for (const channel of this.channels.values()) if (channel.recipient?.id === recipient.id) return channel;
    return this.newChannel({ type: channelTypes.dm, recipient });
  }

  /** The message that the bot already sent with this nonce, in the last minutes. */
  sentWith(nonce: string | number): StoredMessage | undefined {
    for (const channel of this.channels.values())
      for (const message of channel.messages.values())
        if (
          message.author.id === this.bot.id &&
          message.nonce === nonce &&
          this.now() - message.sentAt < nonceLifetimeMs
        )
          return message;
    return undefined;
  }

  post(channel: ChannelState, author: DiscordUser, content: NewMessage): StoredMessage {
    const message: StoredMessage = {
      id: this.nextId(),
      channel,
      author,
      content: content.content,
      files: content.files ?? [],
      replyTo: content.replyTo,
      forwards: content.forwards,
      nonce: content.nonce,
      components: content.components ?? [],
      sentAt: this.now(),
      type: content.type ?? (content.replyTo === undefined ? 0 : 19),
      mentions: this.#mentionsIn(content.isQuiet ? "" : content.content, content.alsoMentions),
      flags: content.flags ?? 0,
      editedAt: undefined,
      deleted: false,
      history: [],
      reactions: new Map(),
    };
    for (const file of [...message.files, ...(message.forwards?.files ?? [])]) this.files.set(file.id, file);
    channel.messages.set(message.id, message);
    const oldest = channel.messages.keys().next();
    if (channel.messages.size > keptMessages && !oldest.done) channel.messages.delete(oldest.value);
    this.onEvent({ type: "MESSAGE_CREATE", message });
    return message;
  }

  /** What a message mentions is found anew in the changed text, and in what `change` adds. */
  edit(message: StoredMessage, content: string, change: Partial<NewMessage> = {}): void {
    message.components = change.components ?? message.components;
    message.history.push(message.content);
    message.content = content;
    message.flags = change.flags ?? message.flags;
    message.mentions = this.#mentionsIn(change.isQuiet ? "" : content, change.alsoMentions);
    message.editedAt = this.now();
    this.onEvent({ type: "MESSAGE_UPDATE", message });
  }

  attach(message: StoredMessage, files: readonly StoredFile[]): void {
    for (const file of files) this.files.set(file.id, file);
    message.files = [...message.files, ...files];
  }

  delete(message: StoredMessage): void {
    message.deleted = true;
    this.onEvent({ type: "MESSAGE_DELETE", message });
  }

  react(message: StoredMessage, user: DiscordUser, emoji: string): void {
    const users = message.reactions.get(emoji) ?? new Set();
    if (users.has(user.id)) return;
    message.reactions.set(emoji, users.add(user.id));
    this.onEvent({ type: "MESSAGE_REACTION_ADD", message, user, emoji });
  }

  unreact(message: StoredMessage, user: DiscordUser, emoji: string): void {
    const users = message.reactions.get(emoji);
    if (!users?.delete(user.id)) return;
    if (users.size === 0) message.reactions.delete(emoji);
    this.onEvent({ type: "MESSAGE_REACTION_REMOVE", message, user, emoji });
  }

  #mentionsIn(content: string, more: readonly DiscordUser[] = []): readonly DiscordUser[] {
    const named = [...content.matchAll(/<@!?(\d+)>/g)].flatMap(([, id = ""]) => this.users.get(id) ?? []);
    return [...new Set([...named, ...more])];
  }
}
