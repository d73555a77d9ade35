import { createAddressGuard, type GuardOptions } from "@talaria/foreign-content";
import { type Clock, GatewayError, type Log, type SessionKey } from "@talaria/protocol";
import type { BrowserCells } from "./ports.ts";
import { SessionBrowser } from "./session-browser.ts";

/** One that was used within this time is not ended for another session. */
const leastIdleMs = 60_000;
const actionMs = 60_000;
const loadMs = 20_000;
const downloadMs = 20_000;

export interface BrowsersOptions {
  readonly cells: BrowserCells;
  readonly executable: string;
  readonly clock: Clock;
  readonly log: Log;
  /** At a time in this process. */
  readonly most: number;
  /** One that nobody has used for so long is ended. */
  readonly idleMs: number;
  /** Default: the public internet alone. */
  readonly guard?: GuardOptions;
  /** The longest that one action may take. Default: a minute. */
  readonly actionMs?: number;
  /** How long a page may take to load before it is taken as it is. Default: 20 s. */
  readonly loadMs?: number;
  /** How long an action waits for a download before it is cancelled. Default: 20 s. */
  readonly downloadMs?: number;
}

/** The browsers of this process' sessions. */
export interface Browsers {
  /** The session's, or a new one. Throws `unavailable` when it can't be started, `rate_limited` while too many are in use. */
  open(sessionKey: SessionKey): Promise<SessionBrowser>;
  /** The session's, also one that is gone, which then says why. Throws `not_found` where there was none of late. */
  find(sessionKey: SessionKey): Promise<SessionBrowser>;
  /** False where there was none. */
  close(sessionKey: SessionKey): Promise<boolean>;
  stop(): Promise<void>;
}

export function createBrowsers({ clock, log, most, idleMs, ...options }: BrowsersOptions): Browsers {
  const guard = createAddressGuard(options.guard);
  const known = new Map<SessionKey, Promise<SessionBrowser>>();
  const ending = new AbortController();

  const forget = async (sessionKey: SessionKey, browser: Promise<SessionBrowser>, reason?: string) => {
    if (known.get(sessionKey) === browser) known.delete(sessionKey);
    await (await browser.catch(() => undefined))?.close(reason);
  };
  const start = async () => {
    await makeRoom();
    const { cells, executable } = options;
    const limits = {
      actionMs: options.actionMs ?? actionMs,
      loadMs: options.loadMs ?? loadMs,
      downloadMs: options.downloadMs ?? downloadMs,
    };
    return await SessionBrowser.start({ cells, executable, guard, clock, ...limits });
  };
  const makeRoom = async () => {
    const all = await Promise.all([...known].map(async ([key, one]) => [key, one, await settled(one)] as const));
    const live = all.filter(([, , browser]) => browser !== undefined && browser.end === undefined);
    if (live.length < most) return;
    const [oldest] = live
      .filter(([, , browser]) => clock.elapsed() - (browser?.idleSince ?? Number.NaN) >= leastIdleMs)
      .toSorted(([, , one], [, , other]) => (one?.idleSince ?? 0) - (other?.idleSince ?? 0));
    if (oldest === undefined)
      throw new GatewayError(`${most} browsers are in use, the limit (browser.limits.browsers); try again later`, {
        code: "rate_limited",
        effect: "none",
      });
    await forget(oldest[0], oldest[1]);
  };
  /** Until it has been idle for too long, also when it is gone: then nobody needs to hear of it any more. */
  const watch = async (sessionKey: SessionKey, started: Promise<SessionBrowser>) => {
    const browser = await started;
    for (;;) {
      const leftMs = (browser.idleSince ?? clock.elapsed()) + idleMs - clock.elapsed();
      if (leftMs <= 0) break;
      await clock.sleep(leftMs, ending.signal);
    }
    await forget(sessionKey, started, "nobody used it");
  };

  return {
    open: async (sessionKey) => {
      const one = known.get(sessionKey);
      const running = one && (await settled(one));
      if (running !== undefined && running.end === undefined) return running;
      const other = known.get(sessionKey);
      if (other !== undefined && other !== one) return await other;
      if (ending.signal.aborted) throw new GatewayError("the worker stops", { code: "unavailable", effect: "none" });
      known.delete(sessionKey);
      const started = start();
      known.set(sessionKey, started);
      started.catch(() => known.get(sessionKey) === started && known.delete(sessionKey));
      watch(sessionKey, started).catch((error: unknown) => {
        if (!ending.signal.aborted) log.debug({ error, sessionKey }, "a browser is not watched any more");
      });
      return await started;
    },
    find: async (sessionKey) => {
      const one = known.get(sessionKey);
      if (one !== undefined) return await one;
      throw new GatewayError("no page is open; open one with browser_open", { code: "not_found", effect: "none" });
    },
    close: async (sessionKey) => {
      const one = known.get(sessionKey);
      if (one !== undefined) await forget(sessionKey, one);
      return one !== undefined;
    },
    stop: async () => {
      ending.abort();
      await Promise.all([...known].map(([sessionKey, one]) => forget(sessionKey, one)));
    },
  };
}

function settled(browser: Promise<SessionBrowser>): Promise<SessionBrowser | undefined> {
  return browser.catch(() => undefined);
}
