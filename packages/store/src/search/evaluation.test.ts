import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { evaluationSet, type Line, type Question } from "./evaluation.fixture.ts";
import { useTalks } from "./talks.fixture.ts";

/** So many of a hundred questions. */
const reach = { messageAmongTen: 75, sessionAmongThree: 85 };

describe("a search of twenty conversations of 300 lines, without embeddings", () => {
  const talks = useTalks();
  const { lines, questions } = evaluationSet();

  async function store(): Promise<void> {
    const place =
      "jsonb_build_object('accountId', 'acct', 'platform', 'loopback', 'conversationId', person, 'kind', 'direct')";
    const given = `jsonb_to_recordset($1::jsonb) as line (person text, id text, "isOurs" boolean, at float8, text text)`;
    const values = [JSON.stringify(lines)];
    for (const text of [
      `insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
       select id, 'acct', person, id, person, to_timestamp(at / 1000), to_timestamp(at / 1000) from ${given} where not "isOurs"`,
      `insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, reason, recorded_at)
       select 'acct/' || person, row_number() over (order by at), 'acct', id, person, 'queue', jsonb_build_object(
                'type', 'message.created', 'conversation', ${place},
                'sender', jsonb_build_object('userId', person, 'role', 'person', 'displayName', 'Ada'),
                'message', jsonb_build_object('messageId', id, 'markdown', text)), 'kept', to_timestamp(at / 1000)
         from ${given} where not "isOurs"`,
      `insert into outbox (delivery_key, account_id, conversation_id, kind, body, state, created_at)
       select id, 'acct', person, 'reply', jsonb_build_object('conversation', ${place}, 'markdown', text), 'sent', to_timestamp(at / 1000)
         from ${given} where "isOurs"`,
    ])
      await talks.sql(text, values);
    await talks.read();
    await talks.sql("analyze");
  }

  it("finds a right line among ten, and its session among three", { timeout: 120_000 }, async (test) => {
    await store();
    assert.deepEqual([lines.length, questions.length], [6_000, 200]);
    const right = { message: 0, session: 0, asked: 0, nothing: 0, none: 0 };
    const missed: string[] = [];
    const ask = async (question: Question) => {
      const { kind, person, text, since, until, absent = "" } = question;
      const { hits, sittings } = await talks.find(text, talks.asking({ conversation: person }), {
        ...(since !== undefined && { since: instantOf(since) }),
        ...(until !== undefined && { until: instantOf(until) }),
      });
      if (kind === "nothing") {
        right.nothing += 1;
        if (hits.every(({ markdown }) => !markdown.includes(absent))) right.none += 1;
        return;
      }
      right.asked += 1;
      const isFound = hits.some(({ id }) => question.right.some((line) => line.id === id));
      if (isFound) right.message += 1;
      else missed.push(`${kind}: ${text}`);
      if (sittings.some((sitting) => question.right.some((line) => isIn(line, sitting)))) right.session += 1;
    };
    const waiting = [...questions];
    const asking = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await ask(next);
    };
    await Promise.all([asking(), asking(), asking()]);
    const share = (count: number) => (100 * count) / right.asked;
    test.diagnostic(
      `a right line among ten: ${share(right.message)} %; its session among three: ${share(right.session)} %; missed: ${missed.join(" | ")}`,
    );
    assert.ok(share(right.message) >= reach.messageAmongTen, `a right line: ${share(right.message)} %`);
    assert.ok(share(right.session) >= reach.sessionAmongThree, `its session: ${share(right.session)} %`);
    assert.equal(right.none, right.nothing);
  });
});

/** The answer may stand beside the line that has the words. */
function isIn({ at }: Line, sitting: { readonly from: string; readonly until: string }): boolean {
  const besideMs = 2 * 3_600_000;
  return at >= Date.parse(sitting.from) - besideMs && at <= Date.parse(sitting.until) + besideMs;
}
