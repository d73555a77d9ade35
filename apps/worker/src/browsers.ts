import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TalariaConfig } from "@talaria/config";
import type { Clock, Log } from "@talaria/protocol";
import type { Sandbox, SelfTest } from "@talaria/sandbox";
import { type Browsers, createBrowsers, findChromium } from "@talaria/tools";

/** Threads count as processes, and a browser has some two hundred. */
const processes = 1_024;
/** What a browser writes to the disk, which is little: its pages' data stay in memory. */
const quotaMb = 512;

/** The browsers of this worker's sessions, which nothing is begun for before somebody may use one. */
export interface BrowserKeeper {
  /** Undefined where none can run. The first question tries the boundary for real, which takes a second or two. */
  usable(): Promise<Browsers | undefined>;
  /** What the first question found; undefined before. */
  readonly state: SelfTest | undefined;
  stop(): Promise<void>;
}

export interface BrowserKeeperOptions {
  readonly config: TalariaConfig["browser"];
  /** Folders that no browser may read. */
  readonly hidden: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A browser has a sandbox of its own, bubblewrap whatever `sandbox.backend` says: it takes more memory than a command, a page that
 * breaks out of it must not find the session's files, and commands must not find its way into the network.
 */
export function createBrowserKeeper({ config, hidden, clock, log }: BrowserKeeperOptions): BrowserKeeper {
  const { memoryMb, browsers: most, idleMinutes } = config.limits;
  let folder: string | undefined;
  let sandbox: Sandbox | undefined;
  let browsers: Browsers | undefined;
  let state: SelfTest | undefined;
  let starting: Promise<Browsers | undefined> | undefined;

  const begin = async () => {
    const { executable, readable } = await findChromium(config.executable);
    folder = await mkdtemp(join(tmpdir(), "talaria-browsers-"));
    // mkdtemp makes it for its owner alone, and browsers of root's run as somebody else.
    await chmod(folder, 0o711);
    const { createSandbox } = await import("@talaria/sandbox");
    const limits = { memoryMb, processes, quotaMb };
    const own = createSandbox({ backend: "sandbox", folder, readable, hidden, limits }, { clock, log });
    sandbox = own;
    state = await own.start();
    if (!state.isUsable) return undefined;
    const cells = { open: own.openCell };
    browsers = createBrowsers({ cells, executable, clock, log, most, idleMs: idleMinutes * 60_000 });
    return browsers;
  };
  const tryToBegin = () =>
    begin().catch((error: unknown) => {
      const reasons = [error instanceof Error ? error.message : String(error)];
      state = { isUsable: false, backend: "sandbox", description: "", reasons };
      log.error({ reasons }, "the browser can't run");
      return undefined;
    });

  return {
    usable: () => {
      starting ??= config.enabled ? tryToBegin() : Promise.resolve(undefined);
      return starting;
    },
    get state() {
      return state;
    },
    stop: async () => {
      await starting;
      await browsers?.stop();
      await sandbox?.stop();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
