import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelMessage, ModelRequest } from "@talaria/agent";
import { readTool, request } from "../model.fixture.ts";
import type { OpenAiChatConfig } from "../model-config.ts";
import { toChatRequest } from "./chat-request.ts";

const openRouter = "https://openrouter.ai/api/v1";

function bodyOf(asked: ModelRequest, more: Partial<OpenAiChatConfig> = {}, span?: "5m" | "1h") {
  const config = { provider: "openai-chat", baseUrl: openRouter, model: "anthropic/claude-opus-5", ...more } as const;
  return toChatRequest(asked, config, "not taken", span === undefined ? {} : { span }) as unknown as Body;
}

interface Body {
  readonly tools?: readonly { readonly cache_control?: unknown }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly cache_control?: unknown }[];
  readonly session_id?: string;
  readonly prompt_cache_key?: string;
}

const calls = (...ids: readonly string[]): readonly ModelMessage[] => [
  { role: "assistant", content: "", toolCalls: ids.map((callId) => ({ callId, name: "read", arguments: "{}" })) },
  ...ids.map((callId) => ({
    role: "tool" as const,
    callId,
    name: "read",
    content: `result ${callId}`,
    isError: false,
  })),
];

/** Everything that is marked, in order. */
function marksIn({ tools = [], messages }: Body): readonly string[] {
  const places = [
    ...tools.map((tool, index) => [`tool ${index}`, tool] as const),
    ...messages.flatMap(({ role, content }, index) =>
      Array.isArray(content) ? content.map((part: unknown) => [`${role} ${index}`, part] as const) : [],
    ),
  ];
  return places.filter(([, part]) => "cache_control" in (part as object)).map(([place]) => place);
}

it("marks tools, system prompt, and the ends of this request and of the one before", () => {
  const tools = [readTool, { ...readTool, name: "write" }];
  const first = request({ tools });
  assert.deepEqual(marksIn(bodyOf(first)), ["tool 1", "system 0", "user 1"]);
  const second = request({ tools, messages: [...first.messages, ...calls("a", "b")] });
  assert.deepEqual(marksIn(bodyOf(second)), ["tool 1", "system 0", "user 1", "tool 4"]);
  const many = Array.from({ length: 15 }, (_, number) => `c${number}`);
  const third = request({ tools, messages: [...second.messages, ...calls(...many)] });
  const marks = marksIn(bodyOf(third));
  assert.deepEqual(marks, ["tool 1", "system 0", "tool 4", "tool 20"], "the end before, however many blocks ago");
  assert.ok(marks.length <= 4, "as many as Anthropic takes");
});

it("puts no mark beside the content of a result, which OpenRouter hangs on, nor on an empty one", () => {
  const messages: readonly ModelMessage[] = [
    { role: "user", content: "read" },
    ...calls("a"),
    { role: "assistant", content: "", toolCalls: [{ callId: "b", name: "read", arguments: "{}" }] },
    { role: "tool", callId: "b", name: "read", content: "", isError: false },
  ];
  const body = bodyOf(request({ messages }));
  assert.deepEqual(
    body.messages.filter((message) => "cache_control" in message),
    [],
  );
  assert.deepEqual(marksIn(body), ["tool 0", "system 0", "tool 3"]);
  assert.equal(body.messages.at(-1)?.content, "");
});

it("begins each request with the bytes of the one before, marks aside", () => {
  let messages: readonly ModelMessage[] = [{ role: "user", content: "go" }];
  let before: readonly string[] = [];
  for (let step = 0; step < 12; step += 1) {
    const { tools, messages: sent } = bodyOf(request({ messages }));
    const lines = [tools, ...sent].map((line) => JSON.stringify(line).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));
    assert.deepEqual(lines.slice(0, before.length), before, `request ${step}`);
    before = lines;
    messages = [
      ...messages,
      ...(step % 3 === 2 ? [{ role: "assistant" as const, content: "So.", toolCalls: [] }] : calls(`c${step}`)),
      ...(step % 3 === 0 ? [] : [{ role: "user" as const, content: `more ${step}` }]),
    ];
  }
});

it("asks for an hour where that is known to be kept", () => {
  const markOf = (model: string, span: "5m" | "1h", baseUrl = openRouter) =>
    bodyOf(request(), { model, baseUrl }, span).tools?.[0]?.cache_control;
  const [short, hour] = [{ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }];
  assert.deepEqual(markOf("anthropic/claude-opus-5", "5m"), short);
  assert.deepEqual(markOf("anthropic/claude-opus-5", "1h"), hour);
  assert.deepEqual(markOf("qwen/qwen3-max", "1h"), short);
  assert.deepEqual(markOf("anthropic/claude-opus-5", "1h", "https://ai-gateway.vercel.sh/v1"), short);
});

it("marks nothing for servers that find prefixes themselves, and names the session where that leads to its cache", () => {
  const plain = { role: "user", content: "hello" };
  const cases: readonly (readonly [Partial<OpenAiChatConfig>, keyof Body | undefined])[] = [
    [{ model: "openai/gpt-5.6" }, "session_id"],
    [{ model: "deepseek/deepseek-v4" }, "session_id"],
    [{ model: "gpt-5.6", baseUrl: undefined }, "prompt_cache_key"],
    [{ model: "gpt", baseUrl: "https://name.openai.azure.com/openai/v1" }, "prompt_cache_key"],
    [{ model: "claude-opus-5", baseUrl: "http://127.0.0.1:4000/v1" }, undefined],
    [{ model: "deepseek-chat", baseUrl: "https://api.deepseek.com" }, undefined],
    [{ model: "openai/gpt-5.6", baseUrl: "https://openrouter.ai.example.com/v1" }, undefined],
  ];
  for (const [more, key] of cases) {
    const body = bodyOf(request(), more);
    assert.deepEqual(marksIn(body), [], more.model);
    assert.deepEqual(body.messages[1], plain, more.model);
    for (const each of ["session_id", "prompt_cache_key"] as const)
      assert.equal(/^[\w-]{43}$/.test(body[each] ?? ""), each === key, `${more.model} ${each}`);
    assert.doesNotMatch(JSON.stringify(body), /"session"/);
  }
});
