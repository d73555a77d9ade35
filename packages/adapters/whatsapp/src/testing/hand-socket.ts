import type { AdapterStore } from "@talaria/adapter";
import type { OpenedSocket, OpenSocket } from "../web/client.ts";
import { Credentials } from "../web/credentials.ts";
import type { AckNode, MessageNode, WebConnectionUpdate, WebMessage } from "../web/socket.ts";

type Listener = (value: never) => void;

/** A connection whose WhatsApp is the test: it says what comes in and sees what goes out. */
class HandSocket {
  readonly sent: { readonly jid: string; readonly content: object; readonly options: object }[] = [];
  readonly presences: string[] = [];
  readonly read: string[] = [];
  isEnded = false;
  /** What the server says to a message that was written: accepted unless told otherwise. */
  answer: "accept" | "refuse" | "nothing" = "accept";
  readonly user = { id: "4915550000009:7@s.whatsapp.net", lid: "777@lid" };
  readonly #listeners = new Map<string, Listener[]>();
  readonly ev = { on: (event: string, listener: Listener) => this.#listen(event, listener) };
  readonly ws = { on: (event: string, listener: Listener) => this.#listen(event, listener) };

  say(event: "connection.update", value: WebConnectionUpdate): void;
  say(event: "creds.update", value: object): void;
  say(event: "messages.upsert", value: { messages: readonly WebMessage[]; type: string }): void;
  say(event: "CB:ack,class:message", value: AckNode): void;
  say(event: "CB:message", value: MessageNode): void;
  say(event: string, value: object): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value as never);
  }

  close(statusCode: number): void {
    const error = Object.assign(new Error("closed"), { output: { statusCode } });
    this.say("connection.update", { connection: "close", lastDisconnect: { error } });
  }

  async sendMessage(jid: string, content: object, options: { messageId?: string }): Promise<void> {
    this.sent.push({ jid, content, options });
    const { messageId: id } = options;
    if (id === undefined || this.answer === "nothing") return;
    this.say("CB:ack,class:message", { attrs: { id, ...(this.answer === "refuse" ? { error: "463" } : {}) } });
  }

  async readMessages(keys: readonly { id?: string | null }[]): Promise<void> {
    for (const { id } of keys) this.read.push(id ?? "");
  }

  async sendPresenceUpdate(type: string, jid: string): Promise<void> {
    this.presences.push(`${type} ${jid}`);
  }

  async requestPairingCode(number: string): Promise<string> {
    return `CODE${number.slice(-4)}`;
  }

  end(): void {
    this.isEnded = true;
  }

  #listen(event: string, listener: Listener): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }
}

/** Hands out a new connection each time, and remembers them all. */
export function handSockets() {
  const sockets: HandSocket[] = [];
  const openSocket: OpenSocket = async ({ store }: { readonly store: AdapterStore }) => {
    const socket = new HandSocket();
    const credentials = new Credentials(store, { write: JSON.stringify, read: JSON.parse });
    const isLinked = (await credentials.readCreds()) !== undefined;
    sockets.push(socket);
    const saveCreds = () => credentials.writeCreds({ made: sockets.length });
    return { socket: socket as unknown as OpenedSocket["socket"], credentials, isLinked, saveCreds };
  };
  return { sockets, openSocket };
}
