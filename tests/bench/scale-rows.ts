import type pg from "pg";

const place = `jsonb_build_object('accountId', 'bench', 'platform', 'loopback', 'conversationId', 'old-' || n, 'kind', 'direct')`;
const event = `jsonb_build_object('id', 'old-' || n, 'type', 'message.created', 'conversation', ${place},
  'sender', jsonb_build_object('userId', 'u', 'role', 'person', 'displayName', 'Ada', 'assurance', 'platform'),
  'message', jsonb_build_object('messageId', 'm-' || n, 'markdown', repeat('words ', 40), 'attachments', '[]'::jsonb))`;
/** Ten messages to a session, and a time of its own for each. */
const key = "'bench/old-' || (n / 10)";
const at = "now() - $3::integer * interval '1 day' + n * interval '1 millisecond'";

/** One settled message each, with everything that it leaves behind, numbered from..to, so many days old. */
const fillers: readonly string[] = [
  `insert into session (session_key, conversation, last_seq, created_at)
   select ${key}, ${place}, 10, ${at} from numbers where n % 10 = 0`,
  `insert into memory (session_key, generation, prompt) select ${key}, 1, repeat('prompt ', 100) from numbers where n % 10 = 0 and $3::integer >= 0`,
  `insert into seen select 'old-' || n, 'bench', 'old-' || n / 10, 'm-' || n, 'u', ${at}, ${at} from numbers`,
  `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, turn_id)
   select ${key}, n % 10 + 1, 'bench', 'old-' || n, 'old-' || n / 10, 'queue', ${event}, ${at}, 'turn-' || n from numbers`,
  `insert into turn (turn_id, session_key, generation, first_seq, last_seq, fence, state, route, started_at, ended_at)
   select 'turn-' || n, ${key}, 1, n % 10 + 1, n % 10 + 1, 1, 'completed', ${place}, ${at}, ${at} from numbers`,
  `insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, turn_id, body, state, created_at, settled_at)
   select 'reply:' || n, 'bench', 'old-' || n / 10, 'reply', ${key}, 'turn-' || n,
          jsonb_build_object('markdown', repeat('words ', 40)), 'sent', ${at}, ${at} from numbers`,
  `insert into sent_message (message_id, conversation_id, account_id, turn_id, sent_at)
   select 'out-' || n, 'old-' || n / 10, 'bench', 'turn-' || n, ${at} from numbers`,
  `insert into preview (turn_id, account_id, state, saved_at) select 'turn-' || n, 'bench', 'posted', ${at} from numbers`,
];

const step = 50_000;

export async function fillMessages(client: pg.Client, from: number, to: number, daysOld: number): Promise<void> {
  for (const filler of fillers) await inSteps(client, filler, from, to, daysOld);
  await fillEntries(client, from, to, 2, daysOld);
  await client.query("analyze");
}

/** So many entries to each message. */
export async function fillEntries(
  client: pg.Client,
  from: number,
  to: number,
  each: number,
  daysOld: number,
): Promise<void> {
  const text = `insert into entry (session_key, generation, turn_id, kind, body, created_at)
    select ${key}, 1, 'turn-' || n, 'note', json_build_object('kind', 'note', 'text', repeat('words ', 20)), ${at}
      from numbers, generate_series(1, ${each})`;
  await inSteps(client, text, from, to, daysOld);
}

/** A message for each of so many sessions waits, and nobody was told. */
export async function fillWaiting(client: pg.Client, count: number): Promise<void> {
  const sessions = `insert into session (session_key, conversation, last_seq) select 'bench/waits-' || n, ${place}, 1 from numbers where $3::integer = 0`;
  const events = `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at)
    select 'bench/waits-' || n, 1, 'bench', 'waits-' || n, 'waits-' || n, 'queue', ${event}, now() - interval '1 minute'
      from numbers where $3::integer = 0`;
  for (const text of [sessions, events]) await inSteps(client, text, 0, count, 0);
  await client.query("analyze");
}

/** In `filler`, `numbers` stands for the numbers of a step. $3 is the age in days. */
async function inSteps(client: pg.Client, filler: string, from: number, to: number, daysOld: number): Promise<void> {
  const text = filler.replaceAll("from numbers", "from generate_series($1::integer, $2::integer) as given (n)");
  for (let first = from; first < to; first += step)
    await client.query(text, [first, Math.min(first + step, to) - 1, daysOld]);
}
