import type { ImapFlow } from "imapflow";
import { readInvitation } from "./invitation.ts";
import { fetchPart } from "./read-mail.ts";
import type { FilePart, MailPlan } from "./structure.ts";

/** Of a calendar no more is read. The first event stands at its beginning, behind the rules of its time zones. */
const calendarBytes = 64 * 1024;
/** Further calendars are compared only where they are read anyway. */
const maxCompared = 6;

export interface Invitations {
  readonly texts: readonly string[];
  /** The calendars among the files that another file holds as well. */
  readonly copies: ReadonlySet<FilePart>;
}

/**
 * Invitations as what, when and where, and with the inviter's words, unless the mail's own text has these. The same twice is one,
 * also as a file: programs send a calendar within the text and attach it besides, and the attached one has a name.
 */
export async function readInvitations(
  client: ImapFlow,
  uid: number,
  { files, calendars }: Pick<MailPlan, "files" | "calendars">,
  said: string,
): Promise<Invitations> {
  const compared = files
    .filter(isCalendar)
    .filter(({ part }, place) => place < maxCompared || calendars.includes(part));
  const contents = new Map<string, string>();
  const copies = new Set<FilePart>();
  const last = new Map<string, FilePart>();
  for (const file of compared) {
    if (compared.length === 1 && !calendars.includes(file.part)) continue;
    const { text, isCut } = await fetchPart(client, uid, file.part, calendarBytes);
    contents.set(file.part, text);
    if (isCut) continue;
    const content = text.replaceAll("\r\n", "\n").trim();
    const twin = last.get(content);
    if (twin !== undefined) copies.add(twin);
    last.set(content, file);
  }
  return {
    texts: textsOf(
      calendars.flatMap((part) => contents.get(part) ?? []),
      said,
    ),
    copies,
  };
}

function textsOf(calendars: readonly string[], said: string): readonly string[] {
  const words = wordsOf(said);
  const texts = new Set<string>();
  for (const calendar of calendars) {
    const invitation = readInvitation(calendar);
    if (invitation === undefined) continue;
    texts.add(invitation.text);
    if (!words.includes(wordsOf(invitation.description))) texts.add(invitation.description);
  }
  return [...texts];
}

/** By its type (RFC 5545 section 8.1), or as programs attach it. */
function isCalendar({ mimeType, name }: FilePart): boolean {
  return mimeType === "text/calendar" || mimeType === "application/ics" || /\.ics$/i.test(name);
}

/** A text as it is compared: words alone, without what formats them or draws them, also in HTML. */
function wordsOf(text: string): string {
  const bare = text.replace(/<[^<>]{0,500}>|&#?\w{1,10};/g, " ");
  return ` ${bare
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()} `;
}
