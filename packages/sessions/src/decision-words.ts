import { brandAs, type InboundEvent, type MessageId } from "@talaria/protocol";
import type { CallStore, OpenCall } from "@talaria/store";
import type { GivenCommand } from "./commands.ts";

const words = /^(?:(approve|yes|ok|deny|no)(?: (all|[1-9]))?|all)[.!]?$/i;
const longest = 20;

/**
 * What a message decides that answers our list of questions in words, such as `approve 2`, `deny all`, `yes`. Undefined for all other
 * words, and where the message that it answers asks one thing or nothing: those go to the agent. `isAbove`: its thread stands below it.
 */
export async function decisionIn(
  event: InboundEvent,
  { calls }: { readonly calls: Pick<CallStore, "shownIn"> },
  isAbove: boolean,
): Promise<GivenCommand | undefined> {
  if (event.type !== "message.created" || event.message.attachments.length > 0) return undefined;
  const { markdown, mentionsSelf } = event.message;
  const said = (mentionsSelf ? markdown.trim().replace(/^@\S+\s/, "") : markdown).trim().replace(/\s+/g, " ");
  if (said.length > longest) return undefined;
  const found = words.exec(said);
  if (found === null || (await answeredList(event, { calls }, isAbove)).length === 0) return undefined;
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
  if (event.type !== "message.created") return [];
  const { threadId } = event.conversation;
  const head = isAbove && threadId !== undefined ? brandAs<MessageId>(threadId) : undefined;
  const answered = event.message.replyTo ?? head;
  if (answered === undefined) return [];
  const shown = await calls.shownIn(event.conversation, answered);
  return shown.length > 1 ? shown : [];
}
