import type { AskedWords, Asker, Conversation, GrantOffer, Instant, Role } from "@talaria/protocol";
import type { TranscriptEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";
import type { Tool } from "./tool.ts";

/** One call that is about to start, with everything that its right may depend on. */
export interface AskedCall {
  readonly tool: Tool;
  readonly call: ToolCall;
  /** The arguments, as the tool's schema reads them. */
  readonly input: unknown;
  readonly conversation: Conversation;
  /** What the model reads before all entries. Absent: nothing of ours. */
  readonly system?: string;
  /** For whom a call that was settled goes on. Absent: for everyone who asks in this turn. */
  readonly askers?: readonly Asker[] | undefined;
  /** All that the turn has, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Settled turns that the model sees. */
  readonly history: readonly TranscriptEntry[];
  /** This turn so far. */
  readonly journal: readonly TranscriptEntry[];
}

/** `rule` names what decided, for an operator. */
export type Verdict =
  | { readonly decision: "allow"; readonly rule?: string }
  /** The model reads `reason`. */
  | { readonly decision: "deny"; readonly rule: string; readonly reason: string }
  /** Somebody with at least the role `approver` decides until `expiresAt`, and reads `shown`. */
  | {
      readonly decision: "ask";
      readonly rule: string;
      readonly shown: string;
      /** The same in parts. Absent: there is no more than `shown`. */
      readonly words?: AskedWords;
      readonly approver: Role;
      readonly expiresAt: Instant;
      /** Further calls that they may agree to at once. */
      readonly offer?: GrantOffer;
    };

/** Says whether a call may run. Pure and quick; never throws. */
export type Authorise = (asked: AskedCall) => Verdict;
