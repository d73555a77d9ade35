import { z } from "zod";

/**
 * What we read of a homeserver's answers. Nothing here trusts a sender: an odd optional field counts as absent, an odd
 * event is left out, unknown fields are ignored.
 */
export const eventId = idOf(/^\$\S+$/);
export const userId = idOf(/^@[^\s:]*:\S+$/);
export const roomId = idOf(/^!\S+$/);

/** At most 255 characters (specification, size limits), none of them one that no store takes or no eye sees. */
function idOf(shape: RegExp) {
  const isPlain = (id: string) => !/[\p{Cc}\p{Cs}]/u.test(id);
  return z.string().max(255).regex(shape).refine(isPlain, "has characters that no id has");
}

/** An optional field that counts as absent when it is odd or null. */
export function odd<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

const fields = z.record(z.string(), z.unknown());
export type Content = Readonly<Record<string, unknown>>;

const roomEvent = z.object({
  type: z.string().max(255),
  event_id: eventId,
  sender: userId,
  /** What the sender's server says. */
  origin_server_ts: z.number().catch(0),
  content: fields.catch({}),
  state_key: odd(z.string()),
  redacts: odd(eventId),
  unsigned: z
    .object({
      transaction_id: odd(z.string()),
      prev_content: odd(fields),
      redacted_because: odd(fields),
    })
    .catch({}),
});

/** An event of a room's timeline, with the JSON it was read from, which decryption needs. */
export interface RoomEvent extends z.output<typeof roomEvent> {
  readonly raw: unknown;
}

export function readEvent(raw: unknown): RoomEvent | undefined {
  const read = roomEvent.safeParse(raw);
  return read.success ? { ...read.data, raw } : undefined;
}

/** The types that are counted by their name when they can't be read. */
const knownTypes = z.object({
  type: z.enum([
    "m.room.message",
    "m.room.encrypted",
    "m.sticker",
    "m.reaction",
    "m.room.redaction",
    "m.poll.start",
    "org.matrix.msc3381.poll.start",
    "m.room.member",
    "m.room.encryption",
  ]),
});

/** Events of a timeline, and the kinds of those that can't be read. */
const events = z
  .array(z.unknown())
  .catch([])
  .transform((list) => {
    const read = list.map((raw) => ({ raw, event: readEvent(raw) }));
    return {
      events: read.flatMap(({ event }) => event ?? []),
      unreadable: read.flatMap(({ raw, event }) =>
        event === undefined ? [knownTypes.safeParse(raw).data?.type ?? "event"] : [],
      ),
    };
  });

/** Stripped state, as an invitation shows it, and state sections. */
const stateEvents = z
  .array(z.unknown())
  .catch([])
  .transform((list) =>
    list.flatMap((raw) => {
      const read = stateEvent.safeParse(raw);
      return read.success ? [read.data] : [];
    }),
  );

const stateEvent = z.object({
  type: z.string().max(255),
  state_key: z.string(),
  sender: odd(userId),
  content: fields.catch({}),
});
export type StateEvent = z.output<typeof stateEvent>;

const joinedRoom = z.object({
  state: z.object({ events: stateEvents }).catch({ events: [] }),
  timeline: z
    .object({ events, limited: z.boolean().catch(false), prev_batch: odd(z.string()) })
    .catch({ events: { events: [], unreadable: ["timeline"] }, limited: false, prev_batch: undefined })
    .transform(({ events: { events, unreadable }, ...rest }) => ({ ...rest, events, unreadable })),
});
export type JoinedRoom = z.output<typeof joinedRoom>;

const invitedRoom = z.object({ invite_state: z.object({ events: stateEvents }).catch({ events: [] }) });

/** Rooms by id, and how many there are with an odd id or body. */
function rooms<Schema extends z.ZodType>(schema: Schema) {
  return fields.catch({}).transform((all) => {
    const known = Object.entries(all).flatMap(([id, raw]): [string, z.output<Schema>][] => {
      const read = schema.safeParse(raw);
      return roomId.safeParse(id).success && read.success ? [[id, read.data]] : [];
    });
    return { known, unreadable: Object.keys(all).length - known.length };
  });
}

const noRooms = { known: [], unreadable: 0 };

const sync = z.object({
  next_batch: z.string().min(1),
  rooms: z
    .object({ join: rooms(joinedRoom), invite: rooms(invitedRoom), leave: rooms(z.unknown()) })
    .catch({ join: noRooms, invite: noRooms, leave: noRooms }),
  to_device: z.object({ events: z.array(z.unknown()).catch([]) }).catch({ events: [] }),
  device_lists: z
    .object({ changed: z.array(userId).catch([]), left: z.array(userId).catch([]) })
    .catch({ changed: [], left: [] }),
  device_one_time_keys_count: z.record(z.string(), z.number()).catch({}),
  device_unused_fallback_key_types: odd(z.array(z.string())),
});
export type SyncAnswer = z.output<typeof sync>;

const messagesPage = z.object({ chunk: events, end: odd(z.string()) });

/** Each reads one answer; `undefined` when it is not what was asked for. */
export const read = {
  sync: readerOf(sync),
  messages: readerOf(messagesPage),
  sent: readerOf(z.object({ event_id: eventId })),
  identity: readerOf(z.object({ user_id: userId, device_id: odd(z.string().min(1)) })),
  login: readerOf(z.object({ user_id: userId, device_id: z.string().min(1), access_token: z.string().min(1) })),
  uploaded: readerOf(z.object({ content_uri: z.string().regex(/^mxc:\/\/[^/\s]+\/[^/\s]+$/) })),
  members: readerOf(z.object({ joined: fields })),
  member: readerOf(z.object({ display_name: odd(z.string()) })),
  relations: readerOf(z.object({ chunk: events })),
};

function readerOf<Schema extends z.ZodType>(schema: Schema) {
  return (answer: unknown): z.output<Schema> | undefined => {
    const result = schema.safeParse(answer);
    return result.success ? result.data : undefined;
  };
}
