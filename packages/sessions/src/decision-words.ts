import { brandAs, type InboundEvent, type MessageId, type SessionKey } from "@talaria/protocol";
import type { CallStore, OpenCall } from "@talaria/store";
import { english } from "@talaria/words";
import { aboveClosing, withoutClosing } from "./closing-lines.ts";
import type { GivenCommand } from "./commands.ts";
import { toBeAnswered } from "./to-be-answered.ts";

const words = /^(?:(approve|yes|ok|deny|no)(?: (all|[1-9]))?|all)[.!]?$/i;
/** Of one question: where there are no buttons, `1` and `2` stand for the first two of its choices. */
const ofOne = /^(approve|yes|ok|1|deny|no|2)[.!]?$/i;
/** In a thread below a question people talk to each other, too: there only what means nothing else. */
const inThread = /^(?:approve|deny)\b/i;
const longest = 40;
/** Places in a list, such as `1 and 3`, `1, 2 and 4`, `1-3`. */
const some = "[1-9](?:(?:, ?(?:and )?| and | ?& ?| ?[-–] ?)[1-9])+";
const several = new RegExp(`^${some}$`, "i");
const ofSeveral = /^(approve|yes|ok|deny|no) (.+?)[.!]?$/i;
/** Only `because` makes what follows a reason: "no, go ahead" is none. */
const withReason = new RegExp(`^(?:deny|no)(?: (all|${some}|[1-9]))?,? because (.+)$`, "i");
/** The same behind the word, of more than one place. */
const placesWithReason = new RegExp(`^(all|${some}),? because (.+)$`, "i");
/** Nor is `because` needed behind `deny`, in an answer to the question, where nothing in the words takes anything back. */
const withPlainReason = new RegExp(`^deny(?: (all|${some}|[1-9]))?[:,]? ([^?\\d]+)$`, "i");
const takesBack =
  /\b(?:approved?|allow(?:ed)?|agreed?|yes|yeah|yep|ok|okay|sure|go|do|but|unless|if|when|except|only|instead|not|no|never|none|rest|others?|then|after|until|till|later|wait|first|all|both|either|or|and|request|access|please|maybe|perhaps)\b|n['’]t\b/i;
const longestPlainReason = 80;
const longestWithReason = 600;
/** How somebody begins who agrees or does not. Whatever follows, it decides nothing: "yes please", "no, use the other one". */
const likeOne =
  /^(?:(?:approved?|agreed?|yes|yeah|yep|ok|okay|sure|go ahead|do it|den(?:y|ied)|no|nope|don't)(?![\p{L}\p{N}])|all[.!]?$|[👍👎✅❌]|[1-9](?:(?: and |[ ,&]+)[1-9])*[.!]?$)/iu;
const longestLikeOne = 120;

/**
 * What a message decides that answers our question in words, such as `yes`, or a list of them, such as `approve 2`, `deny all`. Undefined for
 * all other words, and where the message that it answers asks nothing: those go to the agent. `isAbove`: its thread stands below it.
 */
export async function decisionIn(
  event: InboundEvent,
  { calls }: { readonly calls: Pick<CallStore, "shownIn"> },
  isAbove: boolean,
): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.message.attachments.length > 0) return undefined;
  const said = withoutClosing(saidIn(event), event.sender.displayName).replace(/\s+/g, " ");
  if (event.message.replyTo === undefined && !inThread.test(said)) return undefined;
  if (said.length > longestWithReason) return undefined;
  const [, place, reason] = reasonIn(event) ?? [];
  if (reason !== undefined) return deniedFor(reason, place, await answeredCalls(event, { calls }, isAbove));
  if (said.length > longest || !looksLikeOne(said)) return undefined;
  return meantBy(said, await answeredCalls(event, { calls }, isAbove));
}

function reasonIn(event: Extract<InboundEvent, { type: "message.created" }>): RegExpExecArray | undefined {
  const text = aboveClosing(saidIn(event)).replace(/\s+/g, " ");
  const said = withReason.exec(text);
  if (said !== null) return said;
  const plain = event.message.replyTo === undefined ? null : withPlainReason.exec(text);
  const words = plain?.[2] ?? "";
  return plain === null || words.length > longestPlainReason || takesBack.test(words) ? undefined : plain;
}

/** Where nobody can answer a message: a word that means nothing else, alone. */
const alone = /^(approve|deny)[.!]?$/i;

/**
 * What the word `approve` or `deny` decides in somebody's own conversation where people can't answer a message: the one thing that waits
 * for an answer there. Of several approvals none: as `/approve` alone it lists them. Undefined where anything else waits, too, or nothing.
 */
export async function decisionAlone(
  event: InboundEvent,
  sessionKey: SessionKey,
  { calls }: { readonly calls: Pick<CallStore, "waiting"> },
): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.conversation.kind !== "direct") return undefined;
  const word = event.message.attachments.length > 0 ? undefined : alone.exec(saidIn(event))?.[1];
  if (word === undefined) return undefined;
  const waiting = await calls.waiting(sessionKey);
  const asked = waiting.filter((call) => toBeAnswered([call], english).length > 0);
  const [first, ...others] = asked;
  if (first === undefined || asked.some(({ waitsFor }) => waitsFor !== "approval")) return undefined;
  return { name: nameOf(word), ...(others.length === 0 ? { argument: first.id } : {}) };
}

/** Those about which the message asks that an event answers, where its words may be meant as a decision and are none. */
export async function askedByUnsure(
  event: InboundEvent,
  { calls }: { readonly calls: Pick<CallStore, "shownIn"> },
  isAbove: boolean,
): Promise<readonly OpenCall[]> {
  if (event.type !== "message.created") return [];
  const said = saidIn(event);
  const isLikeOne = event.message.replyTo === undefined ? isLikeOneInThread(said) : mayBeDecision(said);
  return isLikeOne ? await answeredCalls(event, { calls }, isAbove) : [];
}

/**
 * Whether an answer to a question may be meant as a decision: it is short, in whatever words that ask nothing back, or its first line is
 * and begins as that of somebody who agrees or does not. What is longer is a message of its own.
 */
export function mayBeDecision(text: string): boolean {
  const line = firstLine(text);
  return line.length <= longestLikeOne && (likeOne.test(line) || isShort(text.trim()));
}

function isShort(text: string): boolean {
  return text.length <= longestLikeOne && !text.includes("?");
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split(/\r?\n/, 1);
  return line;
}

/** People talk to each other there: only what would decide it as a reply. */
function isLikeOneInThread(text: string): boolean {
  const line = firstLine(text);
  if (line.length > longestLikeOne) return false;
  return inThread.test(line) || withReason.test(line) || looksLikeOne(line.trim());
}

function saidIn({ message: { markdown, mentionsSelf } }: Extract<InboundEvent, { type: "message.created" }>): string {
  return (mentionsSelf ? markdown.trim().replace(/^@\S+\s/, "") : markdown).trim();
}

function looksLikeOne(said: string): boolean {
  return words.test(said) || ofOne.test(said) || several.test(ofSeveral.exec(said)?.[2] ?? "");
}

function meantBy(said: string, [first, ...others]: readonly OpenCall[]): GivenCommand | undefined {
  const one = ofOne.exec(said)?.[1];
  if (first === undefined) return undefined;
  if (others.length === 0)
    return one === undefined
      ? undefined
      : { name: /^(?:deny|no|2)$/i.test(one) ? "deny" : "approve", argument: first.id };
  const [, verbOfSeveral = "", places = ""] = ofSeveral.exec(said) ?? [];
  if (several.test(places)) return { name: nameOf(verbOfSeveral), argument: places };
  const found = words.exec(said);
  if (found === null) return undefined;
  const [, verb = "approve", which = found[1] === undefined ? "all" : ""] = found;
  return { name: nameOf(verb), ...(which === "" ? {} : { argument: which.toLowerCase() }) };
}

function nameOf(verb: string): "approve" | "deny" {
  return /^(?:deny|no)$/i.test(verb) ? "deny" : "approve";
}

/** The reason for one of a list is never read as a place: what is left alone is named by its number. */
function deniedFor(reason: string, place: string | undefined, asked: readonly OpenCall[]): GivenCommand | undefined {
  if (asked.length === 0) return undefined;
  const waiting = asked.filter(({ settlement }) => settlement === undefined);
  const [only] = asked.length === 1 ? asked : waiting;
  if (place === undefined)
    return only === undefined || waiting.length > 1
      ? { name: "deny" }
      : { name: "deny", argument: `${only.id} ${reason}` };
  if (asked.length === 1) return undefined;
  if (!/^[1-9]$/.test(place)) return { name: "deny", argument: `${place} because ${reason}` };
  const placed = asked[Number(place) - 1];
  return { name: "deny", argument: placed === undefined ? place : `${placed.id} ${reason}` };
}

/** What is meant of a list. Only a denial has a reason. */
export interface Placed {
  readonly calls: readonly OpenCall[];
  readonly reason?: string | undefined;
}

/** The calls at several places of a list, or all of it. Undefined: no such places are named. None where one of them is not in the list. */
export function placedCalls({ name, argument = "" }: GivenCommand, listed: readonly OpenCall[]): Placed | undefined {
  const said = argument.trim();
  const [, places = said, reason] = (name === "deny" && placesWithReason.exec(said)) || [];
  if (listed.length === 0) return undefined;
  if (/^all$/i.test(places)) return { calls: listed, reason };
  if (!several.test(places)) return undefined;
  const calls = placesIn(places).map((place) => listed[place - 1]);
  return calls.includes(undefined) ? { calls: [] } : { calls: calls.filter((call) => call !== undefined), reason };
}

/** None where a range goes backwards. */
function placesIn(text: string): readonly number[] {
  const ranges = (text.match(/[1-9](?: ?[-–] ?[1-9])*/g) ?? []).map((range) =>
    (range.match(/[1-9]/g) ?? []).map(Number),
  );
  const isOne = (range: readonly number[]) => range.length < 3 && (range[0] ?? 0) <= (range.at(-1) ?? 0);
  if (!ranges.every(isOne)) return [];
  const all = ranges.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
  return [...new Set(all)];
}

/** The calls about which the message asks that an event answers, decided or not, in their order. None where it asks nothing. */
export async function answeredCalls(
  event: InboundEvent,
  { calls }: { readonly calls: Pick<CallStore, "shownIn"> },
  isAbove: boolean,
): Promise<readonly OpenCall[]> {
  if (event.type !== "message.created") return [];
  const { threadId } = event.conversation;
  const head = isAbove && threadId !== undefined ? brandAs<MessageId>(threadId) : undefined;
  const messageId = event.message.replyTo ?? head;
  return messageId === undefined ? [] : await calls.shownIn(event.conversation, messageId);
}
