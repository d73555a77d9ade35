import {
  type CallSettledEntry,
  type EntryAttachment,
  type OverheardEntry,
  oneLine,
  senderName,
  type UserEntry,
} from "@talaria/agent";
import type { Attachment, EventId, SessionEvent } from "@talaria/protocol";
import type { FetchedAttachment, OperationsStore, PendingEvent } from "@talaria/store";
import type { MediaReader } from "./media-reader.ts";

/** What somebody said, to the agent or to others, or how a call that waited was settled. */
export type SpokenEntry = UserEntry | OverheardEntry | CallSettledEntry;

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
      taken.map(async (item) => [...overheardEntries(item), (await toEntry(item, fetched, operations)) ?? []].flat()),
    );
    return entries.flat();
  };
}

function overheardEntries({ overheard = [] }: PendingEvent): readonly OverheardEntry[] {
  return overheard.map(({ sender, markdown, at }) => ({ kind: "overheard", sender, markdown, at }));
}

async function toEntry(
  { event, role }: PendingEvent,
  fetched: readonly FetchedAttachment[],
  operations: EntryMakerDeps["operations"],
): Promise<UserEntry | CallSettledEntry | undefined> {
  if (event.type === "call.settled") return { kind: "call.settled", id: event.id, at: event.occurredAt, ...event.call };
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
    ...(quote === undefined ? {} : { quote }),
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
  return { kind: "user", eventId: event.id, sender, markdown, attachments: [], at: event.occurredAt };
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
    case "pending":
      return { ...attachment, problem: "it has not arrived in time" };
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
