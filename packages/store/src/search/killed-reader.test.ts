import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { never } from "../test-store.ts";
import { useTalks } from "./talks.fixture.ts";

/** Several pages. */
const lines = 1_700;
const patienceMs = 120_000;

describe("a process that reads lines for searches", () => {
  const talks = useTalks();

  it("loses nothing and reads nothing twice when it is killed in the middle of a page", {
    timeout: patienceMs,
  }, async () => {
    await talks.sql(
      `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, reason, recorded_at)
       select 'acct/' || person, n, 'acct', 'said-' || n, person, 'queue', jsonb_build_object(
                'type', 'message.created',
                'conversation', jsonb_build_object('accountId', 'acct', 'platform', 'loopback', 'conversationId', person, 'kind', 'direct'),
                'sender', jsonb_build_object('userId', person, 'role', 'person', 'displayName', 'Ada'),
                'message', jsonb_build_object('messageId', 'said-' || n, 'markdown', 'heron number' || n || ' of the painted garages')),
              'kept', clock_timestamp() - n * interval '1 second'
         from (select n, case when n <= ${lines / 2} then 'newer' else 'older' end as person from generate_series(1, ${lines}) as n) as said`,
    );
    await talks.sql(
      `insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
       select event_id, account_id, conversation_id, body #>> '{message,messageId}', conversation_id, recorded_at, recorded_at from inbox`,
    );
    await talks.test.store.chats.catchUp(never);
    const holder = new pg.Client({ connectionString: talks.test.url, options: "-c search_path=talaria" });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select from chat where conversation_id = 'older' for update");
    const reader = spawn(process.execPath, [
      join(import.meta.dirname, "../testing/read-lines-process.ts"),
      talks.test.url,
    ]);
    const ended = once(reader, "exit");
    const counted = async () =>
      (
        await talks.sql(`
          select count(*)::integer as lines, count(terms)::integer as read, sum(length)::integer as words,
                 count(*) filter (where 1 = cardinality(array_positions(terms, 'heron')))::integer as once,
                 (select sum(read_lines)::integer from chat) as counted, (select sum(read_words)::integer from chat) as counted_words
            from chat_line`)
      )[0];
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await talks.sql(waiting)).length === 0) await pause(20);
    const { read } = await counted();
    assert.ok(read > 0 && read < lines, `${read} lines were read`);
    reader.kill("SIGKILL");
    assert.equal((await ended)[1], "SIGKILL");
    await holder.query("rollback");
    await holder.end();
    await talks.read();
    assert.deepEqual(await counted(), {
      ...{ lines, read: lines, once: lines, counted: lines, words: 6 * lines, counted_words: 6 * lines },
    });
    assert.equal((await talks.find("number1234", talks.asking({ conversation: "older" }))).hits[0]?.id, "said-1234");
  });
});
