import { BoundedMap } from "@talaria/adapter-kit";
import { type Attachment, type Choice, type GatewayError, isGatewayError } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import { choicesOf } from "./choices.ts";
import { type MatrixClient, path } from "./client.ts";
import { relationOf } from "./content.ts";
import { quotedOf } from "./inbound-message.ts";
import { type RoomEvent, readEvent } from "./wire.ts";

/** An earlier event that a new one refers to. */
export interface Original {
  readonly sender: string;
  readonly threadId?: string;
  /** What was said, shortened; empty for what is no message. */
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** For a reaction: to which message, with what. */
  readonly reaction?: { readonly target: string; readonly emoji: string };
  /** What it offers. Only of messages of ours. */
  readonly choices?: readonly Choice[];
}

const maxRemembered = 2_000;

/** Finds the events that edits, replies, reactions and redactions refer to: in memory, else at the homeserver. */
export class Originals {
  readonly #client: MatrixClient;
  readonly #selfId: string;
  readonly #decrypt: (roomId: string, event: RoomEvent) => Promise<RoomEvent>;
  readonly #known = new BoundedMap<string, Original>(maxRemembered);
  /** What the homeserver does not have or show, so that it is not asked for each message of a thread. */
  readonly #hidden = new BoundedMap<string, true>(maxRemembered);

  /** `decrypt` answers with the event as it is when it cannot be read. */
  constructor(client: MatrixClient, selfId: string, decrypt: (roomId: string, event: RoomEvent) => Promise<RoomEvent>) {
    this.#client = client;
    this.#selfId = selfId;
    this.#decrypt = decrypt;
  }

  /** An event as it is after decryption. */
  remember(roomId: string, event: RoomEvent): void {
    this.#known.set(keyOf(roomId, event.event_id), toOriginal(event, this.#selfId));
  }

  /** Only what is in memory: for events whose content the homeserver no longer has. */
  recall(roomId: string, eventId: string): Original | undefined {
    return this.#known.get(keyOf(roomId, eventId));
  }

  /** Undefined when the homeserver does not have it or does not show it. Throws when it cannot be asked now. */
  async find(roomId: string, eventId: string, signal: AbortSignal): Promise<Original | undefined> {
    const known = this.recall(roomId, eventId);
    if (known !== undefined || this.#hidden.has(keyOf(roomId, eventId))) return known;
    try {
      const raw = await this.#client.call(
        { method: "GET", path: path`/client/v3/rooms/${roomId}/event/${eventId}` },
        signal,
      );
      const event = readEvent(raw);
      if (event === undefined || event.event_id !== eventId) return undefined;
      this.remember(roomId, await this.#decrypt(roomId, event));
      return this.recall(roomId, eventId);
    } catch (error) {
      if (!isGatewayError(error) || !isFinal(error)) throw error;
      this.#hidden.set(keyOf(roomId, eventId), true);
      return undefined;
    }
  }
}

function keyOf(roomId: string, eventId: string): string {
  return `${roomId} ${eventId}`;
}

function isFinal({ code }: GatewayError): boolean {
  return code === "not_found" || code === "forbidden" || code === "invalid_request";
}

function toOriginal({ type, sender, content, event_id }: RoomEvent, selfId: string): Original {
  const relation = relationOf(content, event_id);
  const { text, attachments } = type === EventType.RoomMessage ? quotedOf(content) : { text: "", attachments: [] };
  return {
    sender,
    text,
    ...(attachments.length > 0 && { attachments }),
    ...(sender === selfId && { choices: choicesOf(content) }),
    ...(relation.kind === "message" && relation.threadId !== undefined && { threadId: relation.threadId }),
    ...(type === EventType.Reaction &&
      relation.kind === "annotation" && { reaction: { target: relation.target, emoji: relation.key } }),
  };
}
