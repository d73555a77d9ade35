import type { MarkedCalls, OpenedFor, ReadyCall, Tool, ToolCall, ToolContext, ToolResultEntry } from "@talaria/agent";
import type { Clock, Log } from "@talaria/protocol";

/** Somebody who has shown a token, and what they may do. */
export interface Caller {
  /** The same for every token of the same caller. */
  readonly id: string;
  /** Those that this caller may use: what is missing here does not exist for them. */
  readonly tools: readonly Tool[];
  /** What every tool is told about them. Its requesters are those whose rights count. */
  readonly context: Omit<ToolContext, "signal" | "callId" | "idempotencyKey" | "now" | "progress" | "workspace">;
  /** What a call finds where it works, or its result where it can't run. Never rejects. Absent: nobody works in a workspace. */
  open?(ready: ReadyCall, signal: AbortSignal): Promise<OpenedFor | ToolResultEntry>;
  /** Absent: no file counts as a stranger's. */
  readonly files?: MarkedCalls;
  /** Asked before each call, with its checked input. A text refuses the call and says why. */
  refusal?(tool: Tool, input: unknown, call: ToolCall): Promise<string | undefined>;
  /** Told what each call that ran gave, before the caller is. When it rejects, the caller gets nothing. */
  heard?(result: ToolResultEntry): void | Promise<void>;
}

export interface CallSettings {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly maxToolOutputChars: number;
  /** Of one caller; more are refused. */
  readonly callsPerMinute: number;
  /** A new one for each call. */
  newCallId(): string;
}

export interface ToolServerDeps extends CallSettings {
  /** Whom a token speaks for, compared in constant time. Undefined: nobody, or nobody any more. */
  identify(token: string): Promise<Caller | undefined>;
  /** Names in the `Host` and `Origin` headers that are ours, without ports: another one is a page that was tricked. */
  readonly hosts: readonly string[];
}
