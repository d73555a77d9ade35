import {
  type BesideCall,
  type Command,
  type CommandResult,
  type Networked,
  sameWorkspace,
  type Workspace,
} from "@talaria/agent";
import {
  type Asker,
  addressOfCommandHost,
  type Conversation,
  GatewayError,
  type Log,
  type ProcessId,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import type { BackgroundStore, BegunInBackground, SessionLease } from "@talaria/store";
import { SessionShells } from "./session-shells.ts";

/** Of a command, for people. */
const commandChars = 200;
/** An agreement names no longer one. */
const longestAgreed = 2_000;

export interface BackgroundDeskDeps {
  readonly store: BackgroundStore;
  readonly workerId: ProcessId;
  readonly log: Log;
}

/** So many calls of one session go on beside its turns; further ones are waited for. */
const mostBeside = 8;

interface Followed {
  readonly ended: Promise<unknown>;
  kill(reason?: string): Promise<void>;
}

export interface BeginningTurn {
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly route: Conversation;
  /** Everyone whose words have entered the turn so far. */
  readonly askers: () => readonly Asker[];
}

/** What this worker runs in the background of workspaces, known to everybody who may end it. */
export interface BackgroundDesk {
  /**
   * The same workspace for one turn: what it starts in the background is written first, and named by the number that people read; nothing starts once somebody has ended the
   * turn. A command that goes on after its time is written then; where it can't be, it is killed.
   */
  watched(workspace: Workspace, turn: BeginningTurn): Workspace;
  /** See `NoteBeside`. */
  noteBeside(turn: BeginningTurn, call: BesideCall): Promise<string | undefined>;
  /** Ends the calls that go on beside their turns: this worker stops. */
  close(): void;
  /** Ends what has no right to go on any more. What goes wrong is logged, and done at the next look. Never rejects. */
  look(): Promise<void>;
}

export function createBackgroundDesk({ store, workerId, log }: BackgroundDeskDeps): BackgroundDesk {
  const running = new Map<string, Followed>();
  const over = new Set<string>();
  const shells = new SessionShells();

  const forget = async () => {
    const ids = [...over];
    if (ids.length === 0) return;
    await store.ended(workerId, ids);
    for (const id of ids) over.delete(id);
  };
  const lookNow = async () => {
    shells.tidy();
    await forget();
    if (running.size === 0) return;
    for (const { id, reason } of await store.toEnd(workerId)) {
      const process = running.get(id);
      if (process === undefined) continue;
      log.info({ process: id }, "what goes on in the background has no right to: it is ended");
      await process.kill(reason);
    }
  };
  const look = () =>
    lookNow().catch((error: unknown) => log.warn({ error }, "what has to end in the background was not read or ended"));
  const settle = (id: string) => {
    running.delete(id);
    over.add(id);
    return forget().catch((error: unknown) => log.debug({ error }, "the end of a process is told later"));
  };
  const follow = (id: string, process: Followed) => {
    running.set(id, process);
    void process.ended.then(() => settle(id));
    // It may have lost its right while it started.
    void look();
  };
  const begin = async (
    { lease, turnId, route, askers }: BeginningTurn,
    shown: string,
    hosts: readonly string[],
    since: Pick<BegunInBackground, "ranMs" | "isLetGo" | "isShell"> = {},
  ) => {
    const id = await store.begin(lease, turnId, {
      ...{ command: shortened(shown), hosts, route, ...since },
      covers: coveredBy(shown, hosts),
      askers: askers(),
    });
    if (id !== undefined) return id;
    throw new GatewayError("somebody has ended this turn: nothing is started any more", { code: "aborted" });
  };
  const adopt = async <Result extends CommandResult>(
    workspace: Workspace,
    turn: BeginningTurn,
    result: Result,
    hosts: readonly string[],
  ): Promise<Result> => {
    if (result.goesOnAs === undefined) return result;
    // Of two with one id the newest has not got its own yet.
    const process = workspace.processes().findLast(({ id }) => id === result.goesOnAs);
    if (process === undefined || process.end !== undefined) return result;
    const isLetGo = result.end.kind === "let_go" && ({ isLetGo: true } as const);
    try {
      const id = await begin(turn, process.command, hosts, { ranMs: result.durationMs, ...isLetGo });
      process.rename(nameOf(id));
      follow(id, process);
      return { ...result, goesOnAs: process.id };
    } catch (error) {
      await process.kill("it could not be noted for those who may end it");
      throw error;
    }
  };
  const beside = new Set<{ readonly sessionKey: SessionKey; readonly stop: BesideCall["stop"] }>();

  return {
    look,
    async noteBeside(turn, { shown, addresses, ranMs, ended, stop }) {
      const { lease, turnId, route, askers } = turn;
      const { sessionKey } = lease;
      if ([...beside].filter((one) => one.sessionKey === sessionKey).length >= mostBeside) return undefined;
      const one = { sessionKey, stop };
      beside.add(one);
      let id: string | undefined;
      try {
        id = await store.begin(lease, turnId, {
          ...{ command: shortened(shown), hosts: [], route, askers: askers(), ranMs, isLetGo: true },
          covers: addresses.flatMap(siteOf),
        });
      } finally {
        if (id === undefined) beside.delete(one);
      }
      if (id === undefined) return undefined;
      const kill = async (reason = "it was stopped") => stop(reason);
      follow(id, { kill, ended: ended.then(() => beside.delete(one)) });
      return nameOf(id);
    },
    close: () => {
      for (const { stop } of beside) stop("its worker stops");
    },
    watched: (workspace, turn) => {
      let looked: Promise<void> | undefined;
      return {
        ...sameWorkspace(workspace),
        exec: async (command, options) =>
          await adopt(workspace, turn, await workspace.exec(command, options), command.network ?? []),
        run: async (command, options) => {
          const { sessionKey } = turn.lease;
          const of = { sessionKey, askers: turn.askers(), workspace };
          // A shell of the conversation before this one is none of this turn's.
          looked ??= look();
          await looked;
          const shell = { begin: () => begin(turn, "the shell", [], { isShell: true }), follow };
          const result = await shells.run(of, shell, () => workspace.run(command, options));
          return await adopt(workspace, turn, result, options.network ?? []);
        },
        spawn: async (command) => {
          const id = await begin(turn, textOf(command), command.network ?? []);
          const process = await workspace.spawn(command).catch(async (error: unknown) => {
            await settle(id);
            throw error;
          });
          process.rename(nameOf(id));
          follow(id, process);
          return process;
        },
      };
    },
  };
}

/** As agreements name it. */
function siteOf(address: string): readonly string[] {
  const origin = URL.parse(address)?.origin;
  return origin === undefined ? [] : [`${origin}/*`];
}

/** As the model calls it: the number that people read, as processes are named. */
function nameOf(id: string): string {
  return `p${id}`;
}

function textOf({ command }: Command & Networked): string {
  return typeof command === "string" ? command : command.join(" ");
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > commandChars ? `${line.slice(0, commandChars - 1).toWellFormed()}…` : line;
}

/** As the patterns of agreements have it. */
function coveredBy(command: string, hosts: readonly string[]): readonly string[] {
  const text = command.trim();
  const origins = hosts.map((host) => new URL(addressOfCommandHost(host)).origin);
  return text.length > longestAgreed ? origins : [text, ...origins];
}
