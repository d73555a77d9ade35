import type { Effort, ModelConfig } from "../model-config.ts";

/** What goes over the wire. `max` where a family knows no such word: the most it knows. */
type Words = Readonly<Record<Effort, "low" | "medium" | "high" | "xhigh" | "max">>;

const upToHigh: Words = { low: "low", medium: "medium", high: "high", max: "high" };
const upToXhigh: Words = { ...upToHigh, max: "xhigh" };
const upToMax: Words = { ...upToHigh, max: "max" };

interface Family {
  readonly models: RegExp;
  readonly words: Words;
}

/**
 * OpenAI: `ReasoningEffort` of openai 7.55.0 ("not all reasoning models support every value") and the model pages: o-series,
 * gpt-5 and gpt-5.1 end at `high`; from gpt-5.1-codex-max on there is `xhigh`, from gpt-5.6 on `max`. The chat variants do not
 * reason. gpt-oss knows three levels. A name may follow an owner, as in OpenRouter's `openai/gpt-5.6`.
 */
const openAi: readonly Family[] = [
  { models: /(^|\/)gpt-5(\.\d+)?-chat/, words: {} as Words },
  { models: /(^|\/)(o[134]|gpt-oss)([-:]|$)/, words: upToHigh },
  { models: /(^|\/)gpt-5(\.1)?-(?!codex-max)|(^|\/)gpt-5(\.1)?$/, words: upToHigh },
  { models: /(^|\/)(gpt-5\.1-codex-max|gpt-5\.[2-5])/, words: upToXhigh },
  { models: /(^|\/)gpt-(5\.([6-9]|\d\d)|[6-9])/, words: upToMax },
];

/**
 * Anthropic: `OutputConfig.effort` of @anthropic-ai/sdk 1.11.0. Claude Opus 4.5 was the first to know it and ends at `high`; `max`
 * came with 4.6. Earlier ones, Sonnet 4.5 and Haiku 4.5 refuse it.
 */
const anthropic: readonly Family[] = [
  { models: /claude-opus-4-5/, words: upToHigh },
  {
    models: /claude-(opus|sonnet)-4-([6-9]|\d\d)(?!\d)|claude-(opus|sonnet|haiku|fable)-[5-9]|claude-mythos/,
    words: upToMax,
  },
];

const gemini: readonly Family[] = [{ models: /gemini-(2\.5|[3-9])/, words: upToHigh }];

/**
 * The packages of the AI SDK turn `reasoning` into what the model knows, levels or a budget of tokens: `resolveThinkingConfig` of
 * @ai-sdk/google 4.0.121, the catalogue of @ai-sdk/mistral 4.0.87, `resolveAmazonBedrockReasoningConfig` of
 * @ai-sdk/amazon-bedrock 5.0.101. Named here are those for which they have something to turn it into.
 */
const families: Readonly<Record<Exclude<ModelConfig["provider"], "demo">, readonly Family[]>> = {
  "openai-chat": openAi,
  "openai-responses": openAi,
  chatgpt: openAi,
  anthropic,
  google: gemini,
  vertex: [...gemini, ...anthropic],
  mistral: [{ models: /^(?!.*(embed|ocr|voxtral|moderation))/, words: upToHigh }],
  // Its word for the most is `xhigh`, which becomes Claude's `max`.
  bedrock: [
    { models: /claude-3-7|claude-(opus|sonnet|haiku|fable|mythos)-(4|5|6)/, words: upToXhigh },
    { models: /nova-2|openai\.gpt-oss/, words: upToHigh },
  ],
};

/** What the family of this model calls the configured effort; nothing when none is configured or it has no such setting. */
export function effortOf(config: {
  readonly provider: Exclude<ModelConfig["provider"], "demo">;
  readonly model: string;
  readonly effort?: Effort | undefined;
}): Words[Effort] | undefined {
  if (config.effort === undefined) return undefined;
  return families[config.provider].find(({ models }) => models.test(config.model))?.words[config.effort];
}
