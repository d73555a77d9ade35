import type { ImapFlow } from "imapflow";
import { type Body, readBody } from "./read-body.ts";
import type { AttachedMail, FilePart } from "./structure.ts";

/** Of all attached mails no more is shown, in UTF-16 units. */
const longest = 20_000;

export interface AttachedText {
  /** Others' words, under the heads of their mails. */
  readonly text: string;
  readonly remarks: readonly string[];
  /** The texts of those that are not shown whole. */
  readonly files: readonly FilePart[];
}

/** The mails within a mail, whole as those that are passed on: nobody else has them. What is too much is there as a file. */
export async function readAttached(
  client: ImapFlow,
  uid: number,
  mails: readonly AttachedMail[],
  maxBytes: number,
): Promise<AttachedText> {
  const texts: string[] = [];
  const remarks = new Set<string>();
  const files: FilePart[] = [];
  let left = longest;
  for (const [n, { head, bodies }] of mails.entries()) {
    const read: Body[] = [];
    for (const body of bodies) read.push(await readBody(client, uid, body, maxBytes));
    const words = read.map(({ text }) => text.replaceAll("\r\n", "\n").trim()).filter(Boolean);
    const whole = [head, ...words].join("\n\n");
    const text = whole.slice(0, Math.max(0, left)).toWellFormed().trimEnd();
    left -= whole.length;
    texts.push(text);
    for (const remark of read.flatMap((body) => body.remarks)) remarks.add(remark);
    if (text === whole) continue;
    const name = `attached-mail-${n + 1}.txt`;
    remarks.add(`an attached mail is cut; the whole stands in ${name}`);
    files.push(...read.map(({ file }) => ({ ...file, name })));
  }
  return { text: texts.filter(Boolean).join("\n\n"), remarks: [...remarks], files };
}
