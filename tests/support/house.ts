import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorker } from "@talaria/app-worker";
import { loadConfig } from "@talaria/config";
import {
  type AccountId,
  type AccountPolicy,
  type Attachment,
  brandAs,
  type Conversation,
  type InboundEvent,
  isGatewayError,
  type MessageCapabilities,
  type Platform,
  type ProcessId,
  type SessionKey,
  sessionKeyOf,
  systemClock,
} from "@talaria/protocol";
import { createGate, type Gate } from "@talaria/sessions";
import type { AccountLease, OutboxRow, Store } from "@talaria/store";
import { createLogger, createMetrics, type Metrics } from "@talaria/telemetry";
import { attachmentFrom, type ModelServer, type Respond, startModelServer } from "@talaria/testkit";
import type { GuardedFetch } from "@talaria/tools";
import { measureGate } from "../../apps/gateway/src/measure.ts";
import { createTestStore, type TestStore } from "../../packages/store/src/test-store.ts";
import { DirectQueue } from "./direct-queue.ts";

export interface HouseOptions {
  /** YAML beside `models`, `limits.spending` and `sandbox.folder`. */
  readonly config: string;
  /** YAML of `sandbox` without its folder, as flow text. Default: `backend: sandbox`. */
  readonly sandbox?: string;
  readonly accounts: Readonly<Record<string, { readonly platform: Platform; readonly policy: AccountPolicy }>>;
  readonly respond: Respond;
  /** Of the main model. Default: so large that no conversation is shortened. */
  readonly contextTokens?: number;
  /** Further keys of the main model, as YAML flow text. */
  readonly main?: string;
  /** Further models at this address, as YAML flow text. */
  readonly models?: (baseUrl: string) => string;
  /** Default: 1. */
  readonly workers?: number;
  readonly fetch: GuardedFetch;
  /** Default: one that isn't there. */
  readonly skillFolder?: string;
}

const hourMs = 3_600_000;
const mostAttempts = 20;
const fileLimits = { maxBytes: 1_000_000, maxPixels: 1, quotaBytes: 1_000_000_000 };
const never = new AbortController().signal;
const gatewayId = brandAs<ProcessId>("gateway");

const off = "{ turnsPerMinute: off, tokensPerDay: off }";
const capabilities: MessageCapabilities = {
  maxTextLength: 4_000,
  formatting: { headings: true, tables: true, codeBlocks: true, links: true },
  send: { maxBytes: 10_000_000, maxPerMessage: 10, maxCaptionLength: 1_000 },
};

/**
 * A gate and workers in this process, between a real database and a model server: everything that an event goes through from the
 * adapter's hand-over to the outbox. Events are handed in and turns run when the test says so.
 */
export class House implements AsyncDisposable {
  readonly store: Store;
  readonly gate: Gate;
  readonly model: ModelServer;
  readonly queue: DirectQueue;
  readonly metrics: Metrics;
  readonly databaseUrl: string;
  /** Where the files of sessions lie. */
  readonly folder: string;
  /** Lines of the log, at its usual level. */
  readonly lines: readonly string[];
  readonly #leases: readonly AccountLease[];
  readonly #options: HouseOptions;
  readonly #closing: AsyncDisposableStack;

  private constructor(parts: Omit<Started, "closing">, options: HouseOptions, closing: AsyncDisposableStack) {
    this.store = parts.test.store;
    this.databaseUrl = parts.test.url;
    this.gate = parts.gate;
    this.model = parts.model;
    this.queue = parts.queue;
    this.metrics = parts.metrics;
    this.folder = parts.folder;
    this.lines = parts.lines;
    this.#leases = parts.leases;
    this.#options = options;
    this.#closing = closing;
  }

  static async start(options: HouseOptions): Promise<House> {
    await using closing = new AsyncDisposableStack();
    const parts = await start(options, closing);
    return new House(parts, options, closing.move());
  }

  /** Hands an event in, with the texts of the files that it brings. */
  async receive(event: InboundEvent, texts: readonly string[] = []): Promise<void> {
    const { accountId } = event.conversation;
    await redelivered(() => this.gate(event));
    for (const [n, text] of texts.entries()) {
      const media = await redelivered(() => this.store.media.put(pieces(text), "text/plain", fileLimits, never));
      await redelivered(() => this.store.media.settle({ accountId, eventId: event.id, n }, { state: "stored", media }));
    }
  }

  /** As `receive`, and lets the workers work until nothing waits. */
  async tell(event: InboundEvent, texts?: readonly string[]): Promise<void> {
    await this.receive(event, texts);
    await this.queue.work();
  }

  keyOf({ conversation, sender }: Pick<InboundEvent, "conversation" | "sender">): SessionKey {
    const policy = this.#options.accounts[conversation.accountId]?.policy;
    const scope = conversation.kind === "direct" ? policy?.sessions.direct : policy?.sessions.groups;
    return sessionKeyOf(conversation, sender, scope ?? "thread");
  }

  /** What has been written to people since it was asked last, to whomever, oldest first. */
  async written(): Promise<readonly OutboxRow[]> {
    const rows = await Promise.all(
      this.#leases.map(async (lease) => {
        const due = await redelivered(() => this.store.outbox.due(lease, [], 5_000));
        for (const { id } of due)
          await redelivered(() => this.store.outbox.update(lease, { id, state: "sent", parts: [] }));
        return due;
      }),
    );
    return rows.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** As platforms do with what could not be stored; a busy machine gives no connection in time. */
async function redelivered<Value>(task: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      if (attempt === mostAttempts || !isGatewayError(error, "unavailable")) throw error;
    }
  }
}

/** A text file that comes along with a message; its content is handed in with the event. */
export function textFile(name: string): Attachment {
  return attachmentFrom({ name, mimeType: "text/plain", byteLength: 1 });
}

/** The same place, whatever its title is. */
export function isSamePlace(one: Conversation, other: Conversation): boolean {
  return one.accountId === other.accountId && one.conversationId === other.conversationId;
}

interface Started {
  readonly test: TestStore;
  readonly gate: Gate;
  readonly model: ModelServer;
  readonly queue: DirectQueue;
  readonly metrics: Metrics;
  readonly folder: string;
  readonly lines: readonly string[];
  readonly leases: readonly AccountLease[];
}

async function start(options: HouseOptions, closing: AsyncDisposableStack): Promise<Started> {
  const test = closing.use(await createTestStore());
  const model = closing.use(await startModelServer({ respond: options.respond, keepRequests: 0 }));
  const folder = await mkdtemp(join(tmpdir(), "talaria-house-"));
  closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  await chmod(folder, 0o711);
  const metrics = createMetrics({ process: "house" });
  closing.defer(() => metrics.close());
  const lines: string[] = [];
  const { config, secrets } = loadConfig(configText(options, model.baseUrl, folder), { file: "house.yaml", env: {} });
  const log = createLogger({
    level: "info",
    name: "house",
    secrets: () => secrets,
    destination: { write: (line) => void lines.push(line) },
  });
  const queue = new DirectQueue();
  const leases = await Promise.all(
    Object.entries(options.accounts).map(([account, { platform }]) =>
      test.store.accounts.acquire(brandAs<AccountId>(account), platform, gatewayId, hourMs, capabilities),
    ),
  );
  for (let number = 1; number <= (options.workers ?? 1); number += 1) {
    const worker = await startWorker({
      version: "0.0.0",
      toolFolder: join(folder, "tools"),
      skillFolder: options.skillFolder ?? join(folder, "skills"),
      workerId: brandAs<ProcessId>(`worker-${number}`),
      config,
      databaseUrl: test.url,
      workspaceFolder: folder,
      hiddenFolders: [],
      store: test.open(),
      queue,
      metrics,
      snapshot: () => metrics.exportSnapshot(),
      fetch: options.fetch,
      leaseKeeper: async ({ process }) => {
        await test.store.processes.register(process, hourMs);
        return { report: () => undefined, retire: () => test.store.processes.retire(process.id) };
      },
      clock: systemClock,
      random: () => 0.5,
      log,
    });
    closing.defer(() => worker.stop());
  }
  const gate = createGate({
    agentName: "Talaria",
    maxTextChars: 20_000,
    policyOf: (accountId) => options.accounts[accountId]?.policy,
    inbox: test.store.inbox,
    outbox: test.store.outbox,
    calls: test.store.calls,
    memories: test.store.memories,
    facts: test.store.facts,
    skills: test.store.skills,
    background: test.store.background,
    pairing: test.store.pairing,
    groups: test.store.groups,
    rights: test.store.rights,
    operations: test.store.operations,
    past: test.store.search,
    spending: config.limits.spending,
    wake: (sessionKey) => void queue.wakes.wake(sessionKey),
    wakeIn: (sessionKey) => void queue.wakes.wake(sessionKey),
    cancel: () => undefined,
    deliver: () => undefined,
    count: measureGate(metrics, systemClock),
    log,
  });
  const held = leases.filter((lease) => lease !== undefined);
  return { test, gate, model, queue, metrics, folder, lines, leases: held };
}

function configText(options: HouseOptions, baseUrl: string, folder: string): string {
  const { config, sandbox = "backend: sandbox", contextTokens = 400_000, main, models } = options;
  const more = main === undefined ? "" : `, ${main}`;
  const served = `provider: openai-chat, baseUrl: "${baseUrl}", apiKey: test-key, model: test-model`;
  return `
models: { main: { ${served}, contextTokens: ${contextTokens}${more} }${models?.(baseUrl) ?? ""} }
limits: { spending: { person: ${off}, guest: ${off}, conversation: ${off}, account: ${off} } }
sandbox: { ${sandbox}, folder: ${folder} }
${config}`;
}
