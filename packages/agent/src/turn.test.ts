import assert from "node:assert/strict";
import { it } from "node:test";
import { GatewayError } from "@talaria/protocol";
import { type ModelFailureKind, notices, type TranscriptEntry, tooLongArguments } from "./index.ts";
import {
  calls,
  done,
  fails,
  hastyClock,
  kindsOf,
  late,
  person,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

it("streams an answer and leaves it to be committed with the turn", async () => {
  const { outcome, shown, events } = await play(turnInput(), turnDeps(scriptedModel(says("\n Hello, dear world "))));
  assert.equal(outcome.status, "completed");
  assert.equal(outcome.status === "completed" && outcome.markdown, "Hello, dear world ");
  assert.equal(shown, "Hello, dear world ");
  assert.deepEqual(kindsOf(outcome.final), ["assistant"]);
  assert.ok(events.every((event) => event.type !== "journal"));
});

it("journals intent before effect and result after, and shows the model the result", async () => {
  const order: string[] = [];
  const model = scriptedModel(calls("look"), says("done"));
  const look = tool("look", "read", () => {
    order.push("effect");
    return "a cat";
  });
  const { journal } = await play(turnInput({ tools: [look] }), turnDeps(model), (event) => {
    if (event.type === "journal") order.push(...kindsOf(event.entries));
  });
  assert.deepEqual(order, ["assistant", "tool.started look", "effect", "tool.result look"]);
  assert.deepEqual(kindsOf(journal), ["user", "assistant", "tool.started look", "tool.result look", "assistant"]);
  const last = model.requests[1]?.messages.at(-1);
  assert.equal(last?.role === "tool" && last.content, "a cat");
});

it("runs reads side by side, at most eight, and each write alone, all in source order", async () => {
  let running = 0;
  let mostRunning = 0;
  const log: string[] = [];
  const track = async (name: string, pauseMs: number) => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    log.push(`${name} with ${running}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    running -= 1;
    return name;
  };
  const tools = [
    tool("read", "read", (_context, { n = 0 }) => track(`r${n}`, 20 - n)),
    tool("write", "write", (_context, { n = 0 }) => track(`w${n}`, 5)),
  ];
  const reads = Array.from({ length: 10 }, (_, n) => ["read", `{"n":${n}}`] as const);
  const model = scriptedModel(
    calls(...reads, ["write", '{"n":1}'], ["write", '{"n":2}'], ["read", '{"n":11}']),
    says("ok"),
  );
  const { journal } = await play(turnInput({ tools }), turnDeps(model));
  assert.equal(mostRunning, 8);
  assert.ok(log.includes("w1 with 1") && log.includes("w2 with 1") && log.at(-1) === "r11 with 1");
  const expected = [...reads.map((_, n) => `r${n}`), "w1", "w2", "r11"];
  assert.deepEqual(resultsOf(journal), expected);
});

it("answers broken, wrong, unknown and failing calls with a result the model can read", async () => {
  const broken = tool("broken", "read", () => {
    throw new Error("disk on fire");
  });
  const model = scriptedModel(
    calls(["broken", '{"n":'], ["broken", "[1]"], ["broken", '{"n":"one"}'], "missing", "broken"),
    says("sorry"),
  );
  const { journal, outcome } = await play(turnInput({ tools: [broken] }), turnDeps(model));
  const results = resultsOf(journal);
  assert.match(results[0] ?? "", /No valid JSON/);
  assert.match(results[1] ?? "", /one JSON object/);
  assert.match(results[2] ?? "", /expected number, received string[\s\S]*at n/);
  assert.match(results[3] ?? "", /no tool called "missing".*broken/);
  assert.equal(results[4], "Error: disk on fire");
  assert.equal(journal.filter((entry) => entry.kind === "tool.started").length, 1);
  assert.equal(outcome.status, "completed");
});

it("marks what no byte from outside is in: calls that were not made, and those that nobody has answered", async () => {
  const failing = (name: string, more: { readonly answered?: boolean }) =>
    tool(name, "read", () => {
      throw new GatewayError("ENOTFOUND", { code: "unavailable", details: more });
    });
  const tools = [failing("silent", { answered: false }), failing("speaking", {})];
  const model = scriptedModel(calls("silent", "speaking", "missing", ["silent", "[1]"]), says("ok"));
  const { journal } = await play(turnInput({ tools }), turnDeps(model));
  const results = journal.filter((entry) => entry.kind === "tool.result");
  assert.deepEqual(
    results.map(({ name, nothingCame }) => [name, nothingCame]),
    [
      ["silent", true],
      ["speaking", undefined],
      ["missing", true],
      ["silent", true],
    ],
  );
});

it("refuses a write as soon as one requester is only claimed, also one who came by steering", async () => {
  let writes = 0;
  const tools = [tool("write", "write", () => `written ${++writes}`), tool("read", "read", () => "read")];
  const model = scriptedModel(calls("write"), calls("write", "read"), says("no"));
  const deps = turnDeps(model, { steering: late([said("me too", person("2", "claimed"))]) });
  const { journal } = await play(turnInput({ tools }), deps);
  const results = resultsOf(journal);
  assert.deepEqual([results[0], results[2], writes], ["written 1", "read", 1]);
  assert.match(results[1] ?? "", /refused.*not verified/);
});

it("tells a tool everyone who asks, everyone who spoke, and a key that stays the same", async () => {
  const seen: unknown[] = [];
  const tools = [
    tool("look", "read", ({ requesters, participants, idempotencyKey, callId }) => {
      seen.push([requesters.map((each) => each.userId), participants.map((each) => each.userId)]);
      return String(idempotencyKey === `turn-1:${callId}`);
    }),
  ];
  const heard = { kind: "overheard", sender: person("5"), markdown: "hm", at: said("").at } as const;
  const history = [said("before", person("9")), said("again", person("1")), heard];
  const { journal } = await play(turnInput({ tools, history }), turnDeps(scriptedModel(calls("look"), says("ok"))));
  assert.deepEqual(seen, [[["1"], ["1", "9", "5"]]]);
  assert.deepEqual(resultsOf(journal), ["true"]);
});

it("ends a tool that takes too long, and does not know what a slow write has done", async () => {
  const forever = () => new Promise<string>(() => {});
  const tools = [tool("read", "read", forever, { timeoutMs: 10 }), tool("write", "write", forever, { timeoutMs: 10 })];
  const { journal } = await play(turnInput({ tools }), turnDeps(scriptedModel(calls("read", "write"), says("ok"))));
  assert.match(resultsOf(journal)[0] ?? "", /^Error: No answer within 0.01 s/);
  assert.match(resultsOf(journal)[1] ?? "", /^UNKNOWN: .*[Vv]erify/);
});

it("shortens a long tool output in its middle and shows progress", async () => {
  const talk = tool("talk", "read", ({ progress }) => {
    progress("half way");
    return `start ${"x".repeat(5_000)} end \u0000\ud800`;
  });
  const input = turnInput({ tools: [talk], maxToolOutputChars: 200 });
  const { journal, events } = await play(input, turnDeps(scriptedModel(calls("talk"), says("ok"))));
  const [content = ""] = resultsOf(journal);
  assert.ok(content.length <= 200 && content.startsWith("start") && content.includes("left out"));
  assert.match(content, / end \ufffd\ufffd$/);
  assert.ok(events.some((event) => event.type === "status" && event.label === "half way"));
});

it("says what runs now, what still runs when one has ended, and that it thinks", async () => {
  const later = () => new Promise<string>((resolve) => setTimeout(resolve, 30, "late"));
  const tools = [
    tool("quick", "read", () => "now", { doing: () => "reading\na.txt" }),
    tool("slow", "read", later, { doing: () => `running npm test ghp_${"a1".repeat(12)}` }),
    tool("other", "read", later),
  ];
  const model = scriptedModel(calls("quick", "slow"), calls("other"), says("ok"));
  const { events, journal } = await play(turnInput({ tools }), turnDeps(model));
  const started = journal.flatMap((entry) => (entry.kind === "tool.started" ? [entry.doing] : []));
  assert.deepEqual(started, ["reading a.txt", "running npm test ***", undefined], "and the journal keeps it");
  const labels = events.flatMap((event) => (event.type === "status" ? [event.label] : []));
  const said = ["reading a.txt, and 1 more", "running npm test ***", "thinking", "using other", "thinking"];
  assert.deepEqual(labels, said);
});

it("offers what came meanwhile after the tools, and once more before it ends", async () => {
  const model = scriptedModel(calls("look"), says("First answer."), says("Second answer."));
  const deps = turnDeps(model, { steering: late([said("also this")], [said("and that")]) });
  const { journal, outcome, shown } = await play(turnInput({ tools: [tool("look", "read", () => "x")] }), deps);
  assert.deepEqual(kindsOf(journal).slice(4), ["user", "assistant", "user", "assistant"]);
  assert.equal(outcome.status === "completed" && outcome.markdown, "First answer.\n\nSecond answer.");
  assert.equal(shown, "First answer.\n\nSecond answer.");
  assert.equal(outcome.final.length, 1);
});

it("tells the model that the arguments of a call were too long, and goes on", async () => {
  const tools = [tool("write", "write", () => assert.fail("it must not run"))];
  const model = scriptedModel(calls(["write", tooLongArguments]), says("In parts, then."));
  const { journal, outcome } = await play(turnInput({ tools }), turnDeps(model));
  assert.match(resultsOf(journal)[0] ?? "", /not run, because its arguments have more than 4000000 characters/);
  assert.equal(outcome.status, "completed");
});

it("never runs a call of an answer that was cut off by length", async () => {
  let runs = 0;
  const tools = [tool("write", "write", () => String(++runs))];
  const cut = [done("", [{ callId: "c", name: "write", arguments: '{"n":1}' }], "max_tokens")];
  const { journal, outcome } = await play(turnInput({ tools }), turnDeps(scriptedModel(cut, says("shorter"))));
  assert.equal(runs, 0);
  assert.match(resultsOf(journal)[0] ?? "", /not run.*length limit/);
  assert.equal(outcome.status, "completed");
});

it("keeps an answer that was cut off by length, and says so", async () => {
  const { outcome, shown } = await play(turnInput(), turnDeps(scriptedModel(says("Once upon", "max_tokens"))));
  assert.equal(outcome.status === "completed" && outcome.markdown, "Once upon\n\n(cut off at the length limit)");
  assert.equal(shown, "Once upon\n\n(cut off at the length limit)");
  assert.equal(outcome.final[0]?.kind === "assistant" && outcome.final[0].content, "Once upon");
});

it("stops an endless answer at the output limit without splitting a character", async () => {
  let closed = false;
  const model = scriptedModel(async function* () {
    try {
      for (;;) yield { type: "delta", text: "🎉🎉🎉" };
    } finally {
      closed = true;
    }
  });
  const { outcome, shown } = await play(turnInput({ maxOutputChars: 101 }), turnDeps(model));
  assert.equal(outcome.status === "completed" && outcome.markdown, shown);
  assert.equal(shown, `${"🎉".repeat(50)}\n\n(cut off at the length limit)`);
  assert.ok(closed);
});

it("asks once more after an empty answer, then fails with a notice", async () => {
  const once = await play(turnInput(), turnDeps(scriptedModel(says(" \n"), says("here"))));
  assert.equal(once.outcome.status === "completed" && once.outcome.markdown, "here");
  const model = scriptedModel(says(""));
  const twice = await play(turnInput(), turnDeps(model));
  assert.equal(twice.outcome.status === "failed" && twice.outcome.code, "empty_answer");
  assert.equal(model.requests.length, 2);
});

it("asks another model than the one whose answer was empty", async () => {
  const asked = { type: "asked", model: { name: "main", provider: "openai-chat" } } as const;
  const model = scriptedModel([asked, ...says("")], says("here"));
  await play(turnInput(), turnDeps(model));
  assert.deepEqual(
    model.requests.map(({ emptyFrom }) => emptyFrom),
    [undefined, "main"],
  );
});

it("hints after three identical failures and ends after five", async () => {
  const model = scriptedModel(() => calls(["look", '{"n":true}']));
  const { outcome, journal } = await play(turnInput({ tools: [tool("look", "read", () => "x")] }), turnDeps(model));
  assert.equal(outcome.status === "failed" && outcome.code, "repeated_failure");
  const hints = resultsOf(journal).map((content) => content.includes("three times in a row"));
  assert.deepEqual(hints, [false, false, true, false, false]);
});

it("counts the same failing calls of one answer as one failure", async () => {
  const five = calls(...Array.from({ length: 5 }, () => ["look", '{"n":true}'] as const));
  const model = scriptedModel(five, five, says("gave up"));
  const { outcome } = await play(turnInput({ tools: [tool("look", "read", () => "x")] }), turnDeps(model));
  assert.equal(outcome.status, "completed");
});

it("does not count failures of different calls together", async () => {
  const rounds = Array.from({ length: 7 }, (_, n) => calls(["look", `{"n":"${n}"}`]));
  const model = scriptedModel(...rounds, says("gave up"));
  const { outcome } = await play(turnInput({ tools: [tool("look", "read", () => "x")] }), turnDeps(model));
  assert.equal(outcome.status, "completed");
});

it("gives calls with reused or missing ids ids of their own", async () => {
  const call = (callId: string) => ({ callId, name: "look", arguments: "{}" });
  const answer = [done("", [call("same"), call("same"), call("")], "tool_calls")];
  const again = [done("", [call("same")], "tool_calls")];
  const model = scriptedModel(answer, again, says("ok"));
  const { journal } = await play(turnInput({ tools: [tool("look", "read", () => "x")] }), turnDeps(model));
  const ids = journal.filter((entry) => entry.kind === "tool.result").map((entry) => entry.callId);
  assert.equal(new Set(ids).size, 4);
  assert.ok(!ids.includes(""));
  assert.equal(model.requests[2]?.messages.filter((message) => message.role === "tool").length, 4);
});

it("ends every kind of model failure in one notice that names nothing of the inside", async () => {
  const kinds = Object.keys(notices).filter(
    (code) => !["empty_answer", "step_limit", "output_limit", "repeated_failure"].includes(code),
  );
  for (const kind of kinds) {
    const model = scriptedModel(fails(kind as ModelFailureKind));
    const { outcome } = await play(turnInput(), turnDeps(model, { clock: hastyClock() }));
    assert.equal(outcome.status === "failed" && outcome.code, kind);
    const text = JSON.stringify(outcome);
    assert.doesNotMatch(text, /sk-secret|10\.0\.0\.1|Error|undefined/);
    const tries =
      kind === "stalled" ? 2 : ["overloaded", "server_error", "network", "truncated"].includes(kind) ? 3 : 1;
    assert.equal(model.requests.length, tries, kind);
  }
});

it("shows what is said before a call until the next answer begins, and takes a failed attempt's text back", async () => {
  const half = [{ type: "delta", text: "Half an ans" } as const, ...fails("truncated", { visible: true })];
  const withText = [
    { type: "delta", text: "Looking." } as const,
    done("Looking.", [{ callId: "c", name: "look", arguments: "{}" }], "tool_calls"),
  ];
  const clock = hastyClock();
  const tools = [tool("look", "read", () => "x")];
  const slow = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => (ms > 9_000 ? new Promise<void>(() => {}) : clock.sleep(ms, signal)),
  };
  const model = scriptedModel(withText, half, says("Whole answer."));
  const { events, shown, outcome } = await play(turnInput({ tools }), turnDeps(model, { clock: slow }));
  const texts = events.filter((event) => event.type.startsWith("text."));
  assert.deepEqual(texts.slice(1, 4), [
    { type: "text.restart" },
    { type: "text.delta", text: "Half an ans" },
    { type: "text.restart" },
  ]);
  assert.equal(shown, "Whole answer.");
  assert.equal(outcome.status === "completed" && outcome.markdown, shown);
});

it("waits out a short rate limit once, and no long one", async () => {
  const clock = hastyClock();
  const short = scriptedModel(fails("rate_limit", { retryAfterMs: 1_200 }), says("ok"));
  assert.equal((await play(turnInput(), turnDeps(short, { clock }))).outcome.status, "completed");
  assert.deepEqual(clock.sleptMs, [1_200]);
  for (const failure of [
    fails("rate_limit", { retryAfterMs: 6_000 }),
    fails("rate_limit"),
    fails("network", { exhausted: true }),
  ]) {
    const model = scriptedModel(failure);
    assert.equal((await play(turnInput(), turnDeps(model, { clock }))).outcome.status, "failed");
    assert.equal(model.requests.length, 1);
  }
  assert.deepEqual(clock.sleptMs, [1_200]);
});

it("survives a model that throws or ends without an end", async () => {
  const throwing = scriptedModel(async function* () {
    yield { type: "delta", text: "a" };
    throw new TypeError("sk-secret");
  });
  const one = await play(turnInput(), turnDeps(throwing));
  assert.equal(one.outcome.status === "failed" && one.outcome.code, "bad_request");
  const silent = await play(turnInput(), turnDeps(scriptedModel([]), { clock: hastyClock() }));
  assert.equal(silent.outcome.status === "failed" && silent.outcome.code, "truncated");
});

it("shows a refusal's own words, and a notice when there are none", async () => {
  const words = await play(turnInput(), turnDeps(scriptedModel(says("I won't.", "refusal"))));
  assert.equal(words.outcome.status === "completed" && words.outcome.markdown, "I won't.");
  const none = await play(turnInput(), turnDeps(scriptedModel(says("", "refusal"))));
  assert.equal(none.outcome.status === "failed" && none.outcome.code, "refusal");
});

it("sends one system prompt, sorted tools and plain words", async () => {
  const model = scriptedModel(says("ok"));
  const tools = [tool("zebra", "read", () => ""), tool("ant", "read", () => "")];
  await play(
    turnInput({ tools, history: [said("one"), { kind: "note", text: "stopped" } satisfies TranscriptEntry] }),
    turnDeps(model),
  );
  const [request] = model.requests;
  assert.deepEqual(
    request?.tools.map((spec) => spec.name),
    ["ant", "zebra"],
  );
  assert.equal(request?.tools[0], (await import("./tool.ts")).toolSpecs(tools)[0]);
  assert.deepEqual(request?.messages, [
    { role: "user", content: "<note>Mon 2026-09-21 14:13 UTC</note>\none\n\n<note>stopped</note>\n\nhello" },
  ]);
});

it("stops when the answers before have used up the output limit", async () => {
  const wordy = [done("x".repeat(600), [{ callId: "c", name: "look", arguments: "{}" }], "tool_calls")];
  const input = turnInput({ tools: [tool("look", "read", () => "x")], maxOutputChars: 600 });
  const { outcome } = await play(input, turnDeps(scriptedModel(wordy, says("more"))));
  assert.equal(outcome.status === "failed" && outcome.code, "output_limit");
  assert.equal(outcome.status === "failed" && outcome.partial, "x".repeat(600));
});

it("journals only what a database can store", async () => {
  const state = { dialect: "d", model: "m", data: { "k\u0000": ["\ud800"] } };
  const call = { callId: "c\u0000", name: "lo\u0000ok", arguments: '{"a":"\udc00"}' };
  const message = { role: "assistant", content: "a\u0000", toolCalls: [call], providerState: state } as const;
  const model = scriptedModel([{ type: "done", message, stop: "tool_calls", servedBy: "m\u0000" }], says("ok"));
  const { journal } = await play(turnInput(), turnDeps(model));
  assert.doesNotMatch(JSON.stringify(journal), /\\u0000|\\ud800|\\udc00/);
  assert.equal(resultsOf(journal).length, 1);
});
