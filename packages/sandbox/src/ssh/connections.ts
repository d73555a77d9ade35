import { GatewayError } from "@talaria/protocol";
import type { Client, ClientChannel, ConnectConfig } from "ssh2";
import type { SshSettings } from "../config.ts";
import { fingerprintOf, toHostKey } from "./host-key.ts";

/** sshd lets one connection have ten sessions (`MaxSessions`); some room is left for whoever else counts. */
const maxChannels = 8;
const readyTimeoutMs = 15_000;

interface Connection {
  readonly client: Client;
  channels: number;
  isOpen: boolean;
}

export interface RunningCommand {
  readonly channel: ClientChannel;
  /** How it ended, before the channel closes. Absent then: the connection was lost. */
  exit?: { readonly code: number | null; readonly signal?: string };
}

/** Connections to one machine, opened when they are needed. */
export class Connections {
  readonly #settings: SshSettings;
  readonly #open = new Set<Connection>();
  #next: Promise<unknown> = Promise.resolve();

  constructor(settings: SshSettings) {
    this.#settings = settings;
  }

  /** A channel that runs this text in the account's shell. Throws `unavailable`. */
  async run(command: string): Promise<RunningCommand> {
    const connection = await this.#take();
    return new Promise((resolve, reject) => {
      connection.client.exec(command, (cause, channel) => {
        if (cause !== undefined) {
          connection.channels -= 1;
          reject(new GatewayError(`${this.#settings.host} could not run a command`, { code: "unavailable", cause }));
          return;
        }
        channel.once("close", () => {
          connection.channels -= 1;
        });
        const running: RunningCommand = { channel };
        // A short command's end may come in the same packet as its beginning, before anybody who awaits this can listen.
        channel.once("exit", (code: number | null, signal?: string) => {
          running.exit = { code, ...(signal === undefined ? {} : { signal }) };
        });
        resolve(running);
      });
    });
  }

  close(): void {
    for (const { client } of this.#open) client.end();
    this.#open.clear();
  }

  /** One with room, which is taken at once. Two that ask at the same time do not open two. */
  #take(): Promise<Connection> {
    const taken = this.#next.then(async () => {
      const free = [...this.#open].find(({ isOpen, channels }) => isOpen && channels < maxChannels);
      const connection = free ?? (await this.#connect());
      connection.channels += 1;
      return connection;
    });
    this.#next = taken.catch(() => undefined);
    return taken;
  }

  async #connect(): Promise<Connection> {
    const { Client: SshClient } = await import("ssh2");
    const connection: Connection = { client: new SshClient(), channels: 0, isOpen: true };
    const { client } = connection;
    const { host } = this.#settings;
    let wrongKey: Buffer | undefined;
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve);
      client.on("error", (cause: Error & { level?: string }) => {
        reject(new GatewayError(complaintOf(host, cause, wrongKey), { code: "unavailable", cause }));
      });
      client.once("close", () => {
        connection.isOpen = false;
        this.#open.delete(connection);
        reject(new GatewayError(`${host} closed the connection`, { code: "unavailable" }));
      });
      try {
        client.connect(
          connectOptions(this.#settings, (key) => {
            wrongKey = key;
          }),
        );
      } catch (cause) {
        if (cause instanceof GatewayError) reject(cause);
        else reject(new GatewayError("the private key for ssh can't be read", { code: "unsupported", cause }));
      }
    });
    this.#open.add(connection);
    return connection;
  }
}

function complaintOf(host: string, cause: { readonly level?: string }, wrongKey: Buffer | undefined): string {
  if (wrongKey !== undefined)
    return `${host} showed another host key than the configured one, ${fingerprintOf(wrongKey)}; nothing was sent to it`;
  if (cause.level === "client-authentication") return `${host} refused the key`;
  return `${host} could not be reached by ssh`;
}

function connectOptions(settings: SshSettings, onWrongKey: (key: Buffer) => void): ConnectConfig {
  const { types, isRight } = toHostKey(settings.hostKey);
  return {
    host: settings.host,
    port: settings.port ?? 22,
    username: settings.user,
    privateKey: settings.key,
    readyTimeout: readyTimeoutMs,
    keepaliveInterval: 15_000,
    keepaliveCountMax: 3,
    ...(types !== undefined && { algorithms: { serverHostKey: types as "ssh-ed25519"[] } }),
    hostVerifier: (key: Buffer) => {
      if (!isRight(key)) onWrongKey(key);
      return isRight(key);
    },
  };
}
