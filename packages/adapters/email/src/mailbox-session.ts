import type { AdapterStore } from "@talaria/adapter";
import { type Clock, GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "./config.ts";
import { type Position, readPosition, writePosition } from "./cursor.ts";
import { connectImap, createImap, toImapError } from "./imap-client.ts";
import type { Intake } from "./intake.ts";
import { MailWatch } from "./mail-watch.ts";

export interface SessionDeps {
  readonly config: EmailConfig;
  readonly intake: Intake;
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly catchUpMs: number;
  /** When the adapter was started, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly proxy: URL | undefined;
}

/** After UIDs have changed their meaning, so many of the newest mails are offered again. */
const maxRescanned = 1_000;

/** The connections to the mailbox between a start and the next stop, one after the other. */
export class MailboxSession {
  readonly #deps: SessionDeps;
  #wasConnected = false;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * One connection: takes what waits, then what comes. Ends by throwing, or when `signal` is aborted. TLS that fails is a
   * matter of the settings until one has been connected. Later it is a server in trouble, or somebody in between, and may pass.
   */
  async run(connected: () => void, signal: AbortSignal): Promise<void> {
    try {
      await this.#connect(connected, signal);
    } catch (error) {
      if (!isGatewayError(error) || error.details.tls !== true) throw error;
      const { message, details } = error;
      if (!this.#wasConnected) throw new GatewayError(message, { code: "invalid_request", details, cause: error });
      this.#deps.log.warn({ code: error.code, reason: message }, "no TLS with the mail server any more");
      throw error;
    }
  }

  async #connect(connected: () => void, signal: AbortSignal): Promise<void> {
    const { config, proxy, clock } = this.#deps;
    const client = createImap(config, proxy);
    const watch = new MailWatch(client);
    try {
      await connectImap(client, signal);
      let position = await openMailbox(client, this.#deps);
      this.#wasConnected = true;
      connected();
      while (!signal.aborted) {
        position = await drain(client, position, this.#deps, signal);
        await watch.next(this.#deps, signal);
      }
    } catch (error) {
      throw toImapError(error, "reading the mailbox");
    } finally {
      await goodbye(client, clock);
    }
  }
}

/**
 * Where to go on. The first time: what came since the adapter was started. After the server forgot its UIDs: what is recent,
 * once more.
 */
async function openMailbox(client: ImapFlow, deps: SessionDeps): Promise<Position> {
  const { config, store, log, startedAtMs } = deps;
  const mailbox = await client.mailboxOpen(config.mailbox);
  const known = await readPosition(store);
  const uidValidity = String(mailbox.uidValidity);
  if (known?.uidValidity === uidValidity) return known;
  if (known !== undefined)
    log.warn({ uidValidity }, "the mailbox has new UIDs: recent mail is compared by its Message-ID");
  const sinceMs = known?.sinceMs ?? startedAtMs;
  const first = await firstSince(client, notBefore(sinceMs, deps));
  const position = { uidValidity, lastUid: (first ?? Math.max(1, mailbox.uidNext)) - 1, sinceMs };
  await writePosition(store, position);
  return position;
}

/** The first mail that is not older, among at most a thousand of the newest days. */
async function firstSince(client: ImapFlow, notBeforeMs: number): Promise<number | undefined> {
  // SINCE compares days, in the server's time zone.
  const recent = (await client.search({ since: new Date(notBeforeMs - dayMs) }, { uid: true })) || [];
  const newest = recent.toSorted((a, b) => a - b).slice(-maxRescanned);
  if (newest.length === 0) return undefined;
  const mails = await client.fetchAll(newest, { uid: true, internalDate: true }, { uid: true });
  const worthy = mails.filter(({ internalDate }) => new Date(internalDate ?? 0).getTime() >= notBeforeMs);
  return worthy.length === 0 ? undefined : Math.min(...worthy.map(({ uid }) => uid));
}

/** Server clocks differ from ours, and dates of mail are whole seconds. */
const leewayMs = 60_000;
const dayMs = 24 * 60 * 60_000;

function notBefore(sinceMs: number, { clock, catchUpMs }: SessionDeps): number {
  return Math.max(sinceMs - leewayMs, clock.now() - catchUpMs);
}

/** Takes every mail after the position. Each moves it, once the host has that mail. */
async function drain(client: ImapFlow, from: Position, deps: SessionDeps, signal: AbortSignal): Promise<Position> {
  const { intake, store } = deps;
  let position = from;
  // The range also finds the last mail when its number is smaller.
  const found = await client.search({ uid: `${position.lastUid + 1}:*` }, { uid: true });
  const waiting = (found || []).filter((uid) => uid > from.lastUid).toSorted((a, b) => a - b);
  for (const uid of waiting) {
    if (signal.aborted) return position;
    await intake.accept(client, uid, position.uidValidity, notBefore(position.sinceMs, deps), signal);
    position = { ...position, lastUid: uid };
    await writePosition(store, position);
  }
  return position;
}

/** Says goodbye when the server listens, and closes in any case. */
async function goodbye(client: ImapFlow, clock: Clock): Promise<void> {
  const over = new AbortController();
  if (client.usable) {
    const logout = client.logout().catch(() => undefined);
    await Promise.race([logout, clock.sleep(3_000, over.signal).catch(() => undefined)]);
  }
  over.abort();
  client.close();
}
