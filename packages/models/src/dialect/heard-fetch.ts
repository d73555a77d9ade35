import { AsyncLocalStorage } from "node:async_hooks";
import { withWholeForm } from "@talaria/protocol";
import { saidIn } from "./wire-error.ts";
import { EventMeter, FrameMeter } from "./wire-meter.ts";

/** Who listens to one call. */
export interface WireListener {
  /** Something has come from the server, were it a comment. */
  heard(): void;
  /**
   * What a server said in place of an answer, as the packages may lose it: with a status that refuses, or with 200. Undefined
   * when another answer begins.
   */
  refused(said: string | undefined): void;
  /** The call was ended, whatever the packages make of it. */
  ended(why: unknown): void;
}

const listeners = new AsyncLocalStorage<WireListener>();
const framesOfAmazon = "application/vnd.amazon.eventstream";
const mostRefusalBytes = 1_024 * 1_024;
const waitsForever = { headersTimeout: 0, bodyTimeout: 0 };

/** Has every request that `ask` makes with `heardFetch` tell the listener what comes over the wire. */
export function whileHeard<T>(listener: WireListener, ask: () => Promise<T>): Promise<T> {
  return listeners.run(listener, ask);
}

/**
 * `fetch` for the packages' clients. Within `whileHeard` it tells of each piece that arrives, since the packages swallow
 * comments and pings; lets silence last as long as our own limits do, since the built-in one ends it after five minutes; and
 * ends a stream whose events grow without end, which the packages would keep in memory. TCP keep-alive is on by itself.
 */
export const heardFetch: typeof fetch = async (input, init) => {
  const listener = listeners.getStore();
  if (listener === undefined) return await fetch(input, init && (await withWholeForm(init)));
  const response = await fetch(input, { ...init, ...patience() });
  listener.heard();
  listener.refused(undefined);
  const { body, headers, status, statusText } = response;
  if (body === null) return response;
  if (!response.ok) {
    const text = await startOf(body);
    listener.refused(saidIn(text, false));
    return new Response(text, { headers, status, statusText });
  }
  const type = headers.get("content-type") ?? "";
  const meter = type.startsWith(framesOfAmazon) ? new FrameMeter() : new EventMeter();
  const start = new Start(type.startsWith("application/json") ? mostRefusalBytes : 0);
  const heard = pulled(body, {
    take: (piece) => {
      listener.heard();
      meter.count(piece);
      start.add(piece);
    },
    end: () => listener.refused(start.bytes === 0 ? undefined : saidIn(start.text(), true)),
    fail: listener.ended,
  });
  return new Response(heard, { headers, status, statusText });
};

interface Watch {
  /** Throws when no more may come. */
  take(piece: Uint8Array): void;
  end(): void;
  fail(why: unknown): void;
}

/** The same stream, watched as it is read. */
function pulled(body: ReadableStream<Uint8Array>, watch: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          watch.end();
          return controller.close();
        }
        try {
          watch.take(value);
        } catch (error) {
          watch.fail(error);
          await reader.cancel(error).catch(() => undefined);
          throw error;
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The first bytes of a body: what is no stream of events is short, or cut. */
class Start {
  readonly #most: number;
  readonly #pieces: Uint8Array[] = [];
  bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#most - this.bytes);
    if (kept.length > 0) this.#pieces.push(kept);
    this.bytes += kept.length;
  }

  get isFull(): boolean {
    return this.bytes >= this.#most;
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}

async function startOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const start = new Start(mostRefusalBytes);
  for await (const piece of body) {
    start.add(piece);
    if (start.isFull) break;
  }
  return start.text();
}

interface Dispatcher {
  dispatch(options: object, receiver: unknown): boolean;
}

/** Where Node keeps what its `fetch` sends requests with: https://github.com/nodejs/undici, `lib/global.js`. */
const dispatcherKey = Symbol.for("undici.globalDispatcher.1");

/** The usual way of sending, proxies and all, without its own time-outs. */
function patience(): object {
  // Node makes it when something of `fetch` is used for the first time.
  void Response;
  const usual = (globalThis as { readonly [dispatcherKey]?: Dispatcher })[dispatcherKey];
  if (usual === undefined) return {};
  const dispatcher: Dispatcher = {
    dispatch: (options, receiver) => usual.dispatch({ ...options, ...waitsForever }, receiver),
  };
  return { dispatcher };
}
