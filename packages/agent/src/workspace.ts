/**
 * Where a session's commands run and its files lie: one folder behind a boundary that the model's code can't cross.
 * `packages/sandbox` implements it. Paths are relative to the workspace's folder, or absolute as a command inside sees them;
 * a path that leads out, also through a link, is refused with `invalid_request`. Every method throws `unavailable` when the
 * backend is away.
 */
export interface Workspace {
  /** The folder as commands inside see it. */
  readonly folder: string;
  /** Runs one command from a fresh shell and waits for its end. A timeout or an abort kills its whole process group. */
  exec(command: WaitedCommand, options: CommandOptions): Promise<CommandResult>;
  /**
   * Runs one command in the session's own shell, whose folder and variables the next command finds again. A shell that died,
   * was killed or never was is begun anew; `isNewShell` says so. One that comes while another one runs there gets a shell of its own
   * with that folder and these variables as they were before, which ends with it; so does one with a network. After one that goes on in the background the next
   * gets such a shell for good. `variables` are those of this command alone; the shell's own of the same name count instead.
   */
  run(command: string, options: CommandOptions & Networked & Pick<Command, "variables">): Promise<ShellResult>;
  /** Ends the session's own shell, and what runs in it: the next command gets a new one, without variables of earlier commands. */
  newShell(): Promise<void>;
  /** Whether the session's own shell is there, and with it what commands may have left in it. */
  hasShell(): boolean;
  /** Starts a command that outlives the call and the turn. Throws `invalid_request` above the limit of running ones. */
  spawn(command: Command & Networked): Promise<BackgroundProcess>;
  /** Those that run, and those that ended within the last hour. */
  processes(): readonly BackgroundProcess[];
  /** `start` and `length` are bytes. Throws `invalid_request` for what is not a readable file. */
  read(path: string, range: { readonly start?: number; readonly length: number }): Promise<FileSlice>;
  /**
   * Replaces the whole file in one step; makes its folders. Content that comes in pieces is held a few MB at a time, and put in its
   * place when all has come. Throws `invalid_request` above the quota, and what the pieces throw; then the file is as it was.
   */
  write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** At most `limit` entries of one folder, sorted by name. */
  list(path: string, limit: number): Promise<readonly WorkspaceFile[]>;
  /** All files, with their modes and times, as `restore` takes them. Undefined where they have more than `maxBytes`. */
  snapshot(maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Puts the files of a snapshot in place of all others, and has the next command run in a new shell. Throws `invalid_request` for what is no snapshot, and above the quota;
   * then the files are as they were.
   */
  restore(snapshot: Uint8Array): Promise<void>;
}

export interface Command {
  /** Text for `/bin/bash -c`, or a program with its arguments. */
  readonly command: string | readonly [string, ...string[]];
  /** Default: the workspace's folder. */
  readonly folder?: string;
  /** Added to PATH, HOME and LANG, which is all that a command finds. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** A command may have a network of its own, of the hosts that it names. */
export interface Networked {
  /**
   * Hosts that it may reach, `example.org` or `example.org:8443`, and no others: whoever hands them on has the right to. Throws
   * `unsupported` where the backend can open none. Default: none.
   */
  readonly network?: readonly string[];
}

/** What became of a command's connections. */
export interface NetworkUse {
  /** A host was reached: what the command has printed and written may be a stranger's. */
  readonly hasReached: boolean;
  /** Those it was kept from, each once, the first sixteen. */
  readonly refused: readonly RefusedHost[];
}

export interface RefusedHost {
  /** As the command has named it: `example.org`, with the port where it isn't one of the web. Short, without blanks. */
  readonly host: string;
  /**
   * `unnamed`: the command did not ask for it. `private`: it leads into this machine or a private network. `nameless`: no address of it
   * can be found. `away`: nobody answers there.
   */
  readonly why: "unnamed" | "private" | "nameless" | "away";
}

/** A command that somebody waits for. */
export interface WaitedCommand extends Command, Networked {
  /**
   * Names of secrets that it may use. It finds a handle for each in its environment, and never the value. Throws `unsupported`
   * where the backend has none.
   */
  readonly secrets?: readonly string[];
}

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Of stdout and stderr together; the middle of more is left out while it runs, so memory stays bounded. */
  readonly maxOutputChars: number;
  /** Output as it comes, in pieces. Never awaited. */
  readonly onOutput?: (text: string) => void;
  /** At the end of the time the command goes on as a process in the background for at most an hour, if there may be another one, instead of being killed. */
  readonly goesOn?: true;
  /**
   * Aborted while the command runs, it goes on as a process in the background, if there may be another one: for an hour at most with
   * `goesOn`, else for the time that it has left. If there may not, it runs as if nobody had asked.
   */
  readonly letGo?: AbortSignal;
  /**
   * More output than `maxOutputChars` lies whole in a file of the workspace, `outputFile`, written while it comes. A function is given
   * the pieces and returns what of them is to be there.
   */
  readonly whole?: true | ((text: string) => string);
}

/** Where the output of a command lies. The oldest of these files are deleted when there are many. */
export interface OutputFile {
  /** Relative to the workspace's folder. */
  readonly path: string;
  /** False: it has the beginning alone. */
  readonly isWhole: boolean;
}

export interface CommandResult {
  /** stdout and stderr as they came. */
  readonly output: string;
  /** Characters that were left out of `output`. */
  readonly leftOut: number;
  readonly end:
    | { readonly kind: "exit"; readonly code: number }
    | { readonly kind: "signal"; readonly signal: string }
    | { readonly kind: "timeout" | "aborted" | "let_go" };
  readonly durationMs: number;
  /** Absent: nothing was to be kept, or could be. */
  readonly outputFile?: OutputFile;
  /** Id of the process as which it goes on after its time, or since it was let go. */
  readonly goesOnAs?: string;
  /** Absent: the backend doesn't know. Of commands without a network that run at once, each may have what is another one's. */
  readonly network?: NetworkUse;
}

export interface ShellResult extends CommandResult {
  readonly isNewShell: boolean;
  /** Where the shell says it is afterwards, which a command may have made up. Absent: it is gone, or can't tell. */
  readonly folder?: string;
}

export interface BackgroundProcess {
  /** Short and unique in the workspace: `p1`, until `rename`. */
  readonly id: string;
  /** Gives it the id under which others know it. Whoever does so does it for each one, at once. */
  rename(id: string): void;
  readonly command: string;
  /** By the clock that only runs forward. */
  readonly startedAt: number;
  readonly end?: CommandResult["end"];
  /** The newest output, at most 20,000 characters; `leftOut` counts what came before, `file` has more than 10,000 bytes. */
  output(): { readonly text: string; readonly leftOut: number; readonly file?: OutputFile };
  write(text: string): Promise<void>;
  /** Kills the process group. Resolves when it is gone. The output ends with the reason, if one is given. */
  kill(reason?: string): Promise<void>;
  /** Resolves with its end. */
  readonly ended: Promise<CommandResult["end"]>;
  /** So far. Absent: the backend doesn't know. */
  network?(): NetworkUse;
}

export interface FileSlice {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

export interface WorkspaceFile {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}
