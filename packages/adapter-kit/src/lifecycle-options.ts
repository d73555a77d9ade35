import type { AdapterHost } from "@talaria/adapter";
import type { AccountId, Clock, ErrorCode, GatewayError } from "@talaria/protocol";

/** What one start opened: the parts of an adapter that live until the next stop. */
export interface Opened {
  /**
   * One connection, as `keepConnected` runs it again and again. Without it the account counts as connected while it runs, as
   * one does that only answers requests.
   */
  session?(connected: () => void, signal: AbortSignal): Promise<void>;
  /** Ends what the connection's end leaves. `signal` has been aborted and the last session has ended. */
  close?(): Promise<void>;
}

export interface LifecycleOptions<Run extends Opened> {
  readonly id: AccountId;
  readonly clock: Clock;
  /** What an operator should do about an error that retrying cannot fix. Only sessions have such errors. */
  readonly hint?: (code: ErrorCode, error: GatewayError) => string;
  /**
   * Opens what one start needs. `host` is the gateway's, guarded: `stop` waits for its calls, and reports end when a stop
   * begins. `signal` is aborted by then. What this throws, `start` throws.
   */
  readonly open: (host: AdapterHost, signal: AbortSignal) => Run | Promise<Run>;
}
