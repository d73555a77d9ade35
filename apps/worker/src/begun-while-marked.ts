import type { BackgroundProcess, Workspace } from "@talaria/agent";
import type { Log, SessionKey } from "@talaria/protocol";
import type { FileTaintStore, MarkedFiles } from "@talaria/store";

type Begun = Pick<Workspace, "processes" | "newShell">;

export interface BegunWhileMarkedDeps {
  readonly of: FileTaintStore["of"];
  /** The session's workspace, if it is open in this process: nothing runs in another one. */
  readonly opened: (sessionKey: SessionKey) => Begun | undefined;
  readonly log: Log;
}

interface Seen {
  /** When it was last looked at, files were marked. */
  wasMarked: boolean;
  /** Ended while files were marked: whoever cleared the marks has cleared theirs. */
  readonly ended: WeakSet<BackgroundProcess>;
  /** Their output holds what they had read, and no clearing of files changes that. */
  readonly tainted: WeakSet<BackgroundProcess>;
}

/**
 * What was begun in workspaces while their files were marked, and goes on when an owner has cleared the marks: the session's shell,
 * and processes in the background. They live and die with this process, and so does what is known of them.
 */
export class BegunWhileMarked {
  readonly #deps: BegunWhileMarkedDeps;
  readonly #seen = new WeakMap<Begun, Seen>();

  constructor(deps: BegunWhileMarkedDeps) {
    this.#deps = deps;
  }

  /**
   * Before a call, with the marks of now. Where they were cleared meanwhile, the next command has a new shell. True: a process has
   * gone on after that, so any file may be as it was.
   */
  async look(sessionKey: SessionKey, marks: MarkedFiles): Promise<boolean> {
    const workspace = this.#deps.opened(sessionKey);
    if (workspace === undefined) return false;
    const seen = this.#of(workspace);
    const wasCleared = seen.wasMarked && marks.length === 0;
    seen.wasMarked = marks.length > 0;
    if (!wasCleared) return false;
    await workspace.newShell();
    const begun = workspace.processes();
    for (const process of begun) seen.tainted.add(process);
    return begun.some((process) => !seen.ended.has(process));
  }

  /** After the calls of a turn: what runs now is followed to its end. */
  note(sessionKey: SessionKey, marks: MarkedFiles): void {
    const workspace = this.#deps.opened(sessionKey);
    if (workspace === undefined || marks.length === 0) return;
    const seen = this.#of(workspace);
    seen.wasMarked = true;
    for (const process of workspace.processes()) {
      if (process.end !== undefined) seen.ended.add(process);
      else void this.#follow(sessionKey, process, seen);
    }
  }

  /** Whether a call reads of a process whose output is tainted. */
  reads(sessionKey: SessionKey, resources: readonly string[] | undefined): boolean {
    const workspace = this.#deps.opened(sessionKey);
    const tainted = workspace && this.#seen.get(workspace)?.tainted;
    if (workspace === undefined || tainted === undefined) return false;
    return workspace
      .processes()
      .some((process) => tainted.has(process) && (resources?.includes(`process:${process.id}`) ?? true));
  }

  async #follow(sessionKey: SessionKey, process: BackgroundProcess, seen: Seen): Promise<void> {
    try {
      await process.ended;
      if ((await this.#deps.of(sessionKey)).length > 0) seen.ended.add(process);
    } catch (error) {
      this.#deps.log.debug({ error, sessionKey }, "nobody knows whether files were marked when a process ended");
    }
  }

  #of(workspace: Begun): Seen {
    const known = this.#seen.get(workspace);
    if (known !== undefined) return known;
    const seen: Seen = { wasMarked: false, ended: new WeakSet(), tainted: new WeakSet() };
    this.#seen.set(workspace, seen);
    return seen;
  }
}
