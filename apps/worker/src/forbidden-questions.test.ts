import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Tool } from "@talaria/agent";
import { loadConfig } from "@talaria/config";
import { instantOf, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import type { CallStore } from "@talaria/store";
import { describedTools } from "@talaria/tools";
import type { AuthoriseWith } from "./authorise.ts";
import { denyForbiddenQuestions, type ForbiddenQuestionsDeps } from "./forbidden-questions.ts";
import {
  createTestStore,
  done,
  ScriptedModel,
  says,
  Talk,
  type TestStore,
  TestWorker,
  tool,
} from "./worker.fixture.ts";

const base = `
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:1", apiKey: k, model: m } }
web: { search: { provider: searxng, baseUrl: "https://find.example.org" } }
mcp:
  servers:
    books: { url: "https://books.example/mcp", reads: [look] }
    shell: { command: [node, server.js] }
`;
const never = async () => "never";
const served = ["mcp_books_order", "mcp_books_look", "mcp_shell_run", "mcp_gone_do", "weather", "gone"];
const tools: readonly Tool[] = [...describedTools(), ...served.map((name) => tool(name, never))];
const lasts = () => instantOf(Date.now() + 3_600_000);

describe("what the operator's rules deny by now", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(async () => {
    await test[Symbol.asyncDispose]();
  });

  /** A call that waits for an owner, whoever may decide about it under the rules of before. */
  async function asked(name: string, args: object = {}) {
    const talk = new Talk(test);
    const call = { callId: "c1", name, arguments: JSON.stringify(args) };
    const model = new ScriptedModel([done("", [call])], says("Well."));
    let isForbidden = false;
    const authorise: AuthoriseWith = () =>
      isForbidden
        ? { decision: "deny", rule: "r", reason: "No." }
        : { decision: "ask", rule: "r", shown: name, approver: "owner", expiresAt: lasts() };
    const worker = await TestWorker.start(test, model, { tools, authorise });
    await talk.say("do it", "queue", "owner");
    await worker.run(talk.key);
    const [waiting] = await test.store.calls.waiting(talk.key);
    assert.equal(waiting?.name, name);
    const goesOn = async () => {
      await worker.run(talk.key);
      return model.requests.at(-1)?.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
    };
    const forbid = () => {
      isForbidden = true;
    };
    return { talk, worker, model, id: waiting.id, goesOn, forbid };
  }

  /** What a worker does that starts with these rules. */
  async function startsWith(rules: string, more: Partial<ForbiddenQuestionsDeps> = {}) {
    const { config } = loadConfig(`${base}policy: { rules: [${rules}] }`, { file: "test.yaml", env: {} });
    const woken: SessionKey[] = [];
    const own = { ...tool("weather", never), permissions: ["net"], isForeign: true } as const;
    const targets = () => [{ kind: "url", url: "https://weather.example/", sendsBody: false } as const];
    const review = denyForbiddenQuestions({
      ...{ config, calls: test.store.calls, clock: systemClock, log: silentLog, deliver: () => undefined },
      toolFiles: { tools: async () => [{ ...own, targets }] },
      wake: (sessionKey) => void woken.push(sessionKey),
      ...more,
    });
    await review.done;
    return woken;
  }
  const stateOf = async ({ id }: { readonly id: string }) => (await test.store.calls.find(id))?.settlement;

  it("is denied at once, and the model is told by whom and why", async () => {
    const [bad, good] = [
      await asked("web_fetch", { url: "https://bad.example/a" }),
      await asked("web_fetch", { url: "https://good.example/" }),
    ];
    const woken = await startsWith("{ deny: Not there., permission: net, target: bad.example }");
    assert.deepEqual(woken, [bad.talk.key]);
    assert.deepEqual([await stateOf(bad), await stateOf(good)], ["denied", undefined]);
    assert.deepEqual(await bad.goesOn(), [
      "DENIED by the operator's rules, which have changed since. Not there. Tell people so, and do not try it again.",
    ]);
    await good.talk.control("stop");
  });

  for (const [name, args, rule, state] of [
    ["current_time", {}, "{ deny: No., tool: current_time }", "denied"],
    ["current_time", {}, "{ deny: No., tool: current_time, as: guest }", undefined],
    ["current_time", {}, "{ deny: No., tool: current_time, in: group }", undefined],
    ["terminal", { command: "rm a" }, "{ deny: No., permission: exec, target: rm * }", "denied"],
    ["terminal", { command: "ls" }, "{ deny: No., permission: exec, target: rm * }", undefined],
    ["mcp_books_order", {}, "{ deny: No., tool: mcp_books_* }", "denied"],
    ["mcp_books_order", {}, "{ deny: No., permission: net, target: books.example }", "denied"],
    ["mcp_books_look", {}, "{ deny: No., permission: net, target: books.example }", "denied"],
    ["mcp_books_look", {}, "{ deny: No., permission: net, outward: true }", undefined],
    ["mcp_books_order", {}, "{ deny: No., permission: net, outward: true }", "denied"],
    ["mcp_shell_run", {}, "{ deny: No., permission: exec }", "denied"],
    ["mcp_gone_do", {}, "{ deny: No., tool: mcp_gone_* }", undefined],
    ["weather", {}, "{ deny: No., permission: net, target: weather.example }", "denied"],
    ["gone", {}, "{ deny: No., tool: gone }", undefined],
    ["web_search", { query: "a" }, "{ deny: No., permission: net, target: find.example.org }", "denied"],
    ["web_search", { query: "a" }, "{ deny: No., permission: net, target: search.example.org }", undefined],
  ] as const)
    it(`${state === undefined ? "leaves" : "is"} ${name}(${JSON.stringify(args)}) with ${rule}`, async () => {
      const call = await asked(name, args);
      await startsWith(rule);
      assert.equal(await stateOf(call), state);
      await call.talk.control("stop");
    });

  it("is not what somebody has approved before, and is settled once by any number of workers", async () => {
    const [first, second] = [await asked("current_time"), await asked("current_time")];
    assert.equal(await first.talk.decide("approved"), true);
    const starts = [1, 2, 3].map(() => startsWith("{ deny: No., tool: current_time }"));
    assert.deepEqual((await Promise.all(starts)).flat(), [second.talk.key]);
    assert.deepEqual([await stateOf(first), await stateOf(second)], ["approved", "denied"]);
    assert.equal(await second.talk.decide("approved", second.id), false);
  });

  it("is told where it was asked when somebody approved it before the worker knew, and does not run", async () => {
    const { talk, worker, id, goesOn, forbid } = await asked("weather");
    assert.equal(await talk.decide("approved"), true);
    forbid();
    worker.delivered.length = 0;
    assert.match((await goesOn())?.join() ?? "", /Somebody approved this call, but it is forbidden by now/);
    assert.equal(await stateOf({ id }), "denied");
    const closings = (await talk.outbox()).filter(({ kind }) => kind === "closing");
    assert.equal(closings.length, 2, "one for the decision, one for what became of it");
    assert.equal(worker.delivered[0], talk.account, "before the turn's answer");
  });

  it("is tried again where it couldn't be settled, which keeps no other one waiting", async () => {
    const [locked, other] = [await asked("current_time"), await asked("current_time")];
    const whenPaused: unknown[] = [];
    let isLocked = true;
    const forbid: CallStore["forbid"] = async (call, reason) => {
      if (isLocked && call.id === locked.id) throw new Error("locked");
      return await test.store.calls.forbid(call, reason);
    };
    const sleep = async () => {
      whenPaused.push(await stateOf(locked), await stateOf(other));
      isLocked = false;
    };
    const woken = await startsWith("{ deny: No., tool: current_time }", {
      calls: { ...test.store.calls, forbid },
      clock: { ...systemClock, sleep },
    });
    assert.deepEqual(whenPaused, [undefined, "denied"]);
    assert.deepEqual(woken, [other.talk.key, locked.talk.key]);
  });

  it("is not looked for where nothing waits: no tool is read", async () => {
    await startsWith("{ deny: No., tool: current_time }", {
      toolFiles: { tools: () => assert.fail("tools were read") },
    });
  });
});
