import type { Effort } from "./model-config.ts";

/** What goes over the wire. `max` where a family knows no such word: the most it knows. */
export type Words = Readonly<Record<Effort, "low" | "medium" | "high" | "xhigh" | "max">>;
/** Tokens that a model may think, where it counts instead of knowing words. */
export type Budgets = Readonly<Record<Effort, number>>;

/** What is known of models by their names. Every fact is from the row's `source`. */
export interface Family {
  /** Of the name in lower case, without its owner: `gpt-5.6` for `openai/gpt-5.6`. */
  readonly models: RegExp;
  readonly words?: Words;
  readonly budgets?: Budgets;
  /** The type that switches its thinking on, where there is a switch. */
  readonly switch?: "enabled" | "adaptive";
  /** It thinks though nobody asks it to. */
  readonly thinks?: true;
  /** It has no such setting, whoever serves it. */
  readonly never?: true;
  /** The most that any version of it takes, where that is certain. */
  readonly largestWindow?: number;
  readonly source: string;
}

const upToHigh: Words = { low: "low", medium: "medium", high: "high", max: "high" };
const upToXhigh: Words = { ...upToHigh, max: "xhigh" };
const upToMax: Words = { ...upToHigh, max: "max" };
/** DeepSeek, GLM and Kimi know three levels and read `medium` as `high`. */
const lowHighMax: Words = { low: "low", medium: "high", high: "high", max: "max" };

/** With the 16,384 tokens that an answer gets by default, all of them stay below the 64,000 that these models write. */
const claudeBudgets: Budgets = { low: 2_048, medium: 6_144, high: 12_288, max: 24_576 };
const qwenBudgets: Budgets = { low: 2_048, medium: 8_192, high: 16_384, max: 32_768 };

const openAi = "openai 7.55.0 ReasoningEffort; developers.openai.com/api/docs/models";
const claude = "@anthropic-ai/sdk 1.11.0 ThinkingConfigParam, OutputConfig; platform.claude.com/docs build-with-claude";
const qwen = "alibabacloud.com/help/en/model-studio/deep-thinking (2026-06-18)";
const zai = "docs.z.ai/guides/capabilities/thinking-mode; docs.together.ai/docs/glm-5.3-quickstart";
const kimi = "platform.kimi.com/docs/api/models-overview; java.agentscope.io/v2/en/integration/model/kimi";
const miniMax =
  "platform.minimax.io/docs/api-reference/text-openai-api; java.agentscope.io/v2/en/integration/model/minimax";
const xai = "docs.x.ai/docs/guides/reasoning, model-capabilities/text/reasoning (2026-06-22)";
const moonshot = "platform.moonshot.ai model list";

/** The first row that fits counts. */
const families: readonly Family[] = [
  { models: /^gpt-5(\.\d+)?-chat/, never: true, source: openAi },
  { models: /^gpt-oss([-:]|$)/, words: upToHigh, thinks: true, largestWindow: 131_072, source: openAi },
  { models: /^o[134]([-:]|$)/, words: upToHigh, thinks: true, largestWindow: 200_000, source: openAi },
  { models: /^gpt-5(\.1)?(-(?!codex-max)|$)/, words: upToHigh, thinks: true, source: openAi },
  { models: /^(gpt-5\.1-codex-max|gpt-5\.[2-5])/, words: upToXhigh, thinks: true, source: openAi },
  { models: /^gpt-(5\.([6-9]|\d\d)|[6-9])/, words: upToMax, thinks: true, source: openAi },
  // Azure's names are those of deployments: one that only sounds like a small model may be a larger one.
  { models: /^gpt-(4(-0\d{3})?$|3\.5)/, never: true, source: openAi },
  { models: /^gpt-4(o|-turbo)/, never: true, largestWindow: 128_000, source: openAi },
  { models: /^(gpt-[34]|chatgpt-4)/, never: true, source: openAi },

  // Opus 4.5 was the first to know effort, and thinks up to a budget all the same; `max` and adaptive thinking came with 4.6.
  { models: /claude-opus-4[.-]5/, words: upToHigh, budgets: claudeBudgets, largestWindow: 200_000, source: claude },
  { models: /claude-(opus|sonnet)-4[.-]([6-9]|\d\d)(?!\d)/, words: upToMax, switch: "adaptive", source: claude },
  {
    models: /claude-((opus|sonnet|haiku|fable)-[5-9]|mythos)/,
    words: upToMax,
    switch: "adaptive",
    thinks: true,
    source: claude,
  },
  // They write 32,000 tokens at most.
  { models: /claude-opus-4/, budgets: { ...claudeBudgets, max: 12_288 }, largestWindow: 200_000, source: claude },
  { models: /claude-haiku-4|claude-3[.-]7/, budgets: claudeBudgets, largestWindow: 200_000, source: claude },
  { models: /claude-sonnet-4/, budgets: claudeBudgets, largestWindow: 1_000_000, source: claude },
  { models: /claude-3/, never: true, largestWindow: 200_000, source: claude },

  // The Pro model refuses `medium`: discuss.ai.google.dev/t/112648.
  {
    models: /^gemini-3-pro/,
    words: { ...upToHigh, medium: "high" },
    thinks: true,
    source: "ai.google.dev/gemini-api/docs/openai",
  },
  {
    models: /^gemini-(2\.5|[3-9])/,
    words: upToHigh,
    thinks: true,
    source: "ai.google.dev/gemini-api/docs/openai",
  },

  { models: /^deepseek-r1/, thinks: true, source: "api-docs.deepseek.com/guides/thinking_mode" },
  {
    models: /^deepseek-(reasoner|flash|pro|v[4-9])/,
    words: lowHighMax,
    switch: "enabled",
    thinks: true,
    source: "api-docs.deepseek.com/guides/thinking_mode",
  },
  {
    models: /^deepseek-(chat|v3)/,
    words: lowHighMax,
    switch: "enabled",
    source: "api-docs.deepseek.com/guides/thinking_mode",
  },

  { models: /^qwen\d?.*(instruct|coder)/, never: true, source: qwen },
  { models: /^(qwq|qvq|qwen3.*thinking)/, budgets: qwenBudgets, thinks: true, source: qwen },
  { models: /^qwen(3|-plus|-flash|-turbo)/, budgets: qwenBudgets, switch: "enabled", thinks: true, source: qwen },

  { models: /^glm-(5\.[2-9]|[6-9])/, words: lowHighMax, switch: "enabled", thinks: true, source: zai },
  { models: /^glm-4\.5/, switch: "enabled", thinks: true, largestWindow: 131_072, source: zai },
  { models: /^glm-(4\.[6-9]|5)/, switch: "enabled", thinks: true, source: zai },

  { models: /^kimi-k[3-9]/, words: lowHighMax, thinks: true, source: kimi },
  { models: /^kimi-k2\.[56]/, switch: "enabled", thinks: true, largestWindow: 262_144, source: kimi },
  { models: /^kimi-k2(\.7|-thinking)/, thinks: true, largestWindow: 262_144, source: kimi },
  { models: /^moonshot-v1-8k/, never: true, largestWindow: 8_192, source: moonshot },
  { models: /^moonshot-v1-32k/, never: true, largestWindow: 32_768, source: moonshot },
  { models: /^moonshot-v1/, never: true, largestWindow: 131_072, source: moonshot },

  { models: /^minimax-m[3-9]/, switch: "adaptive", thinks: true, source: miniMax },
  { models: /^minimax-m/, thinks: true, source: miniMax },

  { models: /^grok.*non-reasoning/, never: true, source: xai },
  {
    models: /^grok-3-mini/,
    words: { low: "low", medium: "high", high: "high", max: "high" },
    thinks: true,
    largestWindow: 131_072,
    source: xai,
  },
  { models: /^grok-(4\.[3-9]|[5-9])/, words: upToHigh, thinks: true, source: xai },
  // They refuse the setting, and think.
  { models: /^grok-(4|code|build)/, thinks: true, source: xai },

  { models: /^magistral/, thinks: true, source: "docs.mistral.ai/capabilities/reasoning" },
];

/**
 * For which models the packages of the AI SDK have something to turn `reasoning` into: `resolveThinkingConfig` of
 * @ai-sdk/google 4.0.121, the catalogue of @ai-sdk/mistral 4.0.87, `resolveAmazonBedrockReasoningConfig` of
 * @ai-sdk/amazon-bedrock 5.0.101, whose word for the most, `xhigh`, becomes Claude's `max`.
 */
export const packageWords: Readonly<
  Record<"google" | "mistral" | "bedrock", readonly Pick<Family, "models" | "words">[]>
> = {
  google: [{ models: /gemini-(2\.5|[3-9])/, words: upToHigh }],
  mistral: [{ models: /^(?!.*(embed|ocr|voxtral|moderation))/, words: upToHigh }],
  bedrock: [
    { models: /claude-3-7|claude-(opus|sonnet|haiku|fable|mythos)-(4|5|6)/, words: upToXhigh },
    { models: /nova-2|openai\.gpt-oss/, words: upToHigh },
  ],
};

/** How a server that speaks Chat Completions wants to be told. */
export interface Service {
  readonly hosts: RegExp;
  /** The field that says how much to think. */
  readonly effort: "reasoning_effort" | "reasoning" | "enable_thinking" | "thinking";
  /** Of which models the field is taken; of all without it. */
  readonly knows?: RegExp;
  /** The field that leads requests of a session to where its cache is. Others refuse what they do not know. */
  readonly cacheKey?: "prompt_cache_key" | "session_id";
  /** Models that are cached up to marks alone, and those of them that keep a mark for an hour when asked to. */
  readonly marks?: { readonly models: RegExp; readonly forAnHour?: RegExp };
  /**
   * Refuses answers in the history that lack their thought, at least those with calls; an empty one is enough. DeepSeek answers 400
   * `Missing reasoning_content field in the assistant message` (continuedev/continue#11285), Moonshot `thinking is enabled but
   * reasoning_content is missing` (continuedev/continue#11600).
   */
  readonly wantsThoughts?: true;
  /** Finds the calls in what its models say. What looks like one in the content is then something that was quoted. */
  readonly findsCalls?: true;
  readonly source: string;
}

const claudes = /^claude-/;

/** What can be said to a server that nobody knows: what OpenAI's own models take. */
const anyService: Service = { hosts: /./, effort: "reasoning_effort", knows: /^(o[134]|gpt-)/, source: openAi };

const services: readonly Service[] = [
  {
    hosts: /^api\.openai\.com$|\.openai\.azure\.com$/,
    effort: "reasoning_effort",
    cacheKey: "prompt_cache_key",
    source: "openai 7.55.0 ChatCompletionCreateParams",
  },
  {
    hosts: /(^|\.)openrouter\.ai$/,
    effort: "reasoning",
    cacheKey: "session_id",
    findsCalls: true,
    marks: { models: /^claude-|^qwen(3-max|-plus|3\.6-plus|3-coder-(plus|flash))/, forAnHour: claudes },
    source: "openrouter.ai/docs use-cases/reasoning-tokens, guides/best-practices/prompt-caching",
  },
  {
    hosts: /^ai-gateway\.vercel\.sh$/,
    effort: "reasoning",
    marks: { models: claudes },
    source: "vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/advanced",
  },
  { hosts: /(^|\.)dashscope[\w-]*\.aliyuncs\.com$/, effort: "enable_thinking", findsCalls: true, source: qwen },
  { hosts: /(^|\.)(z\.ai|bigmodel\.cn)$/, effort: "thinking", knows: /^glm-/, findsCalls: true, source: zai },
  {
    hosts: /(^|\.)deepseek\.com$/,
    effort: "thinking",
    wantsThoughts: true,
    findsCalls: true,
    source: "api-docs.deepseek.com/guides/thinking_mode",
  },
  {
    hosts: /(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/,
    effort: "thinking",
    knows: /^kimi-/,
    wantsThoughts: true,
    findsCalls: true,
    source: kimi,
  },
  {
    hosts: /(^|\.)minimaxi?\.(io|com)$/,
    effort: "thinking",
    knows: /^minimax-/,
    findsCalls: true,
    source: miniMax,
  },
  {
    hosts: /^generativelanguage\.googleapis\.com$/,
    effort: "reasoning_effort",
    knows: /^gemini-/,
    findsCalls: true,
    source: "ai.google.dev/gemini-api/docs/openai",
  },
  { hosts: /(^|\.)x\.ai$/, effort: "reasoning_effort", knows: /^grok-/, findsCalls: true, source: xai },
  {
    hosts: /(^|\.)together\.(ai|xyz)$/,
    effort: "reasoning_effort",
    knows: /^(glm-5\.3|gpt-oss)/,
    findsCalls: true,
    source: zai,
  },
  {
    ...anyService,
    hosts: /(^|\.)(groq\.com|fireworks\.ai|cerebras\.ai|mistral\.ai|githubcopilot\.com|aliyuncs\.com|googleapis\.com)$/,
    findsCalls: true,
  },
];

export function familyOf(model: string): Family | undefined {
  const name = bareName(model);
  return families.find(({ models }) => models.test(name));
}

/** No version of this model takes more; Infinity where nobody knows. */
export function largestWindowOf(model: string): number {
  return familyOf(model)?.largestWindow ?? Number.POSITIVE_INFINITY;
}

/** Without an address, OpenAI's own. */
export function serviceOf(baseUrl = "https://api.openai.com"): Service {
  const { hostname } = new URL(baseUrl);
  return services.find(({ hosts }) => hosts.test(hostname)) ?? anyService;
}

/** `Qwen/Qwen3-32B` and `~anthropic/claude-opus-5:nitro` are names as well. */
export function bareName(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1).toLowerCase();
}
