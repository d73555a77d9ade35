import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { createAccountStore } from "./accounts/accounts.ts";
import { createAdapterStateStore } from "./accounts/adapter-state.ts";
import { createGroupStore } from "./accounts/groups.ts";
import { createPairingStore } from "./accounts/pairing.ts";
import { createRightsStore } from "./accounts/rights.ts";
import { createBackgroundStore } from "./background/background.ts";
import { createMcpTokenStore } from "./callers/mcp-tokens.ts";
import { createCallStore } from "./calls/calls.ts";
import { createChatStore } from "./chats/chats.ts";
import { openDatabase } from "./database/database.ts";
import { createReadiness, type Readiness } from "./database/readiness.ts";
import { createFactStore } from "./facts/facts.ts";
import { createInboxStore } from "./inbox/inbox.ts";
import { createModelLoginStore } from "./logins/model-logins.ts";
import { createServerLoginStore } from "./logins/server-logins.ts";
import { createMediaStore } from "./media/media.ts";
import { createMemoryStore } from "./memories/memories.ts";
import { createProblemStore } from "./operations/note-problems.ts";
import { createOperationsStore } from "./operations/operations.ts";
import { createOutboxStore } from "./outbox/outbox.ts";
import { createPassStore } from "./passes/passes.ts";
import type { AccountStore, AdapterStateStore } from "./ports/accounts.ts";
import type { BackgroundStore } from "./ports/background.ts";
import type { CallStore } from "./ports/calls.ts";
import type { ChatStore } from "./ports/chats.ts";
import type { FactStore } from "./ports/facts.ts";
import type { GroupStore } from "./ports/groups.ts";
import type { InboxStore } from "./ports/inbox.ts";
import type { ModelLoginStore, ServerLoginStore } from "./ports/logins.ts";
import type { McpTokenStore } from "./ports/mcp-tokens.ts";
import type { MediaStore } from "./ports/media.ts";
import type { MemoryStore } from "./ports/memories.ts";
import type { OperationsStore, ProcessStore } from "./ports/operations.ts";
import type { OutboxStore } from "./ports/outbox.ts";
import type { PassStore } from "./ports/passes.ts";
import type { PairingStore } from "./ports/people.ts";
import type { ProblemStore } from "./ports/problems.ts";
import type { RightsStore } from "./ports/rights.ts";
import type { SearchStore } from "./ports/search.ts";
import type { SkillStore } from "./ports/skills.ts";
import type { TurnStore } from "./ports/turns.ts";
import type { FileTaintStore, WorkspaceCopyStore } from "./ports/workspaces.ts";
import { createProcessStore } from "./processes/processes.ts";
import { admitted } from "./schema/admission.ts";
import { readSqlSource, type SqlSource } from "./schema/sql-source.ts";
import { createSearchStore } from "./search/search.ts";
import { createSkillStore } from "./skills/skills.ts";
import { createTurnStore } from "./turns/turns.ts";
import { createWorkspaceCopyStore } from "./workspaces/copies.ts";
import { createFileTaintStore } from "./workspaces/file-taint.ts";

/** Time limit of one statement that cleans up. They take less than a second; nobody waits for one that takes longer. */
const maintenanceMs = 300_000;
/** Time limit of one statement that searches, and how many at a time. */
const searchMs = 1_000;
const searchConnections = 2;

export interface StoreOptions {
  readonly url: string;
  readonly log: Log;
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** 32 bytes. Without it `adapterState` throws `unauthorized`. */
  readonly secretKey?: Uint8Array;
  /** 32 bytes. Without it `logins` and `modelLogins` throw `unauthorized`. */
  readonly loginKey?: Uint8Array;
  readonly maxConnections: number;
  /** The SQL of another release, for tests. */
  readonly source?: SqlSource;
}

/**
 * Everything that must not be lost. Each method is one transaction; when it resolves, the change survives a crash of
 * every process including the database. Methods reject with `unavailable` while the server is away and work again by
 * themselves when it is back.
 */
export interface Store {
  readonly inbox: InboxStore;
  readonly turns: TurnStore;
  readonly memories: MemoryStore;
  readonly facts: FactStore;
  readonly passes: PassStore;
  readonly calls: CallStore;
  readonly outbox: OutboxStore;
  readonly chats: ChatStore;
  readonly search: SearchStore;
  readonly media: MediaStore;
  readonly accounts: AccountStore;
  readonly adapterState: AdapterStateStore;
  readonly pairing: PairingStore;
  readonly groups: GroupStore;
  readonly rights: RightsStore;
  readonly logins: ServerLoginStore;
  readonly modelLogins: ModelLoginStore;
  readonly mcpTokens: McpTokenStore;
  readonly skills: SkillStore;
  readonly workspaces: WorkspaceCopyStore;
  readonly fileTaint: FileTaintStore;
  readonly background: BackgroundStore;
  readonly processes: ProcessStore;
  readonly problems: ProblemStore;
  readonly operations: OperationsStore;
  /**
   * Throws `unsupported`, with a sentence that names the remedy, when this release can't work with the database. Nothing has
   * been touched then. Every other call looks too; a process that looks first can end with that sentence.
   */
  enter(): Promise<void>;
  /** Resolves when the server takes what is written; throws `unavailable` otherwise, `aborted` when the signal comes first. */
  ping(signal: AbortSignal): Promise<void>;
  /** Waits for statements in progress. */
  close(): Promise<void>;
}

/**
 * Opens no connection before the first call. Expects a database that `migrate` has brought up to date, of this release or of
 * one that it can work with: otherwise each call rejects with `unsupported` and a sentence that names the remedy.
 */
export function createStore(options: StoreOptions): Store {
  const { url, log, clock, secretKey, loginKey, maxConnections, source = readSqlSource() } = options;
  const open = (connections: number, statementMs?: number) => {
    const time = statementMs === undefined ? {} : { statementMs };
    const functions = source.functions.schema;
    return admitted(openDatabase({ url, log, clock, maxConnections: connections, functions, ...time }), source, clock);
  };
  const database = open(maxConnections);
  const searches = open(searchConnections, searchMs);
  const readiness = createReadiness(database, () => clock.elapsed());
  const logins = createServerLoginStore(database, loginKey);
  return {
    inbox: createInboxStore(database),
    turns: createTurnStore(database, log, clock),
    memories: createMemoryStore(database),
    facts: createFactStore(database),
    passes: createPassStore(database),
    calls: createCallStore(database),
    outbox: createOutboxStore(database, log, clock),
    chats: createChatStore(database, searches, clock),
    search: createSearchStore(database, searches),
    media: createMediaStore(database),
    accounts: createAccountStore(database),
    adapterState: createAdapterStateStore(database, secretKey),
    pairing: createPairingStore(database),
    groups: createGroupStore(database),
    rights: createRightsStore(database),
    logins,
    modelLogins: createModelLoginStore(logins, () => open(1)),
    mcpTokens: createMcpTokenStore(database),
    skills: createSkillStore(database),
    workspaces: createWorkspaceCopyStore(database),
    fileTaint: createFileTaintStore(database),
    background: createBackgroundStore(database),
    processes: createProcessStore(database),
    problems: createProblemStore(database),
    operations: createOperationsStore(database, () => open(1, maintenanceMs), log),
    enter: () => database.enter(),
    ping: (signal) => ping(readiness, signal),
    close: async () => {
      await Promise.all([database.close(), searches.close()]);
    },
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
