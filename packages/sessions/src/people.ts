import {
  type AccountId,
  type AccountPolicy,
  brandAs,
  type Conversation,
  type DeliveryKey,
  type InboundEvent,
  type Role,
  type SessionKey,
} from "@talaria/protocol";
import type { OutboxText, PairingRow, PairingStore } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, refusal, settlement } from "./decide.ts";
import { isOwnerAlone } from "./owner-alone.ts";
import { peopleNotices as notices, numberOf } from "./people-notices.ts";
import { type PersonVerb, peopleMeant, personDecision, personVerbs } from "./person-decision.ts";

export interface PeopleDeps {
  readonly policyOf: (accountId: AccountId) => AccountPolicy | undefined;
  readonly pairing: Pick<PairingStore, "list" | "find">;
}

/**
 * What `/people` and the buttons of a question about a person do: an owner, alone with the agent, sees who may talk to it and who waits, and
 * decides. A button decides only about somebody who still waits.
 */
export async function people(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { pairing, policyOf }: PeopleDeps,
): Promise<DecisionSettlement> {
  if (!isOwnerAlone(event, role)) return refusal(event, notices.ownersOnly);
  const answer = (markdown: string) => settlement(command, event, markdown);
  const rows = await pairing.list();
  const given = readArgument(command.argument ?? "");
  if (given === "list") return answer(notices.list(rows, Date.parse(event.receivedAt)));
  if (given === undefined) return answer(notices.takes);
  const isButton = event.type === "action.invoked";
  const byCode = isButton ? undefined : await pairing.find(given.who);
  const meant = byCode ? [byCode] : peopleMeant(rows, given.who, given.verb !== "add");
  const [row, ...others] = meant;
  if (row === undefined) return answer(isButton ? notices.gone : notices.nobody(given.who));
  if (others.length > 0) return answer(notices.severalMeant(meant));
  const decision = personDecision(given.verb, row);
  if (decision === undefined || (isButton && row.state !== "waiting")) return answer(notices.noStep(row));
  const { direct } = policyOf(row.accountId)?.access ?? {};
  if (decision.to === "approved" && direct !== undefined && direct !== "pairing")
    return answer(notices.notByPairing(row.accountId, direct));
  return {
    ...answer(notices.done(row, decision.to)),
    idleMarkdown: notices.tooLate,
    effect: { kind: "person", sessionKey, accountId: row.accountId, ...decision, by: event.sender },
  };
}

/** The question at an owner's home. It says how to answer without buttons: `row`. */
export function personQuestion(row: PairingRow, home: Conversation): OutboxText {
  const { accountId, conversationId } = home;
  const choices = (["add", "ignore", "block"] as const).map((verb) => ({
    ...{ id: `${verb}-${numberOf(row)}`, label: notices.buttons[verb] },
    row: 1,
  }));
  return {
    deliveryKey: brandAs<DeliveryKey>(`person:${row.id}:${accountId}:${conversationId}`),
    kind: "notice",
    conversation: home,
    markdown: notices.wantsToTalk(row),
    attachments: [],
    choices,
  };
}

interface Given {
  readonly verb: PersonVerb;
  readonly who: string;
}

/** Undefined: nobody can tell what is meant. */
function readArgument(argument: string): Given | "list" | undefined {
  if (/^(?:list)?$/i.test(argument.trim())) return "list";
  const [, word = "", who = ""] = /^(let in|\S+)\s+(.+)$/is.exec(argument.trim()) ?? [];
  const said = word.toLowerCase();
  const verb = said === "let in" ? "add" : personVerbs.find((one) => one === said);
  return verb === undefined || who.trim() === "" ? undefined : { verb, who: who.trim() };
}
