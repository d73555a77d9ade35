import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { Chosen, DirectSettlement, OperationsStore } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import { notices } from "./notices.ts";

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

export interface ChooseModelDeps {
  readonly operations: Pick<OperationsStore, "session">;
  /** Absent: nothing can be chosen. */
  readonly choices?: ModelChoices;
}

/** Ends what was chosen. */
const usual = "default";

/**
 * What `/model` and `/effort` do: an owner chooses for the conversation what is configured, a member what the operator has listed for
 * members. It lasts, also over `/new`, until somebody chooses otherwise. Without a name they show what counts and what there is.
 */
export async function chooseModel(
  { name, argument = "" }: GivenCommand & { readonly name: "model" | "effort" },
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { operations, choices }: ChooseModelDeps,
): Promise<DirectSettlement> {
  const command = { name };
  if (choices === undefined) return settlement(command, event, notices.noChoice(name));
  const allowed = allowedTo(role, name, choices);
  const wanted = argument.trim();
  const before = (await operations.session(sessionKey))?.chosen ?? {};
  if (wanted === "")
    return settlement(command, event, notices.choiceNow(name, chosenIn(before, choices)[name], allowed));
  if (event.sender.role !== "person" || allowed.length === 0)
    return refusal(event, notices.mayNotDecide(isAtLeast(role, "member") ? "owner" : "member"));
  const found = [usual, ...allowed].find((one) => one.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) return settlement(command, event, notices.unknownChoice(name, wanted, allowed));
  const chosen = found === usual ? undefined : { name: found, role };
  const after = chosenIn({ ...before, [name]: chosen }, choices)[name];
  return {
    ...settlement(command, event, notices.chosen(name, after, chosen !== undefined)),
    idleMarkdown: notices.neverSpoken,
    effect: { kind: "choose", sessionKey, what: name, ...(chosen && { chosen }) },
  };
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

function allowedTo(
  role: Role,
  what: "model" | "effort",
  { models, efforts, forMembers }: ModelChoices,
): readonly string[] {
  const [all, listed] = what === "model" ? [models, forMembers.models] : [efforts, forMembers.efforts];
  if (role === "owner") return all;
  return isAtLeast(role, "member") ? all.filter((one) => listed.includes(one)) : [];
}
