import type { AdapterHost } from "@talaria/adapter";
import { BoundedMap, handOver, offerPauseMs, untilTaken } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Clock,
  type Conversation,
  type InboundEvent,
  isGatewayError,
  type Log,
  type UserId,
} from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import { choiceIndex } from "./choices.ts";
import { relationOf } from "./content.ts";
import {
  conversationOf,
  redactedBy,
  referenceOf,
  threadToQuote,
  toEvent,
  type Viewpoint,
  withThreadHead,
} from "./inbound.ts";
import type { OfferedChoices } from "./offered-choices.ts";
import type { Original, Originals } from "./originals.ts";
import { pollTypes } from "./poll.ts";
import { type Rooms, unknownRoom } from "./rooms.ts";
import { unreadableKind } from "./unreadable.ts";
import type { RoomEvent } from "./wire.ts";

export interface IntakeDeps {
  readonly accountId: AccountId;
  readonly host: AdapterHost;
  readonly clock: Clock;
  readonly log: Log;
  readonly rooms: Rooms;
  readonly originals: Originals;
  readonly offered: OfferedChoices;
  readonly selfId: string;
  /** Whether the homeserver answers nothing at all. Rejects only when the signal is aborted. */
  readonly isAway: (signal: AbortSignal) => Promise<boolean>;
  /** Names of control commands. */
  readonly commands: ReadonlySet<string>;
  /** Counts and logs what could not be read. */
  readonly unreadable: (kind: string, facts: Readonly<Record<string, unknown>>) => void;
}

/**
 * Attempts to ask the homeserver about a room or an earlier event; then the event goes on without it. Where it answers nothing else
 * either, the event waits: nobody would hear the first words of a room that nothing is known of.
 */
const maxQuestions = 6;

/** Types of events that become events of ours. */
const taken: ReadonlySet<string> = new Set([
  EventType.RoomMessage,
  EventType.Sticker,
  EventType.Reaction,
  EventType.RoomRedaction,
  ...pollTypes,
]);

/** Rooms whose kind is remembered; the host is told that of another one again. */
const maxKinds = 5_000;

/** Hands one event after another to the host, each until the host took it. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #kinds = new BoundedMap<string, Conversation["kind"]>(maxKinds);

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Takes an event after decryption. Resolves with true when it was recorded, and with false when nobody needs it. Rejects
   * only when `signal` is aborted before.
   */
  async take(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<boolean> {
    const { originals, selfId, unreadable } = this.#deps;
    if (!taken.has(event.type)) return false;
    if (event.unsigned.redacted_because === undefined) originals.remember(roomId, event);
    const isOwn = event.sender === selfId;
    // What this device sent carries the number it was sent with. Our own edits and reactions are no news either.
    if (isOwn && (event.unsigned.transaction_id !== undefined || referenceOf(event) !== undefined)) return false;
    if (event.unsigned.redacted_because !== undefined) return false;
    const kind = unreadableKind(event);
    if (kind !== undefined) unreadable(kind, { eventId: event.event_id });
    const inbound = await this.#converted(roomId, event, signal);
    if (inbound === undefined) return false;
    await this.hand(inbound, signal);
    return true;
  }

  /** Hands an event over until the host takes it. */
  async hand(event: InboundEvent, signal: AbortSignal): Promise<void> {
    await handOver(event, this.#deps, signal);
  }

  /**
   * People have come or gone: the host hears of which kind the room is now, unless it knows. Rejects only when `signal` is aborted. Where
   * the homeserver does not tell, the room's next message says it.
   */
  async tellKind(roomId: string, signal: AbortSignal): Promise<void> {
    const { accountId, host, rooms, clock, log } = this.#deps;
    const room = await this.#answer(() => rooms.get(roomId, signal), signal);
    if (room === undefined) return;
    const conversation = conversationOf(accountId, room);
    if (this.#kinds.get(roomId) === conversation.kind) return;
    const offer = { clock, log, seed: roomId, about: { conversationId: roomId } };
    await untilTaken(() => host.kindChanged(conversation), offer, signal);
    this.#kinds.set(roomId, conversation.kind);
  }

  /** We have joined a room after an invitation. Rejects only when `signal` is aborted. */
  async tellAdded(roomId: string, inviter: string, signal: AbortSignal): Promise<void> {
    const { accountId, host, rooms, clock, log } = this.#deps;
    const room = await this.#answer(() => rooms.get(roomId, signal), signal);
    if (room === undefined) return;
    const conversation = conversationOf(accountId, room);
    const displayName = room.members.get(inviter) ?? inviter;
    const by = { userId: brandAs<UserId>(inviter), role: "person", displayName, assurance: "platform" } as const;
    const offer = { clock, log, seed: roomId, about: { conversationId: roomId } };
    await untilTaken(() => host.added(conversation, by), offer, signal);
  }

  /** How a room looks from here. */
  async viewOf(roomId: string, signal: AbortSignal): Promise<Viewpoint> {
    const { accountId, rooms, clock, selfId: userId, commands } = this.#deps;
    const room = (await this.#answer(() => rooms.get(roomId, signal), signal)) ?? unknownRoom(roomId);
    const self = { userId, displayName: room.members.get(userId) ?? "", commands };
    return { accountId, self, room, nowMs: clock.now() };
  }

  async #converted(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<InboundEvent | undefined> {
    const view = await this.viewOf(roomId, signal);
    const original = await this.#originalOf(roomId, event, signal);
    try {
      const converted = toEvent(event, original, view);
      const root = threadToQuote(converted);
      if (converted === undefined || root === undefined) return converted;
      const head = await this.#answer(() => this.#deps.originals.find(roomId, root, signal), signal);
      return withThreadHead(converted, head, view);
    } catch (error) {
      this.#deps.log.error({ eventId: event.event_id, error }, "an event could not be converted and is left out");
      this.#deps.unreadable(event.type, { eventId: event.event_id });
      return undefined;
    }
  }

  async #originalOf(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<Original | undefined> {
    const { originals } = this.#deps;
    // The homeserver no longer has what was redacted.
    const redacted = event.type === EventType.RoomRedaction ? redactedBy(event) : undefined;
    if (redacted !== undefined) return originals.recall(roomId, redacted);
    const wanted = referenceOf(event);
    if (wanted === undefined) return undefined;
    const original = await this.#answer(() => originals.find(roomId, wanted, signal), signal);
    if (original?.choices === undefined || event.type !== EventType.Reaction) return original;
    return { ...original, choices: await this.#offeredBy(roomId, event, original, signal) };
  }

  /** What a message of ours offers to who reacts to it with the key of a choice. */
  async #offeredBy(roomId: string, event: RoomEvent, { choices = [] }: Original, signal: AbortSignal) {
    const relation = relationOf(event.content, event.event_id);
    if (relation.kind !== "annotation" || choiceIndex(relation.key) === undefined) return [];
    const { target } = relation;
    return (await this.#answer(() => this.#deps.offered.find(roomId, target, choices, signal), signal)) ?? [];
  }

  /** Undefined when the homeserver does not answer after several questions, or refuses. */
  async #answer<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, log, isAway } = this.#deps;
    for (let asked = 1; ; asked += 1) {
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        const isLasting = isGatewayError(error) && (error.code === "forbidden" || error.code === "not_found");
        if (!isLasting && asked >= maxQuestions && (await isAway(signal))) asked = maxQuestions - 1;
        if (isLasting || asked >= maxQuestions) {
          log.warn({ error }, "the homeserver does not tell what an event refers to");
          return undefined;
        }
        await clock.sleep(offerPauseMs(asked, "question", error), signal);
      }
    }
  }
}
