import { type GatewayError, isGatewayError } from "@talaria/protocol";
import { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { mebibyte } from "./config.ts";
import { imapError } from "./errors.ts";

/** A command that stays unanswered for so long means that nobody listens any more. */
const silentForMs = 120_000;

/** Codes of answers that imapflow refuses to read: they pass the limits below, which no mail to people does. */
const limitCodes: ReadonlySet<unknown> = new Set([
  "LineTooLarge",
  "LiteralTooLarge",
  "ResponseTooLarge",
  "TooManyTokens",
  "MAX_IMAP_NESTING_REACHED",
]);

/** A connection to the mailbox, not yet open. Limits keep a hostile structure from filling the memory. */
export function createImap({ imap, address }: EmailConfig, proxy: URL | undefined): ImapFlow {
  const { host, port, secure, user = address, password, token } = imap;
  const client = new ImapFlow({
    host,
    port,
    secure,
    doSTARTTLS: secure ? undefined : isThisMachine(host) ? undefined : true,
    auth: token === undefined ? { user, pass: password ?? "" } : { user, accessToken: token },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: 30_000,
    socketTimeout: silentForMs,
    maxLineLength: 4 * mebibyte,
    maxLiteralSize: 4 * mebibyte,
    maxResponseSize: 8 * mebibyte,
    maxResponseTokens: 100_000,
    ...(proxy === undefined ? {} : { proxy: proxy.href }),
  });
  // Each failure also rejects the call it belongs to, or ends the session by "close".
  client.on("error", () => undefined);
  return client;
}

/** Connects; `signal` cuts the connection, also later. Throws GatewayError. */
export async function connectImap(client: ImapFlow, signal: AbortSignal): Promise<void> {
  const cut = () => client.close();
  signal.addEventListener("abort", cut, { once: true });
  client.on("close", () => signal.removeEventListener("abort", cut));
  try {
    signal.throwIfAborted();
    await client.connect();
  } catch (error) {
    client.close();
    throw imapError(error, "connecting to the mailbox");
  }
}

/** Whether reading failed because the mail passes the limits, so that trying again would fail again. */
export function isBeyondLimits(error: unknown): boolean {
  return error instanceof Error && "code" in error && limitCodes.has(error.code);
}

export function toImapError(error: unknown, action: string): GatewayError {
  return isGatewayError(error) ? error : imapError(error, action);
}

/** Only there may a password travel in the clear. */
export function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
