import { content, ended, type ProtocolCase, runCases } from "./cases.fixture.ts";

/** `self.tool_call_regex`, `_get_function_calls` and `_convert_param_value` there. */
const qwen3Coder = "vllm-project/vllm: tool_parsers/qwen3coder_tool_parser.py";
const terminal = {
  name: "terminal",
  description: "Runs",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string" },
      seconds: { type: "integer" },
      quiet: { type: "boolean" },
      paths: { type: "array", items: { type: "string" } },
      cwd: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
  },
};
const request = { tools: [terminal] };
const inner =
  "<function=terminal>\n<parameter=command>\nls\n</parameter>\n<parameter=seconds>\n5\n</parameter>\n</function>";
const whole = `<tool_call>\n${inner}\n</tool_call>`;
const made: NonNullable<ProtocolCase["calls"]> = [["terminal", { command: "ls", seconds: 5 }]];

const calls: readonly Omit<ProtocolCase, "source" | "request">[] = [
  { name: "one", says: [...content(whole), ...ended()], calls: made },
  { name: "one without the outer tag", says: [...content(inner), ...ended()], calls: made },
  {
    name: "one whose outer tag only closes, in single characters",
    says: [...content(...`Let me look.\n\n${inner}\n</tool_call>`), ...ended()],
    text: "Let me look.\n\n",
    calls: made,
  },
  {
    name: "one in a line",
    says: [
      ...content(
        "<tool_call><function=terminal><parameter=command>ls</parameter><parameter=seconds>5</parameter></function></tool_call>",
      ),
      ...ended(),
    ],
    calls: made,
  },
  {
    name: "two, in single characters",
    says: [...content(...`${whole}\n${inner}\n`), ...ended()],
    calls: [...made, ...made],
  },
  {
    name: "values as the tool's schema has them",
    says: [
      ...content(
        '<function=terminal>\n<parameter=command>\n\n42\n\n</parameter>\n<parameter=quiet>True</parameter>\n<parameter=paths>["a"]</parameter>\n<parameter=cwd>7</parameter>\n<parameter=seconds>soon</parameter>\n<parameter=__proto__>x</parameter>\n</function>',
      ),
      ...ended(),
    ],
    calls: [
      [
        "terminal",
        JSON.parse('{"command":"\\n42\\n","quiet":true,"paths":["a"],"cwd":"7","seconds":"soon","__proto__":"x"}'),
      ],
    ],
  },
  {
    name: "tags in a value",
    says: [
      ...content(
        "<tool_call>\n<function=terminal>\n<parameter=command>\necho '</tool_call></function> </parameter>'\n</parameter>\n</function>\n</tool_call>",
      ),
      ...ended(),
    ],
    calls: [["terminal", { command: "echo '</tool_call></function> </parameter>'" }]],
  },
  {
    name: "none without parameters but the name",
    says: [...content("<tool_call>\n<function=terminal>\n</function>\n</tool_call>"), ...ended()],
    calls: [["terminal", {}]],
  },
  {
    name: "one cut by length",
    says: [...content(`Let me look.\n${whole.slice(0, 60)}`), ...ended("length")],
    text: "Let me look.\n",
    calls: [["terminal", whole.slice(12, 60)]],
    stop: "max_tokens",
  },
  {
    name: "one without the outer tag, cut by length in its name",
    says: [...content("Let me look.\n<function=term"), ...ended("length")],
    text: "Let me look.\n",
    stop: "max_tokens",
  },
];

runCases(
  "calls in the content as Qwen3-Coder writes them",
  calls.map((each) => ({ ...each, source: qwen3Coder, request })),
);

const talk: readonly string[] = [
  `The page says ${inner}, twice.`,
  `The page says:\n${whole}\nSo it does.`,
  `\`\`\`\n${whole}\n\`\`\``,
  `\`\`\`xml\n${inner}\n\`\`\`\n`,
  `\`${inner}`,
  "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>",
  "<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>",
  "<function=terminal>\n<parameter=command>\nls\n</parameter>\n",
  "<function=terminal>\n words \n</function>",
  `${inner}\n</tool_call>.`,
  "Write <function=name> and </function>.",
];

runCases(
  "talk about such calls",
  talk.flatMap((text): readonly ProtocolCase[] => [
    { name: JSON.stringify(text), source: qwen3Coder, request, says: [...content(text), ...ended()], text },
    {
      name: `${JSON.stringify(text)}, cut`,
      source: qwen3Coder,
      request,
      says: [...content(...text), ...ended()],
      text,
    },
  ]),
);
