import type { Adapter } from "@talaria/adapter";
import type { AccountId, MessageRef, StreamFrame } from "@talaria/protocol";
import type { AccountLease } from "@talaria/store";
import { AccountDelivery } from "./account-delivery.ts";
import type { DeliveryDeps } from "./context.ts";
import { Sweep } from "./sweep.ts";

/** Sends everything that leaves one gateway. */
export interface Delivery {
  /**
   * Delivers for this account from now on; an earlier attachment of it ends at once. Where its capabilities have
   * an `accountPace`, all its conversations together also draw on one bucket.
   */
  attach(adapter: Adapter, lease: AccountLease): void;
  /** Starts nothing new for the account and waits at most `graceMs` for calls in flight. Leaves no timer. */
  detach(accountId: AccountId, graceMs: number): Promise<void>;
  /** Says that new rows wait. A lost poke is made up for within two seconds, or within six if nothing was going on. */
  poke(accountId: AccountId): void;
  /** Its adapter has connected the account: what the platform did not take is tried again, at once where that did not happen just before. */
  connected(accountId: AccountId): void;
  /** One step of a growing reply; ignored if its account is not attached. */
  frame(frame: StreamFrame): void;
  /** A message has come in: shows so where the account has reactions. Expendable. */
  seen(message: MessageRef): void;
  /** Resolves when nothing is being read or sent. What is due later does not count. */
  idle(): Promise<void>;
}

/**
 * Sends what the outbox holds and shows replies while they grow. One lane per conversation: each keeps its order, and none
 * waits for another. When another gateway takes an account, its work here stops silently.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const accounts = new Map<AccountId, AccountDelivery>();
  const sweep = new Sweep(deps, () => [...accounts.values()]);
  return {
    attach(adapter, lease) {
      void accounts.get(lease.accountId)?.stop(0);
      const account = new AccountDelivery(adapter, lease, deps);
      accounts.set(lease.accountId, account);
      account.poke();
      sweep.news();
      sweep.look();
    },
    async detach(accountId, graceMs) {
      const account = accounts.get(accountId);
      accounts.delete(accountId);
      sweep.look();
      await account?.stop(graceMs);
    },
    poke(accountId) {
      sweep.news();
      accounts.get(accountId)?.poke();
    },
    connected(accountId) {
      accounts.get(accountId)?.connected();
    },
    frame(frame) {
      sweep.news();
      accounts.get(frame.accountId)?.frame(frame);
    },
    seen(message) {
      sweep.news();
      accounts.get(message.conversation.accountId)?.seen(message);
    },
    async idle() {
      await Promise.all([...accounts.values()].map((account) => account.idle()));
    },
  };
}
