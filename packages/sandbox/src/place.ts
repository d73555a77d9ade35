import type { Server } from "node:net";
import type { Readable, Writable } from "node:stream";

/** One way of keeping commands apart: what each folder of this package implements. */
export interface Backend {
  /** Where commands run and where they come from, in words for an operator: `bubblewrap, as uid 64917`. */
  readonly description: string;
  /** Looks for what it needs. Throws `unsupported`, naming what is missing and the remedy. */
  start(): Promise<void>;
  open(sessionKey: string, view?: PlaceView): Promise<Place>;
  /** Absent where a backend has no way to keep a program apart from its own session. */
  openCell?(door: Server): Promise<Cell>;
  /** Ends whatever still runs. */
  stop(): Promise<void>;
}

/** What a place has that others have not. */
export interface PlaceView {
  /** What it finds in its tmp is left there: another process may have the same place open. */
  readonly keepsTmp: boolean;
  /** Folders of this machine that this place alone may read too. `local` and `ssh` hide none, and take no notice. */
  readonly readable: readonly string[];
}

/** One session's room in a backend. */
export interface Place {
  /** The workspace as programs inside see it. */
  readonly folder: string;
  /** A folder for temporary files, as programs inside see it, that no other session's programs can read. */
  readonly tmp: string;
  readonly shell: "/bin/bash" | "/bin/sh";
  /** Throws `unavailable` when the backend is away. */
  launch(program: Program): Promise<RunningProgram>;
  /**
   * A program that has secrets, by name: it finds their handles in its environment, and they are good while it runs. It has a
   * network of its own. Throws `invalid_request` for one that there is not. Absent where a backend can't keep values from programs.
   */
  launchWithSecrets?(program: Program, names: readonly string[]): Promise<RunningProgram>;
  /** Bytes that the session's files take up. `undefined` where that isn't known. */
  usedBytes(): Promise<number | undefined>;
  /** Kills what runs and leaves the files. */
  close(): Promise<void>;
  /** Instead of `close`, where files that nobody needs would cost something: nothing is left. */
  discard?(): Promise<void>;
}

/**
 * A place apart from every session's: its folder is new and goes with it, and its network has one port, which leads to the
 * server that is its door, and nothing else. No command of a session sees its files, its processes or that port.
 */
export interface Cell {
  /** On 127.0.0.1, as programs inside see it. */
  readonly port: number;
  /** Throws `unavailable` when it can't be started. */
  launch(argv: readonly string[]): Promise<RunningProgram>;
  /** Kills what runs, stops the door and deletes the folder. May be called again. */
  close(): Promise<void>;
}

export interface Program {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** `apart`: its stderr is `errors` of the running program. Default: it goes where stdout goes. */
  readonly stderr?: "apart";
}

/** The program as a shell starts it. The shell is gone then. */
export function shellWords({ argv, stderr }: Pick<Program, "argv" | "stderr">, before = ""): readonly string[] {
  return ["/bin/sh", "-c", `${before}exec "$@"${stderr === "apart" ? "" : " 2>&1"}`, "sh", ...argv];
}

export interface RunningProgram {
  readonly stdin: Writable;
  /** stdout and stderr, as they come; stdout alone where stderr is apart. */
  readonly output: Readable;
  /** stderr, with what the backend itself complains of. Only where the program is to have it apart. */
  readonly errors?: Readable;
  /** When all its processes are gone and the output is whole. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** It was begun under tighter limits than a new one would have. */
  isOutdated?(): boolean;
  /** Kills every process that it started. Resolves when they are gone. `reason` is told with the end. */
  kill(reason?: string): Promise<void>;
}

export interface ProgramEnd {
  readonly code?: number;
  readonly signal?: string;
  /** Why the backend ended it, for whoever reads the output. */
  readonly reason?: string;
}
