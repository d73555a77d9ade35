/** How a login reaches a person, and where its results are kept. */
export interface LoginPort {
  readonly store: LoginStore;
  /**
   * Shows somebody where to log in. Resolves once it is shown; nothing waits for the login itself. Absent: nobody can be asked
   * here, nothing of a login is begun, and what another process keeps in the store is found within half a minute.
   */
  ask?(request: LoginRequest, signal: AbortSignal): Promise<void>;
  /** What the status of a server tells the operator to do where nobody can be asked. */
  remedy?(server: string): string;
}

/** Addresses are https, or on this machine. Everything in it was written by servers. */
export type LoginRequest =
  /** Ends with `Mcp.finishLogin`, in any process that has the same store. */
  | { readonly kind: "browser"; readonly server: string; readonly url: string }
  /** Ends by itself once the person has typed `userCode` at `url`. */
  | {
      readonly kind: "code";
      readonly server: string;
      readonly url: string;
      readonly userCode: string;
      /** Milliseconds since 1970. */
      readonly expiresAt: number;
    };

/**
 * Keeps one secret text for each server and issuer of tokens, so that no issuer ever sees what another one gave. The issuer ""
 * stands for the state of a login that is under way. Concurrent writers are fine: the last one counts.
 */
export interface LoginStore {
  load(server: string, issuer: string): Promise<string | undefined>;
  save(server: string, issuer: string, secret: string): Promise<void>;
  forget(server: string, issuer: string): Promise<void>;
}
