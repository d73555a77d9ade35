import type { TalariaConfig } from "./schema/config-schema.ts";

type Parts = Pick<TalariaConfig, "agent" | "memory" | "models" | "limits">;

/**
 * One sentence for each model that may answer although nobody knows what it costs, while money is limited: its answers count for
 * no such limit.
 */
export function unpricedModels({ agent, memory, models, limits }: Parts): readonly string[] {
  const { currency: _, ...scopes } = limits.spending;
  if (Object.values(scopes).every(({ moneyPerMonth }) => moneyPerMonth === "off")) return [];
  const asked = new Set<string>([
    agent.model,
    ...(agent.notesModel === undefined ? [] : [agent.notesModel]),
    ...(memory.enabled && memory.pass !== undefined ? [memory.pass.model] : []),
    ...agent.memberModels,
  ]);
  for (const name of asked) for (const next of models[name]?.fallbacks ?? []) asked.add(next);
  return Object.entries(models)
    .filter(([name, { provider, price }]) => asked.has(name) && provider !== "demo" && price === undefined)
    .map(
      ([name]) => `models.${name} has no price, so that no limit of money counts its answers: set models.${name}.price`,
    );
}
