import type { Instant, Platform, Quote } from "@talaria/protocol";
import { shownImages } from "./images.ts";
import type {
  AssistantEntry,
  CallSettledEntry,
  EntryAttachment,
  OverheardEntry,
  ToolResultEntry,
  TranscriptEntry,
  UserEntry,
} from "./journal.ts";
import { madeCall } from "./meant-call.ts";
import { fileIdOf } from "./media.ts";
import type { ModelImage, ModelMessage } from "./model.ts";
import { accountName, senderName, senderRole } from "./names.ts";
import { createSentTimes, shownTime } from "./sent-times.ts";
import { lateNote } from "./settled-calls.ts";
import { attributes, escapedText, oneLine, plainText } from "./untrusted-text.ts";

/** The result of a call whose effect nobody can tell. */
export const unknownResult = "UNKNOWN: interrupted, verify before retrying";

export interface RenderOptions {
  readonly platform: Platform;
  /** Several people write here: every message then names its sender. */
  readonly shared: boolean;
}

/**
 * Turns entries into what the model reads. The same entries always give the same bytes, and more entries only add
 * to the end, apart from old pictures that are not shown any more. Neighbouring entries of people and notes become one user message. Every call is followed by exactly
 * one result, whatever the entries say.
 */
export function renderEntries(entries: readonly TranscriptEntry[], options: RenderOptions): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const shown = shownImages(entries);
  const settled = new Map<string, CallSettledEntry>();
  const newsOf = createSentTimes();
  /** Messages of several people carry their own. */
  const timed = (at: Instant, text: string) => {
    const time = options.shared ? undefined : newsOf(at);
    return time === undefined ? text : `<note>${time} UTC</note>\n${text}`;
  };
  for (const [index, entry] of entries.entries()) {
    switch (entry.kind) {
      case "user":
        addUserText(
          messages,
          timed(entry.at, options.shared ? sharedMessage(entry, options.platform) : directMessage(entry, options)),
          entry.attachments.flatMap((one) => (shown.has(one) ? [{ ref: one.ref, mimeType: one.mimeType }] : [])),
        );
        break;
      case "overheard":
        addUserText(messages, overheardMessage(entry, options.platform));
        break;
      case "note":
        addUserText(messages, `<note>${escapedText(entry.text)}</note>`);
        break;
      case "assistant":
        messages.push(...answerWithResults(entry, entries, index + 1));
        break;
      case "call.settled":
        settled.set(entry.id, entry);
        break;
      case "tool.result": {
        const late = settled.get(entry.callId);
        if (late !== undefined) addUserText(messages, timed(late.at, lateNote(late, entry)));
        break;
      }
      case "tool.started":
      case "tool.waiting":
        break;
      default:
        entry satisfies never;
    }
  }
  return messages;
}

function addUserText(messages: ModelMessage[], text: string, added: readonly ModelImage[] = []): void {
  const last = messages.at(-1);
  const isJoined = last?.role === "user";
  const images = isJoined ? [...(last.images ?? []), ...added] : added;
  const content = isJoined ? `${last.content}\n\n${text}` : text;
  if (isJoined) messages.pop();
  messages.push({ role: "user", content, ...(images.length === 0 ? {} : { images }) });
}

function sharedMessage(entry: UserEntry, platform: Platform): string {
  const opening = attributes({
    sender: senderName(entry.sender),
    id: accountName(platform, entry.sender.userId),
    role: senderRole(entry.sender, entry.role),
    verified: entry.sender.assurance,
    at: shownTime(entry.at),
    edited: entry.edited ? "true" : undefined,
  });
  return `<message${opening}>\n${body(entry, platform, escapedText)}\n</message>`;
}

function overheardMessage({ sender, markdown, at }: OverheardEntry, platform: Platform): string {
  const opening = attributes({
    sender: senderName(sender),
    id: accountName(platform, sender.userId),
    role: sender.role === "person" ? undefined : sender.role,
    verified: sender.assurance,
    at: shownTime(at),
  });
  return `<overheard${opening}>\n${escapedText(markdown)}\n</overheard>`;
}

function directMessage(entry: UserEntry, { platform }: RenderOptions): string {
  const text = body(entry, platform, plainText);
  return entry.edited ? `<note>an earlier message was edited and now reads:</note>\n${text}` : text;
}

function body(entry: UserEntry, platform: Platform, clean: (text: string) => string): string {
  const parts = [
    ...(entry.quote ? [quoted(entry.quote, platform)] : []),
    ...(entry.markdown === "" ? [] : [textWithValues(entry, clean)]),
    ...entry.attachments.map(attachmentLine),
  ];
  return parts.length === 0 ? "(empty message)" : parts.join("\n");
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

function quoted(quote: Quote, platform: Platform): string {
  const opening = attributes({ sender: senderName(quote), id: accountName(platform, quote.userId) });
  return `<quoted${opening}>\n${escapedText(quote.markdown)}\n</quoted>`;
}

/** Names and what was said are people's own words: escaped, on whichever side of the tag they stand. */
function attachmentLine(attachment: EntryAttachment): string {
  const { kind, name, mimeType, byteLength, ref, voice, problem, transcript } = attachment;
  const opening = attributes({
    kind,
    name: name === undefined ? undefined : oneLine(name),
    type: oneLine(mimeType),
    bytes: byteLength,
    voice: voice ? "true" : undefined,
    id: fileIdOf(ref),
    problem,
  });
  return transcript === undefined
    ? `<attachment${opening}/>`
    : `<attachment${opening}>\n${escapedText(transcript)}\n</attachment>`;
}

function answerWithResults(entry: AssistantEntry, entries: readonly TranscriptEntry[], from: number): ModelMessage[] {
  if (entry.content === "" && entry.toolCalls.length === 0) return [];
  const { content, toolCalls, providerState } = entry;
  const made = toolCalls.map(madeCall);
  const results = new Map<string, ToolResultEntry>();
  for (let index = from; index < entries.length; index += 1) {
    const later = entries[index];
    if (later?.kind === "assistant") break;
    if (later?.kind === "tool.result" && !results.has(later.callId)) results.set(later.callId, later);
  }
  return [
    { role: "assistant", content, toolCalls: made, ...(providerState && { providerState }) },
    ...made.map(({ callId, name }): ModelMessage => {
      const { content, isError } = results.get(callId) ?? { content: unknownResult, isError: true };
      return { role: "tool", callId, name, content, isError };
    }),
  ];
}
