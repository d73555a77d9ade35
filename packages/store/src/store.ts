import { GatewayError, type Log } from "@talaria/protocol";
import { createAccountStore } from "./accounts.ts";
import { createAdapterStateStore } from "./adapter-state.ts";
import { openDatabase } from "./database.ts";
import { createInboxStore } from "./inbox.ts";
import { createMediaStore } from "./media.ts";
import { createOperationsStore } from "./operations.ts";
import { createOutboxStore } from "./outbox.ts";
import { createPairingStore } from "./pairing.ts";
import type { AccountStore, AdapterStateStore, PairingStore } from "./ports/accounts.ts";
import type { InboxStore } from "./ports/inbox.ts";
import type { MediaStore } from "./ports/media.ts";
import type { OperationsStore, ProcessStore } from "./ports/operations.ts";
import type { OutboxStore } from "./ports/outbox.ts";
import type { TurnStore } from "./ports/turns.ts";
import { createProcessStore } from "./processes.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { createTurnStore } from "./turns.ts";

export interface StoreOptions {
  readonly url: string;
  readonly log: Log;
  /** 32 bytes. Without it `adapterState` throws `unauthorized`. */
  readonly secretKey?: Uint8Array;
  readonly maxConnections: number;
}

/**
 * Everything that must not be lost. Each method is one transaction; when it resolves, the change survives a crash of
 * every process including the database. Methods reject with `unavailable` while the server is away and work again by
 * themselves when it is back.
 */
export interface Store {
  readonly inbox: InboxStore;
  readonly turns: TurnStore;
  readonly outbox: OutboxStore;
  readonly media: MediaStore;
  readonly accounts: AccountStore;
  readonly adapterState: AdapterStateStore;
  readonly pairing: PairingStore;
  readonly processes: ProcessStore;
  readonly operations: OperationsStore;
  /** Resolves when the server takes what is written; throws `unavailable` otherwise, `aborted` when the signal comes first. */
  ping(signal: AbortSignal): Promise<void>;
  /** Waits for statements in progress. */
  close(): Promise<void>;
}

/** Opens no connection before the first call. Expects a database that `migrate` has brought up to date. */
export function createStore({ url, log, secretKey, maxConnections }: StoreOptions): Store {
  const database = openDatabase({ url, log, maxConnections });
  const readiness = createReadiness(database);
  return {
    inbox: createInboxStore(database),
    turns: createTurnStore(database, log),
    outbox: createOutboxStore(database, log),
    media: createMediaStore(database),
    accounts: createAccountStore(database),
    adapterState: createAdapterStateStore(database, secretKey),
    pairing: createPairingStore(database),
    processes: createProcessStore(database),
    operations: createOperationsStore(database),
    ping: (signal) => ping(readiness, signal),
    close: () => database.close(),
  };
}

async function ping(readiness: Readiness, signal: AbortSignal): Promise<void> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new GatewayError("nobody waits for the database", { code: "aborted", effect: "none" }));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    await Promise.race([stopped, readiness.check()]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
