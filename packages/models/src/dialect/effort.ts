import { bareName, familyOf, packageWords, serviceOf, type Words } from "../families.ts";
import type { DialectProvider, Effort, OpenAiChatConfig } from "../model-config.ts";

interface Configured {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly effort?: Effort | undefined;
}

/** The word of this model's family for the configured effort; nothing when none is configured or it knows no words. */
export function effortOf(config: Configured & { readonly provider: DialectProvider }): Words[Effort] | undefined {
  const { provider, model, effort } = config;
  if (effort === undefined) return undefined;
  switch (provider) {
    case "google":
    case "mistral":
    case "bedrock":
      return packageWords[provider].find(({ models }) => models.test(model))?.words?.[effort];
    case "anthropic":
      return bareName(model).includes("claude") ? familyOf(model)?.words?.[effort] : undefined;
    case "openai-chat":
    case "openai-responses":
      return mayHear(config) ? familyOf(model)?.words?.[effort] : undefined;
    default:
      return provider satisfies never;
  }
}

/** How many tokens a model may think that has no other measure, and nothing for the others. */
export function budgetOf({ model, effort }: Pick<Configured, "model" | "effort">): number | undefined {
  return effort === undefined ? undefined : familyOf(model)?.budgets?.[effort];
}

/** Anthropic asks for at least so many. */
const smallestBudget = 1_024;

/** A budget that leaves as much again for the answer when they share a limit; nothing when there is no room for both. */
export function budgetWithin(budget: number, limit: number): number | undefined {
  const most = Math.min(budget, Math.floor(limit / 2));
  return most < smallestBudget ? undefined : most;
}

/** Whether silence may be thinking. */
export function mayThink({ model, effort }: Pick<Configured, "model" | "effort">): boolean {
  const family = familyOf(model);
  if (family?.never) return false;
  return effort !== undefined || family?.thinks === true;
}

/** The fields of a chat request that say how much to think, as the server at this address takes them. */
export function chatEffort(config: OpenAiChatConfig): object {
  const { model, effort, baseUrl } = config;
  const family = familyOf(model);
  if (effort === undefined || family?.never || !mayHear(config)) return {};
  const word = family?.words?.[effort];
  const budget = family?.budgets?.[effort];
  const form = serviceOf(baseUrl).effort;
  switch (form) {
    case "reasoning_effort":
      return word === undefined ? {} : { reasoning_effort: word };
    case "reasoning":
      if (budget !== undefined && word === undefined) return { reasoning: { max_tokens: budget } };
      // The gateways ignore it for models that do not reason. For Claude the effort itself is the `verbosity`.
      return {
        reasoning: { effort: effort === "max" ? "xhigh" : effort },
        ...(bareName(model).startsWith("claude-") && word !== undefined && { verbosity: word }),
      };
    case "enable_thinking":
      return {
        ...(family?.switch !== undefined && { enable_thinking: true }),
        ...(budget !== undefined && { thinking_budget: budget }),
      };
    case "thinking":
      return {
        ...(family?.switch !== undefined && { thinking: { type: family.switch } }),
        ...(word !== undefined && { reasoning_effort: word }),
      };
    default:
      return form satisfies never;
  }
}

function mayHear({ baseUrl, model }: Configured): boolean {
  const { knows } = serviceOf(baseUrl);
  return knows === undefined || knows.test(bareName(model));
}
