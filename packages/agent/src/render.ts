import type { Instant } from "@talaria/protocol";
import { renderCheckpoint } from "./context/render-checkpoint.ts";
import { imagesIn, shownImages } from "./images.ts";
import type { AssistantEntry, CallSettledEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { madeCall } from "./meant-call.ts";
import { fileIdOf } from "./media.ts";
import type { ModelImage, ModelMessage } from "./model.ts";
import { directMessage, overheardMessage, type RenderOptions, sharedMessage } from "./render-words.ts";
import { createSentTimes } from "./sent-times.ts";
import { lateNote } from "./settled-calls.ts";
import { escapedText } from "./untrusted-text.ts";

export type { RenderOptions } from "./render-words.ts";

/** The result of a call whose effect nobody can tell. */
export const unknownResult = "UNKNOWN: interrupted, verify before retrying";

/** The same of one whose own question to people nobody had answered. */
export const unansweredResult =
  "UNKNOWN: interrupted while it waited for people to answer what it had asked them. Nobody had, and the question is void. It may have begun before it asked: verify, then make the call again if it is still wanted.";

/**
 * Turns entries, as `visibleEntries` gives them, into what the model reads. The same entries always give the same bytes, and more entries only add
 * to the end, apart from old pictures that are not shown any more. Neighbouring entries of people and notes become one user message. Every call is followed by exactly
 * one result, whatever the entries say.
 */
export function renderEntries(entries: readonly TranscriptEntry[], options: RenderOptions): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const shown = shownImages(entries);
  const settled = new Map<string, CallSettledEntry>();
  const newsOf = createSentTimes();
  const shownOf = (entry: TranscriptEntry) =>
    imagesIn(entry).flatMap((one) => (shown.has(one) ? [{ ref: one.ref, mimeType: one.mimeType }] : []));
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
          timed(entry.at, options.shared ? sharedMessage(entry, options) : directMessage(entry, options)),
          shownOf(entry),
        );
        break;
      case "overheard":
        addUserText(messages, overheardMessage(entry, options));
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
        if (entry.shows !== undefined) addUserText(messages, pictureNote(entry.shows), shownOf(entry));
        break;
      }
      case "checkpoint":
        addUserText(messages, renderCheckpoint(entry, options));
        break;
      case "tool.started":
      case "tool.waiting":
      case "cleared":
        break;
      default:
        entry satisfies never;
    }
  }
  return messages;
}

/** Stands where pictures are shown that a call has opened, since results hold none. */
function pictureNote(pictures: NonNullable<ToolResultEntry["shows"]>): string {
  return `<note>opened: ${pictures.map(({ ref }) => fileIdOf(ref) ?? "a picture").join(", ")}</note>`;
}

function addUserText(messages: ModelMessage[], text: string, added: readonly ModelImage[] = []): void {
  const last = messages.at(-1);
  const isJoined = last?.role === "user";
  const images = isJoined ? [...(last.images ?? []), ...added] : added;
  const content = isJoined ? `${last.content}\n\n${text}` : text;
  if (isJoined) messages.pop();
  messages.push({ role: "user", content, ...(images.length === 0 ? {} : { images }) });
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
