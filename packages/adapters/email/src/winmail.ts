import { htmlToText } from "@talaria/foreign-content";
import type { Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { FilePart } from "./structure.ts";
import { BrokenTnef } from "./tnef/byte-reader.ts";
import { mimeTypeOf } from "./tnef/mime-type.ts";
import { readTnef, type TnefMail } from "./tnef/read-tnef.ts";

/** A mail in a larger file of this kind stays a file. */
const maxBytes = 32 * 1024 * 1024;

/** Characters of its words. */
const maxWords = 1_000_000;

/** A file of a mail that holds a mail of its own. */
export interface Winmail {
  readonly part: string;
  readonly mail: TnefMail;
}

/** Those among the parts that can be taken apart; the log names the others, which stay files. */
export async function readWinmails(
  client: ImapFlow,
  uid: number,
  parts: readonly string[],
  log: Pick<Log, "warn">,
): Promise<readonly Winmail[]> {
  const opened: Winmail[] = [];
  for (const part of parts) {
    try {
      opened.push({ part, mail: readTnef(await fetchBytes(client, uid, part)) });
    } catch (error) {
      if (!(error instanceof BrokenTnef)) throw error;
      log.warn({ uid, part, error }, "a winmail.dat could not be taken apart and stays a file");
    }
  }
  return opened;
}

/** The files of a mail with those that are in others instead of these. */
export function withFilesWithin(files: readonly FilePart[], opened: readonly Winmail[]): readonly FilePart[] {
  return files.flatMap((file) => {
    const found = opened.find(({ part }) => part === file.part);
    if (found === undefined || (found.mail.files.length === 0 && found.mail.body === undefined)) return [file];
    return found.mail.files.map(({ name, mimeType }, within) => ({
      part: file.part,
      mimeType: mimeTypeOf(name, mimeType),
      name,
      within,
    }));
  });
}

/** Its words as text. */
export async function wordsOf({ body }: TnefMail): Promise<{ readonly text: string; readonly hasHidden: boolean }> {
  const text = (body?.text ?? "").slice(0, maxWords);
  return body?.isHtml ? await htmlToText(text) : { text, hasHidden: false };
}

/** Fetches a `winmail.dat` and takes it apart. Throws `BrokenTnef`. */
export async function fetchWinmail(client: ImapFlow, uid: number, part: string): Promise<TnefMail> {
  return readTnef(await fetchBytes(client, uid, part));
}

/** One of the files within a `winmail.dat`, or its words. Undefined if there is none such. */
export async function contentWithin(mail: TnefMail, which: number | "body"): Promise<Uint8Array | undefined> {
  return which === "body" ? new TextEncoder().encode((await wordsOf(mail)).text) : mail.files[which]?.content;
}

async function fetchBytes(client: ImapFlow, uid: number, part: string): Promise<Buffer> {
  const { content } = await client.download(String(uid), part, {
    uid: true,
    decodeText: false,
    maxBytes: maxBytes + 1,
  });
  const chunks: Buffer[] = [];
  for await (const chunk of content ?? []) chunks.push(Buffer.from(chunk as Uint8Array));
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw new BrokenTnef(`it has more than ${maxBytes} bytes`);
  return bytes;
}
