import type { Server } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { NetworkUse } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

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
  /** All its programs reach the hosts that the operator has opened, without naming them. Default: false. */
  readonly isOpen?: boolean;
}

/** What a program has that the others of its place have not. */
export interface ApartSettings {
  /** Hosts that it may reach. */
  readonly network?: readonly string[];
  /** Names of secrets. It finds their handles in its environment, and reaches their hosts. */
  readonly secrets?: readonly string[];
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
   * A program with a network of its own, for as long as it runs. Throws `invalid_request` for a secret that there is not and for what is
   * no host. Absent where a backend can neither open hosts nor keep values from programs.
   */
  launchApart?(program: Program, settings: ApartSettings): Promise<RunningProgram>;
  /** Bytes that the session's files take up. `undefined` where that isn't known. */
  usedBytes(): Promise<number | undefined>;
  /** Kills what runs and leaves the files. */
  close(): Promise<void>;
  /** Instead of `close`, where files that nobody needs would cost something: nothing is left. */
  discard?(): Promise<void>;
}

/** As `launchApart` of the place. Throws `unsupported` where it has none. */
export function launchApart(place: Place, program: Program, settings: ApartSettings): Promise<RunningProgram> {
  if (place.launchApart !== undefined) return place.launchApart(program, settings);
  const what = (settings.secrets ?? []).length > 0 ? "have secrets" : "be given a network";
  throw new GatewayError(`commands can't ${what} here: that needs \`sandbox.backend: sandbox\``, {
    code: "unsupported",
  });
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
  /** What becomes of its connections: since it began, and from now on. Absent: nobody knows. */
  readonly network?: { readonly use: () => NetworkUse; fromNow(): () => NetworkUse };
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
