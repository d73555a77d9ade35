import { isAtLeast, type Role } from "@talaria/protocol";
import type { Chosen } from "@talaria/store";

/** What a conversation can be answered with. */
export interface ModelChoices {
  /** The agent's own, for whoever has chosen none. */
  readonly model: string;
  /** Of each model, as it is configured. */
  readonly effortOf: Readonly<Record<string, string | undefined>>;
  /** All that are configured. */
  readonly models: readonly string[];
  readonly efforts: readonly string[];
  /** Those that members may choose. */
  readonly forMembers: { readonly models: readonly string[]; readonly efforts: readonly string[] };
}

/** What counts in a conversation: what was chosen, where whoever chose it may still have it, else the agent's own. */
export function chosenIn(
  chosen: Chosen,
  choices: ModelChoices,
): { readonly model: string; readonly effort: string | undefined } {
  const counting = (what: "model" | "effort") => {
    const one = chosen[what];
    return one !== undefined && allowedTo(one.role, what, choices).includes(one.name) ? one.name : undefined;
  };
  const model = counting("model") ?? choices.model;
  return { model, effort: counting("effort") ?? choices.effortOf[model] };
}

/** What somebody with this role may choose. */
export function allowedTo(
  role: Role,
  what: "model" | "effort",
  { models, efforts, forMembers }: ModelChoices,
): readonly string[] {
  const [all, listed] = what === "model" ? [models, forMembers.models] : [efforts, forMembers.efforts];
  if (role === "owner") return all;
  return isAtLeast(role, "member") ? all.filter((one) => listed.includes(one)) : [];
}
