import type { AdapterHost } from "@talaria/adapter";
import { BoundedMap } from "@talaria/adapter-kit";
import type { Clock, InboundEvent } from "@talaria/protocol";
import type { Cursors } from "./cursors.ts";
import { toMessageEvent, type Viewpoint } from "./inbound.ts";
import { wordsOf } from "./inbound-message.ts";
import type { MentionThreads } from "./mention-threads.ts";
import type { OwnRoles } from "./own-roles.ts";
import type { Places } from "./places.ts";
import type { ThreadStarts } from "./thread-starts.ts";
import type { DiscordMessage } from "./wire.ts";

export interface RecorderDeps {
  readonly host: AdapterHost;
  readonly clock: Clock;
  readonly cursors: Cursors;
  readonly places: Places;
  readonly ownRoles: OwnRoles;
  readonly threads: Pick<MentionThreads, "placed">;
  readonly starts: Pick<ThreadStarts, "quoting">;
}

/** Something that happened in a channel, and how it is converted once the channel's place is known. */
export interface Happening {
  readonly channelId: string;
  readonly isDirect: boolean;
  /** Its text, where roles may be mentioned in it. */
  readonly text?: string | undefined;
  readonly convert: (view: Viewpoint) => InboundEvent | undefined;
}

/** Has the host record one event after the other, live or out of a channel's history. */
export class Recorder {
  readonly #deps: RecorderDeps;
  /** Messages may come twice, and the older one after the newer: a cursor alone would lose it. */
  readonly #recorded = new BoundedMap<string, true>(5_000);
  #selfId = "";

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Our user id, as a new session tells it. */
  become(selfId: string): void {
    this.#selfId = selfId;
  }

  /** Resolves when the host has it, or nobody needs it. Throws when Discord or the host has to be tried again. */
  async record({ channelId, isDirect, text = "", convert }: Happening, signal: AbortSignal): Promise<void> {
    const view = await this.viewOf(channelId, isDirect, signal, text.includes("<@&"));
    const event = view && convert(view);
    if (view === undefined || event === undefined) return;
    const { host, threads, starts } = this.#deps;
    await host.accept(await threads.placed(await starts.quoting(event, view, signal), signal));
  }

  /** The same for a new message, after which the channel's cursor moves. One that was recorded already is passed over. */
  async recordMessage(message: DiscordMessage, isDirect: boolean, signal: AbortSignal): Promise<void> {
    const { id, channel_id: channelId } = message;
    if (this.#recorded.has(id)) return;
    const convert = (view: Viewpoint) => toMessageEvent(message, "message.created", view);
    await this.record({ channelId, isDirect, text: wordsOf(message), convert }, signal);
    await this.#deps.cursors.move(channelId, BigInt(id));
    this.#recorded.set(id, true);
  }

  /** How a channel looks from here, with our roles where they are needed. Undefined when Discord does not show it to us. */
  async viewOf(
    channelId: string,
    isDirect: boolean,
    signal: AbortSignal,
    needsRoles = false,
  ): Promise<Viewpoint | undefined> {
    const { places, clock } = this.#deps;
    const conversation = await places.conversationOf(channelId, isDirect, signal);
    if (conversation === undefined) return undefined;
    const channelName = (id: string) => places.get(id)?.name;
    const guildId = needsRoles ? places.get(channelId)?.guild_id : undefined;
    const ownRoles = await this.#deps.ownRoles.in(guildId, signal);
    return { selfId: this.#selfId, ownRoles, conversation, receivedAt: clock.now(), channelName };
  }
}
