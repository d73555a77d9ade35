import type { FetchLike } from "@modelcontextprotocol/client";
import type { Clock, Log } from "@talaria/protocol";
import type { LoginPort } from "./oauth/login-port.ts";
import type { Spawn } from "./stdio-child.ts";

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
  /** Absent: servers are told that nobody fills in forms here. */
  fillForm?(form: Form, signal: AbortSignal): Promise<FilledForm>;
}

/** What a server asks a person in the middle of a call. All of it is the server's own text, cut and cleaned. */
export interface Form {
  readonly server: string;
  readonly message: string;
  /** JSON Schema of flat fields. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type FilledForm =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean | string[]>> }
  | { readonly action: "decline" | "cancel" };
