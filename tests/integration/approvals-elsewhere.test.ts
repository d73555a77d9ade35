import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, callTools, type ModelServer, say, startModelServer } from "@talaria/testkit";
import pg from "pg";
import { type ApprovalScene, approvalScenes, type Room, waitForText } from "../support/approval-scenes.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";

const rules = `
policy:
  rules:
    - { ask: The time is a secret, tool: current_time }
    - { ask: The time is a secret, tool: current_time, in: group, as: owner }
    - { ask: The time is a secret, tool: current_time, in: group, as: guest }
`;

for (const [name, startScene] of Object.entries(approvalScenes))
  describe(`a call that needs somebody's approval, on ${name}`, () => {
    const plan = new ModelPlan();
    let scene: ApprovalScene;
    let model: ModelServer;
    let talaria: Installation;

    before(async () => {
      scene = await startScene(() => talaria);
      model = await startModelServer({ respond: plan.respond });
      const models = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test } }`;
      talaria = await Installation.start({ database: "shared", config: `${models}${rules}${scene.config}` });
      await connected();
    });
    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await scene?.stop();
    });

    const connected = async () => {
      if (scene.config !== "")
        await waitFor(async () => (await talaria.connectionOf("main")) === "connected", "the connection");
    };
    const results = () => model.requests.at(-1)?.toolResults ?? [];

    it("is asked for, survives a restart of everything, is given once, and the call runs once", async () => {
      const { direct } = scene;
      plan.answer("what time is it?", callTool("current_time", {}), say("It is late."));
      await direct.say("owner", "what time is it?");
      const question = await waitForText(direct, /May I /);
      assert.match(
        question.text,
        /May I look at the clock\?[\s\S]*The time is a secret[\s\S]*An owner can decide within 60 minutes/,
      );
      const asked = model.requestCount();
      await talaria.stop();
      await talaria.begin();
      await connected();
      await direct.press("owner", question, "Approve");
      await waitForText(direct, /It is late\./);
      const again = direct.press("owner", question, "Approve");
      if (scene.spendsButtons) await assert.rejects(again, /nobody can press/);
      else await waitForText(direct, /That was already approved by /);
      assert.equal(model.requestCount(), asked + 1);
      assert.equal(results().length, 1);
      assert.match(results()[0] ?? "", /UTC: 20/);
    });

    it("expires, which denies it, and the people are told", async () => {
      const { direct } = scene;
      plan.answer("and now?", callTool("current_time", {}), say("Nobody answered me."));
      await direct.say("owner", "and now?");
      const isQuestion = async () => (await direct.shown()).filter(({ text }) => /May I /.test(text))[1];
      const question = await waitFor(isQuestion, "a second question");
      await expireOpenCalls(talaria.databaseUrl ?? "");
      await waitForText(direct, /Nobody has decided in time, so I didn't do this/);
      await waitForText(direct, /Nobody answered me\./);
      assert.match(results()[0] ?? "", /^EXPIRED/);
      const asked = model.requestCount();
      await waitForText(direct, /Expired: nobody decided in time\./);
      const press = direct.press("owner", question, "Approve");
      if (scene.spendsButtons) await assert.rejects(press, /nobody can press/);
      else {
        const isAnswer = ({ text }: { text: string }) => /Nobody decided this in time/.test(text);
        const isTold = async () => (await direct.shown()).some(isAnswer);
        await waitFor(isTold, "the answer to a late press");
      }
      assert.equal(model.requestCount(), asked);
    });

    it("is asked for no more once somebody stops it, nor can it be approved, nor the seven beside it", async () => {
      const { direct } = scene;
      const before = await numberOf(direct, /May I /);
      const eight = Array.from({ length: 8 }, (_, n) => ["current_time", { timeZone: `Etc/GMT+${n + 1}` }] as const);
      plan.answer("eight times", callTools(...eight), say("All done."));
      await direct.say("owner", "eight times");
      await waitFor(async () => (await numberOf(direct, /May I /)) > before, "the first question");
      const asked = model.requestCount();
      await direct.say("owner", "/stop");
      await waitForText(direct, /^Stopped\.$/);
      const ended = await waitFor(() => endedCalls(talaria.databaseUrl ?? ""), "the end of the turn");
      assert.deepEqual(ended, { cancelled: 5, results: 8, pending: 0 });
      const shown = await numberOf(direct, /May I /);
      for (const { id } of await cancelledCalls(talaria.databaseUrl ?? "")) await direct.say("owner", `/approve ${id}`);
      const isRefused = async () =>
        (await numberOf(direct, /This was stopped before anybody decided|Nothing here waits/)) >= 5;
      await waitFor(isRefused, "the answers to five commands");
      assert.equal(model.requestCount(), asked);
      // What the console showed before it went out may be gone.
      assert.ok((await numberOf(direct, /May I /)) <= shown);
    });

    it("loses its buttons however it is decided, and says how that ended", async () => {
      const { direct } = scene;
      for (const [n, words, ending] of [
        [1, "/deny", /✗ Denied by /],
        [2, "/stop", /Stopped: this was not done\.$/],
      ] as const) {
        plan.answer(`number ${n}?`, callTool("current_time", {}), say("I may not."));
        const before = new Set((await direct.shown()).map(({ id }) => id));
        await direct.say("owner", `number ${n}?`);
        const isNew = async () => (await direct.shown()).find(({ id, text }) => !before.has(id) && /May I /.test(text));
        const question = await waitFor(isNew, "a question");
        assert.deepEqual(Object.keys(question.buttons), ["Approve", "Deny"]);
        await direct.say("owner", words);
        const isClosed = async () => {
          const found = (await direct.shown()).find(({ id }) => id === question.id);
          return found === undefined || ending.test(found.text) ? { found } : undefined;
        };
        const { found } = await waitFor(isClosed, "its end");
        // The console shows what is about to go out, and `/stop` withdraws that.
        if (found === undefined) assert.deepEqual([name, words], ["web", "/stop"]);
        else assert.deepEqual([/May I /.test(found.text), found.buttons], [true, {}]);
      }
    });

    it("is refused for the wrong person, and denied by the right one", async (test) => {
      const { group } = scene;
      if (group === undefined) return test.skip("nobody but the operator writes here");
      plan.answer("tell us the time", callTool("current_time", {}), say("I may not."));
      await group.say("guest", "tell us the time");
      const question = await waitForText(group, /May I /);
      const asked = model.requestCount();
      await group.press("guest", question, "Approve");
      await group.press("owner", question, "Deny");
      await waitForText(group, /I may not\./);
      await waitForText(group, /✗ Denied by /);
      assert.equal(await numberOf(group, /^Denied\.$/), 0, "the question says so");
      assert.equal(model.requestCount(), asked + 1);
      assert.match(results()[0] ?? "", /^DENIED by /);
    });
  });

async function numberOf(room: Room, matches: RegExp): Promise<number> {
  return (await room.shown()).filter(({ text }) => matches.test(text)).length;
}

/** How the calls of the last turn ended; undefined while it is open. */
async function endedCalls(url: string): Promise<Readonly<Record<string, number>> | undefined> {
  const [row] = await rowsOf<Readonly<Record<string, number>>>(
    url,
    `select (select count(*) from talaria.open_call
              where open_call.turn_id = last.turn_id and settlement = 'cancelled')::integer as cancelled,
            (select count(*) from talaria.entry
              where entry.turn_id = last.turn_id and kind = 'tool.result')::integer as results,
            (select count(*) from talaria.outbox where state = 'pending')::integer as pending
       from (select * from talaria.turn order by started_at desc limit 1) as last
      where state = 'aborted'`,
  );
  return row?.pending === 0 ? row : undefined;
}

function cancelledCalls(url: string): Promise<readonly { readonly id: string }[]> {
  return rowsOf(url, "select id from talaria.open_call where settlement = 'cancelled'");
}

/** The time of every question is over, as after an hour. */
async function expireOpenCalls(url: string): Promise<void> {
  await rowsOf(url, "update talaria.open_call set expires_at = now() where settled_at is null");
}

async function rowsOf<Row>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}
