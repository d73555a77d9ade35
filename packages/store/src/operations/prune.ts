import type { Database } from "../database/database.ts";
import { dropUnusedFunctions } from "../schema/function-sets.ts";
import { conversationStatements } from "./prune-conversations.ts";

/** Rows of one statement, so that a large clean-up never blocks the living for long. */
const batchRows = 2_000;

/**
 * Each statement deletes at most $2 rows settled more than $1 days ago. Never touched: what waits, runs or is pending,
 * and the memory that a session has now. A turn goes before its events, and never before its entries when a retry
 * retracted them: nothing forgotten comes back.
 */
const statements = [
  `delete from entry where ctid = any (array(
     select entry.ctid from entry join session using (session_key)
      where entry.created_at < now() - $1::integer * interval '1 day'
        and (entry.generation < session.generation or entry.turn_id in (select turn_id from turn where retracted))
        and entry.turn_id is distinct from session.open_turn
      limit $2))`,
  `delete from turn where ctid = any (array(
     select ctid from turn
      where ended_at < now() - $1::integer * interval '1 day'
        and not (retracted and exists (
          select from entry where entry.session_key = turn.session_key and entry.turn_id = turn.turn_id))
      limit $2))`,
  `delete from inbox where ctid = any (array(
     select ctid from inbox
      where recorded_at < now() - $1::integer * interval '1 day'
        and (reason is not null or turn_id is not null)
        and not exists (select from turn where turn.turn_id = inbox.turn_id)
      limit $2))`,
  `delete from seen where ctid = any (array(
     select ctid from seen
      where recorded_at < now() - $1::integer * interval '1 day'
        and not exists (
          select from inbox where inbox.event_id = seen.event_id and inbox.account_id = seen.account_id)
      limit $2))`,
  `delete from outbox where ctid = any (array(
     select ctid from outbox
      where settled_at < now() - $1::integer * interval '1 day' and state <> 'pending'
      limit $2))`,
  `delete from preview where ctid = any (array(
     select ctid from preview
      where saved_at < now() - $1::integer * interval '1 day'
        and not exists (select from outbox where outbox.turn_id = preview.turn_id and state = 'pending')
      limit $2))`,
  `delete from sent_message where ctid = any (array(
     select ctid from sent_message where sent_at < now() - $1::integer * interval '1 day' limit $2))`,
  `delete from process where ctid = any (array(
     select ctid from process where lease_until < now() - $1::integer * interval '1 day' limit $2))`,
  `delete from attachment where ctid = any (array(
     select ctid from attachment
      where created_at < now() - $1::integer * interval '1 day'
        and not exists (
          select from inbox where inbox.event_id = attachment.event_id and inbox.account_id = attachment.account_id)
      limit $2))`,
  `delete from media where ctid = any (array(
     select ctid from media
      where last_used_at < now() - case when sha256 is null then interval '1 hour' else $1::integer * interval '1 day' end
        and (sha256 is null or sha256 not in (select media_in_use()))
      limit $2))`,
  `delete from pairing where ctid = any (array(
     select ctid from pairing where expires_at < now() - $1::integer * interval '1 day' limit $2))`,
  `delete from spending where ctid = any (array(
     select ctid from spending
      where started_at < now() - interval '1 day' - window_ms * interval '1 millisecond' and $1::integer > 0
      limit $2))`,
  ...conversationStatements,
];

/** Returns how many rows went. May be cut short at any moment; the next call goes on. */
export async function prune(database: Database, olderThanDays: number): Promise<number> {
  let total = 0;
  for (const statement of statements) {
    for (;;) {
      const [row] = await database.query<{ count: number }>({
        text: `with gone as (${statement} returning 1) select count(*)::integer as count from gone`,
        values: [olderThanDays, batchRows],
      });
      const count = row?.count ?? 0;
      total += count;
      if (count < batchRows) break;
    }
  }
  await database.query({ text: dropUnusedFunctions });
  return total;
}
