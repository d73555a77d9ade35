/** A user as Discord shows one to bots. */
export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly discriminator: string;
  readonly avatar: string | null;
  readonly bot: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Numbers of Discord's documentation. */
export const channelTypes = { text: 0, dm: 1, publicThread: 11, forum: 15 } as const;

export interface Forwarded {
  readonly content: string;
  readonly files: readonly StoredFile[];
}

export interface StoredMessage {
  readonly id: string;
  readonly channel: ChannelState;
  readonly author: DiscordUser;
  files: readonly StoredFile[];
  readonly replyTo: string | undefined;
  /** What it forwards, as it was then. */
  readonly forwards: Forwarded | undefined;
  readonly nonce: string | number | undefined;
  components: readonly unknown[];
  readonly sentAt: number;
  /** 0 for an ordinary message, 19 for a reply, 18 for the notice of a new thread. */
  readonly type: number;
  content: string;
  mentions: readonly DiscordUser[];
  flags: number;
  editedAt: number | undefined;
  deleted: boolean;
  /** Texts before the edits, oldest first. */
  readonly history: string[];
  /** Ids of who reacted, by emoji. */
  readonly reactions: Map<string, Set<string>>;
}

export interface RoleState {
  readonly id: string;
  readonly name: string;
  /** The bot that Discord keeps the role for; undefined for roles that people made. */
  readonly botId: string | undefined;
}

export interface GuildState {
  readonly id: string;
  readonly name: string;
  readonly channels: ChannelState[];
  readonly roles: RoleState[];
}

export interface ChannelState {
  readonly id: string;
  readonly type: number;
  readonly name: string | undefined;
  readonly guild: GuildState | undefined;
  readonly parent: ChannelState | undefined;
  readonly recipient: DiscordUser | undefined;
  readonly messages: Map<string, StoredMessage>;
  /** Times at which the bot was shown typing. */
  readonly typings: number[];
  /** What the bot meets here: `open`, or the reason for a refusal. */
  access: "open" | "hidden" | "read-only" | "blocked";
  archived: boolean;
  deleted: boolean;
}

/** The second half of a snowflake counts up, so that ids of one millisecond keep their order. */
export class SnowflakeSource {
  readonly #now: () => number;
  #last = 0n;

  constructor(now: () => number) {
    this.#now = now;
  }

  next(): string {
    const atNow = BigInt(Math.trunc(this.#now()) - discordEpochMs) << 22n;
    this.#last = atNow > this.#last ? atNow : this.#last + 1n;
    return String(this.#last);
  }
}

/** Snowflakes count from the first second of 2015. */
const discordEpochMs = 1_420_070_400_000;

export function isThread(channel: ChannelState): boolean {
  return channel.type === channelTypes.publicThread;
}
