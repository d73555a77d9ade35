import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
  type Authorise,
  defineTool,
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  type Tool,
  type TranscriptEntry,
} from "@talaria/agent";
import { instantOf, isGatewayError, type SessionKey } from "@talaria/protocol";
import type { OpenCall, OutboxRow } from "@talaria/store";
import { z } from "zod";
import { Talk, type TestStore, TestWorker } from "../worker.fixture.ts";
import { didOf, didText } from "./did-text.ts";
import { keptFiles } from "./kept-files.ts";
import { type Death, Life } from "./mortal-turns.ts";
import {
  type CallKind,
  callName,
  changesSomething,
  endsEarly,
  type Move,
  nextAnswer,
  type Plan,
  placeOf,
  plannedCall,
} from "./plan.ts";

const hourMs = 3_600_000;
/** Whoever says this wants no further calls. */
export const farewell = "that was all";
/** A session is given up at the third death within ten minutes. */
const deathsInTenMinutes = 2;

/** Asks the database directly. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** What is left of a conversation. */
export interface Ended {
  readonly key: SessionKey;
  /** All that the model is shown at the end. */
  readonly transcript: ModelRequest["messages"];
  readonly outbox: readonly OutboxRow[];
  /** By name of the call, how often it has changed something. */
  readonly effects: ReadonlyMap<string, number>;
  /** Names of calls that had begun to change something when their worker died. */
  readonly unknown: ReadonlySet<string>;
  /** Writes of the first worker. */
  readonly writes: number;
  /** Those of them that shortened the conversation. */
  readonly shortenedAt: readonly number[];
}

interface Living {
  readonly life: Life;
  readonly worker: TestWorker;
}

/** Plays a plan with real sessions and turns, by workers that die as told, until nothing is left to do. */
export class ConversationPlay {
  readonly #test: TestStore;
  readonly #query: Query;
  readonly #plan: Plan;
  readonly #deaths: Death[];
  readonly #talk: Talk;
  readonly #effects = new Map<string, number>();
  readonly #unknown = new Set<string>();
  readonly #made = new Map<string, Promise<void>>();
  readonly #media = keptFiles();
  #living: Living | undefined;
  #died = 0;
  #firstWrites: Life | undefined;
  #shown: ModelRequest["messages"] = [];

  constructor(test: TestStore, query: Query, plan: Plan, deaths: readonly Death[] = []) {
    this.#test = test;
    this.#query = query;
    this.#plan = plan;
    this.#deaths = [...deaths];
    this.#talk = new Talk(test);
  }

  async play(): Promise<Ended> {
    await this.#talk.say("begin");
    await this.#live();
    for (const [index, moves] of this.#plan.idle.entries()) {
      for (const [place, move] of moves.entries()) await this.#make(`idle ${index}.${place}`, move);
      await this.#live();
    }
    await this.#settleAll();
    await this.#talk.say(farewell);
    await this.#live();
    return {
      key: this.#talk.key,
      transcript: this.#shown,
      outbox: await this.#talk.outbox(),
      effects: this.#effects,
      unknown: this.#unknown,
      writes: this.#firstWrites?.writes ?? 0,
      shortenedAt: this.#firstWrites?.shortenedAt ?? [],
    };
  }

  async #settleAll(): Promise<void> {
    if (this.#plan.ending === "stopped") await this.#make("ending", { kind: "stop" });
    await this.#live();
    for (let calls = 0; (await this.#waiting()).length > 0; calls += 1) {
      assert.ok(calls < 40, "the conversation comes to an end");
      await this.#make(`ending ${calls}`, { kind: "decide" });
      await this.#live();
    }
  }

  /** Whoever lives works until nothing is left to do. */
  async #live(): Promise<void> {
    for (;;) {
      this.#living ??= await this.#start();
      const { life, worker } = this.#living;
      const moves = this.#made.size;
      try {
        await worker.run(this.#talk.key);
      } catch (error) {
        if (!life.isDead && !(life.hasLapsed && isGatewayError(error, "conflict"))) throw error;
      }
      if (life.isDead) await this.#bury({ life, worker });
      // Somebody wakes the session after each move.
      else if (moves === this.#made.size) return;
      await Promise.all(this.#made.values());
    }
  }

  async #start(): Promise<Living> {
    const life = new Life(this.#deaths.shift(), async () => {
      worker.running.close();
      await this.#bury({ life, worker });
      await this.#live();
    });
    this.#firstWrites ??= life;
    const { store, url } = this.#test;
    const mortal = { ...this.#test, url, store: { ...store, turns: life.turns(store.turns) } };
    const worker: TestWorker = await TestWorker.start(mortal, this.#model(life), {
      tools: this.#tools(life),
      authorise: this.#authorise,
      maxSteps: 40,
      maxToolOutputChars: 10_000,
      media: this.#media,
      taintIn: (entries) =>
        entries.some(({ kind }) => kind === "tool.result") ? [{ kind: "tool", name: "read" }] : taintBefore(entries),
      ...(this.#plan.window === undefined ? {} : { windowTokens: this.#plan.window.tokens }),
    });
    return { life, worker };
  }

  /** Its lease has run out. What it had begun may have happened or not. */
  async #bury({ worker }: Living): Promise<void> {
    this.#living = undefined;
    this.#died += 1;
    await this.#test.store.processes.retire(worker.id);
    const rows = await this.#query<{ body: TranscriptEntry }>(
      `select entry.body from talaria.entry join talaria.session on open_turn = turn_id
        where session.session_key = $1 order by entry.id`,
      [this.#talk.key],
    );
    for (const name of startedIn(rows.map(({ body }) => body)))
      if (changesSomething(plannedCall(this.#plan, name).kind)) this.#unknown.add(name);
    if (this.#died % deathsInTenMinutes === 0)
      await this.#query("update talaria.session set failed_at = '{}' where session_key = $1", [this.#talk.key]);
  }

  #waiting(): Promise<readonly OpenCall[]> {
    return this.#test.store.calls.waiting(this.#talk.key);
  }

  /** Makes a move of people, once. Resolves when it is made, whoever makes it. */
  #make(place: string, move: Move): Promise<void> {
    const made = this.#made.get(place) ?? this.#carryOut(place, move);
    this.#made.set(place, made);
    return made;
  }

  async #carryOut(place: string, move: Move): Promise<void> {
    switch (move.kind) {
      case "say":
        await this.#talk.say(`words (${place})`, move.mode);
        break;
      case "stop":
      case "compact":
        await this.#talk.control(move.kind);
        break;
      case "decide":
        await this.#settle((await this.#waiting())[0]);
        break;
      default:
        move satisfies never;
    }
    await this.#tell(this.#living);
  }

  /** As the gateway tells the worker that somebody may have ended its turn. */
  async #tell(living: Living | undefined): Promise<void> {
    try {
      await living?.worker.running.check(this.#talk.key);
    } catch (error) {
      if (!living?.life.isDead) throw error;
    }
  }

  async #settle(call: OpenCall | undefined): Promise<void> {
    if (call === undefined) return;
    const { fate, kind } = plannedCall(this.#plan, nameIn(call.arguments));
    const { id } = call;
    const { calls } = this.#test.store;
    const sessionKey = this.#talk.key;
    const settled = () => {
      if (fate === "expired") return calls.settle({ id, sessionKey, settlement: "expired" });
      if (kind === "ask" || kind === "look") return this.#talk.decide(fate, id);
      return calls.settle({ id, sessionKey, settlement: "answered", content: `answer to ${kind}` });
    };
    // Whoever has written over its turn was quicker: it is about to be cancelled.
    assert.ok((await settled()) || endsEarly(this.#plan));
  }

  /** Resolves when each earlier call of the same answer that is answered later waits, or has its result. */
  async #asked(name: string, life: Life, signal: AbortSignal): Promise<void> {
    const { answer, index } = placeOf(name);
    const before = this.#plan.answers[answer]?.calls.slice(0, index) ?? [];
    const asks = before.flatMap(({ kind }, place) =>
      kind === "read" || kind === "write" ? [] : [callName(answer, place)],
    );
    for (;;) {
      const rows = await this.#query<{ call_id: string }>(
        `select call_id from talaria.open_call where session_key = $1
          union select body ->> 'callId' from talaria.entry where session_key = $1 and kind = 'tool.result'`,
        [this.#talk.key],
      );
      if (asks.every((ask) => rows.some(({ call_id }) => call_id === ask))) return;
      life.check();
      signal.throwIfAborted();
    }
  }

  #model(life: Life): ModelPort {
    const { answers, window } = this.#plan;
    const { refusedChars = Number.POSITIVE_INFINITY } = window ?? {};
    const make = (place: string, move: Move) => this.#make(place, move);
    const show = (messages: ModelRequest["messages"]) => {
      this.#shown = messages;
    };
    return {
      async *stream({ messages }): AsyncIterable<ModelEvent> {
        life.check();
        show(messages);
        const shown = messages.map((one) => [one.content, one.role === "assistant" ? one.toolCalls : ""]);
        const text = JSON.stringify(shown);
        if (text.length > refusedChars) {
          const error = { kind: "context_full", message: "it is too long", visible: false } as const;
          yield { type: "failed", error };
          return;
        }
        const number =
          window === undefined ? messages.filter(({ role }) => role === "assistant").length : nextAnswer(text);
        const isLast = messages.at(-1)?.content.includes(farewell) ?? false;
        const { calls, meanwhile } = (isLast ? undefined : answers[number]) ?? { calls: [], meanwhile: [] };
        for (const [index, move] of meanwhile.entries()) await make(`answer ${number}.${index}`, move);
        const toolCalls = calls.map(({ kind }, index) => {
          const name = callName(number, index);
          return { callId: name, name: kind, arguments: JSON.stringify({ name }) };
        });
        const stop = toolCalls.length > 0 ? "tool_calls" : "end";
        const message = { role: "assistant", content: `answer ${number}`, toolCalls } as const;
        yield { type: "done", message, stop, servedBy: "scripted" };
      },
    };
  }

  #tools(life: Life): readonly Tool[] {
    const kinds = ["read", "write", "look", "ask", "form", "begin"] as const;
    return kinds.map((kind) =>
      defineTool({
        name: kind,
        description: kind,
        effect: changesSomething(kind) ? "write" : "read",
        permissions: [],
        input: z.strictObject({ name: z.string() }),
        // Calls of one parity run one after the other.
        resources: ({ name }) => [String(Number(name.at(-1)) % 2)],
        execute: ({ name }, { signal }) => this.#execute(kind, name, life, signal),
      }),
    );
  }

  async #execute(kind: CallKind, name: string, life: Life, signal: AbortSignal) {
    const { lingers, fate, meanwhile } = plannedCall(this.#plan, name);
    for (let round = 0; round < lingers; round += 1) await setImmediate();
    life.check();
    if (kind === "read" && meanwhile !== undefined) {
      if (meanwhile.kind === "decide") await this.#asked(name, life, signal);
      await this.#make(name, meanwhile);
    }
    if (changesSomething(kind)) this.#effects.set(name, (this.#effects.get(name) ?? 0) + 1);
    for (let round = 0; round < lingers; round += 1) await setImmediate();
    life.check();
    if (kind === "form") return { waitsFor: "form" as const, shown: `fill in ${name}`, expiresAt: ending(fate) };
    if (kind === "begin") return { waitsFor: "process" as const, shown: `begun ${name}`, expiresAt: ending(fate) };
    return {
      content: didText(name, this.#plan),
      ...(this.#plan.window === undefined ? {} : { did: didOf(kind, name) }),
    };
  }

  #authorise: Authorise = ({ tool, call }) => {
    if (tool.name !== "ask" && tool.name !== "look") return { decision: "allow" };
    const name = nameIn(call.arguments);
    const expiresAt = ending(plannedCall(this.#plan, name).fate);
    return { decision: "ask", rule: "test", shown: `May ${name} be done?`, approver: "owner", expiresAt };
  };
}

function taintBefore(entries: readonly TranscriptEntry[]) {
  return entries.flatMap((entry) => (entry.kind === "checkpoint" ? entry.derived.taint : []));
}

/** Only what is over can expire. */
function ending(fate: string) {
  return instantOf(Date.now() + (fate === "expired" ? -1_000 : hourMs));
}

export function nameIn(callArguments: string): string {
  return (JSON.parse(callArguments) as { name: string }).name;
}

/** Names of the calls that have a start and nothing after it. */
export function startedIn(entries: readonly TranscriptEntry[]): readonly string[] {
  const names = new Map<string, string>();
  const started = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "assistant") for (const call of entry.toolCalls) names.set(call.callId, nameIn(call.arguments));
    if (entry.kind === "call.settled") names.set(entry.id, nameIn(entry.arguments));
    if (entry.kind === "tool.started") started.add(entry.callId);
    if (entry.kind === "tool.result" || entry.kind === "tool.waiting") started.delete(entry.callId);
  }
  return [...started].map((callId) => names.get(callId) ?? "");
}
