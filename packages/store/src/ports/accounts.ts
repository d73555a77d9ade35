import type { AccountId, Instant, MessageCapabilities, Platform, ProcessId } from "@talaria/protocol";
import type { AccountLease } from "./outbox.ts";

export interface AccountRow {
  readonly accountId: AccountId;
  readonly platform: Platform;
  readonly holder?: ProcessId;
  readonly fence: number;
  readonly leaseEndsAt?: Instant;
  /** The adapter's last reported connection state, as JSON. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Texts that wait for it. Those of an account that nobody holds any more, since it is not configured, wait for ever. */
  readonly pendingDeliveries: number;
  /** Why the oldest of them wait, where a call for one failed. */
  readonly held?: HeldTexts;
}

/** Texts of an account that were tried and wait. */
export interface HeldTexts {
  /** Nothing of the account has reached its platform since the first of them failed. */
  readonly isOutage: boolean;
  /** Of the call that failed last: an `ErrorCode`, and what the network said, or a status. */
  readonly code: string;
  readonly reason?: string;
  readonly since: Instant;
  readonly triedAt: Instant;
  /** When the first of them is tried again. */
  readonly nextAt: Instant;
}

/** Decides which gateway holds an account's connection. Times are database time. */
export interface AccountStore {
  /**
   * Takes a free or expired account (fence + 1), and stores with it what its platform can do, before any event of it is
   * recorded. The connection state that a former holder reported is cleared. Undefined: another gateway has it, and nothing was stored.
   */
  acquire(
    accountId: AccountId,
    platform: Platform,
    holder: ProcessId,
    ttlMs: number,
    capabilities?: MessageCapabilities,
  ): Promise<AccountLease | undefined>;
  /** Renews everything `holder` has and answers with what it still holds. */
  renew(holder: ProcessId, ttlMs: number): Promise<readonly AccountLease[]>;
  release(lease: AccountLease): Promise<void>;
  /** What the last holder has said, as JSON of any release; `{}` when it has said nothing. */
  capabilities(accountId: AccountId): Promise<unknown>;
  report(lease: AccountLease, connection: AccountRow["connection"]): Promise<void>;
  list(): Promise<readonly AccountRow[]>;
}

/** What an adapter remembers. Values are encrypted with the home's key file (AES-256-GCM, name and account as associated data). */
export interface AdapterStateStore {
  read(accountId: AccountId, name: string): Promise<string | undefined>;
  write(accountId: AccountId, name: string, value: string): Promise<void>;
  remove(accountId: AccountId, name: string): Promise<void>;
}
