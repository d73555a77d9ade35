import type { FetchLike } from "@modelcontextprotocol/client";
import type { ToolContext } from "@talaria/agent";
import type { Clock, Log } from "@talaria/protocol";
import type { LoginPort } from "./oauth/login-port.ts";
import type { Spawn } from "./stdio-child.ts";

/** Something that a server asks in the middle of a call. The text says who asks. */
export interface PersonQuestion {
  readonly markdown: string;
  /** At most 25, each on one line of at most 80 characters, and none twice. */
  readonly choices: readonly string[];
  /** Whatever people write is an answer, too. */
  readonly takesWords: boolean;
  readonly withinMs: number;
}

/** `nobody`: no person who could answer takes part. `unanswered`: not in time, or the call has ended. */
export type PersonAnswer =
  | { readonly status: "answered"; readonly content: string }
  | { readonly status: "nobody" | "unanswered" };

/** Asks the people who have asked for this call. Throws `invalid_request` alone: where too many questions wait already. */
export type AskPerson = (
  call: Pick<ToolContext, "turnId" | "callId">,
  question: PersonQuestion,
  signal: AbortSignal,
) => Promise<PersonAnswer>;

export interface McpDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1, for pauses. */
  random(): number;
  /** Ours, as servers read it. */
  readonly version: string;
  /** Starts a server that runs here: behind a sandbox, or `plainSpawn`. */
  readonly spawn: Spawn;
  /** Every request to servers and logins. Whoever passes it decides which networks it reaches. */
  readonly fetch: FetchLike;
  /** Absent: servers that want a login by OAuth stay away and say so. */
  readonly login?: LoginPort;
  /** Absent: servers are told that nobody answers what they ask in the middle of a call. */
  readonly askPerson?: AskPerson;
}
