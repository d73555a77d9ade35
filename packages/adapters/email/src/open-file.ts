import { Readable } from "node:stream";
import { htmlToText } from "@talaria/foreign-content";
import { GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { connectImap, createImap, toImapError } from "./imap-client.ts";
import type { KeptWinmail } from "./kept-winmail.ts";
import { fetchPart } from "./read-mail.ts";
import type { FilePart } from "./structure.ts";
import { BrokenTnef } from "./tnef/byte-reader.ts";
import type { TnefMail } from "./tnef/read-tnef.ts";
import { contentWithin, fetchWinmail } from "./winmail.ts";

/**
 * The bytes of a file that came with a mail, fetched again from the mailbox over a connection of its own, which ends with
 * the stream. `not_found` when the mail is gone.
 */
export async function openFile(
  ref: MediaRef,
  config: EmailConfig,
  { proxy, kept }: { readonly proxy: URL | undefined; readonly kept: KeptWinmail },
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { uidValidity, uid, part, version, within, messageId } = parseRef(ref);
  const key = `${uidValidity} ${uid} ${part} ${messageId}`;
  const mail = within === undefined ? undefined : kept.take(key, within);
  if (mail !== undefined && within !== undefined) return await inner(mail, within, config.limits.messageBytes);
  const client = createImap(config, proxy);
  try {
    await connectImap(client, signal);
    const mailbox = await client.mailboxOpen(config.mailbox, { readOnly: true });
    const isSame = String(mailbox.uidValidity) === uidValidity;
    const found = isSame ? uid : await uidOf(client, messageId);
    if (within !== undefined) {
      const fetched = await fetchWinmail(client, found, part);
      client.close();
      kept.keep(key, within, fetched);
      return await inner(fetched, within, config.limits.messageBytes);
    }
    if (version !== undefined) return await openText(client, found, { part, version }, config.limits.textBytes);
    const { content } = await client.download(String(found), part, { uid: true, decodeText: false });
    if (content === undefined) throw gone();
    content.once("close", () => client.close());
    return limited(content, config.limits.messageBytes);
  } catch (error) {
    client.close();
    if (error instanceof BrokenTnef) throw gone();
    throw isGatewayError(error) ? error : toImapError(error, "fetching a file");
  }
}

interface ParsedRef {
  readonly uidValidity: string;
  readonly uid: number;
  readonly part: string;
  readonly version: FilePart["version"];
  /** Within a `winmail.dat`. */
  readonly within: number | "body" | undefined;
  readonly messageId: string;
}

function parseRef(ref: MediaRef): ParsedRef {
  const [, uidValidity = "", uid = "", part = "", version, inner, messageId = ""] =
    /^(\d+) (\d+) (\d+(?:\.\d+)*)(?: (?:(plain|html)|tnef-(body|\d{1,3})))? (<\S+>)$/.exec(ref) ?? [];
  if (uidValidity === "") throw gone();
  const within = inner === undefined || inner === "body" ? inner : Number(inner);
  return { uidValidity, uid: Number(uid), part, version: version as FilePart["version"], within, messageId };
}

async function inner(mail: TnefMail, within: number | "body", maxBytes: number): Promise<ReadableStream<Uint8Array>> {
  const content = await contentWithin(mail, within);
  if (content === undefined) throw gone();
  return limited(Readable.from([content]), maxBytes);
}

/** Words of a mail in UTF-8, as far as they are read. */
async function openText(
  client: ImapFlow,
  uid: number,
  { part, version }: Pick<FilePart, "part" | "version">,
  maxBytes: number,
): Promise<ReadableStream<Uint8Array>> {
  const { text } = await fetchPart(client, uid, part, maxBytes);
  client.close();
  const words = version === "html" ? (await htmlToText(text)).text : text;
  return ReadableStream.from([new TextEncoder().encode(words)]);
}

/** After the server forgot its UIDs. */
async function uidOf(client: ImapFlow, messageId: string): Promise<number> {
  const found = (await client.search({ header: { "message-id": messageId } }, { uid: true })) || [];
  const last = found.at(-1);
  if (last === undefined) throw gone();
  return last;
}

function limited(content: Readable, maxBytes: number): ReadableStream<Uint8Array> {
  let length = 0;
  const counted = content.map((chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > maxBytes)
      throw new GatewayError("a file is larger than is taken", { code: "too_large", details: { maxBytes } });
    return chunk;
  });
  counted.once("close", () => content.destroy());
  return Readable.toWeb(counted) as ReadableStream<Uint8Array>;
}

function gone(): GatewayError {
  return new GatewayError("the mailbox no longer has the file", { code: "not_found" });
}
