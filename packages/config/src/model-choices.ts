import type { TalariaConfig } from "./schema/config-schema.ts";
import { efforts } from "./schema/model-schema.ts";

/** What conversations can be answered with, and what of it members may choose. Holds no secret. */
export function modelChoices({ agent, models }: Pick<TalariaConfig, "agent" | "models">) {
  const effortOf: Readonly<Record<string, string | undefined>> = Object.fromEntries(
    Object.entries(models).map(([name, { effort }]) => [name, effort]),
  );
  const { model, memberModels, memberEfforts } = agent;
  return {
    model,
    models: Object.keys(models),
    efforts,
    effortOf,
    forMembers: { models: memberModels, efforts: memberEfforts },
  };
}
