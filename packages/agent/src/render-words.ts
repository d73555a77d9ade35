import type { Platform } from "@talaria/protocol";
import type { EntryAttachment, EntryQuote, OverheardEntry, UserEntry, WholeWords } from "./entries-of-people.ts";
import { inboxPathOf } from "./inbox.ts";
import type { KeptMedia } from "./kept-media.ts";
import { fileIdOf, idOfFile } from "./media.ts";
import { accountName, senderName, senderRole } from "./names.ts";
import { shownTime } from "./sent-times.ts";
import { attributes, escapedText, oneLine, plainText } from "./untrusted-text.ts";

export interface RenderOptions {
  readonly platform: Platform;
  /** Several people write here: every message then names its sender. */
  readonly shared: boolean;
  /** The model has tools that work where the files of people lie. */
  readonly inbox?: boolean;
}

/** What a message is rendered for, whoever reads along. */
export type RenderPlace = Pick<RenderOptions, "platform" | "inbox">;

export function sharedMessage(entry: UserEntry, place: RenderPlace): string {
  const opening = attributes({
    sender: senderName(entry.sender),
    id: accountName(place.platform, entry.sender.userId),
    role: senderRole(entry.sender, entry.role),
    verified: entry.sender.assurance,
    at: shownTime(entry.at),
    edited: entry.edited ? "true" : undefined,
  });
  return `<message${opening}>\n${body(entry, place, escapedText)}\n</message>`;
}

export function overheardMessage(entry: OverheardEntry, place: RenderPlace): string {
  const { sender, markdown, attachments = [], moreFiles, quote, at, whole } = entry;
  const opening = attributes({
    sender: senderName(sender),
    id: accountName(place.platform, sender.userId),
    role: sender.role === "person" ? undefined : sender.role,
    verified: sender.assurance,
    at: shownTime(at),
  });
  const parts = [
    ...(quote === undefined ? [] : [quoted(quote, place)]),
    ...(markdown === "" ? [] : [escapedText(markdown)]),
    ...attachments.map((one) => attachmentLine(one, place)),
    ...(moreFiles === undefined ? [] : [`<note>${moreFiles} more files came with it</note>`]),
    ...wholeLines(whole),
  ];
  return `<overheard${opening}>\n${parts.join("\n")}\n</overheard>`;
}

export function directMessage(entry: UserEntry, place: RenderPlace): string {
  const text = body(entry, place, plainText);
  return entry.edited ? `<note>an earlier message was edited and now reads:</note>\n${text}` : text;
}

function body(entry: UserEntry, place: RenderPlace, clean: (text: string) => string): string {
  const parts = [
    ...(entry.quote ? [quoted(entry.quote, place)] : []),
    ...(entry.markdown === "" ? [] : [textWithValues(entry, clean)]),
    ...entry.attachments.map((one) => attachmentLine(one, place)),
    ...wholeLines(entry.whole),
  ];
  return parts.length === 0 ? "(empty message)" : parts.join("\n");
}

function wholeLines(whole: WholeWords | undefined): readonly string[] {
  return whole === undefined ? [] : [wholeNote(whole)];
}

/** Tells the model where a message stands whole that is shown in part. */
export function wholeNote({ files, start, pieceBytes }: WholeWords): string {
  const from = start === undefined || start === 0 ? "" : ` from byte ${start} on`;
  return `<note>parts of this message were left out; whole message: file ${namedFiles(files)}${from}; read it with read_attachment, in pieces of ${pieceBytes} bytes at most</note>`;
}

/** The ids of kept texts with their lengths. */
export function namedFiles(files: readonly KeptMedia[]): string {
  return files
    .flatMap(({ ref, byteLength }) => {
      const id = fileIdOf(ref);
      return id === undefined ? [] : [`${id} (${byteLength} bytes)`];
    })
    .join(", ");
}

/** The sender's own words with what others wrote marked in between; all of it is data where the places make no sense. */
function textWithValues({ markdown, values = [] }: UserEntry, clean: (text: string) => string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { name, start, end } of values) {
    if (start < at || end < start || end > markdown.length) return `<value>${escapedText(markdown)}</value>`;
    const opening = attributes({ name: oneLine(name) });
    pieces.push(
      clean(markdown.slice(at, start)),
      `<value${opening}>${escapedText(markdown.slice(start, end))}</value>`,
    );
    at = end;
  }
  return [...pieces, clean(markdown.slice(at))].join("");
}

function quoted(quote: EntryQuote, place: RenderPlace): string {
  if (quote.fact) return `<note>${escapedText(quote.markdown)}</note>`;
  const opening = attributes({ sender: senderName(quote), id: accountName(place.platform, quote.userId) });
  const { markdown, attachments = [] } = quote;
  const lines = attachments.map((one) => attachmentLine(one, place));
  const parts = markdown === "" && lines.length > 0 ? lines : [escapedText(markdown), ...lines];
  return `<quoted${opening}>\n${parts.join("\n")}\n</quoted>`;
}

/** Names and what was said are people's own words: escaped, on whichever side of the tag they stand. */
function attachmentLine(attachment: EntryAttachment, { inbox }: RenderPlace): string {
  const { kind, name, mimeType, byteLength, voice, problem, unopened, transcript } = attachment;
  const opening = attributes({
    kind,
    name: name === undefined ? undefined : oneLine(name),
    type: oneLine(mimeType),
    bytes: byteLength,
    voice: voice ? "true" : undefined,
    id: idOfFile(attachment),
    opened: unopened === undefined ? undefined : "false",
    path: inbox && unopened === undefined ? inboxPathOf(attachment) : undefined,
    problem,
  });
  return transcript === undefined
    ? `<attachment${opening}/>`
    : `<attachment${opening}>\n${escapedText(transcript)}\n</attachment>`;
}
