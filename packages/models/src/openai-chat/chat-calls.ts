import type { ToolCall } from "@talaria/agent";
import { addArguments, boundedArguments, boundParts } from "../dialect/answer-parts.ts";
import { isJson } from "../dialect/finish-reason.ts";
import type { ChatCallPart } from "./chat-chunk.ts";

interface GrowingCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: unknown;
}

/**
 * The calls of one answer, put together from their parts. Copes with what compatible servers do: calls interleaved, without
 * index, with a reused index or without id, the name in every part, arguments as an object.
 */
export class ChatCalls {
  readonly #calls: GrowingCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  add(part: ChatCallPart): void {
    const call = this.#callOf(part);
    if (call.id === "" && part.id) call.id = part.id;
    call.name = nameOf(call, part);
    call.extra ??= part.extra_content;
    const piece = part.function?.arguments;
    if (typeof piece === "string") addArguments(call, piece);
    else if (piece !== undefined && piece !== null) call.arguments = boundedArguments(JSON.stringify(piece));
  }

  toToolCalls(): readonly ToolCall[] {
    return this.#calls.map((call, position) => ({
      callId: call.id === "" ? `call_${position + 1}` : call.id,
      name: call.name,
      arguments: call.arguments === "" ? "{}" : call.arguments,
    }));
  }

  /** What the provider wants to see again with a call, by the call's position. */
  extras(): Readonly<Record<string, unknown>> | undefined {
    const extras = this.#calls.flatMap(({ extra }, position) =>
      extra === undefined || extra === null ? [] : [[position, extra] as const],
    );
    return extras.length === 0 ? undefined : Object.fromEntries(extras);
  }

  /** The call that a part continues, or a new one that it begins. */
  #callOf(part: ChatCallPart): GrowingCall {
    const known = this.#knownCall(part);
    if (known !== undefined && !beginsAnother(part, known)) return known;
    const call: GrowingCall = { index: part.index ?? undefined, id: "", name: "", arguments: "", extra: undefined };
    this.#calls.push(call);
    boundParts(this.#calls.length);
    return call;
  }

  /** Found by index, or else by id, or else the last one, unless the part has a name and so begins a call. */
  #knownCall({ index, id, function: named }: ChatCallPart): GrowingCall | undefined {
    if (index !== undefined && index !== null) return this.#calls.findLast((call) => call.index === index);
    if (id) return this.#calls.findLast((call) => call.id === id);
    const last = this.#calls.at(-1);
    return named?.name && !isOpen(last) ? undefined : last;
  }
}

/** Some servers repeat the name with every part; some cut it in pieces, which come before the arguments. */
function nameOf({ id, name, arguments: text }: GrowingCall, { id: partId, function: part }: ChatCallPart): string {
  const piece = part?.name ?? "";
  if (name === "" || piece === "") return name || piece;
  return text === "" && id !== "" && !partId && piece !== name ? name + piece : name;
}

/** The last call is still without an id, and its arguments are not whole: a part that repeats the name continues it. */
function isOpen(call: GrowingCall | undefined): boolean {
  return call !== undefined && call.arguments !== "" && !isWhole(call.arguments);
}

/**
 * Servers use one index for several calls, some one id too: a name with a new id is another call, and so is one whose arguments
 * begin anew after whole ones.
 */
function beginsAnother(part: ChatCallPart, known: GrowingCall): boolean {
  if (!part.function?.name || known.name === "") return false;
  if (part.id && known.id !== "" && part.id !== known.id) return true;
  if (part.id && known.id === "") return true;
  const piece = part.function.arguments;
  if (part.id) return typeof piece === "string" && piece.trimStart().startsWith("{") && isWhole(known.arguments);
  return known.id === "" && isWhole(known.arguments);
}

/** Most texts that are not whole yet do not even end like one. */
function isWhole(text: string): boolean {
  return /[}\]"\w]\s*$/.test(text.slice(-40)) && isJson(text);
}
