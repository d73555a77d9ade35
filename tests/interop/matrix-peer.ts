import { EventEmitter } from "node:events";
import type { MatrixClient, MatrixEvent } from "matrix-js-sdk";
import { waitFor } from "../support/wait-for.ts";
import type { SynapseUser } from "./synapse.ts";

/** What a person's client shows of a message. */
export interface Shown {
  readonly id: string;
  readonly sender: string;
  readonly type: string;
  readonly content: Record<string, unknown>;
  readonly isEncrypted: boolean;
}

/** A person with the client library that Element is built on, encryption included. */
export class MatrixPeer {
  readonly client: MatrixClient;
  readonly user: SynapseUser;
  readonly #seen: MatrixEvent[] = [];

  private constructor(client: MatrixClient, user: SynapseUser) {
    this.client = client;
    this.user = user;
  }

  static async start(url: string, user: SynapseUser): Promise<MatrixPeer> {
    EventEmitter.defaultMaxListeners = 50;
    letTimersGo();
    const { logger } = await import("matrix-js-sdk/lib/logger.js");
    (logger as unknown as { setLevel(level: string): void }).setLevel("silent");
    const { createClient, RoomEvent } = await import("matrix-js-sdk");
    const { accessToken, userId, deviceId } = user;
    const client = createClient({ baseUrl: url, accessToken, userId, deviceId, logger: silent() });
    await client.initRustCrypto({ useIndexedDB: false });
    const peer = new MatrixPeer(client, user);
    client.on(RoomEvent.Timeline, (event) => void peer.#seen.push(event));
    await client.startClient({ initialSyncLimit: 20 });
    return peer;
  }

  async encryptedRoom(invite: string, name = "Secrets"): Promise<string> {
    const state_key = "";
    const content = { algorithm: "m.megolm.v1.aes-sha2" };
    const { room_id } = await this.client.createRoom({
      name,
      invite: [invite],
      is_direct: true,
      initial_state: [{ type: "m.room.encryption", state_key, content }],
    });
    await waitFor(() => this.client.getRoom(room_id)?.hasEncryptionStateEvent(), "the encrypted room");
    return room_id;
  }

  async joined(roomId: string, userId: string): Promise<void> {
    const membership = () => this.client.getRoom(roomId)?.getMember(userId)?.membership;
    await waitFor(() => membership() === "join", `${userId} in the room`);
  }

  async say(roomId: string, body: string, more: object = {}): Promise<string> {
    const content = { msgtype: "m.text", body, "m.mentions": {}, ...more };
    return (await this.client.sendEvent(roomId, "m.room.message" as never, content as never)).event_id;
  }

  /** Everything seen so far, decrypted, with edits as events of their own. */
  seen(): readonly Shown[] {
    return this.#seen.map((event) => ({
      id: event.getId() ?? "",
      sender: event.getSender() ?? "",
      type: event.getType(),
      content: event.getOriginalContent(),
      isEncrypted: event.isEncrypted(),
    }));
  }

  /** Waits for an event that passes the test. */
  async sees(test: (event: Shown) => boolean, what: string): Promise<Shown> {
    try {
      return await waitFor(() => this.seen().find(test), what);
    } catch (error) {
      const all = this.seen().map(({ type, content }) => `${type} ${JSON.stringify(content).slice(0, 200)}`);
      throw new Error(`${what} did not come; seen:\n${all.join("\n")}`, { cause: error });
    }
  }

  seesText(text: string): Promise<Shown> {
    return this.sees(({ content }) => String(content.body).includes(text), JSON.stringify(text));
  }

  async stop(): Promise<void> {
    this.client.stopClient();
    await this.client.store.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const plainSetTimeout = globalThis.setTimeout;

/** The library leaves the timers of its requests behind; they should not hold the process for minutes. */
function letTimersGo(): void {
  const wrapped = (callback: () => void, ms?: number, ...more: unknown[]) => {
    const timer = plainSetTimeout(() => (callback as (...given: unknown[]) => void)(...more), ms);
    if ((ms ?? 0) >= 20_000) timer.unref();
    return timer;
  };
  globalThis.setTimeout = Object.assign(wrapped, plainSetTimeout) as unknown as typeof setTimeout;
}

function silent() {
  const nothing = () => undefined;
  const log = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, getChild: () => log };
  return log;
}
