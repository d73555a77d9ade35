import type { AdapterHost } from "@talaria/adapter";
import { cleanText } from "@talaria/adapter-kit";
import { brandAs, type InboundEvent, type MessageId, type Quote } from "@talaria/protocol";
import { domainOf } from "./addresses.ts";
import { withoutAudience } from "./audience.ts";
import type { Envelope } from "./envelope.ts";
import { ownTagOf } from "./message-ids.ts";

/** The beginning of a text by which it is looked for, and how many places that begin like it are compared: nobody can make that slow. */
const search = { letters: 200, places: 5 };

/**
 * What a mail answers that its session doesn't have: a mail that its author got or wrote, the nearest one that is known. Words that
 * `said` has already, as mails quote each other, are not said twice. Undefined for the rest: mails of ours and of the same session, and
 * mails of others that its author was never sent. `address` is our own; `ownTags` are those of the author's threads.
 */
export async function answeredMail(
  { answers, references, ownTags }: Envelope,
  address: string,
  from: Pick<InboundEvent, "conversation" | "sender">,
  said: string,
  host: Pick<AdapterHost, "received">,
): Promise<Quote | undefined> {
  const named = [...new Set([...(answers === undefined ? [] : [answers]), ...references.toReversed()])];
  const domain = domainOf(address);
  const own = named.findIndex((id) => ownTags.includes(ownTagOf(id, domain) ?? ""));
  const ids = own === -1 ? named : named.slice(0, own);
  const found =
    ids.length === 0
      ? undefined
      : await host.received(
          from,
          ids.map((id) => brandAs<MessageId>(id)),
        );
  if (found === undefined || isSameThread(found, from)) return undefined;
  const { markdown, attachments = [], ...author } = found.quote;
  const words = withoutAudience(markdown);
  const isQuoted = holds(lettersOf(cleanText(said)), lettersOf(bodyOf(words)));
  if (isQuoted && attachments.length === 0) return undefined;
  return { ...author, markdown: isQuoted ? "" : words, ...(attachments.length === 0 ? {} : { attachments }) };
}

function isSameThread(
  { conversation: one }: Pick<InboundEvent, "conversation">,
  { conversation: other }: Pick<InboundEvent, "conversation">,
): boolean {
  return one.conversationId === other.conversationId && one.threadId === other.threadId;
}

function bodyOf(words: string): string {
  return words.replace(/^Subject: [^\n]*(?:\n\n|$)/, "");
}

/** Programs break lines anew, and mark them. */
function lettersOf(text: string): string {
  return text.replace(/[\s>]+/g, "");
}

function holds(text: string, words: string): boolean {
  const beginning = words.slice(0, search.letters);
  let at = text.indexOf(beginning);
  for (let place = 0; at !== -1 && place < search.places; place += 1) {
    if (text.startsWith(words, at)) return true;
    at = text.indexOf(beginning, at + 1);
  }
  return false;
}
