import { hostname } from "node:os";
import type { LoadedConfig } from "@talaria/config";
import { hintOf } from "@talaria/platforms";
import type { AccountId, Log, ProcessId, SessionKey } from "@talaria/protocol";
import type { QueueSystem } from "@talaria/queue";
import { prepareDefaultFolder } from "@talaria/sandbox";
import { keepLease, type LeaseKeeper, type LeaseTerms, type Store } from "@talaria/store";
import { createCapabilitiesReader } from "./account-capabilities.ts";
import { withAskedSkills } from "./asked-skills.ts";
import { createAuthorise, taintIn } from "./authorise.ts";
import { createBackgroundDesk } from "./background-desk.ts";
import { BegunWhileMarked } from "./begun-while-marked.ts";
import { cacheMsOf } from "./cache-ms.ts";
import { createCallQuestions } from "./call-questions.ts";
import { createChosenModel } from "./chosen-model.ts";
import { commandReach } from "./command-reach.ts";
import { configuredMedia } from "./configured-media.ts";
import { createModelPort } from "./create-model-port.ts";
import { needsDoor, openDoor, type TakeDoor } from "./door/open-door.ts";
import { createEntryMaker } from "./entries.ts";
import { createFirstFacts } from "./first-facts.ts";
import { createFirstInstructions } from "./first-instructions.ts";
import { createFollowing, placeOf } from "./following.ts";
import { denyForbiddenQuestions } from "./forbidden-questions.ts";
import { createLaterNews, type LaterNewsDesk } from "./later-news.ts";
import { toolMedia } from "./media-reader.ts";
import { modelDepsOf } from "./model-deps.ts";
import { ModelTroubles } from "./model-troubles.ts";
import { passesOf } from "./passes/passes-of.ts";
import { createPatience } from "./patience.ts";
import { createPromptFor } from "./prompt-for.ts";
import { RunningTurns } from "./running-turns.ts";
import { createSessionRunner, type SessionRunnerDeps } from "./session-runner.ts";
import { createSpending } from "./spending.ts";
import { startSweeper } from "./sweeper.ts";
import { createToolSources, type ToolSettings, type ToolSources, toolFileTroubles, toolsFrom } from "./tool-sources.ts";
import type { TurnMetrics } from "./turn-metrics.ts";
import { createTurnRunner } from "./turn-runner.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import { workplaceNow } from "./workplace.ts";
import { worthKeeping } from "./worth-keeping.ts";

/** A main thread that has not moved for as long as its lease lasts, and no less than this, is stuck; the process is then ended. */
const leastStuckMs = 15_000;
/** Running turns get this long to finish after a stop request; then they are handed over. */
const drainMs = 10_000;
/** A lost wake-up is found within this time or a third of a lease, whichever is shorter. */
const longestSweepMs = 10_000;
/** The most characters of one tool call's output that reach the model. */
const maxToolOutputChars = 20_000;
/**
 * What is read of a history, at most: more than any window takes, with the entries' JSON and what providers want to see again. A
 * conversation is shortened by its own turns before it gets there.
 */
const bytesPerToken = 16;
const leastHistoryBytes = 8 * 1_024 * 1_024;

export interface WorkerOptions extends ToolSettings {
  readonly workerId: ProcessId;
  readonly databaseUrl: string;
  /** The `talaria start` that this worker belongs to, if any. */
  readonly supervisor?: string;
  /** Keeps the lease while agent code is busy. Default: a thread of this process. */
  readonly leaseKeeper?: (terms: LeaseTerms, log: Log) => Promise<LeaseKeeper>;
  readonly store: Store;
  readonly queue: QueueSystem;
  readonly metrics: TurnMetrics;
  /** Lets gateways of the same data folder reach this worker. Absent: they can't. */
  readonly takeDoor?: TakeDoor;
  /** The secret files with the keys of models, by the model's name. Absent: none. */
  readonly modelKeyFiles?: LoadedConfig["modelKeyFiles"];
  /** Metrics of this process, reported when its lease is renewed. */
  readonly snapshot: () => Promise<unknown>;
}

/** Starts one worker. Its lease comes first, since sessions are held in its name. */
export async function startWorker(options: WorkerOptions): Promise<{ sweepNow(): void; stop(): Promise<void> }> {
  const { workerId, supervisor, config, store, queue, random, log, leaseKeeper = keepLease } = options;
  const { sessionMs } = config.leases;
  const identity = { id: workerId, kind: "worker", host: hostname(), pid: process.pid } as const;
  const owner = { ...identity, ...(supervisor === undefined ? {} : { supervisor }) };
  const stuckAfterMs = Math.max(leastStuckMs, sessionMs);
  const lease = await leaseKeeper({ url: options.databaseUrl, process: owner, ttlMs: sessionMs, stuckAfterMs }, log);
  const running = new RunningTurns(store.turns, options.clock);
  const ending = new AbortController();
  let hasWorked = true;
  let hasTried = false;
  let isStopping = false;
  const wake = (sessionKey: SessionKey) => void queue.wakes.wake(sessionKey).catch(() => undefined);
  const deliver = (accountId: AccountId) => queue.bus.deliver(accountId);
  const questions = createCallQuestions({
    ...{ turns: store.turns, calls: store.calls, workerId, clock: options.clock, log },
    patiently: createPatience({ clock: options.clock, running, log }),
    untimed: (sessionKey, work) => running.untimed(sessionKey, work),
    end: (sessionKey, reason) => running.abort(sessionKey, reason),
    deliver,
  });
  const sources = await createToolSources({ ...options, askPerson: questions.ask });
  const { mcp, toolFiles } = sources;
  const { takeDoor } = options;
  const door = takeDoor && needsDoor(config) ? await openDoor(options, sources, takeDoor) : undefined;
  // The first turn finds them read, and the log has what is wrong with them.
  void toolFiles.tools(new Set());
  const laterNews = createLaterNews({ calls: store.calls, workerId, wake, clock: options.clock, log });
  const background = createBackgroundDesk({ store: store.background, workerId, log });
  const place = await ownPlace(options);
  const following =
    place === undefined ? undefined : createFollowing({ copies: store.workspaces, place, clock: options.clock, log });
  const troubles = new ModelTroubles({
    ...{ clock: options.clock, failed: options.metrics.modelFailed },
    keyFiles: options.modelKeyFiles ?? {},
  });
  const deskOf = { ...sources, laterNews, following, questions, background, troubles };
  const deps = sessionDeps(options, running, deskOf, ending.signal, () => {
    hasWorked = true;
    options.metrics.turnStarted();
  });
  const signals = await queue.bus.onWorker(workerId, ({ sessionKey }) => {
    questions.look(sessionKey);
    void background.look();
    running.check(sessionKey).catch((error: unknown) => log.warn({ error, sessionKey }, "cancellation not read"));
  });
  let served = "";
  const tell = () => {
    const servers = mcp?.status();
    served = JSON.stringify(servers ?? "");
    hasWorked = running.size > 0;
    void options.snapshot().then((metrics) =>
      lease.report({
        runningTurns: running.size,
        metrics,
        ...toolFileTroubles(sources),
        models: troubles.list(),
        ...(hasTried && { workplace: workplaceNow(options, sources) }),
        ...(servers && { mcp: servers }),
        ...(place && { place }),
      }),
    );
  };
  const look = setInterval(() => {
    void background.look();
    if (!hasWorked && JSON.stringify(mcp?.status() ?? "") === served) return;
    tell();
    running.checkAll().catch((error: unknown) => log.warn({ error }, "cancellations not read"));
  }, sessionMs / 3);
  const review = denyForbiddenQuestions({ ...options, calls: store.calls, toolFiles, wake, deliver });
  const consumer = queue.wakes.consume(createSessionRunner(deps), config.workers.turns);
  const tried = sources.workspaces
    .tryWhenIdle(() => running.size === 0)
    .then(async () => {
      if (!ending.signal.aborted && !isStopping) await sources.browsers.usable();
      hasTried = true;
      // News for whoever has just started it, and for health.
      if (!isStopping) tell();
    });
  const passes = passesOf(options, modelDepsOf(options, troubles));
  const sweeper = startSweeper(store.turns, queue.wakes, Math.min(longestSweepMs, sessionMs / 3), random, log);
  return {
    sweepNow: () => {
      sweeper.sweepNow();
      passes?.lookNow();
    },
    stop: async () => {
      isStopping = true;
      review.stop();
      running.close();
      await door?.stop();
      await passes?.stop();
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
      laterNews.close();
      background.close();
      await review.done;
      await sources.stop();
      await tried;
      await lease.retire();
    },
  };
}

/** Undefined where the files of sessions are not on this machine, or can't be. */
async function ownPlace({ config: { sandbox }, workspaceFolder, log }: WorkerOptions): Promise<string | undefined> {
  if (!["sandbox", "docker", "local"].includes(sandbox.backend)) return undefined;
  const folder = sandbox.folder ?? workspaceFolder;
  try {
    await prepareDefaultFolder(folder);
    return await placeOf(folder);
  } catch (error) {
    log.warn({ folder, error }, "files of sessions stay on their machine: this folder can't be written");
    return undefined;
  }
}

function sessionDeps(
  options: WorkerOptions,
  running: RunningTurns,
  sources: ToolSources &
    Pick<TurnRunnerDeps, "following" | "questions" | "background"> & {
      readonly laterNews: LaterNewsDesk;
      readonly troubles: ModelTroubles;
    },
  ending: AbortSignal,
  turnStarted: () => void,
): SessionRunnerDeps {
  const { config, store, queue, clock, log } = options;
  const { agent } = config;
  const entries = createEntryMaker({ media: configuredMedia(options, ending), operations: store.operations });
  const toEntries = withAskedSkills(entries, sources.skills);
  const commands = commandReach(config.sandbox);
  const spending = createSpending({ limits: config.limits.spending, refused: options.metrics.spendingRefused });
  const modelDeps = modelDepsOf(options, sources.troubles);
  const chosenModel = createChosenModel(config, (name, effort) => createModelPort(config, modelDeps, name, effort));
  const usual = chosenModel();
  const largestWindow = Math.max(...Object.values(config.models).map(({ contextTokens }) => contextTokens));
  const firstInstructions = createFirstInstructions(options);
  const known = config.memory.enabled ? { firstFacts: createFirstFacts({ facts: store.facts, log }) } : {};
  const capabilitiesOf = createCapabilitiesReader({ accounts: store.accounts, clock, log });
  const runTurn = createTurnRunner({
    turns: store.turns,
    running,
    ...usual,
    chosenModel,
    toolsFor: toolsFrom(options, sources, capabilitiesOf),
    capabilitiesOf,
    workerId: options.workerId,
    laterNews: sources.laterNews,
    questions: sources.questions,
    ...(sources.background && { background: sources.background }),
    following: sources.following,
    fileTaint: store.fileTaint,
    ...(config.memory.enabled
      ? {
          facts: store.facts,
          passes: config.memory.pass !== undefined,
          skills: { store: store.skills, ownNames: sources.skills.ownNames },
        }
      : {}),
    ...known,
    begun: new BegunWhileMarked({ of: store.fileTaint.of, opened: sources.workspaces.opened, log }),
    commands,
    commitAuthors: config.sandbox.authors,
    openWorkspace: (sessionKey) => sources.workspaces.open(sessionKey),
    homes: () => store.calls.homes(),
    grantsOf: (sessionKey, accountId) => store.calls.grants(sessionKey, accountId),
    authorise: createAuthorise({ policy: config.policy, ...(commands && { commands }), clock }),
    taintIn: (entries, tools) => taintIn(entries, tools, { ...(commands && { commands }) }),
    ...(agent.notesModel === undefined ? {} : { notesModel: createModelPort(config, modelDeps, agent.notesModel) }),
    operations: store.operations,
    past: store.search,
    media: toolMedia(store.media, config.media, { fetch: (accountId) => queue.bus.fetch(accountId), clock }),
    toEntries,
    spending,
    showsInstructions: agent.workspaceInstructions,
    limits: {
      maxSteps: agent.maxSteps,
      timeoutMs: agent.turnTimeoutMs,
      maxOutputChars: agent.maxReplyChars,
      maxToolOutputChars,
      ...usual.limits,
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
    historyBytes: Math.max(leastHistoryBytes, largestWindow * bytesPerToken),
    handedOver: ({ sessionKey, fence }) => {
      queue.wakes.rewake(sessionKey, fence).catch((error: unknown) => log.warn({ error, sessionKey }, "not woken"));
    },
    spending,
    promptFor: createPromptFor({
      ...{ config, workspaces: sources.workspaces, skills: sources.skills, capabilitiesOf, hintOf, firstInstructions },
    }),
    ...known,
    ...(config.memory.enabled && { worthKeeping }),
    cacheMs: cacheMsOf(config.models),
    deliver: (accountId) => queue.bus.deliver(accountId),
    claimed: (waitedMs) => options.metrics.stage("recorded_to_claimed", waitedMs),
    clock,
    log,
  };
}
