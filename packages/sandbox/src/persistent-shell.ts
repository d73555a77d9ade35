import type { Command, CommandOptions, CommandResult, Networked, ShellResult } from "@talaria/agent";
import { type CommandDeps, collect, resultOf } from "./collect.ts";
import { CommandOutput } from "./command-output.ts";
import { launchApart, type Place, type ProgramEnd, type RunningProgram } from "./place.ts";
import { before } from "./program-end.ts";
import { ShellMarker, unknownWord } from "./shell-marker.ts";
import { besideText, commandLines, firstLines, stateLines } from "./shell-text.ts";
import { toProgram } from "./to-program.ts";
import { wholeEnd } from "./whole-end.ts";

/** How long a shell may take to write down its variables. */
const stateMs = 5_000;

type ShellOptions = CommandOptions & Networked & Pick<Command, "variables">;

interface Shell {
  readonly program: RunningProgram;
  /** The file in which its folder and its variables are, as of the end of its newest command. */
  state: string;
  /** Takes what it prints while a command runs. */
  listener?: ((bytes: Buffer) => void) | undefined;
  /** Where it says it is. */
  folder?: string | undefined;
}

/**
 * A session's own shell. What a command leaves in the background goes on; its output is lost between two commands. What comes
 * while a command runs gets a shell of its own.
 */
export class PersistentShell {
  readonly #place: Place;
  readonly #deps: CommandDeps;
  #shell: Shell | undefined;
  #isBusy = false;
  /** The newest command has ended, and its shell writes down what it has set. */
  #settling: Promise<void> | undefined;
  /** Of a shell whose command went on in the background: the next one begins with it. */
  #inherited: string | undefined;
  /** Files that other shells may still have to read: what stands in them stays. */
  readonly #lent = new Set<string>();
  #besides = 0;

  constructor(place: Place, deps: CommandDeps) {
    this.#place = place;
    this.#deps = deps;
  }

  async run(command: string, options: ShellOptions): Promise<ShellResult> {
    while (this.#settling !== undefined) await this.#settling;
    if (this.#isBusy || (options.network ?? []).length > 0)
      return { ...(await this.#runBeside(command, options)), isNewShell: false };
    this.#isBusy = true;
    try {
      return await this.#run(command, options);
    } finally {
      if (this.#settling === undefined) this.#isBusy = false;
    }
  }

  get isThere(): boolean {
    return this.#shell !== undefined;
  }

  /** Kills what runs in it. The next command gets a new one. */
  async end(): Promise<void> {
    this.#inherited = undefined;
    const shell = this.#shell;
    if (shell === undefined) return;
    this.#forget(shell);
    await shell.program.kill();
  }

  async #run(command: string, options: ShellOptions): Promise<ShellResult> {
    const { clock, outputs } = this.#deps;
    const startedAt = clock.elapsed();
    if (this.#shell?.program.isOutdated?.()) await this.#shell.program.kill();
    const isNewShell = this.#shell === undefined && this.#inherited === undefined;
    const shell = this.#shell ?? (await this.#begin());
    const { program } = shell;
    const said = new CommandOutput(options, outputs);
    shell.folder = undefined;
    const ended = this.#sent(shell, command, said, options.variables);
    const goesOn = () => {
      this.#forget(shell);
      this.#inherited = shell.state;
    };
    const network = program.network && { network: program.network.fromNow() };
    const begun = { shown: command, startedAt, program, said, ended, goesOn, ...network };
    const result = await resultOf(begun, options, this.#deps);
    if (result.end.kind === "timeout" || result.end.kind === "aborted") this.#forget(shell);
    return { ...result, isNewShell, ...(shell.folder === undefined ? {} : { folder: shell.folder }) };
  }

  async #runBeside(command: string, options: ShellOptions): Promise<CommandResult> {
    const state = this.#shell?.state ?? this.#inherited ?? this.#stateFile();
    this.#lent.add(state);
    this.#besides += 1;
    try {
      const { network = [], variables = {} } = options;
      const asked = toProgram({ command: besideText(command, state), variables }, this.#place);
      const program = await (network.length > 0
        ? launchApart(this.#place, asked, { network })
        : this.#place.launch(asked));
      program.stdin.on("error", () => undefined);
      program.stdin.end();
      return await collect(program, command, options, this.#deps);
    } finally {
      this.#besides -= 1;
    }
  }

  /** The end of the command, or of the shell with it. */
  #sent(shell: Shell, command: string, said: CommandOutput, variables: ShellOptions["variables"]): Promise<ProgramEnd> {
    const { program } = shell;
    const marker = new ShellMarker();
    let seen: ProgramEnd | undefined;
    const marked = new Promise<ProgramEnd>((resolve) => {
      shell.listener = (bytes) => {
        const { output, code, folder, rest } = marker.take(bytes);
        said.add(output, program);
        if (code === undefined) return;
        shell.listener = undefined;
        shell.folder = folder;
        seen = { code };
        // One whose command went on in the background is nobody's shell any more, and ends with it.
        if (this.#shell !== shell) return void program.kill();
        this.#settling = this.#settle(shell, rest);
        resolve(seen);
      };
    });
    program.stdin.write(commandLines(command, marker, variables));
    return Promise.race([marked, program.ended.then((end) => seen ?? end)]);
  }

  /** Nothing is run in it meanwhile. */
  async #settle(shell: Shell, rest: Buffer | undefined): Promise<void> {
    const marker = new ShellMarker();
    const marked = new Promise<void>((resolve) => {
      shell.listener = (bytes) => {
        if (marker.take(bytes).code !== undefined) resolve();
      };
    });
    if (rest !== undefined) shell.listener?.(rest);
    const { program } = shell;
    if (this.#lent.has(shell.state)) shell.state = this.#stateFile();
    const read = this.#besides === 0 ? [...this.#lent] : [];
    for (const file of read) this.#lent.delete(file);
    program.stdin.write(stateLines(this.#place.shell, shell.state, read, marker));
    const end = await before(Promise.race([marked, program.ended]), stateMs, this.#deps.clock);
    shell.listener = undefined;
    if (end === "timeout") await program.kill();
    this.#settling = undefined;
    this.#isBusy = false;
  }

  async #begin(): Promise<Shell> {
    const { shell: name, folder } = this.#place;
    const argv = name === "/bin/bash" ? [name, "--noprofile", "--norc"] : [name];
    const launched = await this.#place.launch({ argv, folder, variables: {} });
    const program: RunningProgram = { ...launched, ended: wholeEnd(launched) };
    const shell: Shell = { program, state: this.#stateFile() };
    program.stdin.on("error", () => undefined);
    program.output.on("data", (bytes: Buffer) => shell.listener?.(bytes));
    program.stdin.write(firstLines(this.#inherited));
    if (this.#inherited !== undefined) this.#lent.add(this.#inherited);
    this.#inherited = undefined;
    this.#shell = shell;
    void program.ended.then(() => this.#forget(shell));
    return shell;
  }

  #stateFile(): string {
    return `${this.#place.tmp}/.shell-${unknownWord()}`;
  }

  #forget(shell: Shell): void {
    if (this.#shell === shell) this.#shell = undefined;
  }
}
