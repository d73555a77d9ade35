import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs } from "@talaria/protocol";
import { callTools, finish, type ModelScript, modelFault, say, think, toolCallQuirk, usage } from "@talaria/testkit";
import { cacheKeyOf } from "../dialect/cache-key.ts";
import { answerOf, apiKey, eventsOf, readTool, request, startPeer } from "../model.fixture.ts";

/** Lets what was written arrive before the connection breaks. */
const pause = { kind: "wait", ms: 200 } as const;

it("streams an answer with usage and the model that served it", async () => {
  await using peer = await startPeer({
    apiKey,
    respond: () => [...think("hm"), ...say("Hello, dear world"), ...usage(7, 5, 3)],
  });
  const { text, end, events } = await answerOf(peer.model);
  assert.equal(text, "Hello, dear world");
  assert.deepEqual(
    events.slice(0, 2).map((event) => event.type),
    ["reasoning", "reasoning"],
  );
  assert.deepEqual(end, {
    type: "done",
    message: {
      role: "assistant",
      content: "Hello, dear world",
      toolCalls: [],
      providerState: {
        dialect: "openai-chat",
        model: "test-model",
        data: { thought: { field: "reasoning_content", text: "hm" } },
      },
    },
    stop: "end",
    usage: { inputTokens: 7, cachedTokens: 3, outputTokens: 5, reasoningTokens: 0 },
    servedBy: "test-model",
  });
});

it("puts every quirky stream of tool calls together", async () => {
  const args = { path: "a", deep: [1, { b: "ü" }] };
  const cases: readonly (readonly [string, ModelScript, readonly (readonly [string, unknown])[]])[] = [
    [
      "in order",
      callTools(["read", args], ["read", { n: 2 }]),
      [
        ["read", args],
        ["read", { n: 2 }],
      ],
    ],
    [
      "interleaved",
      toolCallQuirk.interleaved(["read", args], ["write", { n: 2 }]),
      [
        ["read", args],
        ["write", { n: 2 }],
      ],
    ],
    ["missing index", toolCallQuirk.missingIndex("read", args), [["read", args]]],
    [
      "missing index twice",
      [...toolCallQuirk.missingIndex("read", args), ...toolCallQuirk.missingIndex("write", {})],
      [
        ["read", args],
        ["write", {}],
      ],
    ],
    [
      "reused index",
      toolCallQuirk.reusedIndex(["read", args], ["write", { n: 2 }]),
      [
        ["read", args],
        ["write", { n: 2 }],
      ],
    ],
    ["missing id", toolCallQuirk.missingId("read", args), [["read", args]]],
    ["empty id", toolCallQuirk.emptyId("read", args), [["read", args]]],
    [
      "empty ids",
      [...toolCallQuirk.emptyId("read", args), ...toolCallQuirk.emptyId("read", {})],
      [
        ["read", args],
        ["read", {}],
      ],
    ],
    ["repeated head", toolCallQuirk.repeatedHead("read", args), [["read", args]]],
    ["object arguments", toolCallQuirk.objectArguments("read", args), [["read", args]]],
    ["empty arguments", toolCallQuirk.emptyArguments("read"), [["read", {}]]],
    ["finished as stop", toolCallQuirk.finishedAsStop("read", args), [["read", args]]],
  ];
  let script: ModelScript = [];
  await using peer = await startPeer({ respond: () => script });
  for (const [name, answer, expected] of cases) {
    script = answer;
    const { end } = await answerOf(peer.model);
    assert.ok(end.type === "done" && end.stop === "tool_calls", name);
    const { toolCalls } = end.message;
    assert.deepEqual(
      toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]),
      expected,
      name,
    );
    assert.equal(new Set(toolCalls.map((call) => call.callId)).size, expected.length, name);
    assert.ok(
      toolCalls.every((call) => call.callId !== ""),
      name,
    );
  }
});

it("hands on broken arguments as they are, and a call cut by length as cut", async () => {
  await using peer = await startPeer({ respond: () => toolCallQuirk.brokenArguments("read") });
  const broken = await answerOf(peer.model);
  assert.equal(broken.end.type === "done" && broken.end.message.toolCalls[0]?.arguments, '{"path": "a');
  peer.server.respondWith(() => toolCallQuirk.cutByLength("read", { path: "some/where" }));
  const cut = await answerOf(peer.model);
  assert.equal(cut.end.type === "done" && cut.end.stop, "max_tokens");
});

it("tells announced but missing calls, refusals and filtered answers apart", async () => {
  await using peer = await startPeer({ respond: () => toolCallQuirk.announcedButMissing() });
  const missing = await answerOf(peer.model);
  assert.equal(missing.end.type === "done" && missing.end.stop, "end");
  peer.server.respondWith(() => [...say("I can't."), ...finish("content_filter")]);
  const filtered = await answerOf(peer.model);
  assert.equal(filtered.end.type === "done" && filtered.end.stop, "refusal");
});

it("classifies every fault, and says whether text was already shown", async () => {
  const faults: readonly (readonly [ModelScript, string, boolean])[] = [
    [modelFault.rateLimited(7), "rate_limit", false],
    [modelFault.quotaExceeded(), "quota", false],
    [modelFault.serverError(), "server_error", false],
    [modelFault.serverError(529), "overloaded", false],
    [modelFault.unauthorized(), "auth", false],
    [modelFault.contextTooLong(), "context_full", false],
    [modelFault.modelNotFound(), "not_found", false],
    [modelFault.badGatewayPage(), "server_error", false],
    [modelFault.cutAfter("half an ans"), "truncated", true],
    [modelFault.cutAfter("half an ans", "reset").toSpliced(-1, 0, pause), "network", true],
    [modelFault.errorAfter("half"), "overloaded", true],
    [modelFault.errorAfter("half", { code: "insufficient_quota", type: "insufficient_quota" }), "quota", true],
    [modelFault.errorAfter("half", { code: null, type: "rate_limit_error" }), "rate_limit", true],
    [modelFault.errorAfter("half", { code: null, type: "invalid_request_error" }), "bad_request", true],
    [modelFault.malformedLine("half"), "network", true],
    [[{ kind: "status", status: 402, body: { error: { message: "Pay" } } }], "quota", false],
    [
      [{ kind: "status", status: 400, body: { error: { message: "prompt is too long: 9 > 8" } } }],
      "context_full",
      false,
    ],
    [[{ kind: "status", status: 422, body: { detail: "odd" } }], "bad_request", false],
    [
      [{ kind: "status", status: 400, body: { error: { message: "no", code: "content_policy_violation" } } }],
      "refusal",
      false,
    ],
  ];
  let script: ModelScript = [];
  await using peer = await startPeer({ respond: () => script });
  for (const [fault, kind, visible] of faults) {
    script = fault;
    const { end } = await answerOf(peer.model);
    assert.equal(end.type, "failed");
    assert.deepEqual(
      end.type === "failed" && [end.error.kind, end.error.visible],
      [kind, visible],
      JSON.stringify(fault.at(-1)),
    );
  }
  script = modelFault.rateLimited(7);
  const { end } = await answerOf(peer.model);
  assert.equal(end.type === "failed" && end.error.retryAfterMs, 7_000);
  assert.equal(peer.server.requestCount(), faults.length + 1, "it never retries by itself");
});

it("calls a server that is not there a network failure", async () => {
  const peer = await startPeer();
  await peer.server.stop();
  const { end } = await answerOf(peer.model);
  assert.equal(end.type === "failed" && end.error.kind, "network");
});

it("cuts silence before the first chunk and between chunks", async () => {
  await using peer = await startPeer({ respond: () => modelFault.silent() }, { firstChunkMs: 60, idleMs: 60_000 });
  const { end } = await answerOf(peer.model);
  assert.deepEqual(end.type === "failed" && [end.error.kind, end.error.visible], ["stalled", false]);
  await using idle = await startPeer(
    { respond: () => modelFault.stallAfter("wait") },
    { firstChunkMs: 60_000, idleMs: 60 },
  );
  const second = await answerOf(idle.model);
  assert.deepEqual(second.end.type === "failed" && [second.end.error.kind, second.end.error.visible], [
    "stalled",
    true,
  ]);
});

it("does not take a slow but steady stream for silence", async () => {
  const steady = say("one two three four five six", { pieces: 5, delayMs: 300 });
  await using peer = await startPeer({ respond: () => steady }, { idleMs: 1_200 });
  assert.equal((await answerOf(peer.model)).end.type, "done");
});

it("takes an answer for whole when only its usage never comes", async () => {
  const finished = 'data: {"choices":[{"index":0,"delta":{"content":"all"},"finish_reason":"stop"}]}';
  await using peer = await startPeer({
    respond: () => [{ kind: "raw", line: finished }, pause, { kind: "cut", how: "reset" }],
  });
  const { end } = await answerOf(peer.model);
  assert.equal(end.type === "done" && end.message.content, "all");
});

it("ends promptly when it is aborted, hangs up, and never calls a cut answer whole", async () => {
  await using peer = await startPeer({ respond: () => modelFault.stallAfter("wait for it") });
  const abort = new AbortController();
  let end = "";
  for await (const event of peer.model.stream(request(), abort.signal)) {
    if (event.type === "delta" && event.text.endsWith("it")) abort.abort();
    if (event.type === "failed") end = event.error.kind;
    assert.notEqual(event.type, "done");
  }
  assert.equal(end, "aborted");
  const [asked] = peer.server.requests;
  if (!asked?.hungUp.aborted) await new Promise((resolve) => asked?.hungUp.addEventListener("abort", resolve));
  const before = await answerOf(peer.model, request(), AbortSignal.abort());
  assert.equal(before.end.type === "failed" && before.end.error.kind, "aborted");
});

it("hangs up when the reader leaves in the middle", async () => {
  await using peer = await startPeer({ respond: () => modelFault.stallAfter("wait for it") });
  for await (const event of peer.model.stream(request(), new AbortController().signal))
    if (event.type === "delta") break;
  const [asked] = peer.server.requests;
  if (!asked?.hungUp.aborted) await new Promise((resolve) => asked?.hungUp.addEventListener("abort", resolve));
});

it("never shows the key, even when the server quotes it", async () => {
  const quoting = (status: number): ModelScript => [
    { kind: "status", status, body: { error: { message: `key ${apiKey} or Bearer ${apiKey} or x-secret-value` } } },
  ];
  let script: ModelScript = [];
  await using peer = await startPeer(
    { respond: () => script },
    { headers: { "x-extra": { reveal: () => "x-secret-value" } } },
  );
  for (const status of [400, 401, 403, 429, 500]) {
    script = quoting(status);
    const text = JSON.stringify(await eventsOf(peer.model));
    assert.doesNotMatch(text, /0123456789|x-secret-value/);
    if (status === 401) assert.doesNotMatch(text, / or /);
  }
  assert.equal(peer.server.requests[0]?.headers["x-extra"], "x-secret-value");
  assert.equal(peer.server.requests[0]?.headers.authorization, `Bearer ${apiKey}`);
});

it("asks a local server without any credentials", async () => {
  await using peer = await startPeer({}, { apiKey: undefined });
  assert.equal((await answerOf(peer.model)).end.type, "done");
  assert.equal(peer.server.requests[0]?.headers.authorization, undefined);
});

it("sends a strict server only what it knows, with results paired and broken arguments corrected", async () => {
  await using peer = await startPeer();
  const toolCalls = [{ callId: "c1", name: "read", arguments: '{"path": "a' }];
  const foreign = { dialect: "other", model: "test-model", data: { calls: { c1: "secret" } } };
  const asked = request({
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: "", toolCalls, providerState: foreign },
      { role: "tool", callId: "c1", name: "read", content: "bad", isError: true },
    ],
    maxOutputTokens: 50,
  });
  const { end } = await answerOf(peer.model, asked);
  assert.equal(end.type, "done");
  assert.deepEqual(peer.server.requests[0]?.body, {
    model: "test-model",
    tools: [{ type: "function", function: readTool }],
    messages: [
      { role: "system", content: "You are Talaria." },
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"invalid_json":"{\\"path\\": \\"a"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "bad" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 50,
  });
});

it("returns thought signatures and reasoning details to the model they came from, and to no other", async () => {
  const chunk = {
    choices: [
      {
        index: 0,
        delta: {
          reasoning_details: [{ type: "reasoning.encrypted", data: "xyz" }],
          tool_calls: [
            {
              index: 0,
              id: "c1",
              function: { name: "read", arguments: "{}" },
              extra_content: { google: { thought_signature: "sig" } },
            },
          ],
        },
      },
    ],
  };
  await using peer = await startPeer({
    respond: () => [{ kind: "raw", line: `data: ${JSON.stringify(chunk)}` }, ...finish("tool_calls")],
  });
  const { end } = await answerOf(peer.model);
  assert.ok(end.type === "done");
  const messages = [end.message, { role: "tool", callId: "c1", name: "read", content: "x", isError: false } as const];
  await answerOf(peer.model, request({ messages }));
  const wire = JSON.stringify(peer.server.requests[1]?.body);
  assert.match(wire, /"extra_content":\{"google":\{"thought_signature":"sig"\}\}/);
  assert.match(wire, /"reasoning_details":\[\{"type":"reasoning.encrypted","data":"xyz"\}\]/);
  const [call] = end.message.toolCalls;
  const renamed = { ...end.message, toolCalls: call === undefined ? [] : [{ ...call, callId: "c1-2" }] };
  const result = { role: "tool", callId: "c1-2", name: "read", content: "x", isError: false } as const;
  await answerOf(peer.model, request({ messages: [renamed, result] }));
  assert.match(JSON.stringify(peer.server.requests[2]?.body), /"thought_signature":"sig"/, "a turn may change ids");
  await using other = await startPeer({}, { model: "another-model" });
  await answerOf(other.model, request({ messages }));
  assert.doesNotMatch(JSON.stringify(other.server.requests[0]?.body), /sig|xyz/);
});

it("follows the differences between servers that the configuration names", async () => {
  const compat = {
    maxTokensField: "max_completion_tokens",
    developerRole: true,
    cacheKey: "prompt_cache_key",
    usageInStream: false,
  } as const;
  await using peer = await startPeer({}, { compat, maxOutputTokens: 9 });
  const { end } = await answerOf(peer.model, request({ tools: [] }));
  assert.equal(end.type === "done" && end.usage, undefined);
  assert.deepEqual(peer.server.requests[0]?.body, {
    model: "test-model",
    messages: [
      { role: "developer", content: "You are Talaria." },
      { role: "user", content: "hello" },
    ],
    stream: true,
    max_completion_tokens: 9,
    prompt_cache_key: cacheKeyOf(brandAs("session")),
  });
});

it("does not send a name that no tool may have, and counts only numbers as usage", async () => {
  await using peer = await startPeer({ respond: () => toolCallQuirk.missingId("functions.read me", {}) });
  const { end } = await answerOf(peer.model);
  assert.ok(end.type === "done");
  const result = { role: "tool", callId: "call_1", name: "x", content: "x", isError: true } as const;
  const odd = { choices: [], usage: { prompt_tokens: "7", completion_tokens: -1, prompt_tokens_details: null } };
  peer.server.respondWith(() => [
    ...say("ok"),
    { kind: "raw", line: `data: ${JSON.stringify(odd)}` },
    ...finish("stop"),
  ]);
  const second = await answerOf(peer.model, request({ messages: [end.message, result] }));
  assert.equal(second.end.type, "done");
  assert.equal(peer.server.requests[1]?.messages[1]?.tool_calls?.[0]?.function.name, "functions_read_me");
});
