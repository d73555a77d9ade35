import { coveredText } from "@talaria/policy";
import {
  type AccountId,
  type InboundEvent,
  isHomeOf,
  mandateOf,
  type Role,
  type SessionKey,
  spoken,
} from "@talaria/protocol";
import type { CallStore, DirectSettlement, OpenCall, PairingStore } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import { askedTogether, homeQuestions, type QuestionRoom } from "./approval-question.ts";
import type { GivenCommand } from "./commands.ts";
import { isApproval, isSamePlace, refusal, settlement } from "./decide.ts";
import { isAsked } from "./is-asked.ts";
import { isOwnerAlone } from "./owner-alone.ts";
import { personQuestion } from "./people.ts";
import { toBeAnswered } from "./to-be-answered.ts";

/** So many are shown at a time, and of one conversation. */
const most = { all: 20, ofOne: 5, people: 5 } as const;

export interface OwnersQuestionsDeps {
  readonly calls: Pick<CallStore, "waiting" | "grants" | "forOwners" | "askedIn">;
  /** What messages of an account hold. */
  readonly traitsOf?: (accountId: AccountId) => QuestionRoom | undefined;
}

/**
 * What `/approvals` answers: what waits here, and to an owner in private what waits for owners elsewhere. With a number that call alone,
 * as a whole.
 */
export async function listApprovals(
  { argument = "" }: Pick<GivenCommand, "argument">,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls }: OwnersQuestionsDeps,
): Promise<DirectSettlement> {
  const { accountId } = event.conversation;
  const words = wordsFor(event);
  const { notices } = words;
  const answer = (markdown: string) => settlement({ name: "approvals" }, event, markdown);
  const here = await calls.waiting(sessionKey);
  const waiting = here.filter(isApproval);
  const asked = toBeAnswered(
    here.filter((call) => !isApproval(call) && isAsked(call, event) && isSamePlace(call, event)),
    words,
  );
  if (argument !== "") {
    const isMeant = ({ id }: OpenCall) => id === argument.toLowerCase();
    const meant = waiting.filter(isMeant);
    if (meant.length > 0) return answer(notices.waiting(meant));
    const others = (await forOwner(event, role, calls)).filter(isMeant);
    return answer(others.length > 0 ? notices.waitingElsewhere(others, 0) : notices.nothingWaitsAs(argument));
  }
  const elsewhere = await ofOthers(event, role, calls);
  const grants = await calls.grants(sessionKey, accountId);
  const given = grants.map((grant) => ({ ...grant, covers: coveredText(grant, words.callPhrases) }));
  const lists = [
    ...(waiting.length === 0 && elsewhere.shown.length + asked.length > 0 ? [] : [notices.waitingHere(waiting)]),
    ...(asked.length === 0 ? [] : [notices.waitingForAnswer(asked)]),
    ...(elsewhere.shown.length === 0 ? [] : [notices.waitingElsewhere(elsewhere.shown, elsewhere.more)]),
    ...(given.length === 0 ? [] : [notices.grants(given)]),
  ];
  return answer(lists.join("\n\n"));
}

/**
 * What `/sethome` does: an owner names the direct conversation in which they are asked, one on each account. What waits for owners comes
 * along, except what was asked there before, and the first who wait to talk to us.
 */
export async function setHome(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { calls, traitsOf, pairing }: OwnersQuestionsDeps & { readonly pairing: Pick<PairingStore, "list"> },
): Promise<DirectSettlement> {
  const { conversation, sender, receivedAt } = event;
  const { language } = sender;
  const { notices, peopleNotices } = wordsFor(event);
  if (!isOwnerAlone(event, role)) {
    const isAlone = conversation.kind === "direct" && role !== "owner";
    return refusal(event, isAlone ? notices.ownersHomeHere : notices.ownersHome);
  }
  const effect = { kind: "home", sessionKey, userId: sender.userId } as const;
  const isOff = command.argument?.trim().toLowerCase() === "off";
  if (isOff) return { ...settlement(command, event, notices.homeUnset), idleMarkdown: notices.noHome, effect };
  const asked = await calls.askedIn(conversation);
  const waiting = await forOwner(event, role, calls);
  const { shown, more } = firstOf(waiting.filter(({ id }) => !asked.has(id)));
  const before = waiting.filter(({ id }) => asked.has(id)).length;
  const people = (await pairing.list()).filter(({ state }) => state === "waiting");
  const peopleWait = people.length === 0 ? "" : peopleNotices.peopleWait(people.length);
  const approvals = askedTogether(shown, ({ turnId }) => turnId).flatMap((some) =>
    some
      .slice(0, 1)
      .flatMap((first) =>
        homeQuestions(some, first, Date.parse(receivedAt), conversation, traitsOf?.(conversation.accountId), language),
      ),
  );
  return {
    ...settlement(command, event, notices.homeSet({ brought: shown.length, more, before }, peopleWait)),
    texts: [
      ...approvals,
      ...people.slice(0, most.people).map((row) => personQuestion(row, { conversation, ...spoken(language) })),
    ],
    effect: { ...effect, conversation },
  };
}

/** How much waits for an owner in other conversations. For others, and where others read along, nothing does. */
export async function waitingElsewhere(
  event: InboundEvent,
  role: Role,
  { calls }: OwnersQuestionsDeps,
): Promise<number> {
  const { shown, more } = await ofOthers(event, role, calls);
  return shown.length + more;
}

interface Questions {
  readonly shown: readonly OpenCall[];
  /** So many more wait. */
  readonly more: number;
}

async function ofOthers(event: InboundEvent, role: Role, calls: Pick<CallStore, "forOwners">): Promise<Questions> {
  return firstOf(await forOwner(event, role, calls));
}

function firstOf(waiting: readonly OpenCall[]): Questions {
  const bySession = Map.groupBy(waiting, ({ sessionKey }) => sessionKey);
  const shown = [...bySession.values()].flatMap((ofOne) => ofOne.slice(0, most.ofOne)).slice(0, most.all);
  return { shown, more: waiting.length - shown.length };
}

/** What waits for an owner in other conversations. Nobody else sees it, and what is done on an owner's behalf, that owner alone. */
async function forOwner(
  event: InboundEvent,
  role: Role,
  calls: Pick<CallStore, "forOwners">,
): Promise<readonly OpenCall[]> {
  if (!isOwnerAlone(event, role)) return [];
  const home = { userId: event.sender.userId, conversation: event.conversation };
  return (await calls.forOwners()).filter((call) => {
    const mandate = mandateOf(call.askers);
    return !isSamePlace(call, event) && (mandate === undefined || isHomeOf(mandate, home));
  });
}
