import { createHash } from "node:crypto";
import { type Json, MatrixError, notFound, type StoredEvent } from "./wire.ts";

/** Largest event, whole, in bytes (specification, size limits). */
const maxEventBytes = 65_536;

export interface Device {
  readonly userId: string;
  readonly deviceId: string;
}

export interface MatrixRoomState {
  readonly id: string;
  /** The current state by type and key. */
  readonly state: Map<string, StoredEvent>;
}

/** One thing that happened, at a place in the one order of everything. */
export interface StreamItem {
  readonly position: number;
  readonly event: StoredEvent;
}

/** Everything a homeserver remembers. */
export class MatrixWorld {
  readonly name = "stub.test";
  readonly stream: StreamItem[] = [];
  readonly rooms = new Map<string, MatrixRoomState>();
  readonly events = new Map<string, StoredEvent>();
  readonly devices = new Map<string, Device>();
  readonly passwords = new Map<string, string>();
  readonly displayNames = new Map<string, string>();
  readonly media = new Map<string, { readonly bytes: Buffer; readonly mimeType: string }>();
  readonly receipts: { readonly roomId: string; readonly eventId: string; readonly userId: string }[] = [];
  readonly typing: { readonly roomId: string; readonly userId: string; readonly isTyping: boolean }[] = [];
  readonly #transactions = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #counter = 0;

  /** Where the stream stands. */
  get position(): number {
    return this.stream.length;
  }

  nextId(): string {
    this.#counter += 1;
    return String(this.#counter);
  }

  /** Calls when something happens; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  logIn(userId: string, deviceId = `DEVICE${this.nextId()}`): { readonly token: string; readonly deviceId: string } {
    const token = `syt_${createHash("sha256").update(`${userId}${deviceId}${this.nextId()}`).digest("hex").slice(0, 30)}`;
    this.devices.set(token, { userId, deviceId });
    return { token, deviceId };
  }

  room(roomId: string): MatrixRoomState {
    const room = this.rooms.get(roomId);
    if (room === undefined) throw new MatrixError(403, "M_FORBIDDEN");
    return room;
  }

  membershipOf(roomId: string, userId: string): unknown {
    return this.rooms.get(roomId)?.state.get(stateKeyOf("m.room.member", userId))?.content.membership;
  }

  joined(roomId: string): readonly string[] {
    return [...(this.rooms.get(roomId)?.state.values() ?? [])].flatMap(({ type, state_key, content }) =>
      type === "m.room.member" && content.membership === "join" && state_key !== undefined ? [state_key] : [],
    );
  }

  /** Throws M_FORBIDDEN unless the user is in the room. */
  demandJoined(roomId: string, userId: string): void {
    if (this.membershipOf(roomId, userId) !== "join") throw new MatrixError(403, "M_FORBIDDEN");
  }

  /** Adds an event to a room. A device that repeats a transaction gets the first event's id. */
  post(event: Omit<StoredEvent, "event_id" | "origin_server_ts" | "unsigned"> & Partial<StoredEvent>): string {
    const { sentBy } = event;
    const key = sentBy && `${event.sender} ${sentBy.deviceId} ${event.room_id} ${sentBy.transaction}`;
    const known = key === undefined ? undefined : this.#transactions.get(key);
    if (known !== undefined) return known;
    const stored: StoredEvent = {
      event_id: `$event${this.nextId()}_abcdefghijklmnopqrstuvwxyz`,
      origin_server_ts: Date.now(),
      ...event,
      unsigned: event.unsigned ?? {},
    };
    if (Buffer.byteLength(JSON.stringify(stored)) > maxEventBytes) throw new MatrixError(413, "M_TOO_LARGE");
    this.#checkAnnotation(stored);
    if (stored.state_key !== undefined) this.#setState(stored);
    this.events.set(stored.event_id, stored);
    if (key !== undefined) this.#transactions.set(key, stored.event_id);
    this.push(stored);
    return stored.event_id;
  }

  /** Puts an event at the end of the stream, once more for one that was there before. */
  push(event: StoredEvent): void {
    this.stream.push({ position: this.stream.length + 1, event });
    this.changed();
  }

  redact(roomId: string, sender: string, target: string, sentBy?: StoredEvent["sentBy"]): string {
    const event = this.events.get(target);
    if (event === undefined || event.room_id !== roomId) throw notFound();
    const redaction = {
      room_id: roomId,
      type: "m.room.redaction",
      sender,
      content: { redacts: target },
      redacts: target,
    };
    const id = this.post({ ...redaction, ...(sentBy && { sentBy }) });
    event.content = {};
    event.unsigned = { redacted_because: { event_id: id, sender } };
    return id;
  }

  #setState(event: StoredEvent): void {
    const room = this.rooms.get(event.room_id);
    const key = stateKeyOf(event.type, event.state_key ?? "");
    const before = room?.state.get(key);
    if (before !== undefined) event.unsigned = { ...event.unsigned, prev_content: before.content };
    room?.state.set(key, event);
  }

  /** One reaction of a kind per person and message. */
  #checkAnnotation({ room_id, sender, type, content }: StoredEvent): void {
    if (type !== "m.reaction") return;
    const relation = JSON.stringify(content["m.relates_to"]);
    for (const { event } of this.stream)
      if (event.type === type && event.room_id === room_id && event.sender === sender)
        if (JSON.stringify(event.content["m.relates_to"]) === relation)
          throw new MatrixError(400, "M_DUPLICATE_ANNOTATION");
  }
}

export function stateKeyOf(type: string, key: string): string {
  return `${type}\n${key}`;
}

/** What a person or device may see of an event. */
export function shown(event: StoredEvent, deviceId: string): Json {
  const { sentBy, unsigned, ...rest } = event;
  const own = sentBy?.deviceId === deviceId ? { transaction_id: sentBy.transaction } : {};
  return { ...rest, unsigned: { age: 1, ...unsigned, ...own } };
}
