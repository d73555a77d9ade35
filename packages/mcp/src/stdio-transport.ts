import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type Clock, LineReader, type Log } from "@talaria/protocol";
import { LineRate, mostMessageBytes, tooLargeText, tooManyText } from "./limits.ts";
import type { Spawn, StdioChild, StdioCommand } from "./stdio-child.ts";
import { problemText } from "./untrusted.ts";

const mostComplaintChars = 2_000;
/** What a dead process had printed is still read, unless a child of it keeps the pipe open. */
const lastWordsMs = 500;

export interface StdioTransportDeps {
  readonly spawn: Spawn;
  readonly clock: Clock;
  readonly log: Log;
  /** Checks one line. Throws for what is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
}

/**
 * One message a line over the pipes of a child process. Lines that are no messages are passed over: many servers print there.
 * The SDK takes a transport with `stderr` and `pid` for one over stdio, and treats silence before the handshake accordingly.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly pid = null;
  readonly #command: StdioCommand;
  readonly #deps: StdioTransportDeps;
  readonly #lines = new LineReader(mostMessageBytes);
  #child: StdioChild | undefined;
  #complaint = "";
  #end: string | undefined;
  #isClosed = false;
  #drained: Promise<void> | undefined;
  readonly #rate = new LineRate();

  constructor(command: StdioCommand, deps: StdioTransportDeps) {
    this.#command = command;
    this.#deps = deps;
  }

  /** Why it is over: how the process ended, with the last line it complained in. Undefined while it runs. */
  get end(): string | undefined {
    if (this.#end === undefined) return undefined;
    const lastLine = this.#complaint.trimEnd().split("\n").at(-1) ?? "";
    return problemText(lastLine === "" ? this.#end : `${this.#end}: ${this.#withoutSecrets(lastLine)}`);
  }

  async start(): Promise<void> {
    const child = await this.#deps.spawn(this.#command);
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stdout.on("error", (error) => this.onerror?.(error));
    child.stderr.on("data", (chunk: Buffer) => this.#note(chunk));
    child.stderr.on("error", () => undefined);
    const lastWords = new Promise<void>((resolve) => child.stdout.once("close", resolve));
    void child.ended.then(async (end) => {
      const waiting = new AbortController();
      await Promise.race([lastWords, this.#deps.clock.sleep(lastWordsMs, waiting.signal).catch(() => undefined)]);
      waiting.abort();
      this.#finish(`it ended with ${end}`);
    });
    if (this.#isClosed) await child.kill();
  }

  /** Resolves when the pipe has taken it, or the server is gone. */
  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#end !== undefined) throw new Error("the server is gone");
    if (child.stdin.write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= new Promise<void>((resolve) => child.stdin.once("drain", resolve)).then(() => {
      this.#drained = undefined;
    });
    await Promise.race([this.#drained, child.ended]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.kill();
    this.#finish("it was stopped");
  }

  #read(chunk: Buffer): void {
    if (this.#end !== undefined) return;
    try {
      for (const line of this.#lines.read(chunk)) {
        if (this.#rate.isTooMuch(this.#deps.clock.elapsed())) {
          this.#giveUp(tooManyText);
          return;
        }
        this.#take(line);
      }
    } catch {
      this.#giveUp(tooLargeText);
    }
  }

  #giveUp(end: string): void {
    this.#finish(end);
    void this.#child?.kill();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = this.#deps.parse(line);
    } catch {
      this.#deps.log.debug({ chars: line.length }, "MCP server printed a line that is no message");
      return;
    }
    this.onmessage?.(message);
  }

  #note(chunk: Buffer): void {
    const text = chunk.toString("utf8");
    this.#complaint = (this.#complaint + text.slice(-mostComplaintChars)).slice(-mostComplaintChars);
    this.#deps.log.debug({ text: text.slice(0, mostComplaintChars) }, "MCP server wrote to stderr");
  }

  #finish(end: string): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#lines.clear();
    this.onclose?.();
  }

  #withoutSecrets(text: string): string {
    const values = Object.values(this.#command.variables).filter((value) => value.length >= 6);
    return values.reduce((shown, value) => shown.replaceAll(value, "***"), text);
  }
}
