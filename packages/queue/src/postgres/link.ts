import type { Clock } from "@talaria/protocol";
import pg from "pg";
import { reconnectPauseMs } from "../backoff.ts";

/** One connection for queries and notifications; restored with all its channels whenever it is lost. */
export interface Link {
  /** Rejects at once while the connection is away. */
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]>;
  /**
   * Resolves when the server passes on what is sent to this channel. Waits as long as the server is away. `resumed` is
   * called when that happens again after an outage, during which notifications were lost.
   */
  listen(channel: string, receive: (payload: string) => void, resumed?: () => void): Promise<void>;
  unlisten(channel: string): Promise<void>;
  close(): Promise<void>;
  /** Cuts the connection. */
  destroy(): void;
}

export interface LinkDeps {
  readonly settings: pg.ClientConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

interface Receiver {
  readonly receive: (payload: string) => void;
  readonly resumed?: (() => void) | undefined;
}

/** How often a silent connection is tried: a network may drop it without a word. */
const heartbeatMs = 30_000;

/** Rejects when the first attempt to connect fails; later ones are repeated forever. */
export async function openLink({ settings, clock, random, report }: LinkDeps): Promise<Link> {
  const receivers = new Map<string, Receiver>();
  const closing = new AbortController();
  let ready = Promise.withResolvers<Session>();
  let latest = newSession();
  let current: Session | undefined;

  function newSession(): Session {
    return openSession(settings, (channel, payload) => receivers.get(channel)?.receive(payload));
  }

  async function keepConnected(): Promise<void> {
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      try {
        if (current === undefined) await connectAgain();
        attempt = 0;
        await stayAlive(latest, AbortSignal.any([latest.lost, closing.signal]));
      } catch (error) {
        if (!closing.signal.aborted) report(error);
      }
      current = undefined;
      ready = Promise.withResolvers();
      await latest.end();
      await clock.sleep(reconnectPauseMs(attempt, random), closing.signal).catch(() => undefined);
    }
  }

  async function connectAgain(): Promise<void> {
    latest = newSession();
    await latest.connect();
    for (const channel of receivers.keys()) await latest.run({ text: `listen ${channel}` });
    current = latest;
    ready.resolve(latest);
    for (const { resumed } of receivers.values()) resumed?.();
  }

  /** Ends only by rejecting, when the connection is lost or the link closed. */
  async function stayAlive(session: Session, signal: AbortSignal): Promise<never> {
    for (;;) {
      await clock.sleep(heartbeatMs, signal);
      await session.run({ text: "select 1" });
    }
  }

  try {
    await latest.connect();
  } catch (error) {
    await latest.end();
    throw error;
  }
  current = latest;
  ready.resolve(latest);
  const keeping = keepConnected();

  return {
    async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig) {
      if (current === undefined) throw new Error("the connection is away");
      return (await current.run(query)).rows as Row[];
    },
    async listen(channel, receive, resumed) {
      receivers.set(channel, { receive, resumed });
      for (;;) {
        const session = await ready.promise;
        if (!receivers.has(channel)) return;
        try {
          await session.run({ text: `listen ${channel}` });
          return;
        } catch (error) {
          if (!session.lost.aborted) throw error;
          await clock.sleep(reconnectPauseMs(0, random), closing.signal);
        }
      }
    },
    async unlisten(channel) {
      receivers.delete(channel);
      await current?.run({ text: `unlisten ${channel}` }).catch(() => undefined);
    },
    async close() {
      closing.abort();
      await keeping;
    },
    destroy() {
      closing.abort();
      latest.destroy();
    },
  };
}

interface Session {
  connect(): Promise<void>;
  /** One after the other, as the client wants it. One that takes too long ends the session. */
  run(query: pg.QueryConfig): Promise<pg.QueryResult>;
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
  client.on("end", () => lost.abort(new Error("the connection ended")));
  client.on("notification", ({ channel, payload }) => receive(channel, payload ?? ""));
  const destroy = () => client.connection.stream.destroy();
  return {
    async connect() {
      await client.connect();
    },
    async run(query) {
      const result = last.then(() => client.query(query));
      last = result.catch(() => undefined);
      try {
        return await result;
      } catch (error) {
        // Whatever the server refuses has a code; without one it did not answer.
        if (!(error instanceof pg.DatabaseError)) destroy();
        throw error;
      }
    },
    lost: lost.signal,
    end: () => client.end().catch(() => undefined),
    destroy,
  };
}

/** `connection` is part of the client, though its types do not show it. */
type ClientWithStream = pg.Client & { readonly connection: { readonly stream: { destroy(): void } } };
