import { type AssistantMessage, mostArgumentChars, type ToolCall, tooLongArguments } from "@talaria/agent";
import { runaway, WireError } from "./model-failure.ts";

/** A part of an answer that grows while it is read. `data`: what its provider wants to see again with it. */
export type GrowingPart =
  | { readonly kind: "text"; text: string; data?: unknown }
  | { readonly kind: "call"; callId: string; name: string; arguments: string; data?: unknown }
  /** Nothing of it is ours: a thought with its signature, for example. */
  | { readonly kind: "opaque"; data: unknown };

/** A part of an earlier answer as it is sent again. */
export type ReplayedPart =
  | { readonly kind: "text"; readonly text: string; readonly data?: unknown }
  | { readonly kind: "call"; readonly call: ToolCall; readonly data?: unknown }
  | { readonly kind: "opaque"; readonly data: unknown };

/** What is kept of the parts: their order, and what the message itself does not say. Calls count in their order. */
type KeptPart =
  | { readonly kind: "text"; readonly chars: number; readonly data?: unknown }
  | { readonly kind: "call"; readonly data?: unknown }
  | { readonly kind: "opaque"; readonly data: unknown };

export interface Origin {
  readonly dialect: string;
  readonly model: string;
}

/** The longest answer with its thoughts, in UTF-16 units. */
export const mostChars = 4_000_000;

/** How much came of a call's arguments after they were too long. */
const ignored = new WeakMap<object, number>();

/**
 * Adds a piece to a call's arguments. Of what grows out of bounds nothing is kept, and the model is told so; throws where it grows by as
 * much again, as what has no end does.
 */
export function addArguments(call: { arguments: string }, piece: string): void {
  if (call.arguments !== tooLongArguments) {
    call.arguments = boundedArguments(call.arguments + piece);
    return;
  }
  const chars = (ignored.get(call) ?? 0) + piece.length;
  if (chars > mostArgumentChars) throw tooLong();
  ignored.set(call, chars);
}

/** Arguments that came whole. */
export function boundedArguments(text: string): string {
  return text.length > mostArgumentChars ? tooLongArguments : text;
}

/** An answer has at most so many parts: texts, thoughts, calls. */
export const mostParts = 5_000;

/** Throws where an answer begins more parts than any good one has. */
export function boundParts(count: number): void {
  if (count > mostParts) throw new WireError(`the answer has more than ${mostParts} parts`, { type: runaway });
}

/** What no good answer is: the same model would do it again. */
export function tooLong(): WireError {
  return new WireError(`the answer is longer than ${mostChars} characters`, { type: runaway });
}

/** The message that the parts make. State is kept only where a part carries some. */
export function messageOf(parts: readonly GrowingPart[], origin: Origin): AssistantMessage {
  const said = parts.filter((part) => part.kind !== "text" || part.text !== "" || part.data !== undefined);
  const toolCalls = said
    .filter((part) => part.kind === "call")
    .map((call, position) => ({
      callId: call.callId === "" ? `call_${position + 1}` : call.callId,
      name: call.name,
      arguments: call.arguments === "" ? "{}" : boundedArguments(call.arguments),
    }));
  return {
    role: "assistant",
    content: said.map((part) => (part.kind === "text" ? part.text : "")).join(""),
    toolCalls,
    ...(said.some((part) => part.data !== undefined) && {
      providerState: { ...origin, data: { parts: said.map(toKept) } },
    }),
  };
}

/**
 * An earlier answer in the parts it came in, with the state of the same dialect and model. From another one, or when the
 * answer was shortened since, its words and calls alone; nothing at all when there are none.
 */
export function partsOf(message: AssistantMessage, origin: Origin): readonly ReplayedPart[] {
  const { content, toolCalls, providerState: state } = message;
  const isOurs = state !== undefined && state.dialect === origin.dialect && state.model === origin.model;
  const kept = isOurs ? replayed(message, keptIn(state.data)) : undefined;
  if (kept !== undefined) return kept;
  return [
    ...(content.trim() === "" ? [] : [{ kind: "text", text: content } as const]),
    ...toolCalls.map((call) => ({ kind: "call", call }) as const),
  ];
}

function toKept(part: GrowingPart): KeptPart {
  const data = part.data === undefined ? {} : { data: part.data };
  if (part.kind === "text") return { kind: "text", chars: part.text.length, ...data };
  return part.kind === "call" ? { kind: "call", ...data } : { kind: "opaque", data: part.data };
}

/** Providers refuse a thought without the words or the call it led to, so those at the end are left out. */
function replayed(message: AssistantMessage, kept: readonly KeptPart[]): readonly ReplayedPart[] | undefined {
  const parts: ReplayedPart[] = [];
  let at = 0;
  let position = 0;
  for (const part of kept) {
    if (part.kind === "opaque") parts.push(part);
    if (part.kind === "text") {
      const text = message.content.slice(at, at + part.chars);
      at += part.chars;
      parts.push({ ...part, text });
    }
    if (part.kind === "call") {
      const call = message.toolCalls[position];
      position += 1;
      if (call === undefined) return undefined;
      parts.push({ ...part, call });
    }
  }
  if (at !== message.content.length || position !== message.toolCalls.length) return undefined;
  const last = parts.findLastIndex((part) => part.kind === "call" || (part.kind === "text" && part.text.trim() !== ""));
  return parts
    .slice(0, last + 1)
    .filter((part) => part.kind !== "text" || part.text.trim() !== "" || part.data !== undefined);
}

/** State comes from the database: what is not one of our parts is read past. */
function keptIn(data: unknown): readonly KeptPart[] {
  const parts = (data as { readonly parts?: unknown } | null)?.parts;
  if (!Array.isArray(parts)) return [];
  return parts.filter((part: Partial<KeptPart> | null): part is KeptPart => {
    if (part?.kind === "text") return typeof part.chars === "number";
    return part?.kind === "call" || (part?.kind === "opaque" && part.data !== undefined);
  });
}
