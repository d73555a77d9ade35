import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Workspace } from "@talaria/agent";
import type { GuardOptions } from "@talaria/foreign-content";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { defaultLimits, type SandboxConfig, type SandboxLimits } from "./config.ts";
import { foundPrograms } from "./found-programs.ts";
import { launchPiped, type PipedCommand, type PipedProgram } from "./piped-program.ts";
import type { Backend, Cell, Place } from "./place.ts";
import { hostedProbes, type ProbeTargets, probes, runProbes, type SelfTest } from "./self-test.ts";
import { SessionWorkspace } from "./session-workspace.ts";
import { Lacking } from "./workplace/lacking.ts";

/** Of the whole trial: many times what it takes on a busy machine. */
const longestTrialMs = 120_000;

export interface SandboxDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Name of a variable that the worker has, which the self-test looks for inside. Default: `TALARIA_HOME`. */
  readonly variable?: string;
  /** Further files that no command may read, for the self-test. */
  readonly secretFiles?: readonly string[];
  /** For tests: where the names of hosts lead that a command asks for, and which addresses are public. */
  readonly addresses?: GuardOptions;
}

export interface Sandbox {
  /** Tries for real what the boundary must refuse. Never throws: what is wrong stands in the answer. */
  start(): Promise<SelfTest>;
  /** The session's workspace, the same one until it is closed. Throws `unsupported` unless `start` found it usable. */
  open(sessionKey: string): Promise<Workspace>;
  /**
   * Starts a program that talks over its pipes for as long as it lives, in a place of its own, whose files stay under `key`.
   * Its boundary and limits are those of commands, except on time and output. Throws `unsupported` unless `start` found the
   * backend usable.
   */
  launch(key: string, command: PipedCommand): Promise<PipedProgram>;
  /**
   * A new cell, with a server that doesn't listen yet as its door. Throws `unsupported` unless `start` found the backend usable,
   * and where it has no cells.
   */
  openCell(door: Server): Promise<Cell>;
  /** Kills what runs in it; its files stay. */
  close(sessionKey: string): Promise<void>;
  /** Closes all of them. */
  stop(): Promise<void>;
}

export function createSandbox(config: SandboxConfig, deps: SandboxDeps): Sandbox {
  const limits: SandboxLimits = { ...defaultLimits, ...config.limits };
  const sessions = new Map<string, Promise<{ readonly place: Place; readonly workspace: Workspace }>>();
  const cells = new Set<Cell>();
  let backend: Backend | undefined;
  let state: SelfTest = {
    isUsable: false,
    backend: config.backend,
    description: "",
    reasons: ["it has not been started"],
  };

  const started = () => {
    if (state.isUsable && backend !== undefined) return backend;
    throw new GatewayError(`the sandbox is off: ${state.reasons.join("; ")}`, { code: "unsupported" });
  };
  const openPlace = async (sessionKey: string) => {
    const place = await started().open(sessionKey);
    return { place, workspace: new SessionWorkspace(place, deps.clock, limits) };
  };
  const close = async (sessionKey: string) => {
    const session = await sessions.get(sessionKey)?.catch(() => undefined);
    sessions.delete(sessionKey);
    await session?.place.close();
  };

  return {
    start: async () => {
      state = await inTime(
        begin(config, limits, deps, (started) => {
          backend = started;
        }),
        config.backend,
        deps.clock,
      );
      if (!state.isUsable) await backend?.stop().catch(() => undefined);
      deps.log[state.isUsable ? "info" : "error"]({ ...state }, "sandbox tested");
      return state;
    },
    open: async (sessionKey) => {
      const known = sessions.get(sessionKey) ?? openPlace(sessionKey);
      sessions.set(sessionKey, known);
      known.catch(() => sessions.get(sessionKey) === known && sessions.delete(sessionKey));
      return (await known).workspace;
    },
    launch: async (key, { readable = [], ...command }) => {
      const place = await started().open(`program:${key}`, { readable, keepsTmp: true, isOpen: true });
      try {
        return await launchPiped(place, command, deps.clock);
      } catch (error) {
        await place.close().catch(() => undefined);
        throw error;
      }
    },
    openCell: async (door) => {
      const cell = await started().openCell?.(door);
      if (cell === undefined)
        throw new GatewayError(`the backend ${config.backend} has no cells`, { code: "unsupported" });
      cells.add(cell);
      return { ...cell, close: () => cell.close().finally(() => cells.delete(cell)) };
    },
    close,
    stop: async () => {
      await Promise.all([...[...sessions.keys()].map(close), ...[...cells].map((cell) => cell.close())]);
      await backend?.stop();
      backend = undefined;
      state = { ...state, isUsable: false, reasons: ["it has been stopped"] };
    },
  };
}

/** What hangs, such as a daemon that takes a request and never answers, is taken to be away. */
async function inTime(trial: Promise<SelfTest>, backend: string, clock: Clock): Promise<SelfTest> {
  const waiting = new AbortController();
  const late = clock.sleep(longestTrialMs, waiting.signal).then(
    () => ({ isUsable: false, backend, description: "", reasons: [`no answer within ${longestTrialMs / 1_000} s`] }),
    () => trial,
  );
  try {
    return await Promise.race([trial, late]);
  } finally {
    waiting.abort();
  }
}

async function begin(
  config: SandboxConfig,
  limits: SandboxLimits,
  deps: SandboxDeps,
  keep: (backend: Backend) => void,
): Promise<SelfTest> {
  const name = config.backend;
  let description = "";
  try {
    const backend = await createBackend(config, limits, deps);
    keep(backend);
    description = backend.description;
    await backend.start();
    const { reasons, ...found } = await tryOut(backend, config, limits, deps);
    return { isUsable: reasons.length === 0, backend: name, description, reasons, ...found };
  } catch (error) {
    const reasons = [error instanceof Error ? error.message : String(error)];
    const remedy = error instanceof Lacking ? error.remedy : undefined;
    return { isUsable: false, backend: name, description, reasons, ...(remedy && { remedy }) };
  }
}

async function createBackend(
  config: SandboxConfig,
  limits: SandboxLimits,
  { clock, addresses }: SandboxDeps,
): Promise<Backend> {
  switch (config.backend) {
    case "sandbox":
      return (await import("./sandbox/backend.ts")).createNamespaceBackend(config, limits, clock, addresses);
    case "local":
      if (config.unsafe !== true)
        throw new GatewayError("commands would run without any boundary; say `unsafe: true` if that is meant", {
          code: "unsupported",
        });
      return (await import("./local/backend.ts")).createLocalBackend(config, limits, clock);
    case "docker":
      return (await import("./docker/backend.ts")).createDockerBackend(config, limits, clock);
    case "ssh":
      return (await import("./ssh/backend.ts")).createSshBackend(config, limits, clock);
    case "e2b":
      return (await import("./e2b/backend.ts")).createE2bBackend(config, limits, clock);
    case "modal":
      return (await import("./modal/backend.ts")).createModalBackend(config, limits, clock);
    default:
      throw new GatewayError(
        `there is no backend called ${String((config satisfies never as SandboxConfig).backend)}`,
        { code: "unsupported" },
      );
  }
}

async function tryOut(
  backend: Backend,
  config: SandboxConfig,
  limits: SandboxLimits,
  deps: SandboxDeps,
): Promise<Pick<SelfTest, "reasons" | "programs" | "folder">> {
  // Somebody else's machines are the same for all workers, and each worker deletes its own.
  const isHosted = config.backend === "e2b" || config.backend === "modal";
  // Several workers of this machine may begin at once, and none takes another one's folder away.
  const view = { keepsTmp: true, readable: [] };
  const place = await backend.open(isHosted ? `self-test ${process.pid} ${deps.clock.now()}` : "self-test", view);
  try {
    const workspace = new SessionWorkspace(place, deps.clock, limits);
    const [reasons, programs] = await Promise.all([testBoundary(workspace, config, deps), foundPrograms(workspace)]);
    const hasOneName = config.backend === "sandbox" || config.backend === "docker";
    return { reasons, programs, ...(hasOneName && { folder: place.folder }) };
  } finally {
    await (place.discard?.() ?? place.close());
  }
}

async function testBoundary(
  workspace: Workspace,
  config: SandboxConfig,
  deps: SandboxDeps,
): Promise<readonly string[]> {
  switch (config.backend) {
    // Nothing stands between a command and this machine, or the machine is another one and given up to it.
    case "local":
    case "ssh":
      return await runProbes(workspace, []);
    case "e2b":
    case "modal":
      return await runProbes(workspace, hostedProbes);
    case "sandbox":
    case "docker":
      return await withTargets(config.folder, deps, async (targets) => runProbes(workspace, probes(targets)));
    default:
      return config satisfies never;
  }
}

async function withTargets<Value>(
  base: string,
  deps: SandboxDeps,
  use: (targets: ProbeTargets) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(base, ".probe-"));
  const secret = join(folder, "secret");
  await writeFile(secret, "secret");
  const server = createServer((socket) => socket.destroy());
  try {
    return await use({
      secretFiles: [secret, "/etc/shadow", join("/proc/1", "root", "etc/shadow"), ...(deps.secretFiles ?? [])],
      outsideFolders: [folder, base, "/", "/etc", "/usr", "/usr/bin", "/var/tmp", "/root", "/home"],
      listeningPort: await listen(server),
      variable: deps.variable ?? "TALARIA_HOME",
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
