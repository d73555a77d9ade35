import type { ModelDone, ModelRequest } from "@talaria/agent";
import type { Effort, ModelConfig, RemoteConfig } from "../model-config.ts";
import { budgetOf, chatEffort, effortOf } from "./effort.ts";

export type AskableConfig = RemoteConfig & { readonly provider: Exclude<ModelConfig["provider"], "demo"> };

/** How a model is asked. */
export interface MoreRoom<Config> {
  readonly config: Config;
  readonly request: ModelRequest;
  /** What is different from the first time. */
  readonly what?: string;
}

/** The answer ended at its output limit before the model said anything: thoughts count towards that limit. */
export function isThoughtOnly({ stop, message }: ModelDone): boolean {
  return stop === "max_tokens" && message.content.trim() === "" && message.toolCalls.length === 0;
}

/**
 * How to ask a model once more that used up its answer thinking: with twice the output limit, up to the configured one, or else with
 * less effort. Undefined when neither can be had. `usedTokens`: what the server's own limit was, when nobody else had set one.
 */
export function moreRoom<Config extends AskableConfig>(
  { config, request }: MoreRoom<Config>,
  defaultMaxTokens: number | undefined,
  usedTokens: number | undefined,
): MoreRoom<Config> | undefined {
  const unset = Math.max(defaultMaxTokens ?? 0, usedTokens ?? 0);
  const limit = request.maxOutputTokens ?? config.maxOutputTokens ?? unset;
  const wider = Math.min(2 * limit, config.maxOutputTokens ?? Number.POSITIVE_INFINITY);
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
