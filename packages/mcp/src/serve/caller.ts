import type { Tool, ToolContext } from "@talaria/agent";
import type { Clock, Log } from "@talaria/protocol";

/** Somebody with a bearer token, and what they may do. */
export interface Caller {
  /** The same for every token of the same caller. */
  readonly id: string;
  /** Those that this caller may use: what is missing here does not exist for them. */
  readonly tools: readonly Tool[];
  /** What every tool is told about them. Its requesters are those whose rights count. */
  readonly context: Omit<ToolContext, "signal" | "callId" | "idempotencyKey" | "now" | "progress">;
  /** Asked before each call, with its checked input. A text refuses the call and says why. */
  refusal?(tool: Tool, input: unknown): Promise<string | undefined>;
}

export interface ToolServerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Whom a token speaks for, compared in constant time. Undefined: nobody, or nobody any more. */
  identify(token: string): Promise<Caller | undefined>;
  /** Names in the `Host` and `Origin` headers that are ours, without ports: another one is a page that was tricked. */
  readonly hosts: readonly string[];
  readonly maxToolOutputChars: number;
  /** A new one for each call. */
  newCallId(): string;
}
