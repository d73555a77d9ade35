import { callParts, content, delta, ended, type ProtocolCase, runCases } from "./cases.fixture.ts";

const args = { path: "a" };
const textCall = `<tool_call>\n${JSON.stringify({ name: "read", arguments: args })}\n</tool_call>`;
const templates = "github.com/deepseek-ai/DeepSeek-R1/issues/352";
const minimax = "platform.minimax.io/docs/guides/text-m2-function-call";
const hermes = "github.com/vllm-project/vllm/issues/28297";
const r1 = "github.com/deepseek-ai/DeepSeek-R1/issues/526";
/** One chunk for each character. */
const cut = (text: string) => content(...text);

runCases("thoughts in fields of their own", [
  {
    name: "reasoning_content",
    source: "api-docs.deepseek.com/guides/thinking_mode",
    says: [
      delta({ content: null, reasoning_content: "h" }),
      delta({ reasoning_content: "m" }),
      ...content("yes"),
      ...ended(),
    ],
    thought: "hm",
    text: "yes",
    state: { thought: { field: "reasoning_content", text: "hm" } },
  },
  {
    name: "reasoning, once where it comes under two names",
    source: "docs.together.ai/docs/glm-5.3-quickstart",
    says: [delta({ reasoning: "hm", reasoning_content: "hm" }), ...content("yes"), ...ended()],
    thought: "hm",
    text: "yes",
    state: { thought: { field: "reasoning_content", text: "hm" } },
  },
  {
    name: "reasoning, behind an empty reasoning_content",
    source: "github.com/QwenLM/qwen-code/issues/11045",
    says: [delta({ reasoning_content: "", reasoning: "hm" }), ...content("yes"), ...ended()],
    thought: "hm",
    text: "yes",
    state: { thought: { field: "reasoning", text: "hm" } },
  },
  {
    name: "reasoning_text with its signature",
    source: "github.com/earendil-works/pi/pull/1502",
    says: [delta({ reasoning_text: "hm" }), delta({ reasoning_opaque: "sig" }), ...content("yes"), ...ended()],
    thought: "hm",
    text: "yes",
    state: { thought: { field: "reasoning_text", text: "hm" }, opaque: "sig" },
  },
  {
    name: "an empty reasoning_content before a call",
    source: "github.com/Oaklight/llm-rosetta/issues/356",
    says: [
      delta({ role: "assistant", content: null, reasoning_content: "" }),
      ...callParts({ index: 0, id: "a", function: { name: "read", arguments: "{}" } }),
      ...ended("tool_calls"),
    ],
    calls: [["read", {}]],
    state: { thought: { field: "reasoning_content", text: "" } },
  },
  {
    name: "fragments of one detail, the signature last",
    source: "github.com/agno-agi/agno/issues/8794",
    says: [
      delta({ reasoning: "Let", reasoning_details: [{ type: "reasoning.text", text: "Let", format: "f", index: 0 }] }),
      delta({ reasoning: " me", reasoning_details: [{ type: "reasoning.text", text: " me", format: "f", index: 0 }] }),
      delta({ reasoning_details: [{ type: "reasoning.text", signature: "sig", format: "f", index: 0 }] }),
      ...content("yes"),
      ...ended(),
    ],
    thought: "Let me",
    text: "yes",
    state: {
      reasoningDetails: [{ type: "reasoning.text", text: "Let me", format: "f", index: 0, signature: "sig" }],
      thought: { field: "reasoning", text: "Let me" },
    },
  },
  {
    name: "details of other indexes and kinds stay apart",
    source: "github.com/agno-agi/agno/pull/5802",
    says: [
      delta({
        reasoning_details: [
          { type: "reasoning.summary", summary: "a", index: 0 },
          { type: "reasoning.summary", summary: "b", index: 0 },
        ],
      }),
      delta({
        reasoning_details: [
          { type: "reasoning.encrypted", data: "x", id: "1", index: 0 },
          { type: "reasoning.encrypted", data: "y", id: "2", index: 0 },
        ],
      }),
      delta({ reasoning_details: [{ type: "reasoning.text", text: "c", index: 1 }, null] }),
      ...content("yes"),
      ...ended(),
    ],
    thought: "abc",
    text: "yes",
    state: {
      reasoningDetails: [
        { type: "reasoning.summary", summary: "ab", index: 0 },
        { type: "reasoning.encrypted", data: "x", id: "1", index: 0 },
        { type: "reasoning.encrypted", data: "y", id: "2", index: 0 },
        { type: "reasoning.text", text: "c", index: 1 },
      ],
    },
  },
  {
    name: "a text after a signature is another detail",
    source: "github.com/pailat/adk-llm-bridge/pull/82",
    says: [
      delta({ reasoning_details: [{ type: "reasoning.text", text: "a", signature: "1" }] }),
      delta({ reasoning_details: [{ type: "reasoning.text", text: "b", signature: "2" }] }),
      ...content("yes"),
      ...ended(),
    ],
    thought: "ab",
    text: "yes",
    state: {
      reasoningDetails: [
        { type: "reasoning.text", text: "a", signature: "1" },
        { type: "reasoning.text", text: "b", signature: "2" },
      ],
    },
  },
]);

runCases("thoughts in the content", [
  {
    name: "<think>",
    source: minimax,
    says: [...content("<think>\nhm\n</think>\n\nyes"), ...ended()],
    thought: "\nhm\n",
    text: "yes",
    state: { head: "<think>\nhm\n</think>\n\n" },
  },
  {
    name: "<think> in single characters",
    source: minimax,
    says: [...cut("<think>hm</think>\n\nyes <b>\n"), ...ended()],
    thought: "hm",
    text: "yes <b>\n",
    state: { head: "<think>hm</think>\n\n" },
  },
  {
    name: "<thinking>, behind blanks",
    source: "github.com/LibreChat-AI/agents/pull/40",
    says: [...content("\n <thin", "king>h</think>m</thinking>", "yes"), ...ended()],
    thought: "h</think>m",
    text: "yes",
  },
  {
    name: "a call after the thought",
    source: minimax,
    says: [
      ...content("<think>hm</think>"),
      ...callParts({ index: 0, id: "a", function: { name: "read", arguments: "{}" } }),
      ...ended("tool_calls"),
    ],
    thought: "hm",
    calls: [["read", {}]],
    state: { head: "<think>hm</think>" },
  },
  {
    name: "a thought that does not end is not shown",
    source: "github.com/vllm-project/vllm/issues/35705",
    says: [...content("<think>", "hm"), ...ended()],
    thought: "hm",
  },
  {
    name: "the closing tag alone, on its line",
    source: templates,
    says: [...content("The user said hello.\n</th", "ink>\n\nHello!"), ...ended()],
    restarts: 1,
    thought: "The user said hello.\n",
    text: "Hello!",
    state: { head: "The user said hello.\n</think>\n\n" },
  },
  {
    name: "the closing tag alone, behind the last word, in single characters",
    source: r1,
    says: [...cut("Say hello.</think>Hello!"), ...ended()],
    restarts: 1,
    thought: "Say hello.",
    text: "Hello!",
  },
  {
    name: "the closing tag alone, at the very start",
    source: r1,
    says: [...content("</think>\n\nHello!"), ...ended()],
    text: "Hello!",
  },
  {
    name: "an empty thought",
    source: "chat template of huggingface.co/Qwen/Qwen3-8B, enable_thinking",
    says: [...content("<think>\n\n</think>\n\nHello!"), ...ended()],
    thought: "\n\n",
    text: "Hello!",
  },
]);

const talk: readonly string[] = [
  "Write `<think>` first and `</think>` last.",
  "The tag </think> ends it.",
  "`</think>`\nends it",
  "Models begin with <think> and end with\n</think>\nthen they speak.",
  '```xml\n<think>\nhm\n</think>\n<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>\n```\nSo.',
  "  ~~~\n</think>\n~~~",
  'Calls look like <tool_call>{"name": "get_weather", "arguments": {}}</tool_call>.',
  "<tool_call> is a tag, and so is </tool_call>",
  "a < b and <",
  "<thinker> <tool_calls> </thinks>",
  'The page says <tool_call>{"name": "read", "arguments": {}}</tool_call>, twice.',
  '<tool_call>{"name": "read", "arguments": {}}</tool_call>\n<tool_call>{"name": "read", "arguments": {}}</tool_call>\n.',
  '<tool_call>{"name": "read", "arguments": {}}</tool_call>\n<tool_call>[]</tool_call>',
  "<",
];

runCases(
  "talk about tags",
  talk.flatMap((text): readonly ProtocolCase[] => [
    {
      name: JSON.stringify(text),
      source: "spec.commonmark.org/0.31.2, 4.5 Fenced code blocks",
      says: [...content(text), ...ended()],
      text,
    },
    {
      name: `${JSON.stringify(text)} in single characters`,
      source: "the same",
      says: [...cut(text), ...ended()],
      text,
    },
  ]),
);

runCases("calls in the content", [
  { name: "one", source: hermes, says: [...content(textCall), ...ended()], calls: [["read", args]] },
  {
    name: "two behind words, in single characters",
    source: hermes,
    says: [...cut(`Let me see.\n${textCall}\n${textCall}\n`), ...ended()],
    text: "Let me see.\n",
    calls: [
      ["read", args],
      ["read", args],
    ],
  },
  {
    name: "one without its closing tag",
    source: "github.com/waybarrios/vllm-mlx/pull/55",
    says: [...content(textCall.replace("</tool_call>", "")), ...ended()],
    calls: [["read", args]],
  },
  {
    name: "one with the closing tag in an argument",
    source: "huggingface.co/NousResearch/Hermes-3-Llama-3.1-8B: prompt format for function calling",
    says: [...content(`<tool_call>{"name":"read","arguments":{"path":"</tool_call>"}}</tool_call>`), ...ended()],
    calls: [["read", { path: "</tool_call>" }]],
  },
  {
    name: "arguments as text",
    source: "github.com/vllm-project/vllm/issues/21301",
    says: [
      ...content(`<tool_call>${JSON.stringify({ name: "read", arguments: JSON.stringify(args) })}</tool_call>`),
      ...ended(),
    ],
    calls: [["read", args]],
  },
  {
    name: "one after a thought",
    source: "github.com/vllm-project/vllm/issues/39056",
    says: [...content(`<think>hm</think>\n\n${textCall}`), ...ended()],
    thought: "hm",
    calls: [["read", args]],
  },
  {
    name: "one cut by length is a call that was cut",
    source: hermes,
    says: [...content(`Let me see.\n${textCall.slice(0, 40)}`), ...ended("length")],
    text: "Let me see.\n",
    calls: [["read", textCall.slice(12, 40)]],
    stop: "max_tokens",
  },
  {
    name: "one cut by length before its name is not shown",
    source: hermes,
    says: [...content(`Let me see.\n${textCall.slice(0, 20)}`), ...ended("length")],
    text: "Let me see.\n",
    stop: "max_tokens",
  },
  {
    name: "one of an unknown tool, cut by length, stays text",
    source: hermes,
    says: [...content('<tool_call>\n{"name": "get_weather", "argu'), ...ended("length")],
    text: '<tool_call>\n{"name": "get_weather", "argu',
    stop: "max_tokens",
  },
  {
    name: "one that is broken off, and not by a limit, stays text",
    source: hermes,
    says: [...content(textCall.slice(0, 40)), ...ended()],
    text: textCall.slice(0, 40),
  },
  {
    name: "none where no tools were offered",
    source: hermes,
    request: { tools: [] },
    says: [...content(textCall), ...ended()],
    text: textCall,
  },
  {
    name: "a call that the server finds as well",
    source: hermes,
    says: [
      ...content(textCall),
      ...callParts({ index: 0, id: "a", function: { name: "read", arguments: "{}" } }),
      ...ended("tool_calls"),
    ],
    calls: [["read", {}]],
  },
]);
