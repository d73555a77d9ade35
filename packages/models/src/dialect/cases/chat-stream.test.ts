import { callParts, content, delta, done, ended, type ProtocolCase, runCases } from "./cases.fixture.ts";

const sse = "html.spec.whatwg.org, 9.2.6 Interpreting an event stream";
const args = { path: "a" };
const text = JSON.stringify(args);
const [left, right] = [text.slice(0, 5), text.slice(5)];
const hello = `data: ${JSON.stringify(delta({ content: "Hello" }))}`;
const stop = `data: ${JSON.stringify(delta({}, { finish_reason: "stop" }))}`;
const umlauts = Buffer.from(`data: ${JSON.stringify(delta({ content: "Grüße 🐎" }))}\n\n`);

function head(index: number, name: string, id = `call_${index}`): object {
  return { index, id, type: "function", function: { name, arguments: "" } };
}

function more(index: number, piece: unknown): object {
  return { index, function: { arguments: piece } };
}

runCases("how Chat Completions are framed", [
  { name: "lines that end in CR and LF", source: sse, says: [`${hello}\r\n\r\n${stop}\r\n\r\n${done}`], text: "Hello" },
  { name: "lines that end in CR", source: sse, says: [`${hello}\r\r${stop}\r\rdata: [DONE]\r\r`], text: "Hello" },
  { name: "a mark of byte order", source: sse, says: [`\uFEFF${hello}\n\n`, ...ended()], text: "Hello" },
  {
    name: "comments between events and inside one",
    source: "openrouter.ai/docs/api-reference/streaming, Additional Information: comments",
    says: [": OPENROUTER PROCESSING\n\n", `: OPENROUTER PROCESSING\n${hello}\n\n`, ": keep-alive\n\n", ...ended()],
    text: "Hello",
  },
  {
    name: "no blank after the colon, and names of events",
    source: sse,
    says: [
      `event: message\nid: 7\nretry: 10\n${hello.replace("data: ", "data:")}\n\n`,
      `${stop}\n\n`,
      "data:[DONE]\n\n",
    ],
    text: "Hello",
  },
  {
    name: "an event in two lines of data",
    source: sse,
    says: [hello.replace('"choices"', '\ndata: "choices"'), "\n\n", ...ended()],
    text: "Hello",
  },
  {
    name: "characters cut between pieces",
    source: "encoding.spec.whatwg.org, 7.2 TextDecoder: stream",
    says: [...umlauts].map((byte) => Buffer.from([byte])).concat(Buffer.from(`${stop}\n\n${done}`)),
    text: "Grüße 🐎",
  },
  {
    name: "a surrogate pair cut between chunks",
    source: "github.com/elizaOS/eliza/issues/30904",
    says: [
      'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\n',
      'data: {"choices":[{"index":0,"delta":{"content":"\\udc0e"}}]}\n\n',
      ...ended(),
    ],
    text: "🐎",
  },
  {
    name: "a last event without its blank line",
    source: "github.com/open-webui/pipelines/issues/297",
    says: [...content("Hello"), `${stop}\n\ndata: [DONE]`],
    text: "Hello",
  },
  {
    name: "a whole answer in JSON in place of the stream",
    source: "github.com/fawney19/Aether/pull/542",
    contentType: "application/json",
    says: [
      JSON.stringify(
        {
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
        },
        null,
        2,
      ),
    ],
    text: "Hello",
  },
  {
    name: "no delta, no choices, empty choices, choices of null",
    source: "github.com/microsoft/autogen/issues/6465",
    says: [
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      { choices: null },
      { choices: [null] },
      { choices: [{ index: 0, delta: null, finish_reason: null }] },
      delta({ role: "assistant", content: null, tool_calls: null, reasoning_content: null }),
      ...content("Hello"),
      ...ended(),
    ],
    text: "Hello",
  },
  {
    name: "another choice beside the first",
    source: "platform.openai.com/docs/api-reference/chat-streaming: choices",
    says: [{ choices: [{ index: 1, delta: { content: "no" } }] }, ...content("yes"), ...ended()],
    text: "yes",
  },
  {
    name: "content in parts, thoughts of Mistral among them",
    source: "docs.mistral.ai/capabilities/reasoning",
    says: [
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
      delta({ content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo" }, null] }),
      ...ended(),
    ],
    thought: "hm",
    text: "Hello",
  },
]);

const callCases: readonly ProtocolCase[] = [
  {
    name: "two calls whose parts alternate",
    source: "platform.openai.com/docs/guides/function-calling#streaming",
    says: [
      ...callParts(head(0, "read"), head(1, "write"), more(1, left), more(0, left), more(0, right), more(1, right)),
      ...ended("tool_calls"),
    ],
    calls: [
      ["read", args],
      ["write", args],
    ],
  },
  {
    name: "parts of two calls in one chunk",
    source: "github.com/vercel/ai/issues/5885",
    says: [
      delta({ tool_calls: [head(0, "read"), head(1, "write")] }),
      delta({ tool_calls: [more(0, text), more(1, text)] }),
      ...ended("tool_calls"),
    ],
    calls: [
      ["read", args],
      ["write", args],
    ],
  },
  {
    name: "parts without index, the second call known by its id",
    source: "github.com/openai/openai-python/issues/2806",
    says: [
      ...callParts(
        { id: "a", function: { name: "read", arguments: "" } },
        { function: { arguments: text } },
        { id: "b", function: { name: "write", arguments: left } },
        { id: "b", function: { arguments: right } },
      ),
      ...ended("tool_calls"),
    ],
    calls: [
      ["read", args],
      ["write", args],
    ],
  },
  {
    name: "arguments as an object",
    source: "github.com/ggml-org/llama.cpp/issues/20198",
    says: [...callParts({ index: 0, id: "a", function: { name: "read", arguments: args } }), ...ended("tool_calls")],
    calls: [["read", args]],
  },
  {
    name: "empty ids and names in later parts",
    source: "github.com/anomalyco/opencode/issues/37841",
    says: [
      ...callParts(
        head(0, "read"),
        { index: 0, id: "", function: { name: "", arguments: left } },
        { index: 0, id: null, function: { name: null, arguments: right } },
      ),
      ...ended("tool_calls"),
    ],
    calls: [["read", args]],
  },
  {
    name: "the name and id in every part",
    source: "github.com/NousResearch/hermes-agent/pull/12230",
    says: [
      ...callParts(
        ...[left, right].map((piece) => ({ index: 0, id: "a", function: { name: "read", arguments: piece } })),
      ),
      ...ended("tool_calls"),
    ],
    calls: [["read", args]],
  },
  {
    name: "the name in every part, without index and id",
    source: "github.com/vercel/ai/pull/15879",
    says: [
      ...callParts(...[left, right].map((piece) => ({ function: { name: "read", arguments: piece } }))),
      ...ended("tool_calls"),
    ],
    calls: [["read", args]],
  },
  {
    name: "two whole calls with index 0 and ids of their own",
    source: "github.com/su-kaka/gcli2api/pull/406",
    says: [
      ...callParts(
        { index: 0, id: "a", function: { name: "read", arguments: text } },
        { index: 0, id: "b", function: { name: "read", arguments: "{}" } },
      ),
      ...ended("tool_calls"),
    ],
    calls: [
      ["read", args],
      ["read", {}],
    ],
  },
  {
    name: "the name in two pieces",
    source: "github.com/continuedev/continue/pull/5849",
    says: [...callParts(head(0, "re"), { index: 0, function: { name: "ad" } }, more(0, text)), ...ended("tool_calls")],
    calls: [["read", args]],
  },
  {
    name: "arguments of null, and a part that is null",
    source: "github.com/open-webui/open-webui/issues/27195",
    says: [
      delta({ tool_calls: [null, { index: 0, id: "a", function: { name: "read", arguments: null } }] }),
      ...ended("tool_calls"),
    ],
    calls: [["read", {}]],
  },
  {
    name: "a call that ends with stop",
    source: "github.com/ollama/ollama/pull/7963",
    says: [...callParts(head(0, "read"), more(0, text)), ...ended("stop")],
    calls: [["read", args]],
  },
  {
    name: "words before a call and after it",
    source: "github.com/RayBytes/ChatMock/pull/114",
    says: [
      ...content("Let me "),
      ...callParts(head(0, "read"), more(0, text)),
      ...content("see."),
      ...ended("tool_calls"),
    ],
    text: "Let me see.",
    calls: [["read", args]],
  },
];
runCases("how calls come in Chat Completions", callCases);
