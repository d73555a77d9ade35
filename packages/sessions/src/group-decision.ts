import type { Choice, InboundEvent, SessionKey } from "@talaria/protocol";
import type { GroupDecision, GroupStore, MetGroup } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, settlement } from "./decide.ts";
import type { GateDeps } from "./gate-deps.ts";

export interface GroupDecisionDeps extends Pick<GateDeps, "policyOf" | "canLeave"> {
  readonly groups: Pick<GroupStore, "list">;
}

/** The buttons below a question about the group with this id. Where we can't leave by ourselves, none offers it. */
export function groupChoices(id: string, canLeave: boolean, { groupNotices }: Words): readonly Choice[] {
  const buttons = (["allowed", "ignored", "left"] as const).filter((to) => to !== "left" || canLeave);
  return buttons.map((to) => ({
    ...{ id: `${verbs[to]}group-${id.slice(0, 8)}-${id.slice(8)}`, label: groupNotices.buttons[to] },
    row: 1,
  }));
}

const verbs = { allowed: "add", ignored: "ignore", left: "leave" } as const satisfies Record<GroupDecision, string>;

const decisions = new Map<string, GroupDecision>(
  Object.entries(verbs).map(([to, verb]) => [verb, to as GroupDecision]),
);

/**
 * What `/people` and a verb do about the group with this number, the beginning of its id. Undefined: no group is meant. Nothing happens to
 * one about which somebody has decided.
 */
export async function decideGroup(
  verb: string,
  number: string,
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  { groups, policyOf, canLeave }: GroupDecisionDeps,
): Promise<DecisionSettlement | undefined> {
  const { groupNotices: notices } = wordsFor(event);
  const answer = (markdown: string) => settlement(command, event, markdown);
  const to = decisions.get(verb);
  if (to === undefined || !numberForm.test(number)) return undefined;
  const meant = (await groups.list()).filter(({ id }) => id?.startsWith(number.toLowerCase()));
  const [group] = meant;
  // Buttons name all digits, and eight of them may mean a person.
  if (group?.id === undefined || meant.length > 1) return number.length > 8 ? answer(notices.gone) : undefined;
  const { accountId, id } = group;
  const access = policyOf(accountId)?.access;
  if (isDecided(group)) return answer(notices.tooLate);
  if (access === undefined || access.groups === "off") return answer(notices.off(accountId));
  if (to === "left" && canLeave?.(accountId) !== true) return answer(notices.cannotLeave);
  return {
    ...answer(notices.done(group, to)),
    idleMarkdown: notices.tooLate,
    effect: { kind: "group", sessionKey, accountId, id, to, by: event.sender },
  };
}

/** As buttons name one, and people, who type its beginning. */
const numberForm = /^(?:[0-9a-f]{8}|[0-9a-f]{16})$/i;

function isDecided({ decision, allowedAt }: MetGroup): boolean {
  return decision !== undefined || allowedAt !== undefined;
}
