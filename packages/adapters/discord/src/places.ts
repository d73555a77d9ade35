import { BoundedMap, cleanName } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  isGatewayError,
  type ThreadId,
} from "@talaria/protocol";
import type { DiscordClient } from "./client.ts";
import { type DiscordChannel, read } from "./wire.ts";

/** The types of Discord's channels that are threads: of announcements, public, private. */
export const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);
const directTypes: ReadonlySet<number> = new Set([1, 3]);
const keptChannels = 20_000;

/** Knows which channel ids are threads of which channels, from events, and asks Discord about the others. */
export class Places {
  readonly #accountId: AccountId;
  readonly #client: DiscordClient;
  readonly #channels = new BoundedMap<string, DiscordChannel>(keptChannels);

  constructor(accountId: AccountId, client: DiscordClient) {
    this.#accountId = accountId;
    this.#client = client;
  }

  learn(channel: DiscordChannel): void {
    this.#channels.set(channel.id, channel);
  }

  forget(channelId: string): void {
    this.#channels.delete(channelId);
  }

  clear(): void {
    this.#channels.clear();
  }

  /** Of channels and threads. */
  ids(): Iterable<string> {
    return this.#channels.keys();
  }

  get(channelId: string): DiscordChannel | undefined {
    return this.#channels.get(channelId);
  }

  /** The conversation of a channel. Undefined when Discord does not show it to us. Throws GatewayError when it cannot be asked. */
  async conversationOf(channelId: string, isDirect: boolean, signal: AbortSignal): Promise<Conversation | undefined> {
    const base = { accountId: this.#accountId, platform: "discord" } as const;
    const conversationId = brandAs<ConversationId>(channelId);
    if (isDirect) return { ...base, conversationId, kind: "direct" };
    const channel = this.#channels.get(channelId) ?? (await this.#ask(channelId, signal));
    if (channel === undefined) return undefined;
    if (directTypes.has(channel.type))
      return { ...base, conversationId, kind: channel.type === 1 ? "direct" : "group" };
    const parentId = threadTypes.has(channel.type) ? channel.parent_id : undefined;
    const title = cleanName((parentId === undefined ? channel : this.#channels.get(parentId))?.name ?? "");
    return {
      ...base,
      ...(parentId === undefined
        ? { conversationId }
        : { conversationId: brandAs<ConversationId>(parentId), threadId: brandAs<ThreadId>(channelId) }),
      kind: "group",
      ...(title === "" ? {} : { title }),
    };
  }

  async #ask(channelId: string, signal: AbortSignal): Promise<DiscordChannel | undefined> {
    try {
      const channel = read.channel(await this.#client.call({ method: "GET", path: `/channels/${channelId}` }, signal));
      if (channel !== undefined) this.learn(channel);
      return channel;
    } catch (error) {
      if (isGatewayError(error, "not_found") || isGatewayError(error, "forbidden")) return undefined;
      throw error;
    }
  }
}
