import type { Clock } from "@talaria/protocol";
import type { Browser } from "playwright-core";

/** Of all that begin between two results. */
const most = { files: 8, bytes: 100_000_000 };
/** How long one that must begin may take to be told of. */
const beginMs = 5_000;
/** In the cell, so it goes with the browser. */
const folder = "/tmp/downloads";
const guidPattern = /^[0-9a-f-]{36}$/i;

export interface Downloaded {
  /** As the page or its server calls it. */
  readonly name: string;
  /** In the cell. */
  readonly path: string;
  readonly byteLength: number;
}

export interface Downloads {
  /** Whether something was downloaded, or refused, since the last `take`. */
  readonly hasNews: boolean;
  /**
   * Waits until what has begun has come, and cancels what has not come in time. `expected`: one is about to begin, and is waited for.
   * Never rejects.
   */
  settle(expected: boolean, signal: AbortSignal): Promise<void>;
  /** What came since the last time, and a sentence for each that did not. From now on there is room for as many again. */
  take(): Promise<{ readonly done: readonly Downloaded[]; readonly problems: readonly string[] }>;
}

interface Running {
  readonly name: string;
  readonly hasEnded: PromiseWithResolvers<void>;
  bytes: number;
  state: "running" | "done" | "failed" | "large" | "late";
}

/**
 * What pages of the browser's only context have it download, by Chromium's own protocol (the domain Browser of its
 * browser_protocol.pdl): Playwright would look for the files on this machine. Each lies in the cell under a number that Chromium
 * gives it; one too many, or too large, is cancelled as soon as that is known, and from then on no other may begin. `patienceMs`: how
 * long an action waits for what has begun.
 */
export async function watchDownloads(browser: Browser, clock: Clock, patienceMs: number): Promise<Downloads> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextIds } = await session.send("Target.getBrowserContexts");
  const known = new Map<string, Running>();
  let refused = 0;
  let isOpen = true;
  let begun = Promise.withResolvers<void>();

  const allow = async (isAllowed: boolean) => {
    isOpen = isAllowed;
    const behavior = isAllowed ? ({ behavior: "allowAndName", downloadPath: folder } as const) : denied;
    for (const browserContextId of browserContextIds)
      await session.send("Browser.setDownloadBehavior", { ...behavior, browserContextId, eventsEnabled: true });
  };
  const cancel = (guid: string) => {
    session.send("Browser.cancelDownload", { guid }).catch(() => undefined);
  };
  const end = (guid: string, one: Running, state: Running["state"]) => {
    one.state = state;
    one.hasEnded.resolve();
    if (state === "large" || state === "late") cancel(guid);
  };
  const bytesOfAll = () => [...known.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  const within = async (done: Promise<unknown>, ms: number, signal: AbortSignal) => {
    const over = new AbortController();
    const late = clock.sleep(ms, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    await Promise.race([done, late]);
    over.abort();
  };

  session.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => {
    begun.resolve();
    if (known.size < most.files && guidPattern.test(guid)) {
      known.set(guid, { name: suggestedFilename, hasEnded: Promise.withResolvers(), bytes: 0, state: "running" });
      return;
    }
    refused += 1;
    cancel(guid);
    if (isOpen) allow(false).catch(() => undefined);
  });
  session.on("Browser.downloadProgress", ({ guid, totalBytes, receivedBytes, state }) => {
    const one = known.get(guid);
    if (one?.state !== "running") return;
    one.bytes = Math.max(totalBytes, receivedBytes);
    if (bytesOfAll() > most.bytes) end(guid, one, "large");
    else if (state !== "inProgress") end(guid, one, state === "completed" ? "done" : "failed");
  });
  await allow(true);

  return {
    get hasNews() {
      return known.size > 0 || refused > 0;
    },
    async settle(expected, signal) {
      if (expected) await within(begun.promise, beginMs, signal);
      const all = [...known.values()].map(({ hasEnded }) => hasEnded.promise);
      await within(Promise.all(all), patienceMs, signal);
      for (const [guid, one] of known) if (one.state === "running") end(guid, one, "late");
    },
    async take() {
      const all = [...known];
      const problems = all.flatMap(([, one]) => problemWith(one, patienceMs) ?? []);
      if (refused > 0)
        problems.push(`${refused} more downloads were refused: a page may begin ${most.files} until you open it again`);
      known.clear();
      refused = 0;
      begun = Promise.withResolvers();
      if (!isOpen) await allow(true);
      return { done: all.flatMap(([guid, one]) => downloadedOf(guid, one)), problems };
    },
  };
}

const denied = { behavior: "deny" } as const;

function downloadedOf(guid: string, { name, bytes, state }: Running): readonly Downloaded[] {
  return state === "done" ? [{ name, path: `${folder}/${guid}`, byteLength: bytes }] : [];
}

function problemWith({ state, bytes }: Running, patienceMs: number): string | undefined {
  switch (state) {
    case "large":
      return `a download of at least ${bytes} bytes was cancelled: all together may have ${most.bytes}`;
    case "late":
      return `a download was cancelled: it had not come whole after ${patienceMs / 1_000} s`;
    case "failed":
      return "a download failed, or was given up by the page's server";
    case "running":
    case "done":
      return undefined;
    default:
      return state satisfies never;
  }
}
