import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { connectImap, createImap, toImapError } from "./imap-client.ts";

/** Runs `work` on a connection of its own, so that the one that waits for mail goes on waiting. Throws GatewayError. */
async function withMailbox<T>(
  path: string,
  config: EmailConfig,
  proxy: URL | undefined,
  work: (client: ImapFlow) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const client = createImap(config, proxy);
  try {
    await connectImap(client, signal);
    await client.mailboxOpen(path, { readOnly: true });
    return await work(client);
  } catch (error) {
    throw toImapError(error, "looking into a mailbox");
  } finally {
    client.close();
  }
}

/** Whether the server keeps a sent mail with this Message-ID. */
export async function isSent(
  messageId: string,
  sentMailbox: string,
  config: EmailConfig,
  proxy: URL | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  return withMailbox(
    sentMailbox,
    config,
    proxy,
    async (client) => ((await client.search({ header: { "message-id": messageId } }, { uid: true })) || []).length > 0,
    signal,
  );
}

/** Puts a copy of a sent mail where the person who owns the mailbox looks for it. */
export async function keepSent(
  raw: Buffer,
  sentMailbox: string,
  config: EmailConfig,
  proxy: URL | undefined,
  signal: AbortSignal,
): Promise<void> {
  const client = createImap(config, proxy);
  try {
    await connectImap(client, signal);
    await client.append(sentMailbox, raw, ["\\Seen"]);
  } catch (error) {
    throw toImapError(error, "keeping a sent mail");
  } finally {
    client.close();
  }
}
