import type { CommandOptions, OutputFile } from "@talaria/agent";
import { BoundedOutput } from "./bounded-output.ts";
import type { OutputFiles, OutputLog } from "./output-files.ts";
import type { RunningProgram } from "./place.ts";

/** Reading costs the worker time that other sessions need; nobody wants to read that much. */
const maxFloodBytes = 256 * 1024 * 1024;
const floodReason = `it printed more than ${maxFloodBytes / 1024 / 1024} MB`;

/** Of a process in the background. */
const newestChars = 20_000;
/** Its reader may be shown less than is kept here. */
const loggedFromBytes = 10_000;

/** What one command prints: its beginning and its end, the newest of it, and all of it in a file of the workspace. */
export class CommandOutput {
  readonly #kept: BoundedOutput;
  readonly #newest: BoundedOutput | undefined;
  readonly #log: OutputLog | undefined;
  readonly #whole: CommandOptions["whole"];
  #onOutput: CommandOptions["onOutput"];

  constructor(
    { maxOutputChars, onOutput, whole, goesOn, letGo }: Omit<CommandOptions, "timeoutMs" | "signal">,
    outputs: OutputFiles,
    logFromBytes = maxOutputChars,
  ) {
    this.#kept = new BoundedOutput(maxOutputChars);
    this.#newest = goesOn === true || letGo !== undefined ? new BoundedOutput(newestChars, 0) : undefined;
    this.#log = whole === undefined ? undefined : outputs.log(logFromBytes);
    this.#whole = whole;
    this.#onOutput = onOutput;
  }

  /** Of a process in the background. */
  static ofProcess(outputs: OutputFiles): CommandOutput {
    return new CommandOutput({ maxOutputChars: 0, whole: true, goesOn: true }, outputs, loggedFromBytes);
  }

  /** Kills a program that floods. */
  add(bytes: Buffer, program: Pick<RunningProgram, "kill">): void {
    const text = this.#kept.add(bytes);
    this.#newest?.addText(text);
    if (this.#kept.bytes > maxFloodBytes) void program.kill(floodReason);
    if (text !== "") this.#onOutput?.(text);
    this.#log?.add(typeof this.#whole === "function" ? Buffer.from(this.#whole(text)) : bytes);
  }

  addText(text: string): void {
    this.#kept.addText(text);
    this.#newest?.addText(text);
  }

  /** Nobody is handed pieces any more. */
  hush(): void {
    this.#onOutput = undefined;
  }

  read(): { readonly text: string; readonly leftOut: number } {
    return this.#kept.read();
  }

  newest(): { readonly text: string; readonly leftOut: number } {
    return (this.#newest ?? this.#kept).read();
  }

  /** As far as it is there. */
  get file(): OutputFile | undefined {
    return this.#log?.file;
  }

  /** Once all that was added lies in the file. */
  async logged(): Promise<void> {
    await this.#log?.written();
  }

  /** Nothing more comes. */
  async end(): Promise<void> {
    await this.#log?.end();
  }
}
