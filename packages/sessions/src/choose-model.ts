import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement, OperationsStore } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import { allowedTo, chosenIn, type ModelChoices } from "./model-choices.ts";

export interface ChooseModelDeps {
  readonly operations: Pick<OperationsStore, "session">;
  /** Absent: nothing can be chosen. */
  readonly choices?: ModelChoices;
}

/** Ends what was chosen. */
const usual = "default";

/**
 * What `/model` and `/effort` do: an owner chooses for the conversation what is configured, a member what the operator has listed for
 * members. It lasts, also over `/new` and before the first words, until somebody chooses otherwise. Without a name they show what counts and what there is.
 */
export async function chooseModel(
  { name, argument = "" }: GivenCommand & { readonly name: "model" | "effort" },
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { operations, choices }: ChooseModelDeps,
): Promise<DirectSettlement> {
  const command = { name };
  const { notices } = wordsFor(event);
  if (choices === undefined) return settlement(command, event, notices.noChoice(name));
  const allowed = allowedTo(role, name, choices);
  const wanted = argument.trim();
  const before = (await operations.session(sessionKey))?.chosen ?? {};
  if (wanted === "")
    return settlement(command, event, notices.choiceNow(name, chosenIn(before, choices)[name], allowed));
  if (event.sender.role !== "person" || allowed.length === 0) {
    const members = isAtLeast(role, "member") ? [] : allowedTo("member", name, choices);
    return refusal(event, notices.mayNotDecide(members.length === 0 ? "owner" : "member"));
  }
  const found = [usual, ...allowed].find((one) => one.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) return settlement(command, event, notices.unknownChoice(name, wanted, allowed));
  const chosen = found === usual ? undefined : { name: found, role };
  const after = chosenIn({ ...before, [name]: chosen }, choices)[name];
  return {
    ...settlement(command, event, notices.chosen(name, after, chosen !== undefined)),
    effect: { kind: "choose", sessionKey, what: name, ...(chosen && { chosen, begins: event.conversation }) },
  };
}
