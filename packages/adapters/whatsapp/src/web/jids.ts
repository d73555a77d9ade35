import type { Conversation } from "@talaria/protocol";
import type { WebKey } from "./socket.ts";

/** `4915550123456:12@s.whatsapp.net` is device 12 of the account. */
const deviceSuffix = /:\d+(?=@)|_\d+(?=@)/;

/**
 * The id of a person: the digits of their number, as on the Cloud API, or `123@lid` where WhatsApp hides the number. Undefined for
 * what is no person.
 */
export function personIdOf(jid: string | null | undefined, alt?: string | null): string | undefined {
  for (const one of [jid, alt]) {
    const digits = /^(\d{5,20})@(?:s\.whatsapp\.net|c\.us|hosted)$/.exec(plainJid(one))?.[1];
    if (digits !== undefined) return digits;
  }
  const lid = [jid, alt].map(plainJid).find((one) => /^\d{3,32}@(?:lid|hosted\.lid)$/.test(one));
  return lid;
}

export function plainJid(jid: string | null | undefined): string {
  return (jid ?? "").replace(deviceSuffix, "");
}

export function isGroup(jid: string | null | undefined): boolean {
  return /^[\d-]{5,64}@g\.us$/.test(jid ?? "");
}

/** Where a message of a conversation is sent. */
export function jidOf({ conversationId }: Pick<Conversation, "conversationId">): string {
  return /^\d{5,20}$/.test(conversationId) ? `${conversationId}@s.whatsapp.net` : conversationId;
}

/** The same message from every device and after every reconnect. Ids alone are chosen by senders. */
export function eventIdOf({ remoteJid, participant, id }: WebKey): string {
  return `${plainJid(remoteJid)}/${plainJid(participant)}/${id}`.slice(0, 512);
}
