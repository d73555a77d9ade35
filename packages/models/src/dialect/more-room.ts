import type { ModelDone, ModelRequest } from "@talaria/agent";
import type { DialectProvider, Effort, RemoteConfig } from "../model-config.ts";
import type { Spoken } from "./dialect.ts";
import { budgetOf, chatEffort, effortOf } from "./effort.ts";

export type AskableConfig = RemoteConfig & { readonly provider: DialectProvider };

/** How a model is asked. */
export interface MoreRoom<Config> {
  readonly config: Config;
  readonly request: ModelRequest;
  /** What is different from the first time. */
  readonly what?: string;
}

/** What is known of a model's output limit. */
interface KnownLimits extends Pick<Spoken<never, never, never>, "takesLimit" | "defaultMaxTokens"> {
  /** What the server's own limit was, when nobody else had set one. */
  readonly usedTokens?: number | undefined;
}

/** The answer ended at its output limit before the model said anything: thoughts count towards that limit. */
export function isThoughtOnly({ stop, message }: ModelDone): boolean {
  return stop === "max_tokens" && message.content.trim() === "" && message.toolCalls.length === 0;
}

/**
 * How to ask a model once more that used up its answer thinking: with twice the output limit, up to the configured one, or else with
 * less effort. Undefined when neither can be had.
 */
export function moreRoom<Config extends AskableConfig>(
  { config, request }: MoreRoom<Config>,
  { takesLimit = true, defaultMaxTokens = 0, usedTokens = 0 }: KnownLimits,
): MoreRoom<Config> | undefined {
  const limit = request.maxOutputTokens ?? config.maxOutputTokens ?? Math.max(defaultMaxTokens, usedTokens);
  const wider = takesLimit ? Math.min(2 * limit, config.maxOutputTokens ?? Number.POSITIVE_INFINITY) : 0;
  if (wider > limit)
    return { config, request: { ...request, maxOutputTokens: wider }, what: `up to ${wider} tokens of output` };
  const effort = lessEffort(config);
  return effort && { config: { ...config, effort }, request, what: `effort ${effort}` };
}

const falling: readonly Effort[] = ["max", "high", "medium", "low"];

/** The next one that goes over the wire as something else; the lowest when none is configured and the model can be told one. */
function lessEffort(config: AskableConfig): Effort | undefined {
  const { effort, provider } = config;
  // Its models know `high` and none: the catalogue of @ai-sdk/mistral 4.0.87.
  if (provider === "mistral") return undefined;
  const said = (each: Effort | undefined) => {
    const asked = { ...config, effort: each };
    const chat = asked.provider === "openai-chat" ? chatEffort({ ...asked, provider: asked.provider }) : {};
    return JSON.stringify([chat, effortOf(asked), budgetOf(asked)]);
  };
  if (effort === undefined) return said("low") === said(undefined) ? undefined : "low";
  return falling.slice(falling.indexOf(effort) + 1).find((each) => said(each) !== said(effort));
}
