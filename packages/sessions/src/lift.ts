import { limitId } from "@talaria/policy";
import type { InboundEvent, Role, SessionKey } from "@talaria/protocol";
import type { DirectSettlement, OperationsStore } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import { liftNumber, limitSubject } from "./lift-number.ts";
import { type LimitsNowDeps, limitsNow, type SpentNow } from "./limits-now.ts";
import { type TakeUpDeps, takingUp } from "./take-up.ts";

/** So many counters are looked at for a list. */
const mostListed = 50;
const numberForm = /^[0-9a-f]{12}$/;

export interface LiftDeps extends TakeUpDeps, LimitsNowDeps {
  readonly pairing: TakeUpDeps["pairing"] & LimitsNowDeps["pairing"];
  readonly operations: Pick<OperationsStore, "spentNamed" | "spending" | "refusedBy">;
}

/**
 * What `/lift` and its button do: an owner lifts the limit that is named for a day, and what it has refused is taken up. Without a name,
 * an owner reads in a direct conversation which are reached. The role is that of now.
 */
export async function lift(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  deps: LiftDeps,
): Promise<DirectSettlement> {
  const { operations } = deps;
  const words = wordsFor(event);
  const { notices } = words;
  const { sender, conversation } = event;
  if (sender.role !== "person" || role !== "owner") return refusal(event, notices.mayNotDecide("owner"));
  const number = command.argument?.trim().toLowerCase() ?? "";
  if (number === "") {
    if (conversation.kind !== "direct") return settlement(command, event, notices.liftTakes);
    const listed = (await limitsNow(await operations.spending(mostListed), deps)).filter(isListed);
    return settlement(command, event, notices.liftable(listed.map((one) => lineOf(one, words))));
  }
  const [limit, other] = numberForm.test(number) ? await operations.spentNamed(number) : [];
  if (limit === undefined || other !== undefined)
    return saidBelow(event, number, settlement(command, event, notices.nothingToLift(number)));
  const name = (await limitsNow([limit], deps))[0]?.displayName;
  const named = words.limits.named(limit.key, name);
  return {
    ...saidBelow(event, number, settlement(command, event, notices.lifted(named))),
    idleMarkdown: event.type === "action.invoked" && conversation.kind !== "direct" ? "" : notices.liftedBefore(named),
    effect: {
      kind: "lift",
      sessionKey,
      key: limit.key,
      by: `${conversation.accountId}/${sender.userId}`,
      takeUp: await takingUp(limit.key, name, event, deps),
    },
  };
}

/** Whoever has pressed a button looks at its message. */
function saidBelow(event: InboundEvent, number: string, settled: DirectSettlement): DirectSettlement {
  const { notice } = settled;
  if (event.type !== "action.invoked" || notice === undefined) return settled;
  return { ...settled, notice: { ...notice, replaces: limitSubject(number) } };
}

function isListed({ key, isReached, liftedForMs }: SpentNow): boolean {
  return liftNumber(key) !== undefined && (isReached || liftedForMs !== undefined);
}

function lineOf({ key, endsInMs, liftedForMs, displayName }: SpentNow, { limits }: Words) {
  return { number: limitId(key), limit: limits.named(key, displayName), endsInMs, liftedForMs };
}
