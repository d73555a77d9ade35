import type { Attachment, InboundMessage, SessionEvent } from "./inbound.ts";

/** Where the files of a quoted message are counted from among the attachments of an event: behind all of its own. */
export const firstQuoted = 100;

/**
 * Whether an event has attachments that are fetched with it. Making something of a file may cost something before a turn begins: a
 * voice note is transcribed.
 */
export function bringsFiles(event: SessionEvent): boolean {
  return "message" in event && broughtFiles(event.message).length > 0;
}

/**
 * What is fetched with a message: its own files, and of the message that it answers pictures, which the model sees, and speech. The
 * others are fetched when somebody opens them. The store's function `brought_files` says the same.
 */
export function broughtFiles({ attachments, quote }: InboundMessage): readonly Attachment[] {
  const quoted = quote?.attachments ?? [];
  return [...attachments, ...quoted.filter(({ kind, voice }) => kind === "image" || voice === true)];
}
