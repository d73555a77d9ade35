import assert from "node:assert/strict";
import { it } from "node:test";
import OpenAI, { APIError } from "openai";
import type { ModelServerOptions } from "./answer-desk.ts";
import { modelFault } from "./model-faults.ts";
import { inOrder, startModelServer } from "./model-server.ts";
import { callTool, callTools, finish, hold, say, think, usage } from "./script.ts";
import { toolCallQuirk } from "./tool-call-quirks.ts";

const hello = [{ role: "user" as const, content: "hello" }];
const tool = { type: "function" as const, function: { name: "read", parameters: { type: "object" } } };

it("streams an echo that the openai package reads, with usage when asked for", async () => {
  await using peer = await started();
  const chunks = await streamed(peer.client);
  assert.equal(textOf(chunks), "echo: hello");
  assert.equal(chunks[0]?.choices[0]?.delta.role, "assistant");
  assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, "stop");
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert.ok((chunks.at(-1)?.usage?.total_tokens ?? 0) > 0);
});

it("answers in one piece when no stream is asked for", async () => {
  const script = [...think("hm"), ...callTools(["read", { path: "a" }], ["read", { path: "b" }]), ...usage(7, 5, 3)];
  await using peer = await started({ respond: () => script });
  const answer = await peer.client.chat.completions.create({ model: "m", messages: hello, tools: [tool] });
  const [choice] = answer.choices;
  assert.equal(choice?.finish_reason, "tool_calls");
  assert.equal(choice?.message.content, null);
  const calls = (choice?.message.tool_calls ?? []) as { function: { arguments: string } }[];
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.function.arguments)),
    [{ path: "a" }, { path: "b" }],
  );
  assert.deepEqual([answer.usage?.prompt_tokens, answer.usage?.prompt_tokens_details?.cached_tokens], [7, 3]);
});

it("lists models and refuses a wrong key", async () => {
  await using peer = await started({ apiKey: "right", models: ["a", "b"] });
  const right = new OpenAI({ baseURL: peer.baseUrl, apiKey: "right", maxRetries: 0 });
  assert.deepEqual(
    (await right.models.list()).data.map((model) => model.id),
    ["a", "b"],
  );
  await assert.rejects(streamed(peer.client), (error) => error instanceof APIError && error.status === 401);
});

it("answers with each refusal as the package understands it", async () => {
  const faults = [
    modelFault.rateLimited(7),
    modelFault.quotaExceeded(),
    modelFault.serverError(),
    modelFault.unauthorized(),
    modelFault.contextTooLong(),
    modelFault.badGatewayPage(),
  ];
  await using peer = await started({ respond: inOrder(...faults) });
  const seen: unknown[] = [];
  for (const _ of faults) {
    const error = await streamed(peer.client).catch((caught) => caught as APIError);
    assert.ok(error instanceof APIError);
    seen.push([error.status, error.code ?? null, error.headers?.get("retry-after") ?? null]);
  }
  assert.deepEqual(seen, [
    [429, "rate_limit_exceeded", "7"],
    [429, "insufficient_quota", null],
    [500, null, null],
    [401, "invalid_api_key", null],
    [400, "context_length_exceeded", null],
    [502, null, null],
  ]);
});

it("ends a cut stream without a finish reason", async () => {
  await using peer = await started({ respond: () => modelFault.cutAfter("half an ans") });
  const chunks = await streamed(peer.client);
  assert.equal(textOf(chunks), "half an ans");
  assert.ok(chunks.every((chunk) => chunk.choices[0]?.finish_reason === null));
});

it("breaks a connection, sends an error and broken JSON in the middle of a stream", async () => {
  const faults = [modelFault.cutAfter("a", "reset"), modelFault.errorAfter("b"), modelFault.malformedLine("c")];
  await using peer = await started({ respond: inOrder(...faults) });
  await assert.rejects(streamed(peer.client));
  await assert.rejects(streamed(peer.client), /Overloaded/);
  await assert.rejects(streamed(peer.client), SyntaxError);
});

it("stays silent until the client hangs up, and knows that it did", async () => {
  await using peer = await started({ respond: () => modelFault.stallAfter("wait for it") });
  const hangUp = new AbortController();
  const stream = await peer.client.chat.completions.create(
    { model: "m", messages: hello, stream: true },
    { signal: hangUp.signal },
  );
  let text = "";
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (text === "wait for it") hangUp.abort();
  }
  const [request] = peer.requests;
  if (!request?.hungUp.aborted) await new Promise((resolve) => request?.hungUp.addEventListener("abort", resolve));
  assert.equal(text, "wait for it");
});

it("holds an answer until the test lets go", async () => {
  const gate = Promise.withResolvers<void>();
  await using peer = await started({ respond: () => [...say("half "), ...hold(gate.promise), ...say("whole")] });
  const answering = streamed(peer.client);
  const request = await peer.waitForRequest(({ lastUserText }) => lastUserText === "hello");
  assert.deepEqual([peer.openAnswers(), request.hungUp.aborted], [1, false]);
  gate.resolve();
  assert.equal(textOf(await answering), "half whole");
  assert.equal(peer.requestCount(), 1);
  await assert.rejects(
    peer.waitForRequest(() => false, 1),
    /did not come within 1 ms; the last: "hello"/,
  );
});

it("sends the quirks of tool calls exactly as given", async () => {
  const quirks = [
    toolCallQuirk.missingIndex("read", { a: 1 }),
    toolCallQuirk.reusedIndex(["read", { a: 1 }], ["write", { b: 2 }]),
    toolCallQuirk.missingId("read", {}),
    toolCallQuirk.objectArguments("read", { a: 1 }),
    toolCallQuirk.finishedAsStop("read", {}),
    toolCallQuirk.cutByLength("read", { path: "some/where" }),
  ];
  await using peer = await started({ respond: inOrder(...quirks) });
  const answers = [];
  for (const _ of quirks) {
    const chunks = await streamed(peer.client);
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    const finished = chunks.findLast((chunk) => chunk.choices.length > 0)?.choices[0]?.finish_reason;
    answers.push({ deltas, finished });
  }
  const [missing, reused, anonymous, objects, stopped, cut] = answers;
  assert.ok(missing?.deltas.length === 4 && missing.deltas.every((delta) => delta.index === undefined));
  assert.deepEqual(
    reused?.deltas.map((delta) => delta.index),
    [0, 0],
  );
  assert.notEqual(reused?.deltas[0]?.id, reused?.deltas[1]?.id);
  assert.equal(anonymous?.deltas[0]?.id, undefined);
  assert.deepEqual(objects?.deltas[0]?.function?.arguments, { a: 1 });
  assert.equal(stopped?.finished, "stop");
  assert.equal(cut?.finished, "length");
});

it("interleaves two calls so that only the index tells them apart", async () => {
  const script = toolCallQuirk.interleaved(["read", { path: "first" }], ["read", { path: "second" }]);
  await using peer = await started({ respond: () => script });
  const chunks = await streamed(peer.client);
  const args = ["", ""];
  const order: number[] = [];
  for (const delta of chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
    order.push(delta.index);
    args[delta.index] += delta.function?.arguments ?? "";
  }
  assert.deepEqual(
    args.map((text) => JSON.parse(text)),
    [{ path: "first" }, { path: "second" }],
  );
  assert.deepEqual(order, [0, 1, 0, 1, 0, 1, 0, 1]);
  const whole = await peer.client.chat.completions.create({ model: "m", messages: hello });
  const calls = (whole.choices[0]?.message.tool_calls ?? []) as { function: { arguments: string } }[];
  assert.deepEqual(
    calls.map((call) => call.function.arguments),
    args,
  );
});

it("refuses a history in which a tool call has no result", async () => {
  await using peer = await started({ respond: () => [...callTool("read", {}), ...finish("tool_calls")] });
  const call = { id: "call_1", type: "function" as const, function: { name: "read", arguments: "{}" } };
  const asked = [...hello, { role: "assistant" as const, content: null, tool_calls: [call] }];
  const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    peer.client.chat.completions.create({ model: "m", messages });
  await assert.rejects(ask([...asked, ...hello]), /did not have response messages: call_1/);
  await assert.rejects(ask(asked), /did not have response messages/);
  await assert.rejects(ask([...hello, { role: "tool", tool_call_id: "call_1", content: "x" }]), /must be a response/);
  await assert.rejects(ask([]), /empty array/);
  await assert.rejects(peer.client.post("/chat/completions", { body: { model: "m", messages: hello, odd: 1 } }), /odd/);
  assert.ok(await ask([...asked, { role: "tool", tool_call_id: "call_1", content: "x" }]));
  assert.deepEqual(peer.requests.at(-1)?.toolResults, ["x"]);
});

it("sends a very long answer without losing a character", async () => {
  await using peer = await started({ respond: () => modelFault.endless(3_000_000) });
  assert.equal(textOf(await streamed(peer.client)).length, 3_000_000);
});

it("never cuts a character in two", async () => {
  await using peer = await started({ respond: () => say("👩‍👩‍👧 ok 🎉🎉🎉", { pieces: 9 }) });
  const chunks = await streamed(peer.client);
  assert.ok(chunks.every((chunk) => (chunk.choices[0]?.delta.content ?? "").isWellFormed()));
  assert.equal(textOf(chunks), "👩‍👩‍👧 ok 🎉🎉🎉");
});

type Chunks = OpenAI.ChatCompletionChunk[];

async function started(options: ModelServerOptions = {}) {
  const server = await startModelServer(options);
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: "key", maxRetries: 0, logLevel: "off" });
  return Object.assign(server, { client });
}

async function streamed(client: OpenAI): Promise<Chunks> {
  const stream = await client.chat.completions.create({
    model: "m",
    messages: hello,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks: Chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textOf(chunks: Chunks): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
}
