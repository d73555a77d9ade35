import {
  defineTool,
  type MediaAccess,
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  type Tool,
  type ToolCall,
  type Workspace,
} from "@talaria/agent";
import type { SpendingLimits } from "@talaria/policy";
import { createTestDatabase } from "@talaria/postgres";
import {
  type AccountId,
  brandAs,
  type Log,
  type ProcessId,
  permissions,
  type SessionKey,
  type StreamFrame,
  silentLog,
  systemClock,
} from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { z } from "zod";
import { carefulCapabilities } from "./account-capabilities.ts";
import type { AuthoriseWith } from "./authorise.ts";
import { type CallQuestions, createCallQuestions } from "./call-questions.ts";
import { createEntryMaker, type EntryMaker } from "./entries.ts";
import type { Following } from "./following.ts";
import { createLaterNews, type LaterNewsDesk } from "./later-news.ts";
import { createMediaReader } from "./media-reader.ts";
import { createPatience } from "./patience.ts";
import { RunningTurns } from "./running-turns.ts";
import { createSessionRunner, type SessionRunnerDeps } from "./session-runner.ts";
import { createSpending } from "./spending.ts";
import type { ToolsFor } from "./tools-for.ts";
import type { TurnMetrics } from "./turn-metrics.ts";
import { createTurnRunner } from "./turn-runner.ts";
import type { TurnLimits, TurnRunnerDeps } from "./turn-runner-deps.ts";

export { Talk } from "./talk.fixture.ts";

export interface TestStore extends AsyncDisposable {
  readonly store: Store;
  readonly url: string;
}

export async function createTestStore(): Promise<TestStore> {
  const { url, drop } = await createTestDatabase();
  await migrate(url, silentLog);
  const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections: 6 });
  const dispose = async () => {
    await store.close();
    await drop();
  };
  return { store, url, [Symbol.asyncDispose]: dispose };
}

/** What the model does when it is asked: events at once, or a function that gives them when it likes. */
export type Answer =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

/** Gives one answer after the other, the last one for ever, and remembers what it was asked. */
export class ScriptedModel implements ModelPort {
  readonly requests: ModelRequest[] = [];
  readonly #answers: readonly Answer[];
  readonly #asked = new EventTarget();

  constructor(...answers: readonly Answer[]) {
    this.#answers = answers;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const answer = this.#answers[Math.min(this.requests.length, this.#answers.length - 1)] ?? [];
    this.requests.push(request);
    this.#asked.dispatchEvent(new Event("asked"));
    yield* typeof answer === "function" ? answer(request, signal) : answer;
  }

  /** Resolves once it was asked so often. */
  async wasAsked(times: number): Promise<void> {
    while (this.requests.length < times)
      await new Promise((resolve) => this.#asked.addEventListener("asked", resolve, { once: true }));
  }
}

export function says(text: string): readonly ModelEvent[] {
  return [delta(text), done(text)];
}

export function calls(name: string): readonly ModelEvent[] {
  return [done("", [{ callId: "c1", name, arguments: "{}" }])];
}

/** Shows `text`, then waits: for ever, or until `more` resolves with the rest. */
export function hangs(text: string, more?: Promise<string>): Answer {
  return async function* (_request, signal) {
    yield delta(text);
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    const rest = await Promise.race([stopped, more ?? stopped]);
    if (rest === undefined) {
      yield { type: "failed", error: { kind: "aborted", message: "stopped", visible: true } };
      return;
    }
    yield delta(rest);
    yield done(text + rest);
  };
}

function delta(text: string): ModelEvent {
  return { type: "delta", text };
}

export function done(content: string, toolCalls: readonly ToolCall[] = []): ModelEvent {
  const stop = toolCalls.length > 0 ? "tool_calls" : "end";
  return { type: "done", message: { role: "assistant", content, toolCalls }, stop, servedBy: "scripted" };
}

export function tool(name: string, execute: () => Promise<string>): Tool {
  return defineTool({
    name,
    description: name,
    effect: "read",
    permissions: [permissions[0]],
    input: z.strictObject({}),
    execute: async () => ({ content: await execute() }),
  });
}

const noMetrics: TurnMetrics = {
  turnStarted: () => undefined,
  turnFinished: () => undefined,
  firstToken: () => undefined,
  streamed: () => undefined,
  toolCalled: () => undefined,
  modelUsed: () => undefined,
  modelFailed: () => undefined,
  spendingRefused: () => undefined,
  passEnded: () => undefined,
  factsDropped: () => undefined,
  stage: () => undefined,
};

const off = { turnsPerMinute: "off", tokensPerDay: "off" } as const;
const noLimits: SpendingLimits = { person: off, guest: off, conversation: off, account: off };

/** What a test may put in place of the fixture's own. */
export interface TestWorkerOptions extends Partial<TurnLimits> {
  readonly tools?: readonly Tool[];
  readonly toolsFor?: ToolsFor;
  readonly toEntries?: EntryMaker;
  readonly spending?: SpendingLimits;
  readonly promptFor?: SessionRunnerDeps["promptFor"];
  /** Default: nothing is known of what is kept. */
  readonly firstFacts?: SessionRunnerDeps["firstFacts"];
  /** Default: an hour. */
  readonly cacheMs?: number;
  readonly worthKeeping?: SessionRunnerDeps["worthKeeping"];
  readonly metrics?: Partial<TurnMetrics>;
  readonly authorise?: AuthoriseWith;
  readonly openWorkspace?: (sessionKey: SessionKey) => Promise<Workspace>;
  readonly following?: Following;
  readonly media?: MediaAccess;
  readonly taintIn?: TurnRunnerDeps["taintIn"];
  readonly passes?: boolean;
  readonly chosenModel?: TurnRunnerDeps["chosenModel"];
  readonly log?: Log;
  readonly clock?: TurnRunnerDeps["clock"];
}

/** One worker process as far as sessions go: its id, its runners, what they published. */
export class TestWorker {
  readonly id: ProcessId;
  readonly running: RunningTurns;
  readonly frames: StreamFrame[] = [];
  readonly delivered: AccountId[] = [];
  readonly finished: string[] = [];
  readonly handedOver: SessionKey[] = [];
  readonly woken: SessionKey[] = [];
  readonly laterNews: LaterNewsDesk;
  readonly questions: CallQuestions;
  readonly run: (sessionKey: SessionKey) => Promise<void>;

  private constructor(id: ProcessId, store: Store, model: ModelPort, more: TestWorkerOptions) {
    this.id = id;
    const {
      tools = [],
      toolsFor = async () => ({ tools }),
      promptFor = async () => "be kind",
      metrics = {},
      log = silentLog,
      clock = systemClock,
      ...others
    } = more;
    this.running = new RunningTurns(store.turns, clock);
    const media = createMediaReader({ media: store.media, ending: new AbortController().signal, log });
    const entries = createEntryMaker({ media, operations: store.operations });
    const {
      toEntries = entries,
      spending: spendingLimits = noLimits,
      authorise,
      openWorkspace,
      following,
      media: toolMedia,
      taintIn,
      passes = false,
      chosenModel,
      firstFacts,
      cacheMs = 3_600_000,
      worthKeeping,
      ...limits
    } = others;
    const known = firstFacts === undefined ? {} : { firstFacts };
    const spending = createSpending({ limits: spendingLimits, refused: () => undefined });
    const common = { turns: store.turns, running: this.running, toEntries, spending, clock, log };
    const wake = (sessionKey: SessionKey) => this.woken.push(sessionKey);
    this.laterNews = createLaterNews({ calls: store.calls, workerId: id, wake, clock, log });
    this.questions = createCallQuestions({
      ...{ turns: store.turns, calls: store.calls, workerId: id, clock, log },
      patiently: createPatience({ clock, running: this.running, log }),
      untimed: (sessionKey, work) => this.running.untimed(sessionKey, work),
      end: (sessionKey, reason) => this.running.abort(sessionKey, reason),
      deliver: (accountId) => this.delivered.push(accountId),
    });
    const runTurn = createTurnRunner({
      ...common,
      workerId: id,
      questions: this.questions,
      laterNews: this.laterNews,
      following,
      model,
      modelName: "main",
      toolsFor,
      homes: () => store.calls.homes(),
      grantsOf: (sessionKey, accountId) => store.calls.grants(sessionKey, accountId),
      limits: {
        maxSteps: 10,
        timeoutMs: 60_000,
        maxOutputChars: 10_000,
        maxToolOutputChars: 1_000,
        windowTokens: 100_000,
        answerTokens: 8_000,
        toolTokens: 16_000,
        ...limits,
      },
      publish: (frame) => this.frames.push(frame),
      deliver: (accountId) => this.delivered.push(accountId),
      ...(authorise === undefined ? {} : { authorise }),
      ...(openWorkspace === undefined ? {} : { openWorkspace }),
      ...{ facts: store.facts, passes },
      skills: { store: store.skills, ownNames: async () => [] },
      ...known,
      ...(toolMedia === undefined ? {} : { media: toolMedia }),
      ...{ ...(taintIn && { taintIn }), ...(chosenModel && { chosenModel }) },
      capabilitiesOf: async () => ({ ...carefulCapabilities, choices: { max: 25, maxLabelLength: 40 } }),
      metrics: { ...noMetrics, ...metrics, turnFinished: (outcome) => this.finished.push(outcome) },
    });
    this.run = createSessionRunner({
      ...common,
      workerId: id,
      runTurn,
      promptFor,
      historyBytes: 1_000_000,
      ...{ ...known, cacheMs, ...(worthKeeping && { worthKeeping }) },
      handedOver: ({ sessionKey }) => this.handedOver.push(sessionKey),
      deliver: (accountId) => this.delivered.push(accountId),
      claimed: () => undefined,
    });
  }

  static async start({ store }: TestStore, model: ModelPort, more: TestWorkerOptions = {}): Promise<TestWorker> {
    const id = brandAs<ProcessId>(`worker-${crypto.randomUUID()}`);
    await store.processes.register({ id, kind: "worker", host: "here", pid: 1 }, 60_000);
    return new TestWorker(id, store, model, more);
  }
}
