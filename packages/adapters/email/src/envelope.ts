import { cleanText } from "@talaria/adapter-kit";
import { preferredIn, spoken } from "@talaria/protocol";
import { decodeWords, domainOf, type Mailbox, parseAuthor } from "./addresses.ts";
import { authenticateSender, type SenderVerdict, type TrustSettings } from "./authenticate-sender.ts";
import type { Headers } from "./headers.ts";
import { machineReason } from "./machine-mail.ts";
import { inventedId, messageIdOf, messageIdsIn, ownTagOf, shortChain, threadTagOf } from "./message-ids.ts";

/** What the headers of a mail say, judged. */
export interface Envelope {
  readonly messageId: string;
  /** Undefined when the mail has not exactly one author that can be read one way only. */
  readonly author: Mailbox | undefined;
  readonly verdict: SenderVerdict;
  /** `self`: our own mail coming back. `machine`: nobody reads an answer. */
  readonly origin: "person" | "machine" | "self";
  readonly machine: string | undefined;
  /** One line; may be empty. */
  readonly subject: string;
  /** The Message-IDs of the thread so far, the root first, without this mail. */
  readonly references: readonly string[];
  /** The mail that this one answers. */
  readonly answers: string | undefined;
  /** Tags of threads of ours that are named, the newest first. Anybody may name one: ask `Threads` whether it is the author's. */
  readonly ownTags: readonly string[];
  /** Of the author: what they want to be answered in, else what they wrote in. */
  readonly language?: string;
}

export interface EnvelopeSettings extends TrustSettings {
  /** Our address. */
  readonly address: string;
}

/** Reads the headers of one mail. `size` helps to name a mail without a Message-ID. */
export function toEnvelope(headers: Headers, settings: EnvelopeSettings, size: number): Envelope {
  const froms = headers.all("from");
  const author = froms.length === 1 ? parseAuthor(froms[0] ?? "") : undefined;
  const domain = domainOf(settings.address);
  const subject = subjectOf(headers);
  const given = headers.all("message-id");
  const messageId =
    (given.length === 1 ? messageIdOf(given[0] ?? "") : undefined) ??
    inventedId([...given, ...froms, headers.first("date"), subject, String(size)]);
  const inReplyTo = messageIdsIn(headers.first("in-reply-to"));
  const references = shortChain([...messageIdsIn(headers.first("references")), ...inReplyTo]).filter(
    (id) => id !== messageId,
  );
  const machine = author === undefined ? undefined : machineOf(headers, author.address, threadTagOf(messageId, domain));
  return {
    messageId,
    author,
    verdict: author === undefined ? nobody : authenticateSender(headers, author.address, settings),
    origin: author?.address === settings.address ? "self" : machine === undefined ? "person" : "machine",
    machine,
    subject,
    references,
    answers: inReplyTo.at(-1) ?? references.at(-1),
    ownTags: references.toReversed().flatMap((id) => ownTagOf(id, domain) ?? []),
    ...languageOf(headers),
  };
}

/** By RFC 3282. A mail in several languages tells nothing about its author. */
function languageOf(headers: Headers): Pick<Envelope, "language"> {
  const wanted = preferredIn(headers.first("accept-language"));
  return wanted.language === undefined ? spoken(headers.first("content-language")) : wanted;
}

/** An id of ours under another author is our own mail, sent back by somebody's program. */
function machineOf(headers: Headers, author: string, ownTag: string | undefined): string | undefined {
  return ownTag === undefined ? machineReason(headers, author) : "loop";
}

const nobody: SenderVerdict = { isAuthentic: false, because: "not_aligned", hasForeignResults: false };

/** Longest subject, in code points. */
const longestSubject = 200;

function subjectOf(headers: Headers): string {
  const line = cleanText(decodeWords(headers.first("subject").slice(0, 5_000)))
    .replace(/[\s\ufffd]+/gu, " ")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
  return [...line].slice(0, longestSubject).join("");
}
