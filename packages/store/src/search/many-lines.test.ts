import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { useTalks } from "./talks.fixture.ts";

/** So many that of a word that a fifth of them have not all lines are looked at. */
const lines = 18_000;

describe("a search of a conversation with very many lines", () => {
  const talks = useTalks();
  const asker = talks.asking({ conversation: "long" });
  const found = async (text: string) => (await talks.find(text, asker)).hits.map(({ id }) => id);

  /** Line 1 is the newest. Every fifth has "alpha", the one after it "beta"; one old line has both, another one a word of its own. */
  before(async () => {
    const text = `case n when 17002 then 'alpha beta together' when 17003 then 'a zeppelin of mine'
                  else (array['alpha', 'beta', 'gamma', 'delta', 'omega'])[1 + n % 5] || ' is number' || n end`;
    await talks.sql(
      `insert into chat (account_id, conversation_id, platform, kind, last_at, person_id, read_lines, read_words)
       values ('acct', 'long', 'loopback', 'direct', now(), 'long', $1::integer, 3 * $1::integer)`,
      [lines],
    );
    await talks.sql(
      `insert into chat_line (is_ours, line_id, account_id, conversation_id, at, words, terms, length)
       select false, 'line-' || n, 'acct', 'long', now() - n * interval '1 minute', '', '{}' || string_to_array(${text}, ' ') || ('@' || md5('acct long')), 3
         from generate_series(1, $1::integer) as n`,
      [lines],
    );
    await talks.sql(
      `with heard as (
         insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, reason, recorded_at)
         select 'acct/long', n, 'acct', 'line-' || n, 'long', 'queue', jsonb_build_object(
                  'type', 'message.created', 'conversation', jsonb_build_object('kind', 'direct'),
                  'sender', jsonb_build_object('userId', 'long', 'role', 'person', 'displayName', 'Ada'),
                  'message', jsonb_build_object('messageId', 'line-' || n, 'markdown', ${text})), 'kept', now() - n * interval '1 minute'
           from generate_series(1, $1::integer) as n
          where n <= 100 or n > 17000
         returning *)
       insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
       select event_id, account_id, conversation_id, event_id, 'long', recorded_at, recorded_at from heard`,
      [lines],
    );
    await talks.sql("analyze");
  });

  it("finds the one old line that has a word, also beside words that many have", async () => {
    assert.equal((await found("zeppelin"))[0], "line-17003");
    assert.equal((await found("alpha zeppelin omega"))[0], "line-17003");
  });

  it("finds the one old line that has both of two words that many have", async () => {
    assert.equal((await found("alpha beta"))[0], "line-17002");
  });

  it("finds the newest of the lines that have one word that many have", async () => {
    const ids = await found("alpha");
    assert.ok(ids.includes("line-5") && ids.includes("line-10"), ids.join());
  });
});
