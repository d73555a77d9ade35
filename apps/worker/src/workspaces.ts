import type { Workspace } from "@talaria/agent";
import { hostsOf, type TalariaConfig } from "@talaria/config";
import { type Clock, GatewayError, type Log, type SessionKey } from "@talaria/protocol";
import {
  createSandbox,
  type PipedCommand,
  type PipedProgram,
  type Sandbox,
  type SandboxConfig,
  type SelfTest,
  troubleWords,
} from "@talaria/sandbox";
import { secretSettings } from "./secret-handles.ts";
import { triedAgain } from "./tried-again.ts";

/**
 * A workspace that nobody has opened for so long is closed, unless something still runs in it. Its files stay. A command in
 * the foreground takes ten minutes at most and is not listed as running.
 */
const idleMs = 1_200_000;
const lookMs = 60_000;
/** After the start of the worker, and between looks whether it is idle. */
const leisureMs = 2_000;
/** The home of its templates' account. */
const e2bFolder = "/home/user/talaria";
/** Where a volume stands for each of them. */
const modalFolder = "/mnt/talaria";

/** The workspaces of this worker's sessions. */
export interface Workspaces {
  /**
   * Whether commands can run here. The first question tries the boundary for real, which takes a second or two; after a no it is
   * tried again in ten minutes. Never rejects.
   */
  usable(): Promise<boolean>;
  /**
   * Asks the first question in an idle moment, so that no person waits for the answer. Not where machines of somebody else's service
   * would be made for it. Resolves when it is answered, or never will be; never rejects.
   */
  tryWhenIdle(isIdle: () => boolean): Promise<void>;
  open(sessionKey: SessionKey): Promise<Workspace>;
  /** The same where it is open already. */
  opened(sessionKey: SessionKey): Workspace | undefined;
  /**
   * Starts a program that the operator has named, behind the same boundary, with a folder of its own. Throws `unsupported`, with
   * the reason, where commands can't run.
   */
  launch(key: string, command: PipedCommand): Promise<PipedProgram>;
  /** What the self-test found; undefined before the first question. */
  readonly state: SelfTest | undefined;
  stop(): Promise<void>;
}

/** Machines of somebody else's service are made for a trial. */
export function isPaid(backend: TalariaConfig["sandbox"]["backend"]): boolean {
  return backend === "e2b" || backend === "modal";
}

export interface WorkspacesOptions {
  readonly config: TalariaConfig["sandbox"];
  /** Signs commits where the configuration names nobody. */
  readonly agentName?: string;
  /** Workspaces lie in it, unless the configuration names another one. */
  readonly folder: string;
  /** Folders that no command may read. */
  readonly hidden: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

interface Used {
  readonly workspace: Workspace;
  at: number;
}

export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { clock, log } = options;
  const used = new Map<SessionKey, Used>();
  let sandbox: Sandbox | undefined;
  let state: SelfTest | undefined;

  const begin = async () => {
    const config = sandboxConfig(options);
    if (config === undefined) return undefined;
    const created = createSandbox(config, { clock, log });
    state = await created.start();
    if (!state.isUsable) return undefined;
    sandbox = created;
    return created;
  };
  const tried = triedAgain(
    () =>
      begin().catch((error: unknown) => {
        log.error({ error }, "the sandbox could not be started: tools that run commands are disabled");
        return undefined;
      }),
    clock,
  );
  const closeIdle = async () => {
    for (const [sessionKey, { workspace, at }] of used) {
      const runs = workspace.processes().some(({ end }) => end === undefined);
      if (runs || clock.elapsed() - at < idleMs) continue;
      used.delete(sessionKey);
      await sandbox?.close(sessionKey);
    }
  };
  const ending = new AbortController();
  const timer = setInterval(() => {
    closeIdle().catch((error: unknown) => log.warn({ error }, "an idle workspace could not be closed"));
  }, lookMs);
  timer.unref();

  return {
    usable: async () => (await tried.answer()) !== undefined,
    tryWhenIdle: async (isIdle) => {
      if (options.config.backend === "off" || isPaid(options.config.backend)) return;
      do await clock.sleep(leisureMs, ending.signal).catch(() => undefined);
      while (!isIdle() && !ending.signal.aborted);
      if (!ending.signal.aborted) await tried.answer();
    },
    open: async (sessionKey) => {
      if (sandbox === undefined) throw new Error("the sandbox has not been started");
      const known = used.get(sessionKey);
      if (known !== undefined) {
        known.at = clock.elapsed();
        return known.workspace;
      }
      const workspace = await sandbox.open(sessionKey);
      used.set(sessionKey, { workspace, at: clock.elapsed() });
      return workspace;
    },
    opened: (sessionKey) => used.get(sessionKey)?.workspace,
    launch: async (key, command) => {
      const started = await tried.answer();
      if (started !== undefined) return await started.launch(key, command);
      throw new GatewayError(`it runs in the sandbox alone, and ${whyNot(options, state)}`, { code: "unsupported" });
    },
    get state() {
      return state;
    },
    stop: async () => {
      clearInterval(timer);
      ending.abort();
      await tried.settled();
      await sandbox?.stop();
    },
  };
}

function whyNot({ config }: WorkspacesOptions, state: SelfTest | undefined): string {
  return config.backend === "off"
    ? "sandbox.backend is off"
    : `that can't be used: ${state === undefined ? "it was not tried" : troubleWords(state)}`;
}

function sandboxConfig({
  config: given,
  agentName,
  folder: preset,
  hidden,
}: WorkspacesOptions): SandboxConfig | undefined {
  const config = { ...given, author: given.author ?? authorFrom(agentName) };
  const { backend, limits, network, secrets: named, author, image = "", socket, ssh, e2b, modal } = config;
  const folder = config.folder ?? preset;
  switch (backend) {
    case "off":
      return undefined;
    case "sandbox":
      return {
        ...{
          backend,
          folder,
          limits,
          author,
          hidden,
          network: network.length === 0 ? "none" : { allow: hostsOf(network) },
        },
        secrets: Object.entries(named).map(([name, secret]) => secretSettings(name, secret)),
      };
    case "local":
      return { backend, folder, limits, author, unsafe: true };
    case "docker":
      return { backend, folder, limits, author, image, ...(socket === undefined ? {} : { socket }) };
    case "ssh":
      return ssh && { backend, folder, limits, author, ...ssh, key: ssh.key.reveal() };
    case "e2b":
      return (
        e2b && { backend, limits, author, folder: config.folder ?? e2bFolder, ...e2b, apiKey: e2b.apiKey.reveal() }
      );
    case "modal":
      return modal && modalConfig(config, modal);
    default:
      return backend satisfies never;
  }
}

/** A line of git's has neither breaks nor the signs that begin an address. */
function authorFrom(agentName = ""): { readonly name: string; readonly email: string } | undefined {
  const name = agentName
    .replace(/[\p{C}\p{Z}<>]+/gu, " ")
    .trim()
    .slice(0, 100);
  return name === "" ? undefined : { name: name.toWellFormed(), email: "talaria@localhost" };
}

function modalConfig(
  { limits, author, folder = modalFolder }: WorkspacesOptions["config"],
  { tokenId, tokenSecret, ...more }: NonNullable<WorkspacesOptions["config"]["modal"]>,
): SandboxConfig {
  return {
    backend: "modal",
    limits,
    author,
    folder,
    ...more,
    tokenId: tokenId.reveal(),
    tokenSecret: tokenSecret.reveal(),
  };
}
