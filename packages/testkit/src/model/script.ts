export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

export interface ModelUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** One step of an answer. `delayMs` is the silence before it. */
export type ModelStep =
  | { readonly kind: "text"; readonly text: string; readonly delayMs?: number }
  /** Thoughts, in `reasoning_content` unless another field is named. */
  | {
      readonly kind: "reasoning";
      readonly text: string;
      readonly field?: "reasoning_content" | "reasoning";
      readonly delayMs?: number;
    }
  /** Goes out exactly as given as one element of `delta.tool_calls`, however strange. */
  | { readonly kind: "tool"; readonly delta: ToolCallDelta; readonly delayMs?: number }
  | { readonly kind: "finish"; readonly reason: FinishReason }
  | { readonly kind: "usage"; readonly usage: ModelUsage }
  | { readonly kind: "wait"; readonly ms: number }
  /** Silence until the test lets go. */
  | { readonly kind: "hold"; readonly until: Promise<unknown> }
  /** Silence until the client hangs up or the server stops. */
  | { readonly kind: "stall" }
  /** The stream ends here without finish reason and `[DONE]`: in good order, or by a broken connection. */
  | { readonly kind: "cut"; readonly how: "end" | "reset" }
  /** An error object inside the stream, which then ends. */
  | { readonly kind: "error"; readonly error: ModelErrorBody }
  /** A line written as it is, for example broken JSON; as bytes, for what is no text. */
  | { readonly kind: "raw"; readonly line: string | Uint8Array }
  /** Refuses the whole request; only as the first step. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface ToolCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly type?: "function";
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

export interface ModelErrorBody {
  readonly message: string;
  readonly type: string;
  readonly param?: string | null;
  readonly code?: string | number | null;
}

/**
 * What the model answers. Without a `finish` step the answer ends with `tool_calls` when it called tools, else with `stop`;
 * without a `usage` step the tokens are estimated at four characters each.
 */
export type ModelScript = readonly ModelStep[];

export interface SayOptions {
  /** How many deltas the text is cut into; 4 unless told otherwise, fewer if the text is short. */
  readonly pieces?: number;
  /** Silence before each delta. */
  readonly delayMs?: number;
}

/** An answer in words. */
export function say(text: string, { pieces = 4, delayMs }: SayOptions = {}): ModelScript {
  return cutText(text, pieces).map((piece) => ({
    kind: "text",
    text: piece,
    ...(delayMs !== undefined && { delayMs }),
  }));
}

/** Thoughts before the answer: `[...think("hm"), ...say("yes")]`. */
export function think(text: string, options: { readonly field?: "reasoning_content" | "reasoning" } = {}): ModelScript {
  return cutText(text, 2).map((piece) => ({ kind: "reasoning", text: piece, ...options }));
}

/** One tool call. The arguments arrive in three deltas. */
export function callTool(
  name: string,
  args: unknown,
  options: { readonly id?: string; readonly index?: number } = {},
): ModelScript {
  const { index = 0 } = options;
  const id = options.id ?? nextCallId();
  const head: ModelStep = { kind: "tool", delta: { index, id, type: "function", function: { name, arguments: "" } } };
  return [head, ...cutText(JSON.stringify(args), 3).map((piece) => argumentsStep(index, piece))];
}

/** The answer pauses here until the promise settles: `[...say("half"), ...hold(gate.promise), ...say("whole")]`. */
export function hold(until: Promise<unknown>): ModelScript {
  return [{ kind: "hold", until }];
}

/** Several tool calls in one answer, one after the other. */
export function callTools(...calls: readonly (readonly [name: string, args: unknown])[]): ModelScript {
  return calls.flatMap(([name, args], index) => callTool(name, args, { index }));
}

export function finish(reason: FinishReason): ModelScript {
  return [{ kind: "finish", reason }];
}

export function usage(prompt: number, completion: number, cached = 0): ModelScript {
  return [
    {
      kind: "usage",
      usage: {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        prompt_tokens_details: { cached_tokens: cached },
      },
    },
  ];
}

/** A piece of a call's arguments. */
export function argumentsStep(index: number, piece: string): ModelStep {
  return { kind: "tool", delta: { index, function: { arguments: piece } } };
}

let lastCall = 0;

/** A call id that no other call of this process has. */
export function nextCallId(): string {
  lastCall += 1;
  return `call_${String(lastCall).padStart(8, "0")}`;
}

/** Cuts between whole characters, never inside one. */
export function cutText(text: string, pieces: number): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, pieces)));
  const cut: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    cut.push(characters.slice(start, start + size).join(""));
  return cut;
}
