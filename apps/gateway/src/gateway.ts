import { hostname } from "node:os";
import type { Adapter } from "@talaria/adapter";
import { modelChain, modelChoices, switchedOn, type TalariaConfig } from "@talaria/config";
import { createDelivery } from "@talaria/delivery";
import { isUserIdOn } from "@talaria/platforms";
import type { AccountId, Clock, Log, OutboundMessage, ProcessId, SessionKey } from "@talaria/protocol";
import type { QueueSystem } from "@talaria/queue";
import {
  addedToGroup,
  createDelayedWakes,
  createGate,
  endFormerKind,
  isStillAllowed,
  receivedBy,
} from "@talaria/sessions";
import { keepLease, type LeaseKeeper, type LeaseTerms, lackingOf, type ProblemFacts, type Store } from "@talaria/store";
import type { Metrics } from "@talaria/telemetry";
import { AccountKeeper } from "./account-keeper.ts";
import { accountPolicies, routeMandates, webAccountId } from "./account-policy.ts";
import { createAdapterDeps } from "./adapter-deps.ts";
import { startCallExpiry } from "./call-expiry.ts";
import { type CatchUp, startCatchUp } from "./catch-up.ts";
import { createAdapters } from "./create-adapters.ts";
import { readProblemFacts } from "./current-problems.ts";
import { startDatabaseWatch } from "./database-watch.ts";
import { fileKeeper } from "./file-keeper.ts";
import { forgetFormerOwners } from "./former-owners.ts";
import { endFormerRights } from "./former-rights.ts";
import { serveAdapterRoutes } from "./http/adapter-routes.ts";
import { serveConnections } from "./http/connections.ts";
import { serveConsole } from "./http/console.ts";
import { serveHealth } from "./http/health.ts";
import { RouteTable } from "./http/route-table.ts";
import { accessRules, createServer, listen } from "./http/server.ts";
import type { DoorPath } from "./mcp/ask-worker.ts";
import { serveLogins } from "./mcp/login-routes.ts";
import { serveMcp } from "./mcp/serve-mcp.ts";
import { measureGate } from "./measure.ts";
import { MediaFetcher, mediaDeferMs } from "./media/media-fetcher.ts";
import { metricsText } from "./metrics-text.ts";
import { startProblemWatch } from "./problem-watch.ts";
import { startRetention } from "./retention.ts";
import { startSkillWatch } from "./skill-watch.ts";
import { tellStopped } from "./tell-stopped.ts";
import { startUnused } from "./unused.ts";
import { createWebChannel } from "./web-channel.ts";
import { withdrawListed } from "./withdraw-listed.ts";

/** A main thread that has not moved for as long as an account's lease lasts, and no less than this, is stuck. */
const leastStuckMs = 15_000;

export interface GatewayOptions {
  readonly gatewayId: ProcessId;
  readonly databaseUrl: string;
  /** The `talaria start` that this gateway belongs to, if any. */
  readonly supervisor?: string;
  /** Who keeps this process's lease and ends it when its main thread is stuck: a thread of its own, unless somebody else does. */
  readonly leaseKeeper?: (terms: LeaseTerms, log: Log) => Promise<LeaseKeeper>;
  readonly config: TalariaConfig;
  /** Where accounts take secrets from that stand in files, by the account's name. */
  readonly accountKeyFiles?: ProblemFacts["accountKeyFiles"];
  /** What the `talaria start` that this gateway belongs to says of itself now. Never rejects. */
  readonly supervisorNews?: () => Promise<SupervisorNews>;
  /** Where a worker of the same data folder is reached. */
  readonly doorPath: DoorPath;
  /** The token that API calls and the console must show. */
  readonly token: string;
  readonly store: Store;
  readonly queue: QueueSystem;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

type SupervisorNews = Pick<ProblemFacts, "planned" | "configuration">;

export interface Gateway {
  /** Where it listens, for example `http://127.0.0.1:7420`. */
  readonly url: string;
  /** Releases the accounts, finishes what is being sent, closes the port. */
  stop(): Promise<void>;
}

/** Starts one gateway. It opens its port first, so that a port in use is reported before any account connects. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, store, queue, log, clock, random, metrics } = options;
  const routes = new RouteTable();
  const policies = accountPolicies(config);
  const role = policies.get(webAccountId)?.access.proven ?? "unverified";
  const channel = createWebChannel({ store, queue, limits: config.media, role, log });
  const policyOf = (accountId: AccountId) => policies.get(accountId);
  const mandates = routeMandates(config);
  const delivery = createDelivery({
    outbox: store.outbox,
    turns: store.turns,
    mayAnswer: async (turnId, known) => {
      const asked = known ?? (await store.turns.asked(turnId));
      return asked !== undefined && isStillAllowed(asked.route, asked.askers, { policyOf, pairing: store.pairing });
    },
    reactions: {
      isOn: (accountId) => config.accounts[accountId]?.reactions.status ?? false,
      asked: (turnId) => store.turns.asked(turnId),
    },
    withheld: (turnId) => void tellStopped(turnId, { turns: store.turns, bus: queue.bus, log }),
    clock,
    random,
    log,
    metrics,
  });
  const wake = (sessionKey: SessionKey) => void queue.wakes.wake(sessionKey).catch(() => undefined);
  const delayed = createDelayedWakes(wake, clock);
  const media = new MediaFetcher({
    media: store.media,
    inbox: store.inbox,
    limits: config.media,
    wakeIn: delayed.wakeIn,
    clock,
    random,
    log,
  });
  const measure = measureGate(metrics, clock);
  let lists: CatchUp | undefined;
  const byId = new Map<AccountId, Adapter>();
  const told = {
    rights: store.rights,
    wake,
    cancel: (worker: ProcessId, sessionKey: SessionKey) => queue.bus.cancel(worker, sessionKey),
    deliver: (accountId: AccountId) => queue.bus.deliver(accountId),
    log,
  };
  const canLeave = (accountId: AccountId) => byId.get(accountId)?.leave !== undefined;
  const gate = createGate({
    ...told,
    agentName: config.agent.name,
    maxTextChars: config.limits.textChars,
    policyOf,
    inbox: store.inbox,
    outbox: store.outbox,
    calls: store.calls,
    memories: store.memories,
    facts: store.facts,
    isMemoryOff: !config.memory.enabled,
    hasPasses: config.memory.enabled && config.memory.pass !== undefined,
    keepFile: fileKeeper(store.media, config.media),
    background: store.background,
    pairing: store.pairing,
    groups: store.groups,
    canLeave,
    operations: store.operations,
    past: store.search,
    skills: store.skills,
    spending: config.limits.spending,
    choices: modelChoices(config),
    switchedOn: switchedOn(config),
    lacking: async () => lackingOf(await store.processes.list()),
    wakeIn: delayed.wakeIn,
    mediaDeferMs,
    isUserId: (accountId, id) => isUserIdOn(config.accounts[accountId]?.platform ?? "", id),
    traitsOf: (accountId) => byId.get(accountId)?.capabilities,
    renamed: (place, title) => byId.get(place.accountId)?.rename?.(place, title),
    count: (outcome, event, reason) => {
      measure(outcome, event, reason);
      if (outcome === "recorded") lists?.said();
      if (outcome === "recorded" && event.type === "message.created")
        delivery.seen({ conversation: event.conversation, messageId: event.message.messageId });
      if (outcome === "recorded" && mediaDeferMs(event) !== undefined) media.poke();
    },
  });
  const keeper = new AccountKeeper({
    gatewayId: options.gatewayId,
    store,
    queue,
    delivery,
    media,
    routes,
    gate,
    isAllowed: (from) => isStillAllowed(from.conversation, [from], { policyOf, pairing: store.pairing }),
    received: (from, messageIds) => receivedBy(from, messageIds, { ...store, policyOf }),
    kindChanged: (conversation) => endFormerKind(conversation, told),
    added: (conversation, by) => addedToGroup(conversation, by, { ...told, ...store, policyOf, canLeave }),
    leftOut: (accountId, reason) => metrics.refused(accountId, reason),
    leaseMs: config.leases.accountMs,
    signalled: (accountId, signal) => {
      if (signal.type === "deliver") lists?.said();
      channel.receive(accountId, signal);
    },
    receiptFailed: (accountId) => metrics.deliveryFailed(accountId, "not_found"),
    connectionChanged: (adapter, state) => metrics.connection(adapter.platform, adapter.id, state.status),
    clock,
    random,
    log,
  });
  const server = createServer(log, { trustedProxies: config.gateway.trustedProxies });
  const rules = accessRules(config, options.token);
  const { accountKeyFiles, supervisorNews = async (): Promise<SupervisorNews> => ({}) } = options;
  const facts = async () => ({
    ...(await readProblemFacts(store, modelChain(config), clock)),
    ...(accountKeyFiles && { accountKeyFiles }),
    ...(await supervisorNews()),
  });
  const probes = {
    database: (signal: AbortSignal) => store.ping(signal),
    queue: (signal: AbortSignal) => queue.ping(signal),
  };
  const figures = { operations: store.operations, facts, probes };
  const planned = async () => (await supervisorNews()).planned;
  serveHealth(server, { store, queue, facts, planned, rules, metricsText: () => metricsText(metrics, figures, clock) });
  serveAdapterRoutes(server, { routes, rules, log });
  serveConnections(server, { facts }, rules);
  serveConsole(server, rules);
  const { doorPath } = options;
  const { servers } = config.mcp;
  serveLogins(server, {
    servers,
    publicUrl: config.gateway.publicUrl,
    processes: store.processes,
    doorPath,
    rules,
    log,
  });
  const callers = config.mcp.serve.http
    ? serveMcp(server, { mcpTokens: store.mcpTokens, doorPath, rules, log })
    : undefined;
  const adapters = await createAdapters({ config, channel, inbox: store.inbox, depsFor: createAdapterDeps(options) });
  for (const adapter of adapters) {
    byId.set(adapter.id, adapter);
    routes.expect(adapter.routes?.() ?? []);
  }
  const url = await listen(server, config.gateway);
  // Before any account is taken: if this process dies, its row tells who held them.
  const lease = await takeLease(options);
  await forgetFormerOwners({ calls: store.calls, pairing: store.pairing, policyOf, log });
  await withdrawListed({ pairing: store.pairing, policyOf, log });
  const mandateOf = (accountId: AccountId) => mandates.get(accountId);
  await endFormerRights({ ...told, pairing: store.pairing, policyOf, mandateOf });
  await keeper.start(adapters);
  const expiry = startCallExpiry({
    calls: store.calls,
    wake,
    deliver: (accountId) => queue.bus.deliver(accountId),
    log,
  });
  lists = startCatchUp({ store, clock, log });
  const { named } = store.operations;
  const watch = startProblemWatch({ facts, problems: store.problems, named, deliver: told.deliver, log });
  const skillWatch = startSkillWatch({ skills: store.skills, deliver: told.deliver, log });
  const sendNow = (message: OutboundMessage, signal: AbortSignal) => keeper.sendNow(message, signal);
  const databaseWatch = startDatabaseWatch({ store, sendNow, deliver: told.deliver, clock, log });
  const retention = startRetention(store.operations, config.limits.retentionDays, log);
  const unused = startUnused(store.memories, config, log);
  return {
    url,
    stop: async () => {
      void lists?.stop();
      void retention.stop();
      void unused?.stop();
      callers?.stop();
      await expiry.stop();
      await watch.stop();
      await skillWatch.stop();
      await databaseWatch.stop();
      await keeper.stop();
      delayed.stop();
      await delivery.idle();
      // Frees whatever this process still holds, so nothing may be in progress.
      await lease.retire();
      await server.close();
    },
  };
}

/** Lists this gateway among the living processes. Rejects when the database can't be reached now. */
function takeLease({ gatewayId, supervisor, databaseUrl, config, log, leaseKeeper = keepLease }: GatewayOptions) {
  const { accountMs } = config.leases;
  const identity = { id: gatewayId, kind: "gateway", host: hostname(), pid: process.pid } as const;
  const owner = { ...identity, ...(supervisor === undefined ? {} : { supervisor }) };
  const stuckAfterMs = Math.max(leastStuckMs, accountMs);
  return leaseKeeper({ url: databaseUrl, process: owner, ttlMs: accountMs, stuckAfterMs }, log);
}
