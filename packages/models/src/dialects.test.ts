import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelFailureKind, type ModelRequest, tooLongArguments } from "@talaria/agent";
import { brandAs, type MediaRef } from "@talaria/protocol";
import {
  interleavedCalls,
  type ServedDialect,
  type Trouble,
  type WireAnswer,
  wireCalls,
  words,
} from "@talaria/testkit";
import { mostParts } from "./dialect/answer-parts.ts";
import { type DialectCase, dialectCases, gistOf, startDialectPeer, tokenDialectCases } from "./dialects.fixture.ts";
import { answerOf, apiKey, request } from "./model.fixture.ts";

const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 0 };
const args = { path: "a", deep: [1, { b: "ü" }] };
const text = JSON.stringify(args);

function whole(content: string, calls: readonly (readonly [string, string])[] = [], more: object = {}) {
  return { type: "done", content, calls, stop: calls.length > 0 ? "tool_calls" : "end", usage, ...more };
}

for (const dialectCase of [...dialectCases, ...tokenDialectCases])
  describe(dialectCase.dialect, () => suite(dialectCase));

function suite(dialectCase: DialectCase<ServedDialect>): void {
  const { dialect, cannot } = dialectCase;
  const skipped = (ability: keyof typeof cannot) => ({ skip: cannot[ability] ?? false });

  /** Plays answers, one per request, and says what came of each. */
  const play = async (...answers: readonly WireAnswer[]) => {
    let round = 0;
    await using peer = await startDialectPeer(dialectCase, { respond: () => answers[round++] ?? [] });
    const gists: unknown[][] = [];
    for (const _ of answers) gists.push(await gistOf(peer.model));
    assert.deepEqual(peer.server.flaws, []);
    return gists;
  };
  const playOne = async (answer: WireAnswer) => (await play(answer))[0];

  it("streams words, and tells usage and who answered", async () => {
    await using peer = await startDialectPeer(dialectCase);
    const { text: said, end } = await answerOf(peer.model);
    assert.equal(said, "Hello, dear world");
    assert.equal(end.type === "done" && end.servedBy, dialectCase.model);
    assert.deepEqual(await playOne(words("Hello, dear world")), [
      { type: "delta", text: "Hello, dear world" },
      whole("Hello, dear world"),
    ]);
  });

  it("tells thoughts from words", async () => {
    const answer: WireAnswer = [{ kind: "thought", text: "hm", proof: "proof-1" }, ...words("yes")];
    assert.deepEqual(await playOne(answer), [
      { type: "reasoning", text: "hm" },
      { type: "delta", text: "yes" },
      whole("yes"),
    ]);
  });

  it("counts tokens from the cache and into it in the input, and those of thoughts in the output", async () => {
    const answer: WireAnswer = [
      ...words("x"),
      { kind: "usage", usage: { input: 900, cached: 800, written: 50, output: 70, reasoning: 60 } },
    ];
    const reasoningTokens = cannot["reasoning count"] === undefined ? 60 : 0;
    const written = /anthropic|bedrock/.test(dialect) ? { cacheWriteTokens: 50 } : {};
    const told = { inputTokens: 900, cachedTokens: 800, ...written, outputTokens: 70, reasoningTokens };
    assert.deepEqual((await playOne(answer))?.at(-1), whole("x", [], { usage: told }));
  });

  it("puts calls together, one after the other and interleaved", async () => {
    const both = [
      ["read", text],
      ["write", '{"n":2}'],
    ] as const;
    const [parallel, interleaved, after] = await play(
      wireCalls(["read", args], ["write", { n: 2 }]),
      interleavedCalls(["read", args], ["write", { n: 2 }]),
      [...words("Let me see."), ...wireCalls(["read", args])],
    );
    assert.deepEqual(parallel, [whole("", both)]);
    assert.deepEqual(interleaved, [whole("", both)]);
    assert.deepEqual(after, [{ type: "delta", text: "Let me see." }, whole("Let me see.", [["read", text]])]);
  });

  it("copes with calls that say not where they belong", skipped("no index"), async () => {
    const respond = () => [...words("Hm."), ...wireCalls(["read", args], ["write", {}])];
    await using peer = await startDialectPeer(dialectCase, { quirks: { noIndex: true }, respond });
    assert.deepEqual(
      (await gistOf(peer.model)).at(-1),
      whole("Hm.", [
        ["read", text],
        ["write", "{}"],
      ]),
    );
  });

  it("gives calls without ids one each", skipped("no ids"), async () => {
    const respond = () => wireCalls(["read", args], ["write", {}]);
    await using peer = await startDialectPeer(dialectCase, { quirks: { noIds: true }, respond });
    const { end } = await answerOf(peer.model);
    const ids = end.type === "done" ? end.message.toolCalls.map(({ callId }) => callId) : [];
    assert.equal(new Set(ids).size, 2);
    assert.ok(ids.every((id) => id !== ""));
  });

  it("hands on broken arguments as they are", skipped("broken arguments"), async () => {
    const broken = '{"path": "a';
    assert.deepEqual(await playOne(wireCalls(["read", broken])), [whole("", [["read", broken]])]);
  });

  it("decides by the presence of calls, and never calls an answer cut by length whole", async () => {
    const [stopped, cut, announced] = await play(
      [...wireCalls(["read", args]), { kind: "stop", why: "end" }],
      [...wireCalls(["read", args]), { kind: "stop", why: "length" }],
      [...words("none"), { kind: "stop", why: "calls" }],
    );
    assert.deepEqual(stopped, [whole("", [["read", text]])]);
    assert.deepEqual(cut, [whole("", [["read", text]], { stop: "max_tokens" })]);
    assert.deepEqual(announced?.at(-1), whole("none"));
  });

  it("takes an empty answer for one, and reads past what it does not know", async () => {
    const [empty, odd] = await play(
      [],
      [{ kind: "unknown" }, ...words("fine"), { kind: "unknown" }, ...wireCalls(["read", args]), { kind: "unknown" }],
    );
    assert.deepEqual(empty, [whole("")]);
    assert.deepEqual(odd, [{ type: "delta", text: "fine" }, whole("fine", [["read", text]])]);
  });

  it("calls a stream without an end truncated, however much it said", async () => {
    const [bare, withCall] = await play(
      [...words("half an ans"), { kind: "cut", how: "end" }],
      [...wireCalls(["read", args]), { kind: "cut", how: "end" }],
    );
    assert.deepEqual(bare?.map(kindOf), ["delta", "truncated, visible"]);
    assert.deepEqual(withCall?.map(kindOf), ["truncated"]);
  });

  it("calls a connection that breaks a failure of the network", async () => {
    const gist = await playOne([...words("half"), { kind: "cut", how: "reset" }]);
    assert.match(String(gist?.map(kindOf).at(-1)), /^network/);
  });

  it("tells every refusal apart, and never tries again by itself", async () => {
    const kinds: readonly (readonly [Trouble, ModelFailureKind])[] = [
      ["rate_limit", "rate_limit"],
      ["quota", "quota"],
      ["auth", "auth"],
      ["overloaded", "overloaded"],
      ["server", "server_error"],
      ["context", "context_full"],
      ["not_found", "not_found"],
    ];
    let why: Trouble = "server";
    await using peer = await startDialectPeer(dialectCase, { respond: () => [{ kind: "refuse", why }] });
    for (const [trouble, kind] of kinds) {
      why = trouble;
      assert.deepEqual((await gistOf(peer.model)).map(kindOf), [kind], trouble);
    }
    assert.equal(peer.server.requests.length, kinds.length);
  });

  it("hands on how long to wait", async () => {
    const respond = (): WireAnswer => [{ kind: "refuse", why: "rate_limit", retryAfterSeconds: 7 }];
    await using peer = await startDialectPeer(dialectCase, { respond });
    const { end } = await answerOf(peer.model);
    assert.equal(end.type === "failed" && end.error.retryAfterMs, 7_000);
  });

  it("tells an error in the middle by its kind", async () => {
    const gist = await playOne([...words("half"), { kind: "error", why: "overloaded" }]);
    assert.deepEqual(gist?.map(kindOf), ["delta", "overloaded, visible"]);
  });

  it("tells a lack of money in the middle", skipped("quota in the middle"), async () => {
    const gist = await playOne([...words("half"), { kind: "error", why: "quota" }]);
    assert.deepEqual(gist?.map(kindOf), ["delta", "quota, visible"]);
  });

  it("cuts silence, before the first chunk and in the middle", async () => {
    await using silent = await startDialectPeer(
      dialectCase,
      { respond: () => [{ kind: "stall" }] },
      { firstChunkMs: 150, idleMs: 60_000 },
    );
    const { end } = await answerOf(silent.model);
    assert.deepEqual(kindOf(end), "stalled");
    assert.match(JSON.stringify(end), /150 ms/);
    await using idle = await startDialectPeer(
      dialectCase,
      { respond: () => [...words("wait"), { kind: "stall" }] },
      { firstChunkMs: 60_000, idleMs: 150 },
    );
    assert.deepEqual((await gistOf(idle.model)).map(kindOf), ["delta", "stalled, visible"]);
  });

  it("ends an answer that grows out of bounds, and does not call it a trouble that passes", async () => {
    const million = "x".repeat(1_000_000);
    const endless = (step: WireAnswer[number]): WireAnswer => Array.from({ length: 5 }, () => step);
    const spoken = await playOne(endless({ kind: "text", text: million }));
    assert.deepEqual(spoken?.map(kindOf), ["delta", "runaway, visible"]);
  });

  it("keeps nothing of arguments that grow out of bounds, and ends the answer no other way for it", async () => {
    const pieces = Array.from({ length: 5 }, () => "x".repeat(1_000_000));
    const answer = [...wireCalls(["read", `{"path":"${pieces.join("")}"}`], ["write", { n: 2 }])];
    assert.deepEqual(await playOne(answer), [
      whole("", [
        ["read", tooLongArguments],
        ["write", '{"n":2}'],
      ]),
    ]);
  });

  it("ends an answer that makes calls without an end", async () => {
    const many = Array.from({ length: mostParts + 1 }, (_, n): [string, object] => ["read", { n }]);
    const [end] = (await playOne([...wireCalls(...many)])) ?? [];
    assert.deepEqual(end && kindOf(end), "runaway");
  });

  it("ends when it is aborted, hangs up, and never calls a cut answer whole", async () => {
    await using peer = await startDialectPeer(dialectCase, { respond: () => [...words("wait"), { kind: "stall" }] });
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const event of peer.model.stream(request(), abort.signal)) {
      seen.push(kindOf(event));
      abort.abort();
    }
    assert.match(String(seen.at(-1)), /^aborted/);
    assert.ok(!seen.includes("done"));
    const [asked] = peer.server.requests;
    if (!asked?.hungUp.aborted) await new Promise((resolve) => asked?.hungUp.addEventListener("abort", resolve));
    assert.deepEqual((await gistOf(peer.model, request(), AbortSignal.abort())).map(kindOf), ["aborted"]);
  });

  it("never shows its key", async () => {
    await using peer = await startDialectPeer(dialectCase, { apiKeys: ["another"] });
    const { end } = await answerOf(peer.model);
    assert.equal(end.type === "failed" && end.error.kind, "auth");
    assert.ok(!JSON.stringify(end).includes(apiKey));
  });

  it(
    "returns a thought to the model it came from, with its proof, and to no other",
    skipped("thought proof"),
    async () => {
      const thought = { kind: "thought", text: "hm", proof: "proof-1" } as const;
      const respond = () => [thought, ...wireCalls(["read", args])];
      await using peer = await startDialectPeer(dialectCase, { respond });
      const { end } = await answerOf(peer.model);
      assert.ok(end.type === "done");
      const stored = JSON.parse(JSON.stringify(end.message)) as typeof end.message;
      const asked = afterCall(stored);
      const proofIn = (index: number) => JSON.stringify(peer.server.requests[index]?.body).includes("proof-1");
      await answerOf(peer.model, asked);
      assert.ok(proofIn(1), "the same model sees its proof");
      await answerOf(peer.modelWith({ model: otherModel[dialect] }), asked);
      assert.ok(!proofIn(2), "another model does not");
      const shortened = { ...stored, content: "shortened" };
      await answerOf(peer.model, afterCall(shortened));
      assert.ok(!JSON.stringify(peer.server.requests[3]?.body).includes("undefined"));
      assert.deepEqual(peer.server.flaws, []);
    },
  );

  it("shows pictures after the words, and says so where it shows none", async () => {
    const png = Buffer.from("89504e470d0a1a0a", "hex");
    const readMedia = async () => png;
    const images = [{ ref: brandAs<MediaRef>("one"), mimeType: "image/png" }];
    const asked = request({ messages: [{ role: "user", content: "look", images }] });
    await using peer = await startDialectPeer(dialectCase, {}, {}, { readMedia });
    assert.equal((await answerOf(peer.model, asked)).end.type, "done");
    assert.equal((await answerOf(peer.modelWith({ images: false }), asked)).end.type, "done");
    const [seen, blind] = peer.server.requests.map(({ body }) => JSON.stringify(body));
    assert.ok(seen?.includes(png.toString("base64")));
    assert.ok(!blind?.includes(png.toString("base64")) && blind?.includes("You cannot see pictures"));
    assert.deepEqual(peer.server.flaws, []);
  });

  it("makes a request once more without the pictures that may be the reason for a refusal", async () => {
    let round = 0;
    const respond = (): WireAnswer => {
      round += 1;
      return round === 1 ? [{ kind: "refuse", why: "picture" }] : words("fine");
    };
    await using peer = await startDialectPeer(
      dialectCase,
      { respond },
      {},
      { readMedia: async () => Buffer.from("x") },
    );
    const images = [{ ref: brandAs<MediaRef>("one"), mimeType: "image/png" }];
    const { text: said } = await answerOf(
      peer.model,
      request({ messages: [{ role: "user", content: "look", images }] }),
    );
    assert.equal(said, "fine");
    assert.ok(JSON.stringify(peer.server.requests[1]?.body).includes("You cannot see pictures"));
  });

  it("sends configured headers and, where its package can, a query", async () => {
    const headers = { "x-extra": { reveal: () => "extra-value" } };
    await using peer = await startDialectPeer(dialectCase, {}, { headers, query: { "api-version": "2026-10-01" } });
    assert.equal((await answerOf(peer.model)).end.type, "done");
    const [asked] = peer.server.requests;
    assert.equal(asked?.headers["x-extra"], "extra-value");
    const hasQuery = ["openai-chat", "openai-responses", "anthropic"].includes(dialect);
    assert.equal(asked?.query.get("api-version"), hasQuery ? "2026-10-01" : null);
  });

  it("sends a strict server only what it takes, whatever the history holds", async () => {
    await using peer = await startDialectPeer(dialectCase);
    assert.equal((await answerOf(peer.model, oddHistory)).end.type, "done");
    assert.deepEqual(peer.server.flaws, []);
    assert.equal(peer.server.requests.length, 1);
    const body = JSON.stringify(peer.server.requests[0]?.body);
    assert.doesNotMatch(body, /foreign/);
    for (const said of [
      "first result",
      "second result",
      "broken result",
      "and another thing",
      "a second call with this id",
    ])
      assert.ok(body.includes(said), said);
  });
}

/** Another name of a model in the same dialect. */
const otherModel: Readonly<Record<ServedDialect, string>> = {
  "openai-chat": "gpt-5.5",
  "openai-responses": "gpt-5.5",
  anthropic: "claude-sonnet-5",
  google: "gemini-3-flash-preview",
  mistral: "mistral-small-latest",
  bedrock: "us.anthropic.claude-sonnet-4-6",
  chatgpt: "gpt-5.5",
  vertex: "gemini-3-flash-preview",
  "anthropic-on-vertex": "claude-sonnet-5",
};

function afterCall(message: Extract<ModelRequest["messages"][number], { role: "assistant" }>): ModelRequest {
  const results = message.toolCalls.map(({ callId, name }) => ({
    role: "tool" as const,
    callId,
    name,
    content: "the result",
    isError: false,
  }));
  return request({ messages: [{ role: "user", content: "read it" }, message, ...results] });
}

const foreignState = { dialect: "nobody's", model: "m", data: { parts: [{ kind: "opaque", data: "foreign" }] } };

/** What a long life leaves behind: foreign ids and state, broken arguments, odd names, empty answers, steering after results. */
const oddHistory: ModelRequest = request({
  maxOutputTokens: 500,
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "two at once",
      toolCalls: [
        { callId: "call_0:x/1", name: "read", arguments: '{"path":"a"}' },
        { callId: "functions.read:1", name: "read", arguments: "{}" },
      ],
      providerState: foreignState,
    },
    { role: "tool", callId: "call_0:x/1", name: "read", content: "first result", isError: false },
    { role: "tool", callId: "functions.read:1", name: "read", content: "second result", isError: true },
    { role: "user", content: "and another thing" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ callId: "toolu_01A", name: "functions.read me", arguments: '{"path": "a' }],
    },
    { role: "tool", callId: "toolu_01A", name: "functions.read me", content: "broken result", isError: true },
    { role: "assistant", content: " ", toolCalls: [] },
    { role: "user", content: "once more" },
    { role: "assistant", content: "", toolCalls: [{ callId: "toolu_01A", name: "read", arguments: "{}" }] },
    {
      role: "tool",
      callId: "toolu_01A",
      name: "read",
      content: "result of a second call with this id",
      isError: false,
    },
    { role: "assistant", content: "", toolCalls: [{ callId: "call_0_x/1", name: "read", arguments: "{}" }] },
    { role: "tool", callId: "call_0_x/1", name: "read", content: "x", isError: false },
    { role: "user", content: "still there?" },
  ],
});

function kindOf(event: unknown): string {
  const { type, error } = event as { type: string; error?: { kind: string; visible: boolean } };
  return error === undefined ? type : `${error.kind}${error.visible ? ", visible" : ""}`;
}
