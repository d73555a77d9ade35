import { type AccountId, conversationSchema, type MessageId, type TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import type { AbandonedPreview, AccountLease, Preview } from "../ports/outbox.ts";

/** Read at a time; the rest is left to the next gateway that takes the account. */
const maxAbandoned = 100;

export async function readPreview(database: Database, turnId: TurnId): Promise<Preview | undefined> {
  const [row] = await database.query<{ state: Preview["state"]; message_id: MessageId | null }>({
    name: "preview",
    text: "select state, message_id from preview where turn_id = $1",
    values: [turnId],
  });
  if (row === undefined) return undefined;
  return { state: row.state, ...(row.message_id === null ? {} : { messageId: row.message_id }) };
}

/** Turns that ended long ago are left alone: their texts may have been pruned. */
const abandonedText = `
  select preview.turn_id, preview.message_id, turn.route
    from preview join turn using (turn_id)
   where preview.account_id = $1 and preview.message_id is not null
     and turn.state in ('aborted', 'failed') and turn.ended_at > now() - interval '1 day'
     and not exists (select from outbox where outbox.turn_id = preview.turn_id)
     and ($2::text[] is null or preview.turn_id = any ($2))
   order by preview.saved_at
   limit ${maxAbandoned}`;

export async function readAbandonedPreviews(
  database: Database,
  accountId: AccountId,
  turnIds: readonly TurnId[] | undefined,
): Promise<readonly AbandonedPreview[]> {
  const rows = await database.query<{ turn_id: TurnId; message_id: MessageId; route: unknown }>({
    text: abandonedText,
    values: [accountId, turnIds ?? null],
  });
  return rows.map(({ turn_id, message_id, route }) => ({
    turnId: turn_id,
    messageId: message_id,
    conversation: read(conversationSchema, route),
  }));
}

export async function forgetPreview(
  database: Database,
  { accountId, fence }: AccountLease,
  turnId: TurnId,
): Promise<void> {
  await database.query({
    name: "forget_preview",
    text: `
      delete from preview using account
       where turn_id = $1 and preview.account_id = $2
         and account.account_id = $2 and fence = $3 and holder is not null`,
    values: [turnId, accountId, fence],
  });
}
