import {
  type CallSettledEntry,
  type EntryAttachment,
  type EntryQuote,
  type NoteEntry,
  type OverheardEntry,
  oneLine,
  readBrought,
  senderName,
  type UserEntry,
} from "@talaria/agent";
import { type Attachment, type EventId, firstQuoted, type Quote, type SessionEvent } from "@talaria/protocol";
import type { FetchedAttachment, OperationsStore, PendingEvent } from "@talaria/store";
import type { MediaReader } from "./media-reader.ts";

/** What somebody said, to the agent or to others, what we say of it, or how a call that waited was settled. */
export type SpokenEntry = UserEntry | OverheardEntry | NoteEntry | CallSettledEntry;

/** Files that are named of all that was overheard before one message. */
const mostOverheardFiles = 20;

/** Turns events into entries. `taken` are the events a turn answers; `from` are all events they were made of. */
export type EntryMaker = (
  taken: readonly PendingEvent[],
  from: readonly PendingEvent[],
) => Promise<readonly SpokenEntry[]>;

export interface EntryMakerDeps {
  readonly media: MediaReader;
  readonly operations: Pick<OperationsStore, "choiceLabel">;
}

/**
 * Returns what people said, as the transcript keeps it, each message after what was overheard before it. Files are
 * described as they are now. Events that are not messages add nothing.
 */
export function createEntryMaker({ media, operations }: EntryMakerDeps): EntryMaker {
  return async (taken, from) => {
    const fetched = await media.filesOf(from.map(({ event }) => event));
    const entries = await Promise.all(
      taken.map(async (item) => {
        const entry = await toEntry(item, fetched, operations);
        return [...overheardEntries(item, answeredFiles(item, entry)), entry ?? []].flat();
      }),
    );
    return entries.flat();
  };
}

/** What the message answers may have been overheard as well: its files are the same ones, by what the platform calls them. */
function answeredFiles(
  { event }: PendingEvent,
  entry: SpokenEntry | undefined,
): ReadonlyMap<Attachment["ref"], EntryAttachment> {
  if (entry?.kind !== "user" || !("message" in event)) return new Map();
  const files = entry.quote?.attachments ?? [];
  const named = event.message.quote?.attachments ?? [];
  return new Map(named.flatMap(({ ref }, n) => (files[n] === undefined ? [] : [[ref, files[n]] as const])));
}

/** The newest messages have their files named, as far as there is room. */
function overheardEntries(
  { event, overheard = [] }: PendingEvent,
  answered: ReadonlyMap<Attachment["ref"], EntryAttachment>,
): readonly OverheardEntry[] {
  const { accountId } = event.conversation;
  let room = mostOverheardFiles;
  const entries = overheard.toReversed().map((heard): OverheardEntry => {
    const { sender, markdown, at, eventId, attachments = [], moreFiles = 0, quote } = heard;
    const unopened = (file: Attachment, n: number): EntryAttachment =>
      answered.get(file.ref) ?? (eventId === undefined ? file : { ...file, unopened: { accountId, eventId, n } });
    const files = attachments.slice(0, room).map(unopened);
    room -= files.length;
    const more = moreFiles + attachments.length - files.length;
    const quoted = (quote?.attachments ?? []).slice(0, room).map((file, n) => unopened(file, firstQuoted + n));
    room -= quoted.length;
    return {
      kind: "overheard",
      sender,
      markdown,
      ...(files.length === 0 ? {} : { attachments: files }),
      ...(more === 0 ? {} : { moreFiles: more }),
      ...(quote === undefined ? {} : { quote: withFiles(quote, quoted) }),
      at,
    };
  });
  return entries.reverse();
}

function withFiles({ attachments: _, ...quote }: Quote, files: readonly EntryAttachment[]): EntryQuote {
  return files.length === 0 ? quote : { ...quote, attachments: files };
}

async function toEntry(
  { event, role }: PendingEvent,
  fetched: readonly FetchedAttachment[],
  operations: EntryMakerDeps["operations"],
): Promise<UserEntry | CallSettledEntry | undefined> {
  if (event.type === "call.settled") {
    const { brought, ...call } = event.call;
    const own = { kind: "call.settled", id: event.id, at: event.occurredAt, ...call } as const;
    return brought === undefined ? own : { ...own, brought: readBrought(brought) };
  }
  const may = role === undefined ? {} : { role };
  if (event.type === "action.invoked") return { ...(await pressed(event, operations)), ...may };
  if (event.type !== "message.created" && event.type !== "message.edited") return undefined;
  const { markdown, attachments, quote, values } = event.message;
  return {
    kind: "user",
    eventId: event.id,
    sender: event.sender,
    ...may,
    markdown,
    attachments: attachments.map((attachment) => toEntryAttachment(attachment, event.id, fetched)),
    at: event.occurredAt,
    ...(quote === undefined ? {} : { quote: withFiles(quote, quotedFiles(quote, event, fetched)) }),
    ...(values === undefined ? {} : { values }),
    ...(event.type === "message.edited" ? { edited: true as const } : {}),
  };
}

/** A pressed button reads like a short message about it. */
async function pressed(
  event: Extract<SessionEvent, { type: "action.invoked" }>,
  operations: EntryMakerDeps["operations"],
): Promise<UserEntry> {
  const { sender, conversation, messageId, actionId } = event;
  const label = event.label ?? (await operations.choiceLabel(conversation, messageId, actionId)) ?? actionId;
  const markdown = `[${senderName(sender)} pressed "${oneLine(label)}"]`;
  return { kind: "user", eventId: event.id, sender, markdown, attachments: [], at: event.occurredAt, pressed: true };
}

/** What was fetched with the event is here; the others are fetched when somebody opens them. */
function quotedFiles(
  { attachments = [] }: Quote,
  { id: eventId, conversation: { accountId } }: SessionEvent,
  fetched: readonly FetchedAttachment[],
): readonly EntryAttachment[] {
  return attachments.map((one, n) => {
    const isHere = fetched.some(({ platformRef }) => platformRef === one.ref);
    if (isHere) return toEntryAttachment(one, eventId, fetched);
    return { ...one, unopened: { accountId, eventId, n: firstQuoted + n } };
  });
}

/** Edits and albums carry attachments of other events; the platform's ref identifies those. */
function toEntryAttachment(
  attachment: Attachment,
  eventId: EventId,
  fetched: readonly FetchedAttachment[],
): EntryAttachment {
  const same = fetched.filter(({ platformRef }) => platformRef === attachment.ref);
  const found = same.find((one) => one.eventId === eventId) ?? same[0];
  if (found === undefined) return attachment;
  switch (found.fetched.state) {
    case "pending": {
      const unopened = { accountId: found.accountId, eventId: found.eventId, n: found.n };
      return { ...attachment, problem: "it has not arrived in time", unopened };
    }
    case "failed":
      return { ...attachment, problem: found.fetched.problem };
    case "stored": {
      const { media, transcript, problem } = { problem: undefined, ...found.fetched };
      return {
        ...attachment,
        ...media,
        kind: kindOf(attachment, media.mimeType),
        ...(transcript === undefined ? {} : { transcript }),
        ...(problem === undefined ? {} : { problem }),
      };
    }
    default:
      return found.fetched satisfies never;
  }
}

/** The bytes decide the kind, except between audio and video, which share containers. */
function kindOf({ kind }: Attachment, mimeType: string): Attachment["kind"] {
  const major = mimeType.split("/", 1)[0];
  if (mimeType === "image/svg+xml") return "file";
  if (major === "audio" || major === "video") return kind === "audio" || kind === "video" ? kind : major;
  return major === "image" ? "image" : "file";
}
