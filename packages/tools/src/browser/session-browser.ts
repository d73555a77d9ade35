import type { AddressGuard } from "@talaria/foreign-content";
import { type Clock, GatewayError, isGatewayError } from "@talaria/protocol";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { chromiumCommand } from "./chromium.ts";
import { type Downloaded, type Downloads, watchDownloads } from "./downloads.ts";
import { createGuardedProxy, type GuardedProxy } from "./guarded-proxy.ts";
import { type BrowserPipe, createPipe } from "./pipe.ts";
import type { BrowserCell, BrowserCells, BrowserProgram } from "./ports.ts";
import type { Snapshot } from "./snapshot.ts";
import { isTimeout, toFailure } from "./to-failure.ts";

/** A click, a description or a picture may take this share of an action's time. */
const stepShare = 1 / 4;
const mostPages = 5;
/** `$1` the file, `$2` how much of it: it has no name any more before its first byte is read. */
const taking = 'exec 2>/dev/null </dev/null; exec 3<"$1" && rm -f -- "$1" && exec head -c "$2" <&3';
const viewport = { width: 1_280, height: 800 };

export interface SessionBrowserParts {
  readonly cells: BrowserCells;
  readonly executable: string;
  readonly guard: AddressGuard;
  readonly clock: Clock;
  /** The longest that its start, and each action, may take; then the browser is killed, since a page that hangs would keep it busy for good. */
  readonly actionMs: number;
  readonly loadMs: number;
  /** How long an action waits for downloads that have begun. */
  readonly downloadMs: number;
}

export interface OpenPages {
  /** The one that was opened last; an empty one where there is none. */
  newest(): Promise<Page>;
  /** The same, after the others have been closed. */
  only(): Promise<Page>;
}

/** One Chromium in a cell of its own, with one context, which keeps cookies and the rest in memory alone. */
export class SessionBrowser {
  readonly #parts: SessionBrowserParts;
  readonly #proxy: GuardedProxy;
  readonly #program: BrowserProgram;
  readonly #pipe: BrowserPipe;
  readonly #cell: BrowserCell;
  #context: BrowserContext | undefined;
  #downloads: Downloads | undefined;
  #previous: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #usedAt: number;
  #end: string | undefined;
  /** What the model was shown last. */
  shown: Snapshot | undefined;
  /** Resolves once it is gone with everything it wrote. */
  readonly closed: Promise<void>;

  private constructor(parts: SessionBrowserParts, cell: BrowserCell, proxy: GuardedProxy, program: BrowserProgram) {
    this.#parts = parts;
    this.#proxy = proxy;
    this.#cell = cell;
    this.#program = program;
    this.#pipe = createPipe(program);
    this.#usedAt = parts.clock.elapsed();
    this.closed = program.ended.then(async ({ reason }) => {
      this.#end ??= reason ?? "it ended by itself";
      proxy.cut();
      // What can't be deleted now goes with the folder of all cells.
      await cell.close().catch(() => undefined);
    });
  }

  /** Throws `unavailable` with what went wrong, `unsupported` where there are no cells. */
  static async start(parts: SessionBrowserParts): Promise<SessionBrowser> {
    const proxy = createGuardedProxy(parts.guard);
    const cell = await parts.cells.open(proxy.server);
    try {
      const program = await cell.launch(chromiumCommand(parts.executable, cell.port));
      const browser = new SessionBrowser(parts, cell, proxy, program);
      await browser.#connect();
      return browser;
    } catch (cause) {
      proxy.cut();
      await cell.close();
      if (isGatewayError(cause)) throw cause;
      throw new GatewayError("the browser could not be started", { code: "unavailable", effect: "none", cause });
    }
  }

  get loadMs(): number {
    return this.#parts.loadMs;
  }

  /** Why it is gone; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** When its last action ended, or undefined while one runs or waits. Milliseconds since 1970. */
  get idleSince(): number | undefined {
    return this.#waiting > 0 ? undefined : this.#usedAt;
  }

  /** Why the newest connection of the running action was refused or failed, if one was. */
  get trouble(): GatewayError | undefined {
    return this.#proxy.trouble;
  }

  get downloads(): Downloads {
    if (this.#downloads === undefined) throw this.#gone();
    return this.#downloads;
  }

  /** A file that it has downloaded, which is gone then. Throws where it has not so many bytes. */
  async *downloaded({ path, byteLength }: Downloaded, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const program = await this.#cell.launch(["/bin/sh", "-c", taking, "sh", path, `${byteLength + 1}`]);
    const stop = () => void program.kill();
    signal.addEventListener("abort", stop, { once: true });
    let left = byteLength;
    try {
      for await (const bytes of program.output as AsyncIterable<Buffer>) {
        left -= bytes.byteLength;
        yield bytes;
      }
      signal.throwIfAborted();
      if (left !== 0) throw new GatewayError("a download could not be read", { code: "unavailable" });
    } finally {
      signal.removeEventListener("abort", stop);
      await program.kill();
    }
  }

  /**
   * Does something with its pages, after everything that was asked for before. Throws `unavailable` when the
   * browser is gone or goes meanwhile, `aborted` when stopped.
   */
  act<Value>(signal: AbortSignal, work: (pages: OpenPages) => Promise<Value>): Promise<Value> {
    this.#waiting += 1;
    const done = this.#previous
      .then(() => this.#act(signal, work))
      .finally(() => {
        this.#waiting -= 1;
        this.#usedAt = this.#parts.clock.elapsed();
      });
    this.#previous = done.catch(() => undefined);
    return done;
  }

  async close(reason = "it was closed"): Promise<void> {
    this.#end ??= reason;
    await this.#program.kill();
    await this.closed;
  }

  async #act<Value>(signal: AbortSignal, work: (pages: OpenPages) => Promise<Value>): Promise<Value> {
    if (signal.aborted) throw stopped(signal);
    this.#pipe.refill();
    this.#proxy.forget();
    const over = new AbortController();
    const { clock, actionMs } = this.#parts;
    const late = clock
      .sleep(actionMs, over.signal)
      .then(() => this.close(`what it was asked to do took more than ${actionMs / 1_000} s`));
    const gone = Promise.race([this.closed, late]).then(() => Promise.reject(this.#gone()));
    // It goes on being a promise when nobody waits for it any more.
    gone.catch(() => undefined);
    try {
      if (this.#end !== undefined) throw this.#gone();
      return await Promise.race([work(this.#pages()), gone]);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      if (signal.aborted) throw stopped(signal);
      if (isTimeout(error)) await this.#checkAnswer();
      // Whatever broke it, the browser's end explains it better.
      throw this.#isAlive() ? (this.#proxy.trouble ?? toFailure(error)) : this.#gone(error);
    } finally {
      over.abort();
    }
  }

  async #connect(): Promise<void> {
    const { chromium } = await import("playwright-core");
    const failed = this.closed.then(() => Promise.reject(this.#gone()));
    failed.catch(() => undefined);
    const { clock, downloadMs } = this.#parts;
    const connecting = async () => {
      const browser: Browser = await chromium.connectOverCDP(this.#pipe, {
        timeout: this.#parts.actionMs,
        noDefaults: true,
      });
      // Playwright itself would look for what it accepts on this machine.
      const context = await browser.newContext({ acceptDownloads: false, serviceWorkers: "block", viewport });
      this.#downloads = await watchDownloads(browser, clock, downloadMs);
      return context;
    };
    const context = await Promise.race([connecting(), failed]);
    context.setDefaultTimeout(this.#stepMs);
    context.on("page", (page) => {
      if (context.pages().length > mostPages) page.close().catch(() => undefined);
      // What crashed can only be closed.
      page.on("crash", () => page.close().catch(() => undefined));
    });
    this.#context = context;
    this.#usedAt = this.#parts.clock.elapsed();
  }

  #pages(): OpenPages {
    const context = this.#context;
    if (context === undefined) throw this.#gone();
    return {
      newest: async () => context.pages().at(-1) ?? (await context.newPage()),
      only: async () => {
        const [last = await context.newPage(), ...others] = context.pages().toReversed();
        for (const page of others) await page.close();
        return last;
      },
    };
  }

  get #stepMs(): number {
    return this.#parts.actionMs * stepShare;
  }

  /** Ends the browser where a page's scripts keep it from answering: nothing else could be done with that page. */
  async #checkAnswer(): Promise<void> {
    const over = new AbortController();
    const reason = "a page's scripts kept it busy";
    const late = this.#parts.clock.sleep(this.#stepMs, over.signal).then(() => this.close(reason));
    const answer = this.#context?.pages().at(-1)?.title();
    await Promise.race([answer?.catch(() => undefined), late.catch(() => undefined)]);
    over.abort();
  }

  #isAlive(): boolean {
    return this.#end === undefined && (this.#context?.browser()?.isConnected() ?? false);
  }

  #gone(cause?: unknown): GatewayError {
    const why = this.#end ?? "it ended by itself";
    return new GatewayError(`the browser is gone: ${why}. Open the page again with browser_open`, {
      code: "unavailable",
      cause,
    });
  }
}

function stopped(signal: AbortSignal): GatewayError {
  return new GatewayError("the browser's action was stopped", { code: "aborted", cause: signal.reason });
}
