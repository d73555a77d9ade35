import { isGatewayError } from "@talaria/protocol";
import { type MatrixClient, path } from "./client.ts";
import { type RoomEvent, read } from "./wire.ts";

export interface Gap {
  readonly roomId: string;
  /** The homeserver's token of the oldest event that was handed over. */
  readonly from: string;
  /** The sync token up to which everything is known. */
  readonly to: string;
  /** What happened before is not worth asking for, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly isKnown: (eventId: string) => boolean;
  /** Counts and logs an event that could not be read. */
  readonly unreadable: (kind: string) => void;
}

const pageSize = 100;

/** At most this many pages per gap: 2,000 events. */
const maxPages = 20;

/**
 * The events of a room between two tokens, oldest first. Events older than `sinceMs` are left out. Times are chosen by the
 * senders' servers, so only a whole page of old events ends the search.
 */
export async function backfill(client: MatrixClient, gap: Gap, signal: AbortSignal): Promise<readonly RoomEvent[]> {
  const found: RoomEvent[] = [];
  let from: string | undefined = gap.from;
  for (let pages = 0; pages < maxPages && from !== undefined; pages += 1) {
    const page = await pageOf(client, gap, from, signal);
    if (page === undefined) break;
    const { events, unreadable } = page.chunk;
    for (const kind of unreadable) gap.unreadable(kind);
    if (events.length + unreadable.length === 0) break;
    const known = events.findIndex(({ event_id }) => gap.isKnown(event_id));
    const fresh = known === -1 ? events : events.slice(0, known);
    const young = fresh.filter(({ origin_server_ts }) => origin_server_ts >= gap.sinceMs);
    found.push(...young);
    if (known !== -1 || (young.length === 0 && events.length > 0)) break;
    from = page.end === from ? undefined : page.end;
  }
  return found.reverse();
}

async function pageOf(client: MatrixClient, { roomId, to }: Gap, from: string, signal: AbortSignal) {
  const query = { dir: "b", from, to, limit: String(pageSize) };
  try {
    return read.messages(
      await client.call({ method: "GET", path: path`/client/v3/rooms/${roomId}/messages`, query }, signal),
    );
  } catch (error) {
    // We were removed meanwhile, or the server does not show the past.
    if (isGatewayError(error, "forbidden") || isGatewayError(error, "not_found")) return undefined;
    throw error;
  }
}
