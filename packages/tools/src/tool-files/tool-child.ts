import type { ToolContext, ToolResult } from "@talaria/agent";
import { type GuardedProcess, startGuarded } from "@talaria/guarded-process";
import { type Clock, GatewayError, LineReader, type Log } from "@talaria/protocol";
import { type FromChild, fromChildSchema, type ToChild } from "./messages.ts";

const mostLineBytes = 8 * 1024 * 1024;
/** A child that says so much without finishing a call is out of its mind. */
const mostLines = 20_000;
const mostCalls = 16;
const mostRequests = 8;
/** Of what a child was told and has not read yet. */
const mostUnreadBytes = 64 * 1024 * 1024;
const longestStartMs = 20_000;
/** For a tool to end by itself once its call was stopped. */
const patienceMs = 2_000;
const progressPauseMs = 1_000;
const mostComplaintChars = 2_000;
const memory = { heapMb: 256, dataMb: 1_024 };

export interface ChildOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The child's own program. */
  readonly program: string;
  /** Files and folders that it may read. */
  readonly readable: readonly string[];
  readonly open: Omit<Extract<ToChild, { type: "open" }>, "type">;
}

/** Carries out what a call asks of the worker. */
export type Answer = (handle: string, args: unknown, context: ToolContext) => Promise<unknown>;

/** What one call may use. */
type Given = Pick<Extract<ToChild, { type: "call" }>, "handles" | "secrets">;

interface RunningCall {
  readonly context: ToolContext;
  readonly answer: Answer;
  readonly settle: (end: ToolResult | Error) => void;
  requests: number;
  shownAt: number;
}

type Described = Extract<FromChild, { type: "described" | "broken" }>;

/** The process of one tool file. It ends by `stop`, by itself, or when it does what no child may. */
export class ToolChild {
  readonly #options: ChildOptions;
  readonly #process: GuardedProcess;
  readonly #lines = new LineReader(mostLineBytes);
  readonly #calls = new Map<string, RunningCall>();
  readonly #described = Promise.withResolvers<Described>();
  readonly #loading = new AbortController();
  readonly #over = new AbortController();
  #linesSince = 0;
  #number = 0;
  #complaint = "";
  #end: string | undefined;

  /** Resolves when it is gone. */
  readonly ended: Promise<void>;

  /** Starts it. */
  constructor(options: ChildOptions) {
    this.#options = options;
    this.#process = startGuarded(options.program, { readable: options.readable, ...memory });
    const { stdout, stderr, ended } = this.#process;
    stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    stderr.on("data", (chunk: Buffer) => this.#note(chunk));
    // What it said last is read before its end counts.
    const isRead = new Promise<void>((resolve) => stdout.once("close", resolve));
    this.ended = Promise.all([ended, isRead]).then(([end]) => this.#finish(`its process ended with ${end}`));
    this.#described.promise.catch(() => undefined);
    this.#say({ type: "open", ...options.open });
  }

  /** What it says of its file. Throws an Error when it says nothing. */
  async described(): Promise<Described> {
    void this.#options.clock.sleep(longestStartMs, this.#loading.signal).then(
      () => this.#giveUp(`it was not loaded within ${longestStartMs / 1_000} s`),
      () => undefined,
    );
    return await this.#described.promise.finally(() => this.#loading.abort());
  }

  /** Aborted as soon as it takes no more calls. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Throws what the tool throws, and `unavailable` when its process ends before the call. */
  async call(input: unknown, context: ToolContext, given: Given, answer: Answer): Promise<ToolResult> {
    if (this.#end !== undefined) throw new GatewayError(this.#end, { code: "unavailable", effect: "none" });
    if (this.#calls.size >= mostCalls) {
      const message = `this tool has ${mostCalls} calls running: try again when they are done`;
      throw new GatewayError(message, { code: "unavailable", effect: "none" });
    }
    this.#number += 1;
    const id = String(this.#number);
    const over = new AbortController();
    const onAbort = () => {
      this.#say({ type: "abort", id });
      void this.#options.clock.sleep(patienceMs, over.signal).then(
        () => this.#giveUp("it did not end a call that was stopped"),
        () => undefined,
      );
    };
    try {
      return await new Promise<ToolResult>((resolve, reject) => {
        const settle = (end: ToolResult | Error) => (end instanceof Error ? reject(end) : resolve(end));
        this.#calls.set(id, { context, answer, settle, requests: 0, shownAt: Number.NEGATIVE_INFINITY });
        this.#say({ type: "call", id, input, idempotencyKey: context.idempotencyKey, ...given });
        context.signal.addEventListener("abort", onAbort, { once: true });
        if (context.signal.aborted) onAbort();
      });
    } finally {
      context.signal.removeEventListener("abort", onAbort);
      over.abort();
      this.#calls.delete(id);
    }
  }

  /** Kills it. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#giveUp("it was stopped");
    await this.ended;
  }

  #say(message: ToChild): void {
    if (this.#end !== undefined) return;
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
    if (this.#process.stdin.writableLength > mostUnreadBytes) this.#giveUp("it does not read what it has asked for");
  }

  #read(chunk: Buffer): void {
    if (this.#end !== undefined) return;
    try {
      for (const line of this.#lines.read(chunk)) {
        this.#linesSince += 1;
        if (this.#linesSince > mostLines) {
          this.#giveUp(`it sent more than ${mostLines} lines without a result`);
          return;
        }
        this.#take(fromChildSchema.parse(JSON.parse(line)));
      }
    } catch (error) {
      const isLong = error instanceof RangeError;
      this.#giveUp(isLong ? `it sent more than ${mostLineBytes} bytes in one line` : "it wrote to its standard output");
    }
  }

  #take(message: FromChild): void {
    switch (message.type) {
      case "described":
      case "broken":
        this.#described.resolve(message);
        break;
      case "result": {
        this.#linesSince = 0;
        const { content, untrusted } = message;
        this.#calls.get(message.id)?.settle({ content, ...(untrusted && { untrusted }) });
        break;
      }
      case "failed":
        this.#linesSince = 0;
        this.#calls.get(message.id)?.settle(new GatewayError(message.message, { code: "invalid_request" }));
        break;
      case "progress":
        this.#show(message.id, message.label);
        break;
      case "request":
        void this.#answer(message);
        break;
      case "crash":
        this.#giveUp(`its process crashed: ${message.message.slice(0, 1_000)}`);
        break;
      default:
        message satisfies never;
    }
  }

  /** A tool may report as often as it likes; people see a line now and then. */
  #show(id: string, label: string): void {
    const call = this.#calls.get(id);
    const now = this.#options.clock.elapsed();
    if (call === undefined || now - call.shownAt < progressPauseMs) return;
    call.shownAt = now;
    call.context.progress(label.slice(0, 200));
  }

  async #answer({ id, number, handle, args }: Extract<FromChild, { type: "request" }>): Promise<void> {
    const call = this.#calls.get(id);
    if (call === undefined) return this.#say({ type: "refusal", number, message: "the call is over" });
    if (call.requests >= mostRequests) {
      const message = `at most ${mostRequests} uses of handles at a time: await one before the next`;
      return this.#say({ type: "refusal", number, message });
    }
    call.requests += 1;
    try {
      this.#say({ type: "answer", number, value: await call.answer(handle, args, call.context) });
    } catch (error) {
      this.#say({ type: "refusal", number, message: error instanceof Error ? error.message : String(error) });
    } finally {
      call.requests -= 1;
    }
  }

  #note(chunk: Buffer): void {
    const text = chunk.toString("utf8");
    this.#complaint = (this.#complaint + text.slice(-mostComplaintChars)).slice(-mostComplaintChars);
    this.#options.log.debug({ text: text.slice(0, mostComplaintChars) }, "tool file printed something");
  }

  #giveUp(why: string): void {
    this.#finish(why);
    this.#process.kill();
  }

  #finish(why: string): void {
    if (this.#end !== undefined) return;
    // V8's last words say that its heap is full.
    this.#end = /heap out of memory|out of memory/i.test(this.#complaint) ? "its process ran out of memory" : why;
    this.#lines.clear();
    this.#over.abort();
    this.#described.reject(new Error(this.#end));
    for (const { settle } of this.#calls.values()) settle(new GatewayError(this.#end, { code: "unavailable" }));
  }
}
