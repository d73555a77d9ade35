import { brandAs, type EventId, type InboundEvent, type Log, type MessageId } from "@talaria/protocol";
import { EventType, MsgType, RelationType } from "matrix-js-sdk/lib/@types/event.js";
import type { RoomCrypto } from "./crypto.ts";
import { toEvent } from "./inbound.ts";
import type { Intake } from "./intake.ts";
import { pollTypes } from "./poll.ts";
import type { UndecryptedEvents } from "./undecrypted.ts";
import type { RoomEvent } from "./wire.ts";

export interface DecrypterDeps {
  readonly crypto: RoomCrypto;
  readonly intake: Intake;
  readonly undecrypted: UndecryptedEvents;
  readonly log: Log;
  readonly selfId: string;
}

/** What stands for a message that cannot be read. Said in the sender's name, so that an answer reaches them. */
const notes = {
  missing: "[a message that could not be decrypted yet: its key has not arrived]",
  refused: "[a message that was refused: its encryption does not prove who wrote it]",
  plain: "[a message that was refused: it came unencrypted into an encrypted room]",
  off: "[an encrypted message: encryption is disabled for this account]",
} as const;

/** Decrypts events on their way to the host. What cannot be read is never dropped silently. */
export class Decrypter {
  readonly #deps: DecrypterDeps;

  constructor(deps: DecrypterDeps) {
    this.#deps = deps;
  }

  /** Like `Intake.take`. An event whose key is missing counts as taken: it waits in a list of its own. */
  async take(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<boolean> {
    const { crypto, intake, undecrypted, selfId } = this.#deps;
    if (event.state_key !== undefined) return false;
    if (event.type !== EventType.RoomMessageEncrypted) {
      const isForged = isSpeech(event) && event.sender !== selfId && (await crypto.isEncrypted(roomId));
      return isForged ? this.#note(roomId, event, "plain", signal) : intake.take(roomId, event, signal);
    }
    const decryption = await crypto.decrypt(roomId, event, signal);
    if (decryption.kind === "read") return intake.take(roomId, decryption.event, signal);
    if (event.sender === selfId || event.unsigned.redacted_because !== undefined) return false;
    if (decryption.kind === "missing") {
      await undecrypted.add(roomId, event);
      return true;
    }
    if (decryption.kind === "refused")
      this.#deps.log.warn({ eventId: event.event_id, reason: decryption.reason }, "an encrypted event is refused");
    return this.#note(roomId, event, decryption.kind, signal);
  }

  /** Tries the waiting events again. After the first failure the agent is told; a key may still arrive later. */
  async retry(signal: AbortSignal): Promise<void> {
    const { crypto, intake, undecrypted } = this.#deps;
    for (const { roomId, event, isTold } of undecrypted.list()) {
      signal.throwIfAborted();
      const decryption = await crypto.decrypt(roomId, event, signal);
      if (decryption.kind === "read") {
        await intake.take(roomId, decryption.event, signal);
        await undecrypted.remove(event.event_id);
      } else if (!isTold && undecrypted.isDue(event.event_id)) {
        await this.#note(roomId, event, "missing", signal);
        await undecrypted.told(event.event_id);
      }
    }
  }

  /** Records the note under an id of its own: the message itself may still come under its own. */
  async #note(roomId: string, event: RoomEvent, kind: keyof typeof notes, signal: AbortSignal): Promise<boolean> {
    const { intake } = this.#deps;
    const view = await intake.viewOf(roomId, signal);
    const relation = event.content["m.relates_to"];
    const content = {
      msgtype: MsgType.Text,
      body: notes[kind],
      "m.mentions": {},
      ...(isThread(relation) && { "m.relates_to": relation }),
    };
    const note = toEvent({ ...event, type: EventType.RoomMessage, content }, undefined, view);
    if (note?.type !== "message.created") return false;
    await intake.hand(asNote(note), signal);
    return true;
  }
}

function asNote(note: Extract<InboundEvent, { type: "message.created" }>): InboundEvent {
  const { replyTo: _, ...message } = note.message;
  return {
    ...note,
    id: brandAs<EventId>(`${note.id}/note`),
    message: { ...message, messageId: brandAs<MessageId>(message.messageId) },
  };
}

/** What the agent hears of even when it can't be read or trusted. Edits and reactions are not worth a note. */
function isSpeech({ type }: RoomEvent): boolean {
  return type === EventType.RoomMessage || type === EventType.Sticker || pollTypes.some((poll) => poll === type);
}

function isThread(relation: unknown): boolean {
  return (
    typeof relation === "object" &&
    relation !== null &&
    "rel_type" in relation &&
    relation.rel_type === RelationType.Thread
  );
}
