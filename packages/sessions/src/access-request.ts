import { type Acceptance, brandAs, type DeliveryKey, type InboundEvent, spoken } from "@talaria/protocol";
import type { AccessRequest, Home, OutboxText, PairingRequest, PairingRow } from "@talaria/store";
import { isBlank, wordsAt, wordsFor } from "@talaria/words";
import { isOwnersPlace } from "./owners-place.ts";
import type { Passing } from "./passing.ts";
import { personQuestion } from "./people.ts";
import { settle } from "./settle.ts";
import { withoutThreadHead } from "./thread-head.ts";

/** Longer messages are not kept: whoever is let in writes them again. In characters. */
const longestKept = 4_000;

/**
 * A stranger writes where strangers may ask for access. They are told once that we ask, and once that we still wait; owners are asked
 * where they want to be, and everything is committed with the end of the event.
 */
export async function askForAccess(passing: Passing): Promise<Acceptance> {
  const { event, deps } = passing;
  const { conversation, sender } = event;
  const homes = (await deps.calls.ownersPlaces()).filter((place) => isOwnersPlace(place, deps.policyOf));
  const kept = keptWords(passing);
  const request = await deps.pairing.request({
    accountId: conversation.accountId,
    person: { id: sender.userId, displayName: sender.displayName, ...spoken(sender.language) },
    eventId: event.id,
    conversation,
    canAsk: homes.length > 0,
    ...kept,
  });
  const reason = `pairing_${request.outcome}` as const;
  const notice = noticeOf(request, event);
  const texts = textsOf(request, event, homes);
  const acceptance = await settle(event, deps, {
    outcome: "refused",
    reason,
    ...(notice === undefined ? {} : { notice }),
    ...(texts.length === 0 ? {} : { texts }),
  });
  for (const accountId of new Set(texts.map((text) => text.conversation.accountId))) deps.deliver(accountId);
  return acceptance;
}

function noticeOf(request: PairingRequest, event: InboundEvent): string | undefined {
  const { peopleNotices: notices } = wordsFor(event);
  if (request.outcome === "code")
    return request.asks === "nobody" ? notices.askThem(request.code) : notices.asked(request.code);
  if (request.outcome === "full" || request.tells !== true) return undefined;
  return request.outcome === "removed" ? notices.removed : notices.stillWaiting;
}

function textsOf(request: PairingRequest, event: InboundEvent, homes: readonly Home[]): readonly OutboxText[] {
  if (request.outcome === "code") return questions(request, event, homes);
  if (request.outcome !== "full" || request.leftOut === undefined) return [];
  const { accountId } = event.conversation;
  const { waiting = 0, leftOut } = request;
  return homes.map((home) =>
    textAtHome(`full:${event.id}`, wordsAt(home).peopleNotices.manyLeftOut(waiting, leftOut, accountId), home),
  );
}

function questions(
  { id, asks, waiting }: Extract<PairingRequest, { readonly outcome: "code" }>,
  { conversation, sender, receivedAt }: InboundEvent,
  homes: readonly Home[],
): readonly OutboxText[] {
  const { accountId } = conversation;
  if (asks === "together")
    return homes.map((home) => textAtHome(id, wordsAt(home).peopleNotices.manyWait(waiting, accountId), home));
  if (asks !== "each") return [];
  const { userId, displayName, language } = sender;
  const row: PairingRow = {
    ...{ id, accountId, userId, displayName, state: "waiting", createdAt: receivedAt, conversation },
    ...spoken(language),
  };
  return homes.map((home) => personQuestion(row, home));
}

function textAtHome(id: string, markdown: string, { conversation }: Home): OutboxText {
  return {
    deliveryKey: brandAs<DeliveryKey>(`people:${id}:${conversation.accountId}:${conversation.conversationId}`),
    kind: "notice",
    conversation,
    markdown,
    attachments: [],
  };
}

/** Words that can be answered later as they are: nothing has to be fetched for them, and they are no command. Files are not kept. */
function keptWords({ event, options, sessionKey }: Passing): Pick<AccessRequest, "said" | "unkept"> {
  if (event.type !== "message.created" || event.sender.role !== "person") return {};
  const { markdown, attachments, quote, withheld } = event.message;
  if (/^\s*\//.test(markdown)) return {};
  const unkept = attachments.length === 0 ? {} : ({ unkept: "files" } as const);
  if (isBlank(markdown)) return unkept;
  const isWhole = (quote === undefined || quote.head === true) && withheld !== true && markdown.length <= longestKept;
  if (!isWhole) return { unkept: "words" };
  const route = options.replyTo ?? event.conversation;
  const words = withoutThreadHead({ ...event, message: { ...event.message, attachments: [] } });
  return { said: { sessionKey, event: words, route, mode: "queue", role: "member" }, ...unkept };
}
