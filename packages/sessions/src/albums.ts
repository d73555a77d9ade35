import type { InboundEvent, InboundMessage, SessionEvent } from "@talaria/protocol";
import type { PendingEvent } from "@talaria/store";

/** Wait for the next part of an album. Platforms deliver the parts within some hundred milliseconds. */
export const albumDeferMs = 1_200;

/** Albums remembered; the oldest are forgotten first. */
const maxAlbums = 500;

/** Remembers which albums were let in, so that their parts without words are let in too. */
export interface AlbumMemory {
  /** Another part of this event's album was addressed to us. */
  isKnown(event: InboundEvent): boolean;
  remember(event: InboundEvent): void;
}

export function createAlbumMemory(): AlbumMemory {
  const known = new Set<string>();
  return {
    isKnown: (event) => {
      const album = albumOf(event);
      return album !== undefined && known.has(album);
    },
    remember: (event) => {
      const album = albumOf(event);
      if (album === undefined || known.has(album)) return;
      known.add(album);
      for (const oldest of known) {
        if (known.size <= maxAlbums) break;
        known.delete(oldest);
      }
    },
  };
}

/** The album that a message belongs to, in one conversation and by one sender. */
export function albumOf(event: SessionEvent): string | undefined {
  if (event.type !== "message.created" && event.type !== "message.edited") return undefined;
  const { albumId } = event.message;
  if (albumId === undefined) return undefined;
  const { accountId, conversationId } = event.conversation;
  return JSON.stringify([accountId, conversationId, event.sender.userId, albumId]);
}

/** The parts of one album as one message, which stands where the first part stood: attachments and captions in their order. */
export function mergeAlbum(first: PendingEvent, part: PendingEvent): PendingEvent {
  const { event } = first;
  if (!("message" in event) || !("message" in part.event)) return first;
  return { ...first, event: { ...event, message: joined(event.message, part.event.message) } };
}

function joined(first: InboundMessage, part: InboundMessage): InboundMessage {
  return {
    ...first,
    markdown: [first.markdown, part.markdown].filter((text) => text.trim() !== "").join("\n\n"),
    attachments: [...first.attachments, ...part.attachments],
    mentions: [...new Set([...first.mentions, ...part.mentions])],
    mentionsSelf: first.mentionsSelf || part.mentionsSelf,
    repliesToSelf: first.repliesToSelf || part.repliesToSelf,
  };
}
