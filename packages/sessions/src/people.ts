import {
  type AccountId,
  brandAs,
  type DeliveryKey,
  type InboundEvent,
  isAtLeast,
  type Role,
  type SessionKey,
} from "@talaria/protocol";
import type { Home, OutboxText, PairingRow, PairingStore } from "@talaria/store";
import { numberOf, wordsAt, wordsFor } from "@talaria/words";
import { isAnsweredInGroups } from "./answered-in-groups.ts";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, refusal, settlement } from "./decide.ts";
import { decideGroup, type GroupDecisionDeps } from "./group-decision.ts";
import { isOwnerAlone } from "./owner-alone.ts";
import { type PersonVerb, personDecision, personVerbs, welcomesFor } from "./person-decision.ts";
import { roleOf } from "./role.ts";
import { type UnlistedDeps, unlistedPerson } from "./unlisted-person.ts";
import { type Given, isInConfiguration, whoIsMeant } from "./who-is-meant.ts";

/** So many are decided about in one transaction. */
const mostAtOnce = 500;

export interface PeopleDeps extends UnlistedDeps, GroupDecisionDeps {
  readonly pairing: Pick<PairingStore, "list" | "find" | "findByEndedCode" | "seenAs">;
}

/**
 * What `/people` and the buttons of a question about a person do: an owner, alone with the agent, sees who may talk to it and who waits, and
 * decides. A button, and words that answer its question, decide only about somebody who still waits.
 */
export async function people(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  deps: PeopleDeps,
): Promise<DecisionSettlement> {
  const { peopleNotices: notices } = wordsFor(event);
  if (!isOwnerAlone(event, role)) return refusal(event, notices.ownersOnly);
  const { pairing, policyOf } = deps;
  const answer = (markdown: string) => settlement(command, event, markdown);
  const rows = await pairing.list();
  const group = await groupMeant(command, event, sessionKey, deps);
  if (group !== undefined) return group;
  const given = readArgument(command.argument ?? "");
  if (given === "list") return answer(notices.list(rows, Date.parse(event.receivedAt)));
  if (given === undefined) return answer(notices.takes);
  const isUnlisted = (row: PairingRow) => !isInConfiguration(row, policyOf);
  const isButton = event.type === "action.invoked" || command.isAnswer === true;
  const isAll = !isButton && given.who.toLowerCase() === "all";
  if (isAll) return decideAll(given.verb, command, event, sessionKey, rows.filter(isUnlisted));
  const meant = await whoIsMeant(given, rows, event, isButton, deps);
  if ("listed" in meant) return answer(notices.isListed(meant.listed));
  const [row, ...others] = meant.rows;
  if (row === undefined && isButton) return answer(notices.gone);
  if (row === undefined) return decideUnlisted(given, command, event, sessionKey, { ...deps, rows });
  if (others.length > 0) return answer(notices.severalMeant(meant.rows));
  if (!isUnlisted(row)) return answer(notices.isListed(row));
  const decision = personDecision(given.verb, row);
  if (decision === undefined || (isButton && row.state !== "waiting")) return answer(notices.noStep(row));
  const closed = decision.to === "approved" ? closedTo(row.accountId, policyOf, event) : undefined;
  if (closed !== undefined) return answer(closed);
  return {
    ...answer(notices.done(row, decision.to, await isInGroups(row, deps))),
    idleMarkdown: notices.tooLate,
    effect: { kind: "person", sessionKey, accountId: row.accountId, ...decision, by: event.sender },
  };
}

async function isInGroups({ accountId }: PairingRow, { policyOf, groups }: PeopleDeps): Promise<boolean> {
  const access = policyOf(accountId)?.access;
  return access !== undefined && isAnsweredInGroups(accountId, access, await groups.list());
}

/** The numbers of groups and of people are random, and 16 digits name no person. */
async function groupMeant(command: GivenCommand, event: InboundEvent, sessionKey: SessionKey, deps: PeopleDeps) {
  const [, verb = "", number = ""] = /^(\S+)\s+(?:group\s+)?(\S+)$/.exec((command.argument ?? "").trim()) ?? [];
  return decideGroup(verb.toLowerCase(), number, command, event, sessionKey, deps);
}

/** About everybody who waits, on any account: a flood is ended with one command. */
function decideAll(
  verb: PersonVerb,
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  rows: readonly PairingRow[],
): DecisionSettlement {
  const { peopleNotices: notices } = wordsFor(event);
  const answer = (markdown: string) => settlement(command, event, markdown);
  if (verb !== "ignore" && verb !== "block") return answer(notices.takes);
  const waiting = rows.filter(({ state }) => state === "waiting");
  const [first, ...others] = waiting.slice(0, mostAtOnce);
  const decision = first && personDecision(verb, first);
  if (first === undefined || decision === undefined) return answer(notices.nobodyWaits);
  const to = verb === "ignore" ? "ignored" : "blocked";
  const also = others.map(({ id }) => id);
  return {
    ...answer(notices.doneAll(to, others.length + 1, waiting.length - others.length - 1)),
    idleMarkdown: notices.tooLate,
    effect: { kind: "person", sessionKey, accountId: first.accountId, ...decision, also, by: event.sender },
  };
}

/**
 * Lets somebody in by their id who is in no list, since they have not written yet or were left out, or blocks them, who may write in a
 * group. A code that has ended lets nobody in.
 */
async function decideUnlisted(
  { verb, who }: Given,
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  { rows, ...deps }: PeopleDeps & { readonly rows: readonly PairingRow[] },
): Promise<DecisionSettlement> {
  const { peopleNotices: notices } = wordsFor(event);
  const answer = (markdown: string) => settlement(command, event, markdown);
  const ended = await deps.pairing.findByEndedCode(who);
  if (ended !== undefined && !isInConfiguration(ended, deps.policyOf)) return answer(notices.codeEnded(ended, verb));
  const isBlock = verb === "block";
  const meant = isBlock || verb === "add" ? await unlistedPerson(verb, who, event, deps) : undefined;
  const waiting = rows.filter((row) => row.state === "waiting" && !isInConfiguration(row, deps.policyOf));
  if (meant === undefined) return answer(notices.nobody(who, event.conversation.accountId, waiting));
  const policy = deps.policyOf(meant.accountId);
  const isNamed =
    policy !== undefined && isAtLeast(roleOf({ ...meant, assurance: "platform" }, policy, false), "member");
  if (isNamed) return answer(notices.isListed(meant));
  const closed = isBlock ? undefined : closedTo(meant.accountId, deps.policyOf, event);
  if (closed !== undefined) return answer(closed);
  const to = isBlock ? "blocked" : "approved";
  return {
    ...answer(isBlock ? notices.blocked(meant) : notices.added(meant)),
    idleMarkdown: notices.tooLate,
    effect: { kind: "add_person", sessionKey, ...meant, to, ...welcomesFor({}), by: event.sender },
  };
}

function closedTo(accountId: AccountId, policyOf: PeopleDeps["policyOf"], reader: InboundEvent): string | undefined {
  const { direct } = policyOf(accountId)?.access ?? {};
  return direct === undefined || direct === "pairing"
    ? undefined
    : wordsFor(reader).peopleNotices.notByPairing(accountId, direct);
}

/** The question at an owner's home, in their language. It says how to answer without buttons: `row`. */
export function personQuestion(row: PairingRow, place: Place): OutboxText {
  const { conversation: home } = place;
  const { accountId, conversationId } = home;
  const { peopleNotices: notices } = wordsAt(place);
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

type Place = Pick<Home, "conversation" | "language">;

/** Undefined: nobody can tell what is meant. */
function readArgument(argument: string): Given | "list" | undefined {
  if (/^(?:list)?$/i.test(argument.trim())) return "list";
  const [, word = "", who = ""] = /^(let in|\S+)\s+(.+)$/is.exec(argument.trim()) ?? [];
  const said = word.toLowerCase();
  const verb = said === "let in" ? "add" : personVerbs.find((one) => one === said);
  return verb === undefined || who.trim() === "" ? undefined : { verb, who: who.trim() };
}
