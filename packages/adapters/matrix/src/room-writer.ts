import type { MediaSource } from "@talaria/adapter";
import { BoundedMap, withoutEffect } from "@talaria/adapter-kit";
import {
  brandAs,
  type Choice,
  type Clock,
  type Conversation,
  GatewayError,
  instantOf,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { EventType, RelationType } from "matrix-js-sdk/lib/@types/event.js";
import { typingLastsMs } from "./capabilities.ts";
import { type MatrixClient, path } from "./client.ts";
import type { RoomCrypto, WireEvent } from "./crypto.ts";
import { errcodeOf } from "./errors.ts";
import type { OfferedChoices } from "./offered-choices.ts";
import type { Originals } from "./originals.ts";
import { checkedEventId, checkedRoomId, editContent, relationFields, textContent, transactionOf } from "./outbound.ts";
import { kindOf, type Room, type Rooms, unknownRoom } from "./rooms.ts";
import { fileContent } from "./send-file.ts";
import { type Content, read } from "./wire.ts";

export interface RoomWriterDeps {
  readonly client: MatrixClient;
  readonly media: MediaSource;
  readonly clock: Clock;
  readonly rooms: Rooms;
  readonly crypto: RoomCrypto;
  readonly originals: Originals;
  readonly offered: OfferedChoices;
  readonly selfId: string;
  readonly canEncrypt: boolean;
}

interface Prepared extends WireEvent {
  readonly asker: string | undefined;
}

/** Messages whose asker is remembered for their edits. */
const maxAskers = 1_000;

/** Writes into rooms. Nothing is repeated here, and nothing waits for a rate limit. */
export class RoomWriter {
  readonly #deps: RoomWriterDeps;
  /** Until when a room sees us typing. */
  readonly #typing = new Map<string, number>();
  /** Whom messages of ours have notified. */
  readonly #askers = new BoundedMap<MessageId, string>(maxAskers);
  #edits = 0;

  constructor(deps: RoomWriterDeps) {
    this.#deps = deps;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { conversation, deliveryKey, choices = [] } = message;
    const event = await beforePosting(() => this.#prepared(message, signal));
    const roomId = checkedRoomId(conversation.conversationId);
    const messageId = await this.#post(roomId, event, transactionOf(deliveryKey), signal);
    const { asker } = event;
    if (asker !== undefined) this.#askers.set(messageId, asker);
    if (choices.length > 0) this.#offer(roomId, messageId, choices);
    await this.#stopTyping(roomId, signal);
    return { conversation, messageId, sentAt: instantOf(this.#deps.clock.now()) };
  }

  async edit(
    { conversation, messageId }: MessageRef,
    markdown: string,
    choices: readonly Choice[],
    signal: AbortSignal,
  ): Promise<void> {
    const roomId = checkedRoomId(conversation.conversationId);
    const content = editContent(messageId, { markdown, choices, asker: this.#askers.get(messageId) });
    const event = await beforePosting(async () => {
      await this.#checkKind(conversation, signal);
      return this.#wired(roomId, { type: EventType.RoomMessage, content }, signal);
    });
    await this.#post(roomId, event, this.#nextTransaction(), signal);
    this.#offer(roomId, messageId, choices);
  }

  async redact(roomId: string, eventId: string, signal: AbortSignal): Promise<void> {
    const where = path`/client/v3/rooms/${checkedRoomId(roomId)}/redact/${checkedEventId(eventId)}/${this.#nextTransaction()}`;
    await this.#deps.client.call({ method: "PUT", path: where, body: {} }, signal);
  }

  async react({ conversation, messageId }: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await this.#annotate(checkedRoomId(conversation.conversationId), messageId, emoji, signal);
  }

  async unreact({ conversation, messageId }: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    const { client, selfId } = this.#deps;
    const roomId = checkedRoomId(conversation.conversationId);
    const where = path`/client/v1/rooms/${roomId}/relations/${checkedEventId(messageId)}/m.annotation/m.reaction`;
    const answer = await client.call({ method: "GET", path: where, query: { limit: "100" } }, signal);
    const own = read.relations(answer)?.chunk.events.filter(({ sender, content }) => {
      const relation = content["m.relates_to"] as { key?: unknown } | undefined;
      return sender === selfId && relation?.key === emoji;
    });
    for (const { event_id } of own ?? []) await this.redact(roomId, event_id, signal);
  }

  async setTyping({ conversationId }: Conversation, signal: AbortSignal): Promise<void> {
    const roomId = checkedRoomId(conversationId);
    await this.#tellTyping(roomId, { typing: true, timeout: typingLastsMs }, signal);
    this.#typing.set(roomId, this.#deps.clock.elapsed() + typingLastsMs);
  }

  /** Undefined when the reaction is there already. Never encrypted: servers count reactions (specification, m.annotation). */
  async #annotate(roomId: string, messageId: string, key: string, signal: AbortSignal): Promise<MessageId | undefined> {
    const relation = { rel_type: RelationType.Annotation, event_id: checkedEventId(messageId), key };
    const event = { type: EventType.Reaction, content: { "m.relates_to": relation } };
    try {
      return await this.#post(roomId, event, this.#nextTransaction(), signal);
    } catch (error) {
      if (errcodeOf(error) !== "M_DUPLICATE_ANNOTATION") throw error;
      return undefined;
    }
  }

  #offer(roomId: string, messageId: string, choices: readonly Choice[]): void {
    this.#deps.offered.set(roomId, messageId, choices, {
      react: (key, signal) => this.#annotate(roomId, messageId, key, signal),
      redact: (reactionId, signal) => this.redact(roomId, reactionId, signal),
    });
  }

  /** Whom an answer in a group notifies: who wrote what it answers. Undefined when that is us, or nobody knows. */
  async #askerOf({ conversation, replyTo }: OutboundMessage, signal: AbortSignal): Promise<string | undefined> {
    const { originals, selfId } = this.#deps;
    if (replyTo === undefined || conversation.kind === "direct") return undefined;
    const answered = await originals.find(conversation.conversationId, replyTo, signal).catch(() => undefined);
    return answered?.sender === selfId ? undefined : answered?.sender;
  }

  async #prepared(message: OutboundMessage, signal: AbortSignal): Promise<Prepared> {
    const { conversation, markdown, attachments, choices = [] } = message;
    const roomId = checkedRoomId(conversation.conversationId);
    const [file, ...more] = attachments;
    if (more.length > 0) throw refusal("one matrix message takes one file");
    if (file === undefined && markdown.trim() === "") throw refusal("a message needs text or a file");
    await this.#checkKind(conversation, signal);
    const room = await this.#room(roomId, signal);
    const isEncrypted = await this.#isEncrypted(room);
    const asker = await this.#askerOf(message, signal);
    const saying = { markdown, choices, asker };
    const body =
      file === undefined
        ? textContent(saying)
        : await fileContent(this.#deps, file, { ...saying, isEncrypted }, signal);
    const event = { type: EventType.RoomMessage, content: { ...body, ...relationFields(message) } };
    return { ...(await this.#deps.crypto.toWire(room, event, signal)), asker };
  }

  async #wired(roomId: string, event: WireEvent, signal: AbortSignal): Promise<WireEvent> {
    return this.#deps.crypto.toWire(await this.#room(roomId, signal), event, signal);
  }

  /** What was written for two people is not posted where a third one reads it by now. */
  async #checkKind({ conversationId, kind }: Conversation, signal: AbortSignal): Promise<void> {
    if (kind !== "direct" || kindOf(await this.#deps.rooms.get(conversationId, signal)) === "direct") return;
    throw new GatewayError(
      "the room has a third person now: what was written for a direct conversation is not posted",
      {
        code: "forbidden",
        effect: "none",
      },
    );
  }

  /** Without encryption nothing about the room is needed. */
  async #room(roomId: string, signal: AbortSignal): Promise<Room> {
    return this.#deps.canEncrypt ? this.#deps.rooms.get(roomId, signal) : unknownRoom(roomId);
  }

  async #isEncrypted(room: Room): Promise<boolean> {
    const { canEncrypt, crypto } = this.#deps;
    return canEncrypt && (room.isEncrypted || (await crypto.isEncrypted(room.roomId)));
  }

  async #post(
    roomId: string,
    { type, content }: WireEvent,
    transaction: string,
    signal: AbortSignal,
  ): Promise<MessageId> {
    const where = path`/client/v3/rooms/${roomId}/send/${type}/${transaction}`;
    const answer = await this.#deps.client.call(
      { method: "PUT", path: where, body: content as Content & object },
      signal,
    );
    const sent = read.sent(answer);
    if (sent === undefined)
      throw new GatewayError("the homeserver's answer to a message has no usable event_id", { code: "unavailable" });
    return brandAs<MessageId>(sent.event_id);
  }

  /** A new number each time: the same text may be said again later. */
  #nextTransaction(): string {
    this.#edits += 1;
    return `e${this.#deps.clock.now()}.${this.#edits}`;
  }

  /** The message is out; whether the notice ends a little later does not matter. */
  async #stopTyping(roomId: string, signal: AbortSignal): Promise<void> {
    const until = this.#typing.get(roomId);
    this.#typing.delete(roomId);
    if (until !== undefined && until > this.#deps.clock.elapsed())
      await this.#tellTyping(roomId, { typing: false }, signal).catch(() => undefined);
  }

  async #tellTyping(roomId: string, body: object, signal: AbortSignal): Promise<void> {
    const where = path`/client/v3/rooms/${roomId}/typing/${this.#deps.selfId}`;
    await this.#deps.client.call({ method: "PUT", path: where, body }, signal);
  }
}

/** Whatever fails in here, nothing was posted. */
async function beforePosting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withoutEffect(error);
  }
}

function refusal(sentence: string): GatewayError {
  return new GatewayError(sentence, { code: "invalid_request" });
}
