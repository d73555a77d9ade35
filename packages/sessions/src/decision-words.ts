import { brandAs, type InboundEvent, type MessageId } from "@talaria/protocol";
import type { CallStore, OpenCall } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";

const words = /^(?:(approve|yes|ok|deny|no)(?: (all|[1-9]))?|all)[.!]?$/i;
/** Of one question: where there are no buttons, `1` and `2` stand for the first two of its choices. */
const ofOne = /^(approve|yes|ok|1|deny|no|2)[.!]?$/i;
/** In a thread below a question people talk to each other, too: there only what means nothing else. */
const inThread = /^(?:approve|deny)\b/i;
const longest = 20;

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
  const { markdown, mentionsSelf } = event.message;
  const said = (mentionsSelf ? markdown.trim().replace(/^@\S+\s/, "") : markdown).trim().replace(/\s+/g, " ");
  if (said.length > longest || (event.message.replyTo === undefined && !inThread.test(said))) return undefined;
  const found = words.exec(said);
  const one = ofOne.exec(said)?.[1];
  if (found === null && one === undefined) return undefined;
  const [first, ...others] = await answered(event, { calls }, isAbove);
  if (first !== undefined && others.length === 0 && one !== undefined)
    return { name: /^(?:deny|no|2)$/i.test(one) ? "deny" : "approve", argument: first.id };
  if (found === null || others.length === 0) return undefined;
  const [, verb = "approve", which = found[1] === undefined ? "all" : ""] = found;
  const name = /^(?:deny|no)$/i.test(verb) ? "deny" : "approve";
  return { name, ...(which === "" ? {} : { argument: which.toLowerCase() }) };
}

/** The calls that the message lists which an event answers, decided or not, in their order. None where it asks one thing or nothing. */
export async function answeredList(
  event: InboundEvent,
  { calls }: { readonly calls: Pick<CallStore, "shownIn"> },
  isAbove: boolean,
): Promise<readonly OpenCall[]> {
  const shown = await answered(event, { calls }, isAbove);
  return shown.length > 1 ? shown : [];
}

async function answered(
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
