import type pg from "pg";

export interface PastRows {
  readonly rows: number;
  /** The newest of them, which were not read for searches yet. The others are there with what reading leaves. */
  readonly unread: number;
  /** Different words, of which the first are said most. */
  readonly vocabulary: number;
}

const wordsOfLine = 20;
const conversationsOfPerson = 20;
const step = 50_000;

/** A word of the vocabulary, with an ending that some language has. */
export function wordAt(n: number): string {
  return `w${[...String(n)].map((digit) => "aeioubdkst"[Number(digit)]).join("")}${["", "ing", "en", "ar", "s"][n % 5]}`;
}

const words = `
  create temporary table word as
  select n - 1 as n, word, array(select word union select unnest(stems_of(word, ''))) as forms from unnest($1::text[]) with ordinality as given (word, n)`;

/** Of lines that are neither unread nor the person's own a search looks at nothing but this row. */
const lines = `
  with line as materialized (
    select n, now() - ($3::integer - n) * interval '1 second' as at, case when n % 10 = 0 then 'own' else 'other-' || n % 1000 end as user_id,
           case when n % 10 = 0 then 'own-' || n / 10 % ${conversationsOfPerson} else 'other-' || n % 1000 end as conversation_id,
           $3 - n < $4::integer as is_unread
      from generate_series($1::integer, $2::integer) as n
  ), spoken as materialized (
    select n, floor($5::integer * power(random(), 3))::integer as nth from line cross join generate_series(1, ${wordsOfLine})
  ), said as materialized (
    select line.*, 'said-' || n as event_id, markdown, terms
      from line
           join (select line.n, string_agg(word, ' ') filter (where part = 1) as markdown,
                        array[place_term('bench', conversation_id)] || array_agg(form) as terms
                   from spoken join line using (n) join word on word.n = nth cross join lateral unnest(forms) with ordinality as given (form, part)
                  group by line.n, conversation_id) as made using (n)
  ), listed as (
    insert into chat (account_id, conversation_id, platform, kind, last_at, person_id, read_lines, read_words)
    select 'bench', conversation_id, 'loopback', 'direct', max(at), user_id, count(*) filter (where not is_unread),
           ${wordsOfLine} * count(*) filter (where not is_unread)
      from said
     group by conversation_id, user_id
    on conflict (account_id, conversation_id) do update
      set last_at = excluded.last_at, read_lines = chat.read_lines + excluded.read_lines, read_words = chat.read_words + excluded.read_words
  ), known as (
    insert into chat_line (is_ours, line_id, account_id, conversation_id, at, words, terms, length)
    select false, event_id, 'bench', conversation_id, at, line_words(markdown, 'bench'), case when not is_unread then terms end,
           case when not is_unread then ${wordsOfLine} end
      from said
     order by n
  ), seen_now as (
    insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
    select event_id, 'bench', conversation_id, 'm-' || n, user_id, at, at from said where is_unread or user_id = 'own'
  )
  insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, recorded_at, reason)
  select 'bench/' || conversation_id, n, 'bench', event_id, conversation_id, 'queue', jsonb_build_object(
           'id', event_id, 'type', 'message.created',
           'conversation', jsonb_build_object('accountId', 'bench', 'platform', 'loopback', 'conversationId', conversation_id, 'kind', 'direct'),
           'sender', jsonb_build_object('userId', user_id, 'role', 'person', 'displayName', user_id, 'assurance', 'platform'),
           'message', jsonb_build_object('messageId', 'm-' || n, 'markdown', markdown, 'attachments', '[]'::jsonb)),
         at, 'bench'
    from said
   where is_unread or user_id = 'own'`;

/** Lines, of which a tenth are those of one person, `own`, in twenty conversations. Their indexes are made at the end, which takes a fraction. */
export async function fillPast(client: pg.Client, { rows, unread, vocabulary }: PastRows): Promise<void> {
  const run = async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows;
  const [functions] = await run("select name from function_set order by last_used desc limit 1");
  await run(`set search_path = ${functions?.name}, talaria`);
  await run("set work_mem = '256MB'");
  await run("set maintenance_work_mem = '512MB'");
  await run("set synchronous_commit = off");
  const indexes = await run(
    "select indexname, indexdef from pg_indexes where tablename = 'chat_line' and indexdef like '%gin%'",
  );
  for (const { indexname } of indexes) await run(`drop index ${indexname}`);
  await run("select setseed(0.5)");
  await run(words, [Array.from({ length: vocabulary }, (_, n) => wordAt(n))]);
  await run("analyze word");
  for (let first = 1; first <= rows; first += step)
    await run(lines, [first, Math.min(first + step - 1, rows), rows, unread, vocabulary]);
  for (const { indexdef } of indexes) await run(indexdef);
  await run("update total set value = extract(epoch from clock_timestamp()) * 1000000 where name = 'chats_inbox'");
  await run("vacuum analyze");
}
