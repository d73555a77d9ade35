import type { IncomingHttpHeaders } from "node:http";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/** One request for an answer as it came over the wire. */
export interface DialectRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when the client hangs up before the answer is complete. */
  readonly hungUp: AbortSignal;
}

/** An answer that is no stream. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ways in which compatible servers leave things out. */
export interface Quirks {
  /** No event says which part of the answer it belongs to. */
  readonly noIndex?: boolean;
  /** Calls have no id. */
  readonly noIds?: boolean;
}

/** Says one answer: each step as the bytes that go out. */
export interface Speaker {
  begin(): readonly Chunk[];
  say(step: AnswerStep): readonly Chunk[];
  /** What ends a whole answer. */
  end(stop: WireStop, usage: WireUsage): readonly Chunk[];
  /** What goes wrong in the middle of it. */
  fail(why: Trouble): readonly Chunk[];
}

export type Chunk = string | Buffer;

/** How one API talks on the server's side. */
export interface Voice {
  readonly contentType: string;
  /** Which address answers are asked for at, after the base. */
  readonly path: RegExp;
  /** Which address lists models, and how. Absent where the API has no list of its own. */
  readonly listing?: { readonly path: RegExp; body(names: readonly string[]): object };
  /** The key of a request, or undefined where it has none. */
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** What a strict server answers 400 to. Undefined when all is well. */
  findFlaw(request: DialectRequest): string | undefined;
  /** A refusal in the words of this API. `flaw`: of a request that is not well formed. */
  refuse(why: Trouble | { readonly flaw: string }, retryAfterSeconds?: number): Refusal;
  speaker(request: DialectRequest, quirks: Quirks): Speaker;
}

/** One server-sent event. */
export function sse(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The first key that nobody knows, as a sentence. */
export function unknownKey(value: object, known: string, where: string): string | undefined {
  const names = new Set(known.split(/\s+/));
  const unknown = Object.keys(value).find((key) => !names.has(key));
  return unknown === undefined ? undefined : `${where}${unknown}: Extra inputs are not permitted`;
}

export function listOf<T = Record<string, unknown>>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value : [];
}

export function retryAfter(seconds: number | undefined): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { "retry-after": String(seconds) };
}
