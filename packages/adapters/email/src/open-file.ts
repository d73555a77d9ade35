import { Readable } from "node:stream";
import { GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { connectImap, createImap, toImapError } from "./imap-client.ts";

/**
 * The bytes of a file that came with a mail, fetched again from the mailbox over a connection of its own, which ends with
 * the stream. `not_found` when the mail is gone.
 */
export async function openFile(
  ref: MediaRef,
  config: EmailConfig,
  proxy: URL | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { uidValidity, uid, part, messageId } = parseRef(ref);
  const client = createImap(config, proxy);
  try {
    await connectImap(client, signal);
    const mailbox = await client.mailboxOpen(config.mailbox, { readOnly: true });
    const isSame = String(mailbox.uidValidity) === uidValidity;
    const found = isSame ? uid : await uidOf(client, messageId);
    const { content } = await client.download(String(found), part, { uid: true, decodeText: false });
    if (content === undefined) throw gone();
    content.once("close", () => client.close());
    return limited(content, config.limits.messageBytes);
  } catch (error) {
    client.close();
    throw isGatewayError(error) ? error : toImapError(error, "fetching a file");
  }
}

function parseRef(ref: MediaRef): { uidValidity: string; uid: number; part: string; messageId: string } {
  const [, uidValidity = "", uid = "", part = "", messageId = ""] =
    /^(\d+) (\d+) (\d+(?:\.\d+)*) (<\S+>)$/.exec(ref) ?? [];
  if (uidValidity === "") throw gone();
  return { uidValidity, uid: Number(uid), part, messageId };
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
