import type { AdapterDeps, AdapterHost } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import type { WebConfig } from "../config.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { OpenedSocket, OpenSocket } from "./client.ts";
import { type CloseReason, closeReasonOf } from "./close-reason.ts";
import type { WebIntake } from "./intake.ts";
import { personIdOf } from "./jids.ts";

/** More restarts in a row are no linking any more. */
const mostRestarts = 5;

export interface LinkedDeviceParts {
  readonly config: WebConfig;
  readonly deps: AdapterDeps;
  readonly host: AdapterHost;
  readonly openSocket: OpenSocket;
  readonly intake: WebIntake;
  readonly acknowledgements: Acknowledgements;
}

/** The device that is linked, or about to be, between a start and the next stop. */
export class LinkedDevice {
  readonly #parts: LinkedDeviceParts;
  #opened: OpenedSocket | undefined;

  constructor(parts: LinkedDeviceParts) {
    this.#parts = parts;
  }

  /** The connection through which messages go now, or none. */
  get opened(): OpenedSocket | undefined {
    return this.#opened;
  }

  /** Connects and stays until the connection ends by throwing. The restart that follows a new link is part of it. */
  async session(connected: () => void, signal: AbortSignal): Promise<void> {
    for (let restarts = 0; restarts < mostRestarts; restarts += 1) {
      const reason = await this.#connect(connected, signal);
      if (reason.kind !== "restart") throw reason.error;
    }
    throw new GatewayError("whatsapp web keeps asking for restarts", { code: "unavailable" });
  }

  async #connect(connected: () => void, signal: AbortSignal): Promise<CloseReason> {
    const { config, deps, openSocket, intake, acknowledgements } = this.#parts;
    const { store, log, proxy, id } = deps;
    const opened = await openSocket({ store, log, proxy, webVersion: config.webVersion });
    const { socket, credentials, saveCreds } = opened;
    const closed = Promise.withResolvers<CloseReason>();
    const giveUp = (what: string) =>
      closed.resolve({ kind: "retry", error: new GatewayError(what, { code: "unavailable" }) });
    const link = this.#linkWith(opened, giveUp);
    let isLinked = opened.isLinked;
    socket.ev.on("creds.update", () => {
      saveCreds().catch(() => giveUp("the credentials of the linked device could not be stored"));
    });
    socket.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
      if (signal.aborted) return;
      if (qr !== undefined) link(qr);
      if (connection === "open") {
        isLinked = true;
        this.#opened = opened;
        connected();
      }
      if (connection === "close") closed.resolve(closeReasonOf(lastDisconnect?.error, isLinked));
    });
    const account = () => ({
      id,
      selfIds: [socket.user?.id, socket.user?.lid].flatMap((jid) => personIdOf(jid) ?? []),
    });
    socket.ws.on("CB:message", (node) => {
      if (!signal.aborted) intake.expect(node, account);
    });
    socket.ev.on("messages.upsert", ({ messages }) => {
      if (signal.aborted) return;
      if (!intake.push(messages, account())) giveUp("more messages came in than could be recorded");
    });
    socket.ws.on("CB:ack,class:message", (node) => acknowledgements.take(node));
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
      this.#opened = undefined;
      acknowledgements.lost();
      socket.end(undefined);
    }
  }

  /** Shows the operator each QR code, or, once, a code to type in. */
  #linkWith({ socket }: OpenedSocket, giveUp: (what: string) => void) {
    const { config, host } = this.#parts;
    let isCodeAsked = false;
    return (qr: string) => {
      if (config.pairingNumber === undefined) return host.report({ status: "linking", method: "qr", value: qr });
      if (isCodeAsked) return;
      isCodeAsked = true;
      socket.requestPairingCode(config.pairingNumber).then(
        (value) => host.report({ status: "linking", method: "code", value }),
        () => giveUp("whatsapp gave no code to link with"),
      );
    };
  }
}
