import type { ModelPort } from "@talaria/agent";
import { modelChain, type TalariaConfig } from "@talaria/config";
import {
  createFailover,
  createModel,
  largestWindowOf,
  type ModelConfig,
  type ModelDeps,
  type NamedModel,
} from "@talaria/models";
import { GatewayError } from "@talaria/protocol";
import type { ModelTroubles } from "./model-troubles.ts";

/** Answers on this machine. */
const free = { input: 0, output: 0 };

/** A model and its fallbacks, in the order of the configuration, each only once. Default: the agent's, with the effort of each. */
export function createModelPort(
  config: Pick<TalariaConfig, "agent" | "models">,
  deps: ModelDeps & { readonly random: () => number; readonly troubles?: ModelTroubles },
  first = config.agent.model,
  effort?: string,
): ModelPort {
  const names = modelChain(config, first);
  const unitPrice = unitPriceOf(config);
  const candidates = names.map((name): NamedModel => {
    const entry = config.models[name];
    if (entry === undefined) throw new GatewayError(`models.${name} is not configured`, { code: "invalid_request" });
    const { provider, price = provider === "demo" ? free : undefined } = entry;
    const contextTokens = Math.min(entry.contextTokens, largestWindowOf(entry.model));
    const model = createModel({ ...entry, ...(effort && { effort }) } as ModelConfig, deps);
    return {
      name,
      model: deps.troubles?.watch(name, model) ?? model,
      asked: { provider, price, unitPrice },
      contextTokens,
    };
  });
  return createFailover(candidates, deps);
}

/** What a million tokens cost that the agent's model reads. Undefined: nobody has said. */
export function unitPriceOf({ agent, models }: Pick<TalariaConfig, "agent" | "models">): number | undefined {
  return models[agent.model]?.price?.input;
}
