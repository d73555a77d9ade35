import {
  type Clock,
  type ConversationId,
  GatewayError,
  type Log,
  type SessionKey,
  type StreamFrame,
} from "@talaria/protocol";
import type { WebChannel, WebLine, WebSignal } from "./channel.ts";
import { EventWriter } from "./event-writer.ts";
import { withSteps } from "./line-steps.ts";
import { tellNews } from "./news.ts";

/** A comment this often keeps proxies from closing a quiet stream. */
const keepAliveMs = 15_000;
/** Lines looked at when something was sent, or when a reader comes back. */
const lookBack = 100;

export interface EventStreamOptions {
  readonly conversationId: ConversationId;
  readonly channel: WebChannel;
  /** Id of the last line the reader has. Lines after it are sent first. */
  readonly after?: string;
  /** Tells too that the list of conversations has changed. */
  readonly hasNews: boolean;
  /** Ends the stream from outside; aborted too when the reader has gone. */
  readonly ending: AbortController;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The server-sent events of one conversation: `started`, `delta`, `status` while a reply grows; `completed` or `failed`
 * for each new line of the agent, with the line's id as event id; `message` for a person's; `closed` for a question that the reader
 * has and that was decided; `deleted` when none of the lines is there any more. Deltas may be missing; lines never are, since each look compares the end of the history with what was shown. Resolves once it is known which lines
 * are new: whoever reads the history from then on misses none. With news, `changed` tells that the list of conversations is another one. Throws `unavailable` when the history cannot be read.
 */
export async function openEventStream(options: EventStreamOptions): Promise<ReadableStream<Uint8Array>> {
  const { channel, ending, clock } = options;
  const writer = new EventWriter(ending);
  const reader = new LineReader(options, writer);
  const leave = channel.subscribe((signal) => reader.receive(signal));
  ending.signal.addEventListener("abort", leave, { once: true });
  if (options.hasNews) tellNews(channel, writer, clock, ending.signal);
  writer.comment("open");
  try {
    await reader.begin();
  } catch (error) {
    ending.abort();
    throw new GatewayError("the history could not be read", { code: "unavailable", effect: "none", cause: error });
  }
  void keepAlive(writer, clock, ending.signal);
  return writer.stream;
}

async function keepAlive(writer: EventWriter, clock: Clock, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    try {
      await clock.sleep(keepAliveMs, ending);
    } catch {
      return;
    }
    writer.keepAlive();
  }
}

/** Turns signals into events and remembers which lines the reader has. */
class LineReader {
  readonly #options: EventStreamOptions;
  readonly #writer: EventWriter;
  /** The lines that the reader has, with what they say of how they ended. */
  #shown: ReadonlyMap<string, string> = new Map();
  #looking = true;
  #lookAgain = false;
  #fence = 0;

  constructor(options: EventStreamOptions, writer: EventWriter) {
    this.#options = options;
    this.#writer = writer;
  }

  /** Without a place to go on from, the reader reads the history itself: only what comes from now on is new. */
  async begin(): Promise<void> {
    const { after, channel, conversationId } = this.#options;
    const { lines } = await channel.history({ conversationId }, lookBack);
    const known = after === undefined ? lines.length : lines.findIndex(({ id }) => id === after) + 1;
    this.#shown = shownOf(lines.slice(0, known));
    this.#looking = false;
    if (known < lines.length || this.#lookAgain) this.#look();
  }

  receive(signal: WebSignal): void {
    if (signal.type === "frame") this.#frame(signal.frame);
    else if (signal.type === "sent" && signal.conversationId === this.#options.conversationId) this.#look();
  }

  /** Frames of a worker that has lost the session are late, and dropped. */
  #frame(frame: StreamFrame): void {
    if (conversationOf(frame.sessionKey) !== this.#options.conversationId || frame.fence < this.#fence) return;
    this.#fence = frame.fence;
    const event = toEvent(frame);
    if (event !== undefined) this.#writer.expendable(event.name, event.data);
  }

  /** One look at a time; any number of signals meanwhile make one more. */
  #look(): void {
    this.#lookAgain = true;
    if (!this.#looking) void this.#lookOn();
  }

  async #lookOn(): Promise<void> {
    const { conversationId, ending, log } = this.#options;
    this.#looking = true;
    while (this.#lookAgain && !ending.signal.aborted) {
      this.#lookAgain = false;
      try {
        await this.#showNew();
      } catch (error) {
        log.warn({ error, conversationId }, "history could not be read for a web reader");
      }
    }
    this.#looking = false;
  }

  async #showNew(): Promise<void> {
    const { channel, conversationId } = this.#options;
    const { lines } = await channel.history({ conversationId }, lookBack);
    for (const line of lines) {
      const before = this.#shown.get(line.id);
      if (before === endOf(line)) continue;
      await this.#writer.room();
      if (before === undefined) await this.#showLine(line);
      else this.#writer.event("closed", { id: line.id, closed: line.closed, question: line.question });
    }
    if (lines.length === 0 && this.#shown.size > 0) this.#writer.event("deleted", {});
    this.#shown = shownOf(lines);
  }

  async #showLine(line: WebLine): Promise<void> {
    for (const shown of await withSteps([line], this.#options.channel))
      this.#writer.event(kindOf(shown), shown, shown.id);
  }
}

function shownOf(lines: readonly WebLine[]): ReadonlyMap<string, string> {
  return new Map(lines.map((line) => [line.id, endOf(line)]));
}

function endOf({ closed }: WebLine): string {
  return closed?.words ?? "";
}

/** A turn that completed or failed shows as its line; one that was stopped may have none. */
function toEvent(frame: StreamFrame): { readonly name: string; readonly data: object } | undefined {
  const { type, turnId } = frame;
  switch (type) {
    case "started":
      return { name: type, data: { turnId } };
    case "delta":
      return { name: type, data: { turnId, offset: frame.offset, text: frame.text } };
    case "status":
      return { name: type, data: { turnId, label: frame.label } };
    case "ended":
      if (frame.status === "suspended") return { name: "status", data: { turnId, label: "waiting for an answer" } };
      return frame.status === "aborted" ? { name: "failed", data: { turnId, reason: "stopped" } } : undefined;
    default:
      return frame satisfies never;
  }
}

function kindOf({ from, outcome }: WebLine): string {
  if (from === "person") return "message";
  return outcome === "failed" ? "failed" : "completed";
}

/** A web session is its conversation: the key's second segment. */
function conversationOf(sessionKey: SessionKey): string {
  return decodeURIComponent(sessionKey.split("/")[1] ?? "");
}
