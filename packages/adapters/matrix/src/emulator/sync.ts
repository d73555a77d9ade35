import { isRecord, type Json, type StoredEvent } from "./wire.ts";
import { type Device, type MatrixWorld, type StreamItem, shown } from "./world.ts";

/** What a device learns of everything after `since`; without one, the current state. */
export function syncOf(world: MatrixWorld, device: Device, since: number | undefined, filter: Json): Json {
  const join: Json = {};
  const invite: Json = {};
  const leave: Json = {};
  const limit = limitOf(filter);
  for (const [roomId, room] of world.rooms) {
    const membership = world.membershipOf(roomId, device.userId);
    const items = world.stream.filter(({ event }) => event.room_id === roomId);
    const fresh = items.filter(({ position }) => position > (since ?? 0));
    if (fresh.length === 0) continue;
    if (membership === "join") join[roomId] = joinedRoom(device, room.state, items, since, limit);
    else if (membership === "invite" && fresh.some(({ event }) => isMembership(event, device)))
      invite[roomId] = { invite_state: { events: strippedState([...room.state.values()]) } };
    else if (membership === "leave" && fresh.some(({ event }) => isMembership(event, device))) leave[roomId] = {};
  }
  return { next_batch: `s${world.position}`, rooms: { join, invite, leave } };
}

/** Whether a sync after `since` would tell anything. */
export function hasNews(answer: Json): boolean {
  const rooms = answer.rooms as Json;
  const toDevice = (answer.to_device as { events?: unknown[] } | undefined)?.events?.length ?? 0;
  const changed = (answer.device_lists as { changed?: unknown[] } | undefined)?.changed?.length ?? 0;
  return toDevice + changed > 0 || Object.values(rooms).some((part) => Object.keys(part as Json).length > 0);
}

function joinedRoom(
  device: Device,
  state: ReadonlyMap<string, StoredEvent>,
  items: readonly StreamItem[],
  since: number | undefined,
  limit: number,
): Json {
  const joinedAt = items.findLast(({ event }) => isMembership(event, device) && event.content.membership === "join");
  // A room that is new to the device is told with its recent past.
  const isNew = since === undefined || (joinedAt !== undefined && joinedAt.position > since);
  const wanted = isNew ? items : items.filter(({ position }) => position > since);
  const shownItems = wanted.slice(-limit);
  const isLimited = shownItems.length < wanted.length;
  const first = shownItems[0]?.position ?? 0;
  const before = isNew || isLimited ? [...state.values()] : [];
  return {
    state: { events: before.map((event) => shown(event, device.deviceId)) },
    timeline: {
      events: shownItems.map(({ event }) => shown(event, device.deviceId)),
      limited: isLimited,
      prev_batch: `p${first}`,
    },
    summary: {},
  };
}

function isMembership({ type, state_key }: StoredEvent, { userId }: Device): boolean {
  return type === "m.room.member" && state_key === userId;
}

function strippedState(state: readonly StoredEvent[]): readonly Json[] {
  return state.map(({ type, state_key, sender, content }) => ({ type, state_key, sender, content }));
}

function limitOf(filter: Json): number {
  const room = isRecord(filter.room) ? filter.room : {};
  const timeline = isRecord(room.timeline) ? room.timeline : {};
  return typeof timeline.limit === "number" ? Math.max(1, timeline.limit) : 10;
}
