import { hostname } from "node:os";
import { assemblePrompt } from "@talaria/agent";
import type { TalariaConfig } from "@talaria/config";
import type { Mcp } from "@talaria/mcp";
import { createTranscriber, type ModelDeps, withOwnRests } from "@talaria/models";
import { hintOf } from "@talaria/platforms";
import type { Clock, Log, ProcessId } from "@talaria/protocol";
import type { QueueSystem } from "@talaria/queue";
import { keepLease, type LeaseKeeper, type LeaseTerms, type Store } from "@talaria/store";
import { createToolFiles, type GuardedFetch, type ToolFiles } from "@talaria/tools";
import { createCapabilitiesReader } from "./account-capabilities.ts";
import { createAuthorise } from "./authorise.ts";
import { type BrowserKeeper, createBrowserKeeper } from "./browsers.ts";
import { commandReach } from "./command-reach.ts";
import { createModelPort } from "./create-model-port.ts";
import { createEntryMaker } from "./entries.ts";
import { createMcpServers } from "./mcp-servers.ts";
import { mediaPowers } from "./media-powers.ts";
import { createMediaReader, type MediaReader, readWhole, toolMedia } from "./media-reader.ts";
import { RunningTurns } from "./running-turns.ts";
import { secretHandles } from "./secret-handles.ts";
import { createSessionRunner, type SessionRunnerDeps } from "./session-runner.ts";
import { createSpending } from "./spending.ts";
import { startSweeper } from "./sweeper.ts";
import { createToolsFor } from "./tools-for.ts";
import type { TurnMetrics } from "./turn-metrics.ts";
import { createTurnRunner } from "./turn-runner.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";
import { writingHint } from "./writing-hint.ts";

/** A main thread that has not moved for this long is stuck in agent code; the process is then ended. */
const stuckAfterMs = 60_000;
/** Running turns get this long to finish after a stop request; then they are handed over. */
const drainMs = 10_000;
/** A lost wake-up is found within this time or a third of a lease, whichever is shorter. */
const longestSweepMs = 10_000;
/** The most characters of one tool call's output that reach the model. */
const maxToolOutputChars = 20_000;
/** The share of the model's context that history may fill. */
const historyShare = 0.5;
/**
 * A token is about four bytes of English and up to three bytes of other scripts; the rest allows for the entries' JSON.
 */
const bytesPerToken = 8;

export interface WorkerOptions {
  readonly workerId: ProcessId;
  /** Of this release. */
  readonly version: string;
  readonly config: TalariaConfig;
  readonly databaseUrl: string;
  /** Where the workspaces of sessions lie. */
  readonly workspaceFolder: string;
  /** Where the operator's own tools lie. It need not be there. */
  readonly toolFolder: string;
  /** Folders of this installation that no command may read. */
  readonly hiddenFolders: readonly string[];
  /** The `talaria start` that this worker belongs to, if any. */
  readonly supervisor?: string;
  /** Gets the addresses that the model names. Default: those of the public internet. */
  readonly fetch?: GuardedFetch;
  /** Keeps the lease while agent code is busy. Default: a thread of this process. */
  readonly leaseKeeper?: (terms: LeaseTerms, log: Log) => Promise<LeaseKeeper>;
  readonly store: Store;
  readonly queue: QueueSystem;
  readonly metrics: TurnMetrics;
  /** Metrics of this process, reported when its lease is renewed. */
  readonly snapshot: () => Promise<unknown>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** Starts one worker. Its lease comes first, since sessions are held in its name. */
export async function startWorker(options: WorkerOptions): Promise<{ stop(): Promise<void> }> {
  const { workerId, supervisor, config, store, queue, random, log, leaseKeeper = keepLease } = options;
  const { sessionMs } = config.leases;
  const identity = { id: workerId, kind: "worker", host: hostname(), pid: process.pid } as const;
  const owner = { ...identity, ...(supervisor === undefined ? {} : { supervisor }) };
  const lease = await leaseKeeper({ url: options.databaseUrl, process: owner, ttlMs: sessionMs, stuckAfterMs }, log);
  const running = new RunningTurns(store.turns);
  const ending = new AbortController();
  let hasWorked = true;
  const workspaces = createWorkspaces({
    config: config.sandbox,
    folder: options.workspaceFolder,
    hidden: options.hiddenFolders,
    clock: options.clock,
    log,
  });
  const browsers = createBrowserKeeper({
    config: config.browser,
    hidden: [...options.hiddenFolders, options.workspaceFolder],
    clock: options.clock,
    log,
  });
  const mcp = await createMcpServers(config.mcp, {
    clock: options.clock,
    random,
    log,
    version: options.version,
    workspaces,
    login: { store: store.logins, remedy: (server) => `run \`talaria mcp login ${server}\`` },
  });
  mcp?.start();
  const toolFiles = createToolFiles({ folder: options.toolFolder, clock: options.clock, log });
  // The first turn finds them read, and the log has what is wrong with them.
  void toolFiles.tools(new Set());
  const deps = sessionDeps(options, running, { workspaces, browsers, mcp, toolFiles }, ending.signal, () => {
    hasWorked = true;
    options.metrics.turnStarted();
  });
  const signals = await queue.bus.onWorker(workerId, ({ sessionKey }) => {
    running.check(sessionKey).catch((error: unknown) => log.warn({ error, sessionKey }, "cancellation not read"));
  });
  let served = "";
  const look = setInterval(() => {
    const servers = mcp?.status();
    const isNews = JSON.stringify(servers ?? "") !== served;
    if (!hasWorked && !isNews) return;
    served = JSON.stringify(servers ?? "");
    hasWorked = running.size > 0;
    void options.snapshot().then((metrics) =>
      lease.report({
        runningTurns: running.size,
        metrics,
        ...troubles({ workspaces, browsers, toolFiles }),
        ...(servers && { mcp: servers }),
      }),
    );
    running.checkAll().catch((error: unknown) => log.warn({ error }, "cancellations not read"));
  }, sessionMs / 3);
  const consumer = queue.wakes.consume(createSessionRunner(deps), config.workers.turns);
  const sweeper = startSweeper(store.turns, queue.wakes, Math.min(longestSweepMs, sessionMs / 3), random, log);
  return {
    stop: async () => {
      running.close();
      await sweeper.stop();
      const drained = consumer.drain(drainMs + 5_000);
      const force = setTimeout(() => {
        running.abortAll();
        ending.abort();
      }, drainMs);
      await drained;
      clearTimeout(force);
      clearInterval(look);
      await signals.end();
      // First, since servers over stdio run in the sandbox.
      await mcp?.stop();
      await Promise.all([workspaces.stop(), browsers.stop(), toolFiles.stop()]);
      await lease.retire();
    },
  };
}

interface ToolSources {
  readonly workspaces: Workspaces;
  readonly browsers: BrowserKeeper;
  readonly mcp: Mcp | undefined;
  readonly toolFiles: ToolFiles;
}

function sessionDeps(
  options: WorkerOptions,
  running: RunningTurns,
  { workspaces, browsers, mcp, toolFiles }: ToolSources,
  ending: AbortSignal,
  turnStarted: () => void,
): SessionRunnerDeps {
  const { config, store, queue, clock, random, log, fetch } = options;
  const { agent } = config;
  const main = config.models[agent.model];
  const historyTokens = Math.floor((main?.contextTokens ?? 128_000) * historyShare);
  const toEntries = createEntryMaker({ media: mediaReader(options, ending), operations: store.operations });
  const commands = commandReach(config.sandbox);
  const spending = createSpending({ limits: config.limits.spending, refused: options.metrics.spendingRefused });
  const readMedia: ModelDeps["readMedia"] = (ref, signal) => readWhole(store.media, ref, signal);
  const rests = queue.rests && withOwnRests(queue.rests, clock);
  const capabilitiesOf = createCapabilitiesReader({ accounts: store.accounts, clock, log });
  const runTurn = createTurnRunner({
    turns: store.turns,
    running,
    model: createModelPort(config, { clock, random, log, readMedia, rests }),
    modelName: agent.model,
    toolsFor: createToolsFor({
      web: config.web,
      ...(fetch === undefined ? {} : { fetch }),
      media: mediaPowers(config, { clock, log }),
      secrets: secretHandles(config.sandbox),
      workspaces,
      browsers,
      ...(mcp === undefined ? {} : { frozen: (kept) => mcp.frozen(kept) }),
      toolFiles,
      capabilitiesOf,
    }),
    openWorkspace: (sessionKey) => workspaces.open(sessionKey),
    homes: () => store.calls.homes(),
    grantsOf: (sessionKey, accountId) => store.calls.grants(sessionKey, accountId),
    authorise: createAuthorise({ policy: config.policy, ...(commands && { commands }), clock }),
    operations: store.operations,
    media: toolMedia(store.media, config.media),
    toEntries,
    spending,
    limits: {
      maxSteps: agent.maxSteps,
      timeoutMs: agent.turnTimeoutMs,
      maxOutputChars: agent.maxReplyChars,
      maxToolOutputChars,
      historyTokens,
      toolTokens: agent.toolTokens,
    },
    publish: (frame) => queue.bus.frame(frame),
    deliver: (accountId) => queue.bus.deliver(accountId),
    metrics: { ...options.metrics, turnStarted },
    clock,
    log,
  });
  return {
    workerId: options.workerId,
    turns: store.turns,
    runTurn,
    running,
    toEntries,
    historyBytes: historyTokens * bytesPerToken,
    handedOver: ({ sessionKey, fence }) => {
      queue.wakes.rewake(sessionKey, fence).catch((error: unknown) => log.warn({ error, sessionKey }, "not woken"));
    },
    spending,
    promptFor: async (conversation, { accountId }, person) => {
      const shared = conversation.kind !== "direct";
      return assemblePrompt({
        agentName: agent.name,
        instructions: agent.instructions,
        platformHint: writingHint(await capabilitiesOf(accountId), await hintOf(conversation.platform)),
        shared,
        conversation,
        ...(person === undefined || shared ? {} : { person }),
      });
    },
    deliver: (accountId) => queue.bus.deliver(accountId),
    claimed: (waitedMs) => options.metrics.stage("recorded_to_claimed", waitedMs),
    clock,
    log,
  };
}

/** For whoever asks why the agent has no commands or no browser, or lacks a tool. */
function troubles({ workspaces, browsers, toolFiles }: Omit<ToolSources, "mcp">) {
  const { state: sandbox } = workspaces;
  const { state: browser } = browsers;
  const { problems } = toolFiles;
  return {
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(browser === undefined ? {} : { browser }),
    ...(problems.length === 0 ? {} : { toolFiles: problems }),
  };
}

function mediaReader({ config, store, clock, log }: WorkerOptions, ending: AbortSignal): MediaReader {
  const { transcription } = config;
  if (transcription === undefined) return createMediaReader({ media: store.media, ending, log });
  const { maxBytes, timeoutMs } = transcription;
  const transcribe = createTranscriber(transcription, { clock, log });
  return createMediaReader({ media: store.media, transcription: { transcribe, maxBytes, timeoutMs }, ending, log });
}
