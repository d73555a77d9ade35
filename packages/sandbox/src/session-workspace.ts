import type {
  BackgroundProcess,
  Command,
  CommandOptions,
  CommandResult,
  FileSlice,
  Networked,
  ShellResult,
  WaitedCommand,
  Workspace,
  WorkspaceFile,
} from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { BackgroundProcesses } from "./background.ts";
import { type CommandDeps, collect } from "./collect.ts";
import type { SandboxLimits } from "./config.ts";
import { WorkspaceFiles } from "./files.ts";
import { OutputFiles } from "./output-files.ts";
import { PersistentShell } from "./persistent-shell.ts";
import { launchApart, type Place, type RunningProgram } from "./place.ts";
import { toProgram } from "./to-program.ts";

/** The port, on whatever backend a session's place is. */
export class SessionWorkspace implements Workspace {
  readonly #place: Place;
  readonly #deps: CommandDeps;
  readonly #limits: SandboxLimits;
  readonly #files: WorkspaceFiles;
  readonly #shell: PersistentShell;

  constructor(place: Place, clock: Clock, limits: SandboxLimits) {
    this.#place = place;
    this.#limits = limits;
    const quotaBytes = limits.quotaMb * 1024 * 1024;
    this.#files = new WorkspaceFiles(place, clock, quotaBytes);
    const outputs = new OutputFiles(this.#files, clock, quotaBytes);
    this.#deps = { clock, outputs, background: new BackgroundProcesses(clock, outputs, limits.background) };
    this.#shell = new PersistentShell(place, this.#deps);
  }

  get folder(): string {
    return this.#place.folder;
  }

  async exec(command: WaitedCommand, options: CommandOptions): Promise<CommandResult> {
    const bounded = this.#bounded(options);
    if (options.signal.aborted) return { output: "", leftOut: 0, end: { kind: "aborted" }, durationMs: 0 };
    const program = await this.#launch(command);
    program.stdin.on("error", () => undefined);
    program.stdin.end(command.stdin);
    return collect(program, shownOf(command), bounded, this.#deps);
  }

  async run(command: string, options: CommandOptions & Networked & Pick<Command, "variables">): Promise<ShellResult> {
    const { variables = {} } = options;
    toProgram({ command, variables }, this.#place);
    return this.#shell.run(command, this.#bounded(options));
  }

  newShell(): Promise<void> {
    return this.#shell.end();
  }

  hasShell(): boolean {
    return this.#shell.isThere;
  }

  async spawn(command: Command & Networked): Promise<BackgroundProcess> {
    return this.#deps.background.start(shownOf(command), async () => {
      const running = await this.#launch(command);
      if (command.stdin !== undefined) running.stdin.write(command.stdin);
      return running;
    });
  }

  processes(): readonly BackgroundProcess[] {
    return this.#deps.background.list();
  }

  read(path: string, range: { readonly start?: number; readonly length: number }): Promise<FileSlice> {
    return this.#files.read(path, range);
  }

  write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    return this.#files.write(path, content);
  }

  list(path: string, limit: number): Promise<readonly WorkspaceFile[]> {
    return this.#files.list(path, limit);
  }

  snapshot(maxBytes: number): Promise<Uint8Array | undefined> {
    return this.#files.snapshot(maxBytes);
  }

  async restore(snapshot: Uint8Array): Promise<void> {
    await this.#files.restore(snapshot);
    // The folder that it stands in is gone.
    await this.#shell.end();
  }

  #launch({ secrets = [], network = [], ...command }: WaitedCommand): Promise<RunningProgram> {
    const program = toProgram(command, this.#place);
    const isApart = secrets.length > 0 || network.length > 0;
    return isApart ? launchApart(this.#place, program, { secrets, network }) : this.#place.launch(program);
  }

  #bounded<Options extends CommandOptions>(options: Options): Options {
    const { seconds, outputChars } = this.#limits;
    return {
      ...options,
      timeoutMs: Math.max(1, Math.min(options.timeoutMs, seconds * 1_000)),
      maxOutputChars: Math.max(0, Math.min(options.maxOutputChars, outputChars)),
    };
  }
}

function shownOf({ command }: Command): string {
  return typeof command === "string" ? command : command.join(" ");
}
