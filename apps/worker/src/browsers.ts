import { tmpdir } from "node:os";
import type { TalariaConfig } from "@talaria/config";
import { type Clock, isGatewayError, type Log } from "@talaria/protocol";
import {
  createSandbox,
  missingPackage,
  type OwnedFolder,
  ownFolder,
  type Sandbox,
  type SelfTest,
} from "@talaria/sandbox";
import { type Browsers, createBrowsers, findChromium } from "@talaria/tools";
import { triedAgain } from "./tried-again.ts";

/** Threads count as processes, and a browser has some two hundred. */
const processes = 1_024;
/** What a browser writes to the disk, which is little: its pages' data stay in memory. */
const quotaMb = 512;

/** The browsers of this worker's sessions, which nothing is begun for before somebody may use one. */
export interface BrowserKeeper {
  /**
   * Undefined where none can run. The first question tries the boundary for real, which takes a second or two; after a no it is
   * tried again in ten minutes.
   */
  usable(): Promise<Browsers | undefined>;
  /** What the last attempt found; undefined before the first. */
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
  let folder: OwnedFolder | undefined;
  let sandbox: Sandbox | undefined;
  let browsers: Browsers | undefined;
  let state: SelfTest | undefined;

  const begin = async () => {
    const { executable, readable } = await findChromium(config.executable);
    folder ??= await ownFolder("talaria-browsers-", tmpdir());
    const limits = { memoryMb, processes, quotaMb };
    const own = createSandbox({ backend: "sandbox", folder: folder.path, readable, hidden, limits }, { clock, log });
    state = await own.start();
    if (!state.isUsable) return undefined;
    sandbox = own;
    const cells = { open: own.openCell };
    browsers = createBrowsers({ cells, executable, clock, log, most, idleMs: idleMinutes * 60_000 });
    return browsers;
  };
  const tried = triedAgain(
    () =>
      begin().catch(async (error: unknown) => {
        const reasons = [error instanceof Error ? error.message : String(error)];
        const isMissing = isGatewayError(error, "unsupported") && config.executable === undefined;
        const remedy = isMissing ? await missingPackage("chromium").catch(() => undefined) : undefined;
        state = { isUsable: false, backend: "sandbox", description: "", reasons, ...(remedy && { remedy }) };
        log.error({ reasons }, "the browser can't run");
        return undefined;
      }),
    clock,
  );

  return {
    usable: async () => (config.enabled ? await tried.answer() : undefined),
    get state() {
      return state;
    },
    stop: async () => {
      await tried.settled();
      await browsers?.stop();
      await sandbox?.stop();
      await folder?.remove();
    },
  };
}
