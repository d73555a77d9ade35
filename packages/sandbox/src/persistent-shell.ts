import type { CommandOptions, ShellResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { BoundedOutput } from "./bounded-output.ts";
import { endOf, floodReason, maxFloodBytes, noteOf } from "./collect.ts";
import type { Place, ProgramEnd, RunningProgram } from "./place.ts";
import { firstLine, ShellMarker } from "./shell-marker.ts";
import { wholeEnd } from "./whole-end.ts";

/**
 * A session's own shell. Commands run one after the other. What one leaves in the background goes on; its output is lost
 * between two commands.
 */
export class PersistentShell {
  readonly #place: Place;
  readonly #clock: Clock;
  #program: RunningProgram | undefined;
  /** Takes what the shell prints while a command runs. */
  #listener: ((bytes: Buffer) => void) | undefined;
  /** Where it is, as it has said after its last command. */
  #folder: string | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(place: Place, clock: Clock) {
    this.#place = place;
    this.#clock = clock;
  }

  run(command: string, options: CommandOptions): Promise<ShellResult> {
    const result = this.#previous.then(() => this.#run(command, options));
    this.#previous = result.catch(() => undefined);
    return result;
  }

  /** Kills what runs in it. The next command gets a new one. */
  async end(): Promise<void> {
    const program = this.#program;
    if (program === undefined) return;
    this.#forget(program);
    await program.kill();
  }

  async #run(command: string, options: CommandOptions): Promise<ShellResult> {
    const startedAt = this.#clock.now();
    if (this.#program?.isOutdated?.()) await this.#program.kill();
    const isNewShell = this.#program === undefined;
    const program = this.#program ?? (await this.#begin());
    const kept = new BoundedOutput(options.maxOutputChars);
    this.#folder = undefined;
    const { end, reason } = await endOf(program, this.#sent(program, command, kept, options), options, this.#clock);
    this.#listener = undefined;
    if (end.kind === "timeout" || end.kind === "aborted") this.#forget(program);
    if (reason !== undefined) kept.addText(noteOf(reason));
    const { text, leftOut } = kept.read();
    const folder = this.#folder;
    const durationMs = this.#clock.now() - startedAt;
    return { output: text, leftOut, end, durationMs, isNewShell, ...(folder === undefined ? {} : { folder }) };
  }

  /** The end of the command, or of the shell with it. */
  #sent(program: RunningProgram, command: string, kept: BoundedOutput, options: CommandOptions): Promise<ProgramEnd> {
    const marker = new ShellMarker();
    const marked = new Promise<ProgramEnd>((resolve) => {
      this.#listener = (bytes) => {
        const { output, code, folder } = marker.take(bytes);
        const text = kept.add(output);
        if (kept.bytes > maxFloodBytes) void program.kill(floodReason);
        if (text !== "") options.onOutput?.(text);
        if (code === undefined) return;
        this.#listener = undefined;
        this.#folder = folder;
        resolve({ code });
      };
    });
    program.stdin.write(marker.lines(command));
    return Promise.race([marked, program.ended]);
  }

  async #begin(): Promise<RunningProgram> {
    const { shell, folder } = this.#place;
    const argv = shell === "/bin/bash" ? [shell, "--noprofile", "--norc"] : [shell];
    const launched = await this.#place.launch({ argv, folder, variables: {} });
    const program: RunningProgram = { ...launched, ended: wholeEnd(launched) };
    program.stdin.on("error", () => undefined);
    program.output.on("data", (bytes: Buffer) => this.#listener?.(bytes));
    program.stdin.write(firstLine);
    this.#program = program;
    void program.ended.then(() => this.#forget(program));
    return program;
  }

  #forget(program: RunningProgram): void {
    if (this.#program === program) this.#program = undefined;
  }
}
