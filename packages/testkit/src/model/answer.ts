import type { ServerResponse } from "node:http";
import { mergeToolCalls } from "./merge-tool-calls.ts";
import type { ModelRequest } from "./model-request.ts";
import type { FinishReason, ModelErrorBody, ModelScript, ModelStep, ModelUsage, ToolCallDelta } from "./script.ts";

interface AnswerFacts {
  readonly id: string;
  readonly request: ModelRequest;
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal;
}

/** What the steps of a script add up to. */
interface Totals {
  text: string;
  reasoning: string;
  readonly toolDeltas: ToolCallDelta[];
  finish: FinishReason | undefined;
  usage: ModelUsage | undefined;
}

/** Where the deltas of an answer go: a stream, or nowhere when the answer is sent whole. */
interface Sink {
  delta(delta: object): Promise<void>;
  raw(line: string | Uint8Array): Promise<void>;
}

type Ending = "complete" | "cut" | "reset" | { readonly error: ModelErrorBody };

/** Plays a script as server-sent events, one `data:` line per delta, then usage if asked for, then `[DONE]`. */
export async function streamAnswer(response: ServerResponse, script: ModelScript, facts: AnswerFacts): Promise<void> {
  const { request, signal } = facts;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const write = async (line: string | Uint8Array) => {
    response.write(line);
    if (!response.write("\n\n")) await drained(response, signal);
  };
  const chunk = (choices: object[], extra: object = {}) =>
    write(
      `data: ${JSON.stringify({ ...envelope("chat.completion.chunk", facts), choices, ...nullUsage(request), ...extra })}`,
    );
  const choice = (delta: object, reason: FinishReason | null) => [
    { index: 0, delta, logprobs: null, finish_reason: reason },
  ];
  response.flushHeaders();
  let isFirst = true;
  const sink: Sink = {
    async delta(delta) {
      const role = isFirst ? { role: "assistant", content: "", refusal: null } : {};
      isFirst = false;
      await chunk(choice({ ...role, ...delta }, null));
    },
    raw: write,
  };
  const totals = newTotals();
  const ending = await play(script, sink, totals, signal);
  if (ending === "reset") response.destroy();
  if (ending === "cut") response.end();
  if (typeof ending === "object") {
    await write(`data: ${JSON.stringify({ error: ending.error })}`);
    response.end();
  }
  if (ending !== "complete") return;
  await chunk(choice({}, finishOf(totals)));
  if (request.includeUsage) await chunk([], { usage: usageOf(totals, request) });
  response.end("data: [DONE]\n\n");
}

/** Plays a script and sends the answer in one piece. */
export async function sendWholeAnswer(
  response: ServerResponse,
  script: ModelScript,
  facts: AnswerFacts,
): Promise<void> {
  const totals = newTotals();
  const nowhere: Sink = { delta: async () => {}, raw: async () => {} };
  const ending = await play(script, nowhere, totals, facts.signal);
  if (ending === "cut" || ending === "reset") {
    response.destroy();
    return;
  }
  if (typeof ending === "object") {
    sendJson(response, 500, { error: ending.error });
    return;
  }
  const toolCalls = mergeToolCalls(totals.toolDeltas);
  const message = {
    role: "assistant",
    content: totals.text === "" && toolCalls.length > 0 ? null : totals.text,
    refusal: null,
    ...(totals.reasoning !== "" && { reasoning_content: totals.reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  sendJson(response, 200, {
    ...envelope("chat.completion", facts),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(totals) }],
    usage: usageOf(totals, facts.request),
  });
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  if (response.headersSent || response.destroyed) return;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

async function play(script: ModelScript, sink: Sink, totals: Totals, signal: AbortSignal): Promise<Ending> {
  for (const step of script) {
    const waitMs = "delayMs" in step ? step.delayMs : step.kind === "wait" ? step.ms : undefined;
    if (waitMs !== undefined || step.kind === "stall") await quiet(waitMs, signal);
    if (step.kind === "hold") await Promise.race([step.until.catch(() => {}), quiet(undefined, signal)]);
    if (signal.aborted) return "reset";
    const ending = await playStep(step, sink, totals);
    if (ending) return ending;
  }
  return "complete";
}

async function playStep(step: ModelStep, sink: Sink, totals: Totals): Promise<Ending | undefined> {
  switch (step.kind) {
    case "text":
      totals.text += step.text;
      await sink.delta({ content: step.text });
      return undefined;
    case "reasoning":
      totals.reasoning += step.text;
      await sink.delta({ [step.field ?? "reasoning_content"]: step.text });
      return undefined;
    case "tool":
      totals.toolDeltas.push(step.delta);
      await sink.delta({ tool_calls: [step.delta] });
      return undefined;
    case "finish":
      totals.finish = step.reason;
      return undefined;
    case "usage":
      totals.usage = step.usage;
      return undefined;
    case "raw":
      await sink.raw(step.line);
      return undefined;
    case "cut":
      return step.how === "end" ? "cut" : "reset";
    case "error":
      return { error: step.error };
    case "status":
      throw new Error("a status step is only allowed as the first step of a script");
    case "wait":
    case "hold":
    case "stall":
      return undefined;
    default:
      return step satisfies never;
  }
}

function newTotals(): Totals {
  return { text: "", reasoning: "", toolDeltas: [], finish: undefined, usage: undefined };
}

function finishOf(totals: Totals): FinishReason {
  return totals.finish ?? (totals.toolDeltas.length > 0 ? "tool_calls" : "stop");
}

function usageOf(totals: Totals, request: ModelRequest): ModelUsage {
  if (totals.usage) return totals.usage;
  const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
  const completion = Math.ceil(
    (totals.text.length + totals.reasoning.length + JSON.stringify(totals.toolDeltas).length) / 4,
  );
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function nullUsage(request: ModelRequest): object {
  return request.includeUsage ? { usage: null } : {};
}

function envelope(object: string, { id, request }: AnswerFacts): object {
  return {
    id,
    object,
    created: Math.floor(request.at / 1_000),
    model: request.model,
    system_fingerprint: "fp_testkit",
  };
}

/** Waits `ms`, or for ever, but never longer than the signal lives. */
function quiet(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
    if (signal.aborted) finish();
  });
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      response.off("drain", finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    response.once("drain", finish);
    signal.addEventListener("abort", finish, { once: true });
    if (signal.aborted) finish();
  });
}
