import type { FetchMessageObject, ImapFlow } from "imapflow";
import { Headers } from "./headers.ts";
import { type MailPlan, planOf, type Refusal } from "./structure.ts";

/** What a mail is before its text is fetched. */
export interface MailHead {
  readonly uid: number;
  readonly headers: Headers;
  readonly size: number;
  readonly receivedAtMs: number;
}

export interface ReadLimits {
  readonly messageBytes: number;
  readonly textBytes: number;
  readonly parts: number;
  readonly depth: number;
}

/** Why a mail is not read. `unreadable`: not even its structure can be told. */
export type Unread = Refusal | "too_large" | "unreadable";

/** More header is no header. */
const headerBytes = 128 * 1024;

/** Undefined when the mail is gone. */
export async function fetchHead(client: ImapFlow, uid: number, nowMs: number): Promise<MailHead | undefined> {
  const query = {
    uid: true,
    size: true,
    internalDate: true,
    bodyParts: [{ key: "HEADER", start: 0, maxLength: headerBytes }],
  };
  const message = await client.fetchOne(String(uid), query, { uid: true });
  if (message === false || message === undefined) return undefined;
  return {
    uid,
    headers: Headers.parse(message.headers ?? new Uint8Array()),
    size: message.size ?? 0,
    receivedAtMs: dateOf(message, nowMs),
  };
}

/** How the mail is built, or why it is not read. Its size was told before, so nothing large has been fetched. */
export async function fetchPlan(
  client: ImapFlow,
  { uid, size }: MailHead,
  limits: ReadLimits,
): Promise<MailPlan | Unread> {
  if (size > limits.messageBytes) return "too_large";
  const message = await client.fetchOne(String(uid), { uid: true, bodyStructure: true }, { uid: true });
  const structure = message === false || message === undefined ? undefined : message.bodyStructure;
  return structure === undefined ? "unreadable" : planOf(structure, limits);
}

/** A part's text, decoded; at most `maxBytes` of it. */
export async function fetchPart(
  client: ImapFlow,
  uid: number,
  part: string,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const { content } = await client.download(String(uid), part, { uid: true, maxBytes: maxBytes + 1 });
  if (content === undefined) return { text: "", isCut: false };
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(Buffer.from(chunk as Uint8Array));
  const bytes = Buffer.concat(chunks);
  return { text: new TextDecoder().decode(bytes.subarray(0, maxBytes)), isCut: bytes.length > maxBytes };
}

function dateOf({ internalDate }: FetchMessageObject, nowMs: number): number {
  const time = new Date(internalDate ?? nowMs).getTime();
  return Number.isFinite(time) && time > 0 && time < 253_402_300_799_000 ? time : nowMs;
}
