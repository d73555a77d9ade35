import type {
  AccountId,
  ConversationId,
  EventId,
  Instant,
  MessageCapabilities,
  Platform,
  ProcessId,
  UserId,
} from "@talaria/protocol";
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

export interface PairingRow {
  readonly id: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly displayName: string;
  readonly state: "waiting" | "approved";
  readonly createdAt: Instant;
}

export type PairingRequest =
  /** Tell the person this code. Shown once: only its hash is stored. */
  | { readonly outcome: "code"; readonly code: string }
  /** The person was shown a code within a day; stay silent, also when it has expired. */
  | { readonly outcome: "waiting" }
  /** Too many wait on this account; stay silent. */
  | { readonly outcome: "full" };

/** Who may talk to the agent beyond the configured lists. */
export interface PairingStore {
  isApproved(accountId: AccountId, userId: UserId): Promise<boolean>;
  /** Whether an operator has let a group in that is not in the configuration. */
  isGroupAllowed(accountId: AccountId, conversationId: ConversationId): Promise<boolean>;
  /** At least 40 bits of code, valid for ten minutes, at most 20 valid per account, one per person a day. */
  request(
    accountId: AccountId,
    person: { readonly id: UserId; readonly displayName: string },
    /** The event that asks. Asking again before it was settled gives a new code: the first was never shown. */
    eventId: EventId,
  ): Promise<PairingRequest>;
  /**
   * By code, or by the id of a request of the last day. Undefined when there is none, or the code was used or has expired.
   * Case and dashes of a code do not matter.
   */
  approve(codeOrId: string): Promise<PairingRow | undefined>;
  /** By pairing id. Ends the running turns of the person's direct conversations, and drops what waits there. */
  revoke(id: string): Promise<PairingRow | undefined>;
  list(): Promise<readonly PairingRow[]>;
}
