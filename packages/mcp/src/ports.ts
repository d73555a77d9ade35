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
}
