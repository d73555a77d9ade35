import type { Workspace } from "@talaria/agent";
import type { Asker, SessionKey } from "@talaria/protocol";

/** A shell of a session, known for some of those who have asked for commands in it. */
interface KnownShell {
  /** As it was opened last. */
  workspace: Workspace;
  readonly gone: () => void;
  /** Commands that run in it, or are about to. */
  commands: number;
}

/** What has to be done about a shell that is not known yet. */
export interface ShellDeps {
  /** Resolves with the number of its row, once that is written. */
  begin(): Promise<string>;
  follow(id: string, shell: { readonly ended: Promise<void>; kill(): Promise<void> }): void;
}

/**
 * The shells of this worker's sessions. A command may leave jobs in one that nobody lists: the shell ends, and they with it, where
 * somebody ends all of a conversation, or loses the right to what they have asked for.
 */
export class SessionShells {
  readonly #known = new Map<SessionKey, Map<string, KnownShell>>();

  /** Runs a command in the session's shell, which is written first for those who ask for it. */
  async run<Result>(
    { sessionKey, askers, workspace }: { sessionKey: SessionKey; askers: readonly Asker[]; workspace: Workspace },
    { begin, follow }: ShellDeps,
    command: () => Promise<Result>,
  ): Promise<Result> {
    const who = JSON.stringify(askers.map(({ sender, role }) => `${sender.userId} ${role}`).sort());
    const shell = this.#known.get(sessionKey)?.get(who) ?? this.#add(sessionKey, who, workspace, await begin(), follow);
    shell.workspace = workspace;
    shell.commands += 1;
    try {
      return await command();
    } finally {
      shell.commands -= 1;
    }
  }

  /** Forgets those that have ended by themselves. */
  tidy(): void {
    for (const [sessionKey, shells] of this.#known)
      for (const [who, { workspace, commands }] of shells)
        if (commands === 0 && !workspace.hasShell()) this.#forget(sessionKey, who);
  }

  #add(sessionKey: SessionKey, who: string, workspace: Workspace, id: string, follow: ShellDeps["follow"]): KnownShell {
    const shells = this.#known.get(sessionKey) ?? new Map<string, KnownShell>();
    this.#known.set(sessionKey, shells);
    // Another command may have added it meanwhile.
    const known = shells.get(who);
    const { promise: ended, resolve: gone } = Promise.withResolvers<void>();
    const shell = known ?? { workspace, gone, commands: 0 };
    if (known !== undefined) gone();
    shells.set(who, shell);
    const kill = async () => {
      await shell.workspace.newShell();
      this.#forget(sessionKey, who);
    };
    // Looked at soon, when its command is counted.
    queueMicrotask(() => follow(id, { ended, kill }));
    return shell;
  }

  #forget(sessionKey: SessionKey, who: string): void {
    const shells = this.#known.get(sessionKey);
    shells?.get(who)?.gone();
    shells?.delete(who);
    if (shells?.size === 0) this.#known.delete(sessionKey);
  }
}
