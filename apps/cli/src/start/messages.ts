/** What `prepare` tells the supervisor. */
export type FromPreparation =
  | { readonly type: "progress"; readonly line: string }
  | { readonly type: "prepared"; readonly plan: Plan };

/** What runs on this machine. Everything a child needs reaches it by its environment. */
export interface Plan {
  readonly workers: number;
  /** Secret: it holds the database password. */
  readonly databaseUrl: string;
  /** The embedded server's process; absent with a server of one's own. */
  readonly databasePid?: number;
  /** Where the console is, with the token behind `#`. */
  readonly consoleUrl: string;
  /** What people should know before they begin: no model key, disabled accounts. */
  readonly remarks: readonly string[];
}

/** What a gateway or worker tells its supervisor. */
export type FromChild =
  | { readonly type: "ready"; readonly url?: string }
  | { readonly type: "failed"; readonly line: string };

/** The supervisor's only order: finish what runs and end. */
export type ToChild = { readonly type: "stop" };
