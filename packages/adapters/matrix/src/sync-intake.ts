import { BoundedMap } from "@talaria/adapter-kit";
import { type Clock, isGatewayError, type Log } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import { backfill } from "./backfill.ts";
import type { MatrixClient } from "./client.ts";
import type { RoomCrypto } from "./crypto.ts";
import type { Decrypter } from "./decrypter.ts";
import type { Intake } from "./intake.ts";
import { answerInvite, type InviteDeps } from "./invites.ts";
import type { Receipts } from "./receipts.ts";
import type { Rooms } from "./rooms.ts";
import type { JoinedRoom, RoomEvent, SyncAnswer } from "./wire.ts";

export interface SyncIntakeDeps {
  readonly client: MatrixClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly rooms: Rooms;
  readonly decrypter: Decrypter;
  readonly intake: Pick<Intake, "tellKind" | "tellAdded">;
  readonly crypto: RoomCrypto;
  readonly receipts: Receipts | undefined;
  readonly invites: InviteDeps;
  readonly selfId: string;
  readonly catchUpMs: number;
  /** Counts and logs what could not be read. */
  readonly unreadable: (kind: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** Rooms that are worked on at the same time. */
const maxRoomsAtOnce = 8;

/** An invitation that could not be accepted is tried this often. */
const maxJoins = 3;

/** Which events of a room were handed over, so that a search for missed ones knows where to end. */
const handled = 5_000;

/** Works through one answer of the homeserver after another. */
export class SyncIntake {
  readonly #deps: SyncIntakeDeps;
  readonly #seen = new BoundedMap<string, true>(handled);

  constructor(deps: SyncIntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when everything in the answer is recorded or needed by nobody, and the keys in it are stored: the next token
   * may be asked for. `since` is the token that was asked with; without one all that was said before is passed over.
   */
  async take(answer: SyncAnswer, since: string | undefined, signal: AbortSignal): Promise<void> {
    const { crypto, rooms, decrypter, unreadable } = this.#deps;
    await crypto.receive(answer, signal);
    await decrypter.retry(signal);
    const { join, invite, leave } = answer.rooms;
    const oddRooms = join.unreadable + invite.unreadable + leave.unreadable;
    if (oddRooms > 0) unreadable("room", { count: oddRooms });
    for (const [roomId] of leave.known) rooms.forget(roomId);
    for (const [roomId, { invite_state }] of invite.known) await this.#invite(roomId, invite_state.events, signal);
    await cooperatively(maxRoomsAtOnce, join.known, ([roomId, room]) => this.#room(roomId, room, since, signal));
    await crypto.settle(signal);
  }

  async #room(roomId: string, joined: JoinedRoom, since: string | undefined, signal: AbortSignal): Promise<void> {
    const { decrypter, receipts, unreadable } = this.#deps;
    for (const kind of joined.timeline.unreadable) unreadable(kind, { conversationId: roomId });
    await this.#state(roomId, joined, since, signal);
    const current = new Set(joined.timeline.events);
    const missed = since === undefined ? [] : await this.#missed(roomId, joined, since, signal);
    const wanted = new Set(since === undefined ? [] : this.#sinceInvitation([...missed, ...current]));
    let last: RoomEvent | undefined;
    for (const event of new Set([...missed, ...current])) {
      signal.throwIfAborted();
      // What was missed is older than the state that came along.
      if (current.has(event)) await this.#learn(roomId, event, since, signal);
      if (wanted.has(event) && (await decrypter.take(roomId, event, signal))) last = event;
      this.#seen.set(event.event_id, true);
    }
    if (last !== undefined) receipts?.read(roomId, last.event_id);
  }

  /** What the room was like before the first event of its timeline. */
  async #state(roomId: string, { state, timeline }: JoinedRoom, since: string | undefined, signal: AbortSignal) {
    const { rooms, intake } = this.#deps;
    // Only members who wrote something are sent along (`lazy_load_members`): who else came or went meanwhile has to be asked.
    if (timeline.limited) rooms.forget(roomId);
    for (const event of state.events) await this.#learn(roomId, event, since, signal);
    if (timeline.events.some((event) => this.#isOwnJoin(event))) rooms.forget(roomId);
    if (timeline.limited && since !== undefined) await intake.tellKind(roomId, signal);
  }

  async #learn(
    roomId: string,
    { state_key, ...event }: JoinedRoom["state"]["events"][number] | RoomEvent,
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { rooms, crypto, intake } = this.#deps;
    if (state_key === undefined) return;
    await rooms.learn(roomId, { ...event, state_key });
    await crypto.learn(roomId, { ...event, state_key });
    if (since !== undefined && event.type === EventType.RoomMember) await intake.tellKind(roomId, signal);
  }

  /** What the homeserver left out because too much happened. */
  async #missed(roomId: string, { timeline }: JoinedRoom, since: string, signal: AbortSignal) {
    const { client, clock, catchUpMs, unreadable } = this.#deps;
    if (!timeline.limited || timeline.prev_batch === undefined) return [];
    if (timeline.events.some((event) => this.#isOwnJoin(event))) return [];
    const gap = {
      roomId,
      from: timeline.prev_batch,
      to: since,
      sinceMs: clock.now() - catchUpMs,
      isKnown: (id: string) => this.#seen.has(id),
      unreadable: (kind: string) => unreadable(kind, { conversationId: roomId }),
    };
    return backfill(client, gap, signal);
  }

  /** In a room we just joined, what was said before we were invited is not for us. */
  #sinceInvitation(events: readonly RoomEvent[]): readonly RoomEvent[] {
    const joined = events.findLastIndex((event) => this.#isOwnJoin(event));
    if (joined === -1) return events;
    const invited = events.findLastIndex(
      (event, n) => n < joined && this.#isOwn(event) && event.content.membership === "invite",
    );
    return events.slice((invited === -1 ? joined : invited) + 1);
  }

  #isOwn({ type, state_key }: RoomEvent): boolean {
    return type === EventType.RoomMember && state_key === this.#deps.selfId;
  }

  #isOwnJoin(event: RoomEvent): boolean {
    const { content, unsigned } = event;
    return this.#isOwn(event) && content.membership === "join" && unsigned.prev_content?.membership !== "join";
  }

  async #invite(roomId: string, state: Parameters<typeof answerInvite>[2], signal: AbortSignal): Promise<void> {
    const { invites, intake, clock, log } = this.#deps;
    for (let tried = 1; tried <= maxJoins; tried += 1) {
      try {
        const inviter = await answerInvite(invites, roomId, state, signal);
        if (inviter !== undefined) await intake.tellAdded(roomId, inviter, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ conversationId: roomId, error }, "a room could not be joined");
        const asked = isGatewayError(error) ? error.retryAfterMs : undefined;
        if (isGatewayError(error) && asked === undefined && error.code !== "unavailable") return;
        await clock.sleep(asked ?? 1_000, signal);
      }
    }
  }
}

/** Runs the work for each item, at most `width` at a time. Rejects with the first failure once all have ended. */
async function cooperatively<Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  for (const outcome of ended) if (outcome.status === "rejected") throw outcome.reason;
}
