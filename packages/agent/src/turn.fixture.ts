import {
  brandAs,
  type Clock,
  type Conversation,
  type EventId,
  instantOf,
  type Sender,
  type SessionKey,
  silentLog,
  systemClock,
  type TurnId,
} from "@talaria/protocol";
import { z } from "zod";
import {
  defineTool,
  type ModelEvent,
  type ModelFailure,
  type ModelPort,
  type ModelRequest,
  type ModelStop,
  runTurn,
  type Tool,
  type ToolCall,
  type ToolContext,
  type TranscriptEntry,
  type TurnDeps,
  type TurnEvent,
  type TurnInput,
  type TurnOutcome,
  type UserEntry,
} from "./index.ts";

export const conversation: Conversation = {
  accountId: brandAs("telegram-main"),
  platform: "telegram",
  conversationId: brandAs("42"),
  kind: "group",
};

export function person(userId: string, assurance: Sender["assurance"] = "platform"): Sender {
  return { userId: brandAs(userId), role: "person", displayName: `Person ${userId}`, assurance };
}

export function said(markdown: string, sender: Sender = person("1"), more: Partial<UserEntry> = {}): UserEntry {
  const eventId = brandAs<EventId>(`event ${markdown}`);
  return {
    kind: "user",
    eventId,
    sender,
    role: "member",
    markdown,
    attachments: [],
    at: instantOf(1_790_000_000_000),
    ...more,
  };
}

/** What a model does when it is asked: events, or a function that gives them. */
export type Answer =
  | readonly ModelEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent> | readonly ModelEvent[]);

/** Gives one answer after the other, the last one for ever, and remembers what it was asked. */
export function scriptedModel(...answers: Answer[]): ModelPort & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request, signal) {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? [];
      requests.push(request);
      yield* typeof answer === "function" ? answer(request, signal) : answer;
    },
  };
}

export function says(text: string, stop: ModelStop = "end"): readonly ModelEvent[] {
  const deltas = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  return [...deltas.map((piece) => ({ type: "delta", text: piece }) as const), done(text, [], stop)];
}

export function calls(...names: readonly (string | readonly [name: string, args: string])[]): readonly ModelEvent[] {
  return [done("", names.map(toCall), "tool_calls")];
}

export function done(content: string, toolCalls: readonly ToolCall[], stop: ModelStop): ModelEvent {
  return { type: "done", message: { role: "assistant", content, toolCalls }, stop, servedBy: "scripted" };
}

export function fails(kind: ModelFailure["kind"], more: Partial<ModelFailure> = {}): readonly ModelEvent[] {
  return [{ type: "failed", error: { kind, message: `sk-secret at 10.0.0.1: ${kind}`, visible: false, ...more } }];
}

let lastCall = 0;

function toCall(call: string | readonly [string, string]): ToolCall {
  lastCall += 1;
  const [name, args] = typeof call === "string" ? [call, "{}"] : call;
  return { callId: `c${lastCall}`, name, arguments: args };
}

export function tool(
  name: string,
  effect: Tool["effect"],
  execute: (context: ToolContext, input: { n?: number | undefined }) => Promise<string> | string,
  more: Partial<Pick<Tool, "timeoutMs" | "doing">> = {},
): Tool {
  return defineTool({
    name,
    description: name,
    effect,
    permissions: [],
    input: z.strictObject({ n: z.number().optional() }),
    execute: async (input, context) => ({ content: await execute(context, input) }),
    ...more,
  });
}

/** Sleeps for no time, and counts how long it would have been. */
export function hastyClock(): Clock & { sleptMs: number[] } {
  const sleptMs: number[] = [];
  return {
    sleptMs,
    now: () => sleptMs.reduce((sum, each) => sum + each, 0),
    elapsed: () => sleptMs.reduce((sum, each) => sum + each, 0),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleptMs.push(ms);
    },
  };
}

export function turnInput(more: Partial<TurnInput> = {}): TurnInput {
  return {
    turnId: brandAs<TurnId>("turn-1"),
    sessionKey: brandAs<SessionKey>("telegram-main/42"),
    system: "You are Talaria.",
    shared: false,
    history: [],
    journal: [said("hello")],
    tools: [],
    conversation,
    maxSteps: 20,
    maxOutputChars: 100_000,
    maxToolOutputChars: 10_000,
    windowTokens: 100_000,
    answerTokens: 8_000,
    ...more,
  };
}

export function turnDeps(model: ModelPort, more: Partial<TurnDeps> = {}): TurnDeps {
  const signal = new AbortController().signal;
  return { model, signal, steering: async () => [], clock: systemClock, log: silentLog, ...more };
}

/** Gives one batch of late words each time it is asked. */
export function late(...batches: (readonly TranscriptEntry[])[]): TurnDeps["steering"] {
  return async (unwritten) => {
    const words = batches.shift() ?? [];
    return words.length === 0 ? [] : [...unwritten, ...words];
  };
}

export interface Played {
  readonly events: readonly TurnEvent[];
  /** What a reader would have written, `final` included. */
  readonly journal: readonly TranscriptEntry[];
  /** The deltas since the last restart. */
  readonly shown: string;
  readonly outcome: TurnOutcome;
}

/** Drives a turn to its end as a worker does. */
export async function play(
  input: TurnInput,
  deps: TurnDeps,
  onEvent: (event: TurnEvent) => void = () => {},
): Promise<Played> {
  const journal: TranscriptEntry[] = [...input.journal];
  const steering = async (unwritten: readonly TranscriptEntry[]) => {
    const written = await deps.steering(unwritten);
    journal.push(...written);
    return written;
  };
  const turn = runTurn(input, { ...deps, steering });
  const events: TurnEvent[] = [];
  let shown = "";
  for (;;) {
    const step = await turn.next();
    if (step.done) return { events, journal: [...journal, ...step.value.final], shown, outcome: step.value };
    events.push(step.value);
    if (step.value.type === "journal") journal.push(...step.value.entries);
    if (step.value.type === "text.delta") shown += step.value.text;
    if (step.value.type === "text.restart") shown = "";
    onEvent(step.value);
  }
}

/** `tool.result` contents in order. */
export function resultsOf(journal: readonly TranscriptEntry[]): readonly string[] {
  return journal.filter((entry) => entry.kind === "tool.result").map((entry) => entry.content);
}

export function kindsOf(journal: readonly TranscriptEntry[]): readonly string[] {
  return journal.map((entry) => ("callId" in entry ? `${entry.kind} ${entry.name}` : entry.kind));
}
