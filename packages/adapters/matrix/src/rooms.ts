import { BoundedMap, cleanName } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import { z } from "zod";
import { type MatrixClient, path } from "./client.ts";
import { read, type StateEvent, userId } from "./wire.ts";

/** What is known about a room. Kept current by the state events that come in. */
export interface Room {
  readonly roomId: string;
  title: string;
  isEncrypted: boolean;
  /** Ids of those who are in it, with the names they chose there. */
  readonly members: Map<string, string>;
}

/** Rooms remembered at a time; another one costs three calls. */
const maxRooms = 500;

/** Asks the homeserver about rooms when they are first needed, and remembers the answers. */
export class Rooms {
  readonly #client: MatrixClient;
  readonly #known = new BoundedMap<string, Promise<Room>>(maxRooms);

  constructor(client: MatrixClient) {
    this.#client = client;
  }

  /** Throws GatewayError when the homeserver does not tell; the next call asks again. */
  async get(roomId: string, signal: AbortSignal): Promise<Room> {
    const known = this.#known.get(roomId);
    if (known !== undefined) return known;
    const asking = this.#ask(roomId, signal);
    this.#known.set(roomId, asking);
    asking.catch(() => {
      if (this.#known.get(roomId) === asking) this.#known.delete(roomId);
    });
    return asking;
  }

  /** A state event of the room. Rooms that were not asked for stay unknown. */
  async learn(roomId: string, event: StateEvent): Promise<void> {
    const room = await this.#known.get(roomId)?.catch(() => undefined);
    if (room === undefined) return;
    const { type, state_key: key, content } = event;
    if (type === EventType.RoomName && key === "") room.title = titleOf(content);
    if (type === EventType.RoomEncryption && key === "") room.isEncrypted = true;
    if (type === EventType.RoomMember && userId.safeParse(key).success) {
      if (content.membership === "join") room.members.set(key, nameOf(content.displayname));
      else room.members.delete(key);
    }
  }

  /** For a room we left, or one whose changes we missed. */
  forget(roomId: string): void {
    this.#known.delete(roomId);
  }

  async #ask(roomId: string, signal: AbortSignal): Promise<Room> {
    const room = path`/client/v3/rooms/${roomId}`;
    const [joined, name, encryption] = await Promise.all([
      this.#client.call({ method: "GET", path: `${room}/joined_members` }, signal),
      this.#state(`${room}/state/m.room.name/`, signal),
      this.#state(`${room}/state/m.room.encryption/`, signal),
    ]);
    const members = Object.entries(read.members(joined)?.joined ?? {}).flatMap(([id, raw]): [string, string][] =>
      userId.safeParse(id).success ? [[id, nameOf(read.member(raw)?.display_name)]] : [],
    );
    return { roomId, title: titleOf(name), isEncrypted: encryption !== undefined, members: new Map(members) };
  }

  async #state(statePath: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#client.call({ method: "GET", path: statePath }, signal);
    } catch (error) {
      if (isGatewayError(error, "not_found")) return undefined;
      throw error;
    }
  }
}

/** How somebody is called in a room. Their id when they chose nothing that can be seen. */
export function displayNameIn(room: Room, id: string): string {
  return room.members.get(id) || id;
}

/** Two people talk directly; with a third one, or where nobody is known, it is a group, whatever the room is called. */
export function kindOf({ members }: Room): "direct" | "group" {
  return members.size === 1 || members.size === 2 ? "direct" : "group";
}

/** For a room that the homeserver tells nothing about. */
export function unknownRoom(roomId: string): Room {
  return { roomId, title: "", isEncrypted: true, members: new Map() };
}

function nameOf(name: unknown): string {
  return typeof name === "string" ? cleanName(name) : "";
}

const named = z.object({ name: z.string() }).catch({ name: "" });

function titleOf(content: unknown): string {
  return cleanName(named.parse(content).name);
}
