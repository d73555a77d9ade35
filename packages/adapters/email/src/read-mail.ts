import type { FetchMessageObject, ImapFlow } from "imapflow";
import { Headers } from "./headers.ts";
import { htmlToText } from "./html-text.ts";
import { stripHistory } from "./strip-history.ts";
import { type BodyPart, type MailPlan, planOf, type Refusal } from "./structure.ts";

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

export interface MailText {
  readonly text: string;
  /** Remarks of ours about the text, each a sentence without brackets. */
  readonly remarks: readonly string[];
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

/** What the sender wrote: plain where there is a plain version, without history and signature. */
export async function fetchText(
  client: ImapFlow,
  { uid }: MailHead,
  { bodies }: MailPlan,
  limits: ReadLimits,
): Promise<MailText> {
  const texts: string[] = [];
  const remarks = new Set<string>();
  for (const body of bodies) {
    const read = await readBody(client, uid, body, limits.textBytes);
    for (const remark of read.remarks) remarks.add(remark);
    texts.push(read.text);
  }
  return { text: stripHistory(texts.filter((text) => text.trim() !== "").join("\n\n")), remarks: [...remarks] };
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

/** The plain version, and the formatted one only where there are no words in the plain one. */
async function readBody(client: ImapFlow, uid: number, body: BodyPart, maxBytes: number): Promise<MailText> {
  const plain = body.plain === undefined ? undefined : await fetchPart(client, uid, body.plain, maxBytes);
  if (body.html === undefined || (plain !== undefined && plain.text.trim() !== ""))
    return { text: plain?.text ?? "", remarks: plain?.isCut ? [cutHere] : [] };
  const html = await fetchPart(client, uid, body.html, maxBytes);
  const { text, hasHidden, isTooDeep } = await htmlToText(html.text);
  const remarks = [
    ...(html.isCut ? [cutHere] : []),
    ...(isTooDeep ? ["the text ends here because its formatting is nested too deep"] : []),
    ...(hasHidden ? ["the mail also holds hidden text, which is left out"] : []),
  ];
  return { text, remarks };
}

const cutHere = "the text is cut here because it is too long";

function dateOf({ internalDate }: FetchMessageObject, nowMs: number): number {
  const time = new Date(internalDate ?? nowMs).getTime();
  return Number.isFinite(time) && time > 0 && time < 253_402_300_799_000 ? time : nowMs;
}
