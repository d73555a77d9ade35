import { type InboundEvent, instantOf } from "@talaria/protocol";

/** A message that looks older than this, or newer than now, is one; or the clock of this machine is wrong. */
const noticedMs = 600_000;

/**
 * The event with the time of its arrival by the database's clock, where that of this machine was off when it came: else what has just
 * been said would look old, and old words new. `now`, in milliseconds, is asked only about an event that is not of now. What the
 * machine's clock tells by then counts for nothing: it may have jumped since.
 */
export async function arrivalOf(event: InboundEvent, now: () => Promise<number>): Promise<InboundEvent> {
  const arrivedAt = Date.parse(event.receivedAt);
  if (Math.abs(arrivedAt - Date.parse(event.occurredAt)) <= noticedMs) return event;
  const nowMs = await now();
  return Math.abs(arrivedAt - nowMs) <= noticedMs ? event : { ...event, receivedAt: instantOf(nowMs) };
}
