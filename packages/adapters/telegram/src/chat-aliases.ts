import type { AdapterStore } from "@talaria/adapter";
import type { Log } from "@talaria/protocol";

/** A group that became a supergroup, which has an id of its own. */
export interface Migration {
  readonly from: string;
  readonly to: string;
}

const storedAs = "migrated-chats";
/** Groups remembered; the oldest are forgotten first, and would then count as new conversations. */
const maxMigrations = 2_000;
/** Supergroups of which we know that no other gateway has told us more. */
const maxLookedUp = 5_000;

/**
 * Remembers which group became which supergroup, so that the first id stays the conversation's id: sessions, allow lists
 * and waiting deliveries go on under it. Several gateways of one account share what is stored.
 */
export class ChatAliases {
  readonly #store: AdapterStore;
  readonly #log: Log;
  readonly #currentIds = new Map<string, string>();
  readonly #firstIds = new Map<string, string>();
  readonly #lookedUp = new Set<string>();
  #loading: Promise<void> | undefined;
  #hasNews = false;

  constructor(store: AdapterStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Reads what is stored, the first time. Rejects when the store is away; then the next call tries again. */
  load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Looks once, for a supergroup that we do not know, whether another gateway saw it come to be. */
  async lookUp(chatId: string): Promise<void> {
    await this.load();
    if (!chatId.startsWith("-100") || this.#firstIds.has(chatId) || this.#lookedUp.has(chatId)) return;
    await this.#read();
    this.#lookedUp.add(chatId);
    forgetOldest(this.#lookedUp, maxLookedUp);
  }

  /** The id under which Talaria knows a chat. */
  firstIdOf(chatId: string): string {
    return this.#firstIds.get(chatId) ?? chatId;
  }

  /** The id under which Telegram knows a conversation now. */
  currentIdOf(conversationId: string): string {
    return this.#currentIds.get(conversationId) ?? conversationId;
  }

  /** Goes by it from now on; `keep` makes it last. A group moves once: what contradicts that is left out. */
  learn({ from, to }: Migration): void {
    const first = this.firstIdOf(from);
    if (first === to || this.#currentIds.has(first) || this.#firstIds.has(to)) return;
    this.#currentIds.set(first, to);
    this.#firstIds.set(to, first);
    this.#hasNews = true;
    this.#log.warn({ conversationId: first, movedTo: to }, "a group became a supergroup; it keeps its first id here");
    for (const [oldest, current] of this.#currentIds) {
      if (this.#currentIds.size <= maxMigrations) break;
      this.#currentIds.delete(oldest);
      this.#firstIds.delete(current);
    }
  }

  /** Stores what was learnt. Rejects when the store is away; then it is stored with the next call. */
  async keep(): Promise<void> {
    if (!this.#hasNews) return;
    await this.load();
    await this.#store.write(storedAs, JSON.stringify([...this.#currentIds]));
    this.#hasNews = false;
  }

  async #read(): Promise<void> {
    for (const [from, to] of pairsIn((await this.#store.read(storedAs)) ?? "[]")) {
      if (this.#currentIds.has(from) || this.#firstIds.has(to)) continue;
      this.#currentIds.set(from, to);
      this.#firstIds.set(to, from);
    }
  }
}

function pairsIn(text: string): readonly (readonly [string, string])[] {
  const isId = (value: unknown) => typeof value === "string" && /^-\d{1,19}$/.test(value);
  const read: unknown = JSON.parse(text);
  if (!Array.isArray(read)) return [];
  return read.filter((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isId));
}

function forgetOldest(set: Set<string>, limit: number): void {
  for (const oldest of set) {
    if (set.size <= limit) return;
    set.delete(oldest);
  }
}
