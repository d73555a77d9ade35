import type { ShutPlace } from "./shut-places.ts";

/**
 * What is said of trouble and what mends it, in the language of whoever reads it: one line each, with a colon between the two and no full stop.
 * Instants are ISO 8601 with seconds, and stay so in the line: whoever shows it writes them as its reader does. No secret is given.
 */
export interface ProblemPhrases {
  /** Neither a gateway nor a worker. */
  readonly notRunning: string;
  missing(kind: "gateway" | "worker"): string;
  restarting(since: string): string;
  stopping(since: string): string;
  crashing(loop: CrashingProcess): string;
  model(trouble: FailingModel): string;
  /** `hint`: its adapter's, in English. */
  accountRefused(trouble: AccountTrouble & { readonly hint: string | undefined }): string;
  accountLinking(account: Pick<AccountTrouble, "accountId" | "platform">): string;
  accountLost(trouble: AccountTrouble): string;
  /** Connected, and nothing is delivered. `reason`: of the network, such as `ECONNREFUSED`. */
  accountHeld(trouble: AccountTrouble & { readonly reason: string | undefined; readonly since: string }): string;
  readonly noWorkplace: string;
  /** `places`: names and ids as code; `more`: so many are not among them. */
  place(trouble: ShutPlaceTrouble): string;
  /** `fault`: the first, as code; `more`: so many others. */
  configuration(fault: string, more: number): string;
}

/** A secret file that the configuration names. */
export interface SecretFile {
  readonly path: string;
  /** What `talaria secret set` calls it. Absent: it doesn't reach it. */
  readonly secret?: string | undefined;
}

export interface CrashingProcess {
  readonly name: string;
  readonly host: string;
  readonly crashes: number;
  /** The first and the last end. */
  readonly since: string;
  readonly at: string;
  /** `SIGKILL`, `code 1`. */
  readonly how: string;
}

export interface FailingModel {
  readonly model: string;
  readonly code: string;
  readonly since: string;
  /** Requests that failed so in a row, at least one. */
  readonly failed: number;
  /** Where its key stands. */
  readonly keyFiles: readonly SecretFile[];
}

export interface AccountTrouble {
  readonly accountId: string;
  readonly platform: string;
  readonly code: string;
  /** Where what is refused may stand. */
  readonly files: readonly SecretFile[];
}

export interface ShutPlaceTrouble extends Pick<AccountTrouble, "accountId" | "platform"> {
  readonly code: ShutPlace["code"];
  readonly places: readonly string[];
  readonly more: number;
}
