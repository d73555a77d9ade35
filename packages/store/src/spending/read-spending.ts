import { type Conversation, conversationSchema, type Sender, senderSchema } from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { readEach } from "../database/read-rows.ts";
import type { Spent } from "../ports/operations.ts";

interface Row extends Omit<Spent, "max" | "liftedForMs"> {
  readonly max: number | null;
  readonly liftedForMs: number;
}

const columns = `
  select key, used::float8 as used, max::float8 as max, refused::float8 as refused,
         greatest(0, ceil(extract(epoch from started_at + window_ms * interval '1 millisecond' - clock_timestamp()) * 1000))::float8
           as "endsInMs",
         coalesce(greatest(0, ceil(extract(epoch from lifted_until - clock_timestamp()) * 1000)), 0)::float8 as "liftedForMs"
    from spending`;

const isOpen = "started_at + window_ms * interval '1 millisecond' > clock_timestamp()";

export async function readSpent(database: Database, keys: readonly string[]): Promise<readonly Spent[]> {
  const text = `${columns} where key = any ($1::text[]) and ${isOpen} order by key`;
  return (await database.query<Row>({ text, values: [keys] })).map(toSpent);
}

export async function readSpentNamed(database: Database, id: string): Promise<readonly Spent[]> {
  const text = `${columns} where left(md5(key), 12) = $1 and ${isOpen} and (used >= max or refused > 0) order by key limit 2`;
  return (await database.query<Row>({ text, values: [id] })).map(toSpent);
}

export async function readSpending(database: Database, limit: number): Promise<readonly Spent[]> {
  const text = `${columns} where ${isOpen} and (key ~ '^[a-z-]+/(account/|total$)' or used >= max or refused > 0)
    order by used / greatest(max, 1)::float8 desc nulls last, key limit $1`;
  return (await database.query<Row>({ text, values: [limit] })).map(toSpent);
}

/** Of so many refused events, the latest. */
const searchedRefused = 2_000;
const mostRefused = 500;
const refusedRow = z.object({ conversation: conversationSchema, sender: senderSchema });

/** Rows of strangers' words that this release can't read name nobody. */
export async function readRefusedBy(
  database: Database,
  key: string,
): Promise<readonly { readonly conversation: Conversation; readonly sender: Sender }[]> {
  const text = `
    select conversation, sender
      from (select distinct on (account_id, conversation_id, sender ->> 'userId') conversation, sender, recorded_at
              from (select account_id, conversation_id, body -> 'conversation' as conversation, body -> 'sender' as sender, recorded_at
                      from inbox
                     where refused_by = $1 and turn_id is null and body -> 'sender' ->> 'role' = 'person'
                     order by recorded_at desc limit ${searchedRefused}) as latest
             order by account_id, conversation_id, sender ->> 'userId', recorded_at desc) as one
     order by recorded_at desc limit ${mostRefused}`;
  const rows = await database.query<{ conversation: unknown; sender: unknown }>({ text, values: [key] });
  return readEach(refusedRow, rows).rows;
}

function toSpent({ max, liftedForMs, ...row }: Row): Spent {
  return { ...row, ...(max === null ? {} : { max }), ...(liftedForMs === 0 ? {} : { liftedForMs }) };
}
