import type { Clock } from "@talaria/protocol";
import pg from "pg";
import { reconnectPauseMs } from "../backoff.ts";

export interface Listener {
  /** Resolves when the server passes on what is sent to this channel. Waits as long as the server is away. */
  listen(channel: string, receive: (payload: string) => void): Promise<void>;
  unlisten(channel: string): Promise<void>;
  close(): Promise<void>;
  /** Cuts the connection. */
  destroy(): void;
}

export interface ListenerDeps {
  readonly settings: pg.ClientConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/** How often a silent connection is tried: a network may drop it without a word. */
const heartbeatMs = 30_000;

/** One connection that listens, made with the first channel and made again, with all channels, whenever it is lost. */
export function createListener({ settings, clock, random, report }: ListenerDeps): Listener {
  const receivers = new Map<string, (payload: string) => void>();
  const closing = new AbortController();
  let ready = Promise.withResolvers<Session>();
  let latest: Session | undefined;
  let keeping: Promise<void> | undefined;

  async function keepConnected(): Promise<void> {
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      const session = openSession(settings, (channel, payload) => receivers.get(channel)?.(payload));
      latest = session;
      try {
        await session.connect();
        for (const channel of receivers.keys()) await session.run(`listen ${channel}`);
        ready.resolve(session);
        attempt = 0;
        await stayAlive(session, AbortSignal.any([session.lost, closing.signal]));
      } catch (error) {
        if (!closing.signal.aborted) report(error);
      }
      ready = Promise.withResolvers();
      await session.end();
      await clock.sleep(reconnectPauseMs(attempt, random), closing.signal).catch(() => undefined);
    }
  }

  /** Ends only by rejecting, when the connection is lost or the listener closed. */
  async function stayAlive(session: Session, signal: AbortSignal): Promise<never> {
    for (;;) {
      await clock.sleep(heartbeatMs, signal);
      await session.run("select 1");
    }
  }

  return {
    async listen(channel, receive) {
      receivers.set(channel, receive);
      keeping ??= keepConnected();
      for (;;) {
        const session = await ready.promise;
        if (!receivers.has(channel)) return;
        try {
          await session.run(`listen ${channel}`);
          return;
        } catch (error) {
          if (!session.lost.aborted) throw error;
          await clock.sleep(reconnectPauseMs(0, random), closing.signal);
        }
      }
    },
    async unlisten(channel) {
      receivers.delete(channel);
      if (!closing.signal.aborted) await latest?.run(`unlisten ${channel}`).catch(() => undefined);
    },
    async close() {
      closing.abort();
      await keeping;
    },
    destroy() {
      closing.abort();
      latest?.destroy();
    },
  };
}

interface Session {
  connect(): Promise<void>;
  /** One after the other, as the client wants it. */
  run(statement: string): Promise<void>;
  /** Aborted, with the reason, when the connection is gone. */
  readonly lost: AbortSignal;
  end(): Promise<void>;
  destroy(): void;
}

function openSession(settings: pg.ClientConfig, receive: (channel: string, payload: string) => void): Session {
  const client = new pg.Client(settings) as ClientWithStream;
  const lost = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("the listening connection ended")));
  client.on("notification", ({ channel, payload }) => receive(channel, payload ?? ""));
  return {
    async connect() {
      await client.connect();
    },
    async run(statement) {
      const result = last.then(() => client.query(statement));
      last = result.catch(() => undefined);
      await result;
    },
    lost: lost.signal,
    end: () => client.end().catch(() => undefined),
    destroy: () => client.connection.stream.destroy(),
  };
}

/** `connection` is part of the client, though its types do not show it. */
type ClientWithStream = pg.Client & { readonly connection: { readonly stream: { destroy(): void } } };
