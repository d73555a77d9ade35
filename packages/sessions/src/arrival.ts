import { type InboundEvent, instantOf } from "@talaria/protocol";

/** A message that looks older than this, or newer than now, is one; or the clock of this machine is wrong. */
const noticedMs = 600_000;

/**
 * The event with the time of its arrival by the database's clock, where that of this machine is off: else what has just been said would
 * look old, and old words new. `clockAheadMs` is asked only about an event that is not of now.
 */
export async function arrivalOf(event: InboundEvent, clockAheadMs: () => Promise<number>): Promise<InboundEvent> {
  const arrivedAt = Date.parse(event.receivedAt);
  if (Math.abs(arrivedAt - Date.parse(event.occurredAt)) <= noticedMs) return event;
  const aheadMs = await clockAheadMs();
  return Math.abs(aheadMs) <= noticedMs ? event : { ...event, receivedAt: instantOf(arrivedAt - aheadMs) };
}
