import type { TalariaConfig } from "./schema/config-schema.ts";

/** A model and those that answer when it can't, by their names, in the order in which they are asked. Default: the agent's. */
export function modelChain(
  { agent, models }: Pick<TalariaConfig, "agent" | "models">,
  first = agent.model,
): readonly string[] {
  const names = new Set<string>();
  const visit = (name: string) => {
    if (names.has(name)) return;
    names.add(name);
    for (const next of models[name]?.fallbacks ?? []) visit(next);
  };
  visit(first);
  return [...names];
}
