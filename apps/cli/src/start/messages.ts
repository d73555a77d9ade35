import type { LeaseTerms } from "@talaria/store/lease";

/** What `prepare` tells the supervisor. */
export type FromPreparation =
  | { readonly type: "progress"; readonly line: string }
  | { readonly type: "prepared"; readonly plan: Plan };

/** What runs on this machine. Everything that a child needs reaches it through its environment. */
export interface Plan {
  readonly workers: number;
  /** How each of them reaches the database. Secret: they hold passwords. */
  readonly databaseUrls: { readonly gateway: string; readonly worker: string };
  /** The environment variables that a worker's part of the configuration names. */
  readonly workerVariables: readonly string[];
  /** The embedded server's process; absent with a server of one's own. */
  readonly databasePid?: number;
  /** Where the console is. */
  readonly consoleUrl: string;
  /** The token that the console and the API have to show. Secret. */
  readonly token: string;
  /** Where people find it. */
  readonly tokenPlace: string;
  /** Digests of the secret files that are in use, taken before gateway and workers read them. */
  readonly secretFiles: Readonly<Record<string, string>>;
  /** What people should know at the start, such as a missing model key or accounts that are left out. */
  readonly remarks: readonly string[];
}

/** What a gateway or worker tells its supervisor. */
export type FromChild =
  | { readonly type: "ready"; readonly url?: string }
  | {
      readonly type: "failed";
      readonly line: string;
      /** One sentence with the remedy, where what keeps it from serving passes by itself. */
      readonly reason?: string | undefined;
    }
  | FromPreparation
  | LeaseRequest;

/** What a process asks of whoever keeps its lease. A pulse shows that its main thread moves. */
export type LeaseRequest =
  | { readonly type: "lease"; readonly terms: LeaseTerms }
  | { readonly type: "pulse"; readonly stats: Readonly<Record<string, unknown>> }
  | { readonly type: "retire" };

/** The supervisor's orders, and what it says about the lease that it keeps. */
export type ToChild = Order | LeaseAnswer;

/**
 * `prepare` and `begin` are for a process that was started early and waits; `stop`: finish what runs and
 * end; `sweep`: another worker has died, and what it held is free.
 */
export type Order =
  | { readonly type: "prepare" }
  | { readonly type: "begin"; readonly env: Readonly<Record<string, string>> }
  | { readonly type: "sweep" }
  | { readonly type: "stop" };

export type LeaseAnswer =
  | { readonly type: "leased" }
  | { readonly type: "refused"; readonly message: string; readonly sqlState?: string }
  | { readonly type: "lapsed" }
  | { readonly type: "retired" };
