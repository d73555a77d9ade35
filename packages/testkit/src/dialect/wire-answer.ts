/** Why a server refuses a request, or breaks an answer off. */
export type Trouble = "rate_limit" | "quota" | "auth" | "overloaded" | "context" | "server" | "not_found" | "picture";

/** One step of an answer, in terms that every API has words for. Calls are numbered from 0 within the answer. */
export type AnswerStep =
  /** Refuses the whole request; only as the first step. */
  | { readonly kind: "refuse"; readonly why: Trouble; readonly retryAfterSeconds?: number }
  /** Goes out byte for byte, in these pieces, in place of all that the dialect would say; only as the first step. */
  | {
      readonly kind: "raw";
      readonly pieces: readonly (string | Buffer)[];
      /** 200 unless told otherwise. */
      readonly status?: number;
      /** The dialect's own unless told otherwise. */
      readonly contentType?: string;
    }
  | { readonly kind: "text"; readonly text: string }
  /** `proof`: the signature or encrypted content that has to come back. */
  | { readonly kind: "thought"; readonly text: string; readonly proof: string }
  | { readonly kind: "call"; readonly call: number; readonly id: string; readonly name: string }
  | { readonly kind: "arguments"; readonly call: number; readonly piece: string }
  | { readonly kind: "usage"; readonly usage: WireUsage }
  /** Why the answer ends; without it `calls` after calls, else `end`. */
  | { readonly kind: "stop"; readonly why: WireStop }
  /** An event or field that no client can know. */
  | { readonly kind: "unknown" }
  | { readonly kind: "error"; readonly why: Trouble }
  /** The stream ends here, in good order or by a broken connection, without the events that end an answer. */
  | { readonly kind: "cut"; readonly how: "end" | "reset" }
  /** Silence until the client hangs up. */
  | { readonly kind: "stall" };

export type WireStop = "end" | "calls" | "length" | "filter";

export interface WireUsage {
  /** Those from the cache and into it too. */
  readonly input: number;
  readonly cached: number;
  /** What went into the cache, where the dialect counts that. */
  readonly written?: number;
  /** Those of thoughts too. */
  readonly output: number;
  readonly reasoning: number;
}

export type WireAnswer = readonly AnswerStep[];

/** Words, in three pieces. */
export function words(text: string): WireAnswer {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return (text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []).map((piece) => ({ kind: "text", text: piece }));
}

/** Calls one after the other, the arguments of each in two pieces. Texts go out as they are, however broken. */
export function wireCalls(...calls: readonly (readonly [name: string, args: unknown, id?: string])[]): WireAnswer {
  return calls.flatMap(([name, args, id], call) => {
    const [one, two] = halves(args);
    return [
      { kind: "call" as const, call, id: id ?? `call${String(call).padStart(5, "0")}`, name },
      { kind: "arguments" as const, call, piece: one },
      { kind: "arguments" as const, call, piece: two },
    ];
  });
}

/** Two calls whose pieces alternate. */
export function interleavedCalls(
  first: readonly [name: string, args: unknown],
  second: readonly [name: string, args: unknown],
): WireAnswer {
  const steps = wireCalls(first, second);
  return [0, 3, 1, 4, 2, 5].flatMap((index) => steps[index] ?? []);
}

function halves(args: unknown): readonly [string, string] {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
