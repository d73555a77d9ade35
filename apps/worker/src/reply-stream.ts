import type { WorkWords } from "@talaria/agent";
import type { Conversation, MessageId, StreamFrame } from "@talaria/protocol";
import type { SessionLease } from "@talaria/store";

/** Frames are sent at most this often; a reply that finishes earlier sends none. */
const flushMs = 50;
/** After this long without news, readers are told that the turn is still alive. */
const heartbeatMs = 10_000;
/** UTF-16 units in one frame: three bytes each still fit a PostgreSQL notification. */
const maxFrameLength = 2_000;

export interface ReplyStreamOptions {
  readonly lease: SessionLease;
  readonly turnId: StreamFrame["turnId"];
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  readonly publish: (frame: StreamFrame) => void;
  readonly words: WorkWords;
}

/** Turns a growing text into stream frames. Any frame may be lost. `end` must be called. */
export class ReplyStream {
  readonly #options: ReplyStreamOptions;
  readonly #heartbeat: NodeJS.Timeout;
  #flush: NodeJS.Timeout | undefined;
  #n = 0;
  #text = "";
  #sent = 0;
  #doing: string;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
    this.#doing = options.words.working;
    this.#flush = setTimeout(() => this.#send(), flushMs);
    this.#heartbeat = setInterval(() => this.status(this.#doing), heartbeatMs);
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#doing = this.#options.words.working;
    this.#text += text;
    this.#flush ??= setTimeout(() => this.#send(), flushMs);
  }

  /** Discards what was shown: the reply starts over. */
  restart(): void {
    this.#text = "";
    this.#sent = 0;
  }

  /** What the turn does now. Said again from time to time, so that people see that it goes on. */
  status(label: string): void {
    this.#doing = label;
    this.#send();
    this.#publish({ type: "status", label });
  }

  /** Reports how the reply ended, if its beginning was reported. */
  end(status: Extract<StreamFrame, { type: "ended" }>["status"]): void {
    clearTimeout(this.#flush);
    clearInterval(this.#heartbeat);
    const label = status === "suspended" ? { label: this.#options.words.waiting } : {};
    if (this.#n > 0) this.#publish({ type: "ended", status, ...label });
  }

  #send(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const { route, replyTo } = this.#options;
    if (this.#n === 0) this.#publish({ type: "started", conversation: route, ...(replyTo ? { replyTo } : {}) });
    while (this.#sent < this.#text.length) {
      const text = this.#text.slice(this.#sent, this.#sent + maxFrameLength);
      this.#publish({ type: "delta", offset: this.#sent, text });
      this.#sent += text.length;
    }
  }

  #publish(part: FramePart): void {
    const { lease, turnId, route, publish } = this.#options;
    const { sessionKey, fence } = lease;
    publish({ ...part, accountId: route.accountId, sessionKey, turnId, fence, n: this.#n });
    this.#n += 1;
  }
}

type OwnFields<Frame> = Frame extends StreamFrame
  ? Omit<Frame, "accountId" | "sessionKey" | "turnId" | "fence" | "n">
  : never;
type FramePart = OwnFields<StreamFrame>;
