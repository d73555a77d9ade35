import { type AccountId, brandAs, type Conversation, type ConversationId, type UserId } from "@talaria/protocol";
import type pg from "pg";
import { startEmbeddedStore } from "./embedded-store.ts";
import type { Figure } from "./main.ts";
import { describeMs } from "./statistics.ts";

/** Lines that were said; one in ten is of the person who searches. */
const rows = Number(process.env.TALARIA_BENCH_ROWS ?? 100_000);
const conversationsOfPerson = 20;
/** Different words, of which the first are said most. */
const vocabulary = 20_000;
const wordsOfLine = 20;
const searches = 200;
const step = 20_000;
const never = new AbortController().signal;

const filler = `
  with said as materialized (
    select n, at, event_id, conversation_id, user_id, (
             select string_agg('w' || floor($4 * power(random(), 3)), ' ') from generate_series(1, $5) where n > 0) as markdown
      from (select n, now() - ($3::integer - n) * interval '1 second' as at, 'said-' || n as event_id,
                   case when n % 10 = 0 then 'own-' || n / 10 % $6 else 'other-' || n % 1000 end as conversation_id,
                   case when n % 10 = 0 then 'own' else 'other-' || n % 1000 end as user_id
              from generate_series($1::integer, $2::integer) as given (n)) as line
  ), seen_now as (
    insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
    select event_id, 'bench', conversation_id, 'm-' || n, user_id, at, at from said
  )
  insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, reason)
  select 'bench/' || conversation_id, n, 'bench', event_id, conversation_id, 'queue', jsonb_build_object(
           'id', event_id, 'type', 'message.created',
           'conversation', jsonb_build_object('accountId', 'bench', 'platform', 'loopback', 'conversationId', conversation_id, 'kind', 'direct'),
           'sender', jsonb_build_object('userId', user_id, 'role', 'person', 'displayName', user_id, 'assurance', 'platform'),
           'message', jsonb_build_object('messageId', 'm-' || n, 'markdown', markdown, 'attachments', '[]'::jsonb)),
         at, 'bench'
    from said`;

/** How long a search of what was said before takes, by a person of whom a tenth of all lines is. */
export async function past(): Promise<readonly Figure[]> {
  await using bench = await startEmbeddedStore(4);
  await fill(bench.client);
  const { chats, search } = bench.store;
  const began = performance.now();
  await chats.catchUp(never);
  await search.catchUp(never);
  const readMs = performance.now() - began;
  await bench.client.query("analyze");
  const conversation: Conversation = {
    ...{ accountId: brandAs<AccountId>("bench"), platform: "loopback", kind: "direct" },
    conversationId: brandAs<ConversationId>("own-1"),
  };
  const asker = { conversation, userId: brandAs<UserId>("own"), hasPrivateThreads: false };
  const find = async (text: string) => {
    const from = performance.now();
    const { hits } = await search.find({ text, limit: 10, chars: 500 }, asker);
    return { ms: performance.now() - from, hits: hits.length };
  };
  const kinds: Readonly<Record<string, (n: number) => string>> = {
    "a rare word": (n) => `w${vocabulary / 2 + n}`,
    "three words, one of them said often": (n) => `w${n % 10} w${2_000 + n} w${9_000 + n}`,
    "two words that are said often": (n) => `w${n % 10} w${10 + (n % 20)}`,
  };
  const figures: Figure[] = [];
  for (const [what, textOf] of Object.entries(kinds)) {
    for (let n = 0; n < 10; n += 1) await find(textOf(n));
    const found = [];
    for (let n = 0; n < searches; n += 1) found.push(await find(textOf(n)));
    const some = found.filter(({ hits }) => hits > 0).length;
    figures.push({
      measure: `a search of ${rows} lines, ${rows / 10} of them one's own: ${what}`,
      reach: "p95 50 ms",
      value: `${describeMs(found.map(({ ms }) => ms))}, ${some} with hits`,
    });
  }
  return [
    ...figures,
    {
      measure: "lines that are read for searches",
      reach: "",
      value: `${Math.round((rows / readMs) * 1_000)} a second`,
    },
  ];
}

async function fill(client: pg.Client): Promise<void> {
  await client.query("select setseed(0.5)");
  for (let first = 1; first <= rows; first += step) {
    const last = Math.min(first + step - 1, rows);
    await client.query(filler, [first, last, rows, vocabulary, wordsOfLine, conversationsOfPerson]);
  }
  await client.query("analyze");
}
