import type { AdapterDeps, AdapterHost } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import type { WebConfig } from "../config.ts";
import type { Acks } from "./acks.ts";
import { type CloseReason, closeReasonOf } from "./close-reason.ts";
import type { WebInbox } from "./inbox.ts";
import { personIdOf } from "./jids.ts";
import type { OpenedSock, OpenSock } from "./open-sock.ts";

/** More restarts in a row are no linking any more. */
const mostRestarts = 5;

export interface SessionParts {
  readonly config: WebConfig;
  readonly deps: AdapterDeps;
  readonly host: AdapterHost;
  readonly openSock: OpenSock;
  readonly inbox: WebInbox;
  readonly acks: Acks;
  /** The connection through which messages go now, or none. */
  readonly use: (opened: OpenedSock | undefined) => void;
  /** An operator was asked to link a device. */
  readonly linking: () => void;
  /** What an operator should do about the error that ends the session. */
  readonly advise: (hint: string) => void;
}

/** Connects and stays until the connection ends by throwing. The restart that follows a new link is part of it. */
export async function webSession(parts: SessionParts, connected: () => void, signal: AbortSignal): Promise<void> {
  for (let restarts = 0; restarts < mostRestarts; restarts += 1) {
    const reason = await oneConnection(parts, connected, signal);
    if (reason.kind === "restart") continue;
    if (reason.kind !== "retry") parts.advise(reason.hint);
    throw reason.error;
  }
  throw new GatewayError("whatsapp web asks for one restart after the other", { code: "unavailable" });
}

async function oneConnection(parts: SessionParts, connected: () => void, signal: AbortSignal): Promise<CloseReason> {
  const { config, deps, openSock, inbox, acks, use } = parts;
  const { store, log, proxy, id } = deps;
  const opened = await openSock({ store, log, proxy, webVersion: config.webVersion });
  const { sock, credentials, saveCreds } = opened;
  const closed = Promise.withResolvers<CloseReason>();
  const giveUp = (what: string) =>
    closed.resolve({ kind: "retry", error: new GatewayError(what, { code: "unavailable" }) });
  const link = linkWith(parts, opened, giveUp);
  let isLinked = opened.isLinked;
  sock.ev.on("creds.update", () => {
    saveCreds().catch(() => giveUp("the credentials of the linked device could not be stored"));
  });
  sock.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
    if (signal.aborted) return;
    if (qr !== undefined) link(qr);
    if (connection === "open") {
      isLinked = true;
      use(opened);
      connected();
    }
    if (connection === "close") closed.resolve(closeReasonOf(lastDisconnect?.error, isLinked));
  });
  sock.ev.on("messages.upsert", ({ messages }) => {
    if (signal.aborted) return;
    const selfIds = [sock.user?.id, sock.user?.lid].flatMap((jid) => personIdOf(jid) ?? []);
    if (!inbox.push(messages, { id, selfIds })) giveUp("more messages came in than could be recorded");
  });
  sock.ws.on("CB:ack,class:message", (node) => acks.take(node));
  const stop = () => giveUp("the account was stopped");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const reason = await closed.promise;
    // The next connection begins with what this one has stored, or from nothing.
    await credentials.flushed();
    if (reason.kind === "logged-out") await credentials.clear();
    return reason;
  } finally {
    signal.removeEventListener("abort", stop);
    use(undefined);
    acks.lost();
    sock.end(undefined);
  }
}

/** Shows the operator each QR code, or, once, a code to type in. */
function linkWith({ config, host, linking }: SessionParts, { sock }: OpenedSock, giveUp: (what: string) => void) {
  let isCodeAsked = false;
  return (qr: string) => {
    linking();
    if (config.pairingNumber === undefined) return host.report({ status: "linking", method: "qr", value: qr });
    if (isCodeAsked) return;
    isCodeAsked = true;
    sock.requestPairingCode(config.pairingNumber).then(
      (value) => host.report({ status: "linking", method: "code", value }),
      () => giveUp("whatsapp gave no code to link with"),
    );
  };
}
