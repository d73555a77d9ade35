import type { AcceptOptions, AccountPolicy, InboundEvent, SessionKey } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import type { GateDeps } from "./gate-deps.ts";
import type { LoopGuard } from "./loop-guard.ts";

/** One event on its way in, and what is known of it. */
export interface Passing {
  readonly event: InboundEvent;
  readonly options: AcceptOptions;
  readonly policy: AccountPolicy;
  readonly sessionKey: SessionKey;
  /** The question that the event's thread stands below, which its sender may answer: its session is that of the event. */
  readonly above?: OpenCall;
  /** Whether the sender was paired. The store is asked once at most. */
  readonly approved: () => Promise<boolean>;
  readonly loops: LoopGuard;
  readonly deps: GateDeps;
}
