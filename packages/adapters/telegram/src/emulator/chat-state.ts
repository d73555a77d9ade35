import type { InlineKeyboardMarkup, InputRichBlock, MessageEntity, ReactionType, User } from "grammy/types";
import { BoundedMap } from "./bounded-map.ts";
import type { StoredFile } from "./file-store.ts";

export type ChatKind = "private" | "group" | "supergroup";
export type BotStatus = "member" | "administrator" | "restricted" | "left" | "kicked";

export interface ChatMessage {
  readonly id: number;
  readonly from: User;
  /** Milliseconds on the server's clock. */
  readonly sentAt: number;
  text: string;
  entities: readonly MessageEntity[];
  /** The blocks of a rich message; `text` is then what people read in them. */
  rich?: readonly InputRichBlock[];
  readonly media?: StoredFile;
  readonly mediaGroupId?: string;
  /** A forum topic, or in a supergroup without topics the root of a chain of replies. */
  readonly threadId?: number;
  readonly inTopic: boolean;
  readonly replyTo?: number;
  readonly quote?: string;
  /** A field such as `forum_topic_created` that makes this a service message. */
  readonly service?: Readonly<Record<string, unknown>>;
  /** More fields of the message as bots see it. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly silent: boolean;
  markup?: InlineKeyboardMarkup;
  editedAt?: number;
  edits: number;
  /** Earlier texts, oldest first, at most 200. */
  readonly history: string[];
  readonly reactions: Map<number, readonly ReactionType[]>;
  deleted: boolean;
}

export interface Draft {
  readonly draftId: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly threadId?: number;
  readonly canStop: boolean;
  readonly keepOnStop: boolean;
  /** Milliseconds on the server's clock; a draft vanishes 30 s later. */
  readonly at: number;
}

export interface Topic {
  readonly id: number;
  readonly name: string;
  closed: boolean;
  deleted: boolean;
}

export interface ChatActivity {
  readonly action: string;
  readonly threadId?: number;
  readonly at: number;
}

/** What happened in a chat, for people who watch it. */
export type ChatChange =
  | { readonly type: "sent" | "edited" | "deleted" | "reacted"; readonly message: ChatMessage }
  | { readonly type: "drafted"; readonly draft: Draft }
  | { readonly type: "activity"; readonly activity: ChatActivity };

export const draftLifetimeMs = 30_000;
const keptMessages = 10_000;
const keptDrafts = 2_000;
const keptHistory = 200;

/** One chat as the server holds it. Remembers its last 10,000 messages. */
export class ChatState {
  readonly id: number;
  readonly kind: ChatKind;
  readonly title: string | undefined;
  /** The person of a private chat. */
  readonly person: User | undefined;
  readonly isForum: boolean;
  readonly members = new Map<number, User>();
  readonly bots = new Map<number, BotStatus>();
  readonly topics = new Map<number, Topic>();
  readonly messages = new BoundedMap<number, ChatMessage>(keptMessages);
  readonly drafts: Draft[] = [];
  readonly activities: ChatActivity[] = [];
  /** The newest draft while it is visible; also ended by a message of the bot. */
  shownDraft: Draft | undefined;
  blocked = false;
  migratedTo: number | undefined;
  lastBotToSpeak: number | undefined;
  #nextMessageId: number;
  readonly #watchers = new Set<(change: ChatChange) => void>();

  constructor(facts: {
    readonly id: number;
    readonly kind: ChatKind;
    readonly title?: string | undefined;
    readonly person?: User;
    readonly isForum?: boolean;
  }) {
    this.id = facts.id;
    this.kind = facts.kind;
    this.title = facts.title;
    this.person = facts.person;
    this.isForum = facts.isForum ?? false;
    // 1 is the message that made the supergroup, and the id of the General topic.
    this.#nextMessageId = this.isForum ? 2 : 1;
  }

  get isGroup(): boolean {
    return this.kind !== "private";
  }

  /** Stores a new message under the next id and tells the watchers. */
  append(content: Omit<ChatMessage, "id" | "edits" | "history" | "reactions" | "deleted">): ChatMessage {
    const message = {
      ...content,
      id: this.#nextMessageId++,
      edits: 0,
      history: [],
      reactions: new Map(),
      deleted: false,
    };
    this.messages.set(message.id, message);
    this.tell({ type: "sent", message });
    return message;
  }

  /** A message that exists and was not deleted. */
  find(id: number): ChatMessage | undefined {
    const message = this.messages.get(id);
    return message?.deleted ? undefined : message;
  }

  rewrite(message: ChatMessage, body: Pick<ChatMessage, "text" | "entities" | "rich">, at: number): void {
    const { text, entities, rich } = body;
    if (message.history.length < keptHistory) message.history.push(message.text);
    message.text = text;
    message.entities = entities;
    if (rich) message.rich = rich;
    else delete message.rich;
    message.editedAt = at;
    message.edits += 1;
    this.tell({ type: "edited", message });
  }

  remove(message: ChatMessage): void {
    message.deleted = true;
    this.tell({ type: "deleted", message });
  }

  showDraft(draft: Draft): void {
    if (this.drafts.length >= keptDrafts) this.drafts.shift();
    this.drafts.push(draft);
    this.shownDraft = draft;
    this.tell({ type: "drafted", draft });
  }

  showActivity(activity: ChatActivity): void {
    if (this.activities.length >= keptDrafts) this.activities.shift();
    this.activities.push(activity);
    this.tell({ type: "activity", activity });
  }

  watch(watcher: (change: ChatChange) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  tell(change: ChatChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}
