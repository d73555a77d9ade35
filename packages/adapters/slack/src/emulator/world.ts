import { randomBytes } from "node:crypto";

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
  /** Bots have an id of their own kind besides. */
  readonly botId?: string;
  readonly teamId: string;
  /** Told to who asks with `include_locale`. */
  readonly locale: string;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly title: string;
  bytes: Buffer | undefined;
  readonly length: number;
  isShared: boolean;
  readonly isRemoved?: true;
}

/** What a person has on the screen (docs.slack.dev/reference/events/app_context_changed). */
export interface AppContext {
  readonly entities?: readonly { readonly type: string; readonly value: unknown; readonly team_id?: string }[];
}

export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly user: SlackUser;
  text: string;
  blocks: readonly Readonly<Record<string, unknown>>[];
  readonly threadTs: string | undefined;
  readonly subtype: string | undefined;
  files: readonly SlackFile[];
  readonly forwards: { readonly author: string; readonly text: string } | undefined;
  metadata: unknown;
  readonly unfurls: boolean;
  readonly reactions: Map<string, Set<string>>;
  editedTs: string | undefined;
  isDeleted: boolean;
  edits: number;
  /** Written piece by piece and not yet finished; `stopped` by the person who reads it. */
  streaming: "open" | "stopped" | undefined;
}

export interface SlackChannel {
  readonly id: string;
  readonly kind: "im" | "channel" | "mpim";
  readonly name: string;
  readonly members: Set<string>;
  isArchived: boolean;
  readonly messages: Map<string, StoredMessage>;
}

/** A message that one person sees. Slack keeps none of them. */
export interface Whisper {
  readonly channel: string;
  readonly userId: string;
  readonly ts: string;
  readonly text: string;
  readonly threadTs: string | undefined;
}

export type SessionStatus = "active" | "processing" | "suspended" | "closed";

/** What Slack shows of an agent's work in one thread (docs.slack.dev/ai/agent-sessions). */
export interface AgentSession {
  status: SessionStatus;
  title: string;
  readonly initiator: string | undefined;
}

/** What an assistant suggests in one thread. */
export interface ShownPrompts {
  readonly title: string;
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
}

export type WorldEvent =
  | { readonly type: "created" | "deleted"; readonly message: StoredMessage }
  | {
      readonly type: "changed";
      readonly message: StoredMessage;
      readonly before: string;
      readonly beforeFiles: readonly SlackFile[];
      readonly beforeTs: string | undefined;
    }
  | {
      readonly type: "reaction_added" | "reaction_removed";
      readonly message: StoredMessage;
      readonly user: SlackUser;
      readonly reaction: string;
    };

export interface NewMessage {
  readonly text: string;
  readonly blocks?: readonly Readonly<Record<string, unknown>>[];
  readonly threadTs?: string | undefined;
  readonly subtype?: string | undefined;
  readonly files?: readonly SlackFile[];
  readonly forwards?: StoredMessage["forwards"];
  readonly metadata?: unknown;
  readonly unfurls?: boolean;
  readonly streaming?: "open";
}

/** One workspace with one bot: people, channels, messages and files. Tells its listener what happens. */
export class World {
  readonly teamId = newId("T");
  readonly appId = newId("A");
  readonly bot: SlackUser;
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  readonly files = new Map<string, SlackFile>();
  readonly whispers: Whisper[] = [];
  /** By the first message of the thread. */
  readonly prompts = new Map<string, ShownPrompts>();
  /** What people look at, by their ids. */
  readonly contexts = new Map<string, AppContext>();
  /** Of assistant threads, by channel and first message. */
  readonly titles = new Map<string, string>();
  /** Whether the app's manifest has an `agent_view`; else it has an `assistant_view`. */
  hasAgentView = false;
  /** By channel and first message of the thread. */
  readonly sessions = new Map<string, AgentSession>();
  /** Where this server is reached, without a slash at the end. */
  origin = "";
  onEvent: (event: WorldEvent) => void = () => undefined;
  #lastMicros = 0;

  constructor(botName: string) {
    this.bot = this.newUser(botName, "Talaria", true);
  }

  newUser(name: string, realName: string, isBot: boolean, teamId = this.teamId, locale = "en-US"): SlackUser {
    const id = newId("U");
    const user = { id, name, realName, isBot, teamId, locale, ...(isBot ? { botId: newId("B") } : {}) };
    this.users.set(id, user);
    return user;
  }

  newChannel(kind: SlackChannel["kind"], name: string, members: readonly SlackUser[]): SlackChannel {
    const id = newId(kind === "im" ? "D" : "C");
    const ids = new Set([this.bot, ...members].map((user) => user.id));
    const channel = { id, kind, name, members: ids, isArchived: false, messages: new Map() };
    this.channels.set(id, channel);
    return channel;
  }

  newFile(name: string, mimetype: string, length: number, bytes?: Uint8Array, title = name): SlackFile {
    const stored = bytes === undefined ? undefined : Buffer.from(bytes);
    const file = { id: newId("F"), name, mimetype, title, bytes: stored, length, isShared: bytes !== undefined };
    this.files.set(file.id, file);
    return file;
  }

  /** Seconds with six places, never the same twice. */
  nextTs(): string {
    this.#lastMicros = Math.max(Date.now() * 1_000, this.#lastMicros + 1);
    const seconds = Math.floor(this.#lastMicros / 1_000_000);
    return `${seconds}.${String(this.#lastMicros % 1_000_000).padStart(6, "0")}`;
  }

  post(channel: SlackChannel, user: SlackUser, message: NewMessage): StoredMessage {
    const stored: StoredMessage = {
      channel: channel.id,
      ts: this.nextTs(),
      user,
      text: message.text,
      blocks: message.blocks ?? [],
      threadTs: message.threadTs,
      subtype: message.subtype,
      files: message.files ?? [],
      forwards: message.forwards,
      metadata: message.metadata,
      unfurls: message.unfurls ?? false,
      reactions: new Map(),
      editedTs: undefined,
      isDeleted: false,
      edits: 0,
      streaming: message.streaming,
    };
    channel.messages.set(stored.ts, stored);
    this.onEvent({ type: "created", message: stored });
    return stored;
  }

  change(message: StoredMessage, text: string, blocks: StoredMessage["blocks"] = []): void {
    const { text: before, editedTs: beforeTs } = message;
    message.text = text;
    message.blocks = blocks;
    message.edits += 1;
    message.editedTs = this.nextTs();
    this.onEvent({ type: "changed", message, before, beforeTs, beforeFiles: message.files });
  }

  /** A person deletes a file of a message, which is no edit of its words. */
  removeFile(message: StoredMessage, name: string): void {
    const { text: before, editedTs: beforeTs, files: beforeFiles } = message;
    message.files = beforeFiles.map((file) => (file.name === name ? { ...file, isRemoved: true } : file));
    this.onEvent({ type: "changed", message, before, beforeTs, beforeFiles });
  }

  remove(message: StoredMessage): void {
    message.isDeleted = true;
    this.onEvent({ type: "deleted", message });
  }

  react(message: StoredMessage, user: SlackUser, reaction: string): boolean {
    const users = message.reactions.get(reaction) ?? new Set();
    if (users.has(user.id)) return false;
    message.reactions.set(reaction, users.add(user.id));
    this.onEvent({ type: "reaction_added", message, user, reaction });
    return true;
  }

  unreact(message: StoredMessage, user: SlackUser, reaction: string): boolean {
    if (!message.reactions.get(reaction)?.delete(user.id)) return false;
    this.onEvent({ type: "reaction_removed", message, user, reaction });
    return true;
  }
}

export function newId(letter: string): string {
  return `${letter}0${randomBytes(6).toString("hex").toUpperCase().slice(0, 9)}`;
}
