import type { SessionEvent } from "./inbound.ts";

/** Whether an event has attachments. Making something of a file may cost something before a turn begins: a voice note is transcribed. */
export function bringsFiles(event: SessionEvent): boolean {
  return "message" in event && event.message.attachments.length > 0;
}
