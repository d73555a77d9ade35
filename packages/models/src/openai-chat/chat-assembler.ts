import type { AssistantMessage, ModelEvent, ModelFailureKind, ToolCall, ToolSpec } from "@talaria/agent";
import type { AnswerEnd } from "../dialect/dialect.ts";
import { endingOf, hasSaid, stopOf, weightier } from "../dialect/finish-reason.ts";
import { ChatCalls } from "./chat-calls.ts";
import {
  type ChatChoice,
  type ChatChunk,
  type ChatDelta,
  type ChatState,
  type ChatUsage,
  chatDialect,
  streamDone,
  type ThoughtField,
  thoughtFields,
} from "./chat-chunk.ts";
import type { ChatHabits } from "./chat-habits.ts";
import { toChatUsage, usageIn } from "./chat-usage.ts";
import { contentOf } from "./content.ts";
import { InlineTags, type TagPiece } from "./inline-tags.ts";
import { ReasoningDetails } from "./reasoning-details.ts";

/** What an assembler has to know of the request. */
export interface ChatReading {
  /** The configured name, for servers that do not say which one answered. */
  readonly model: string;
  /** Those in the request. */
  readonly tools: readonly ToolSpec[];
  /** Learns where answers begin. */
  readonly habits: ChatHabits;
}

/**
 * Puts the chunks of one answer together. Copes with what compatible servers do: see `ChatCalls`, `InlineTags`,
 * `toChatUsage` and `endingOf`.
 */
export class ChatAssembler {
  readonly #model: string;
  readonly #habits: ChatHabits;
  readonly #tags: InlineTags | undefined;
  readonly #calls = new ChatCalls();
  readonly #textCalls: ToolCall[] = [];
  readonly #details = new ReasoningDetails();
  #servedBy: string;
  #content = "";
  /** What was read as a thought at the start of the content. */
  #head = "";
  #thought: { readonly field: ThoughtField; text: string } | undefined;
  #opaque = "";
  #refused = false;
  #finishReason: string | undefined;
  #isDone = false;
  #usage: ChatUsage | undefined;

  constructor({ model, tools, habits }: ChatReading) {
    this.#model = model;
    this.#servedBy = model;
    this.#habits = habits;
    const { beginsInThought, hasInlineTags, leavesCallsInText, missesCalls } = habits;
    const called = new Map((leavesCallsInText ? tools : []).map(({ name, parameters }) => [name, parameters]));
    if (hasInlineTags) this.#tags = new InlineTags({ tools: called, missesCalls, beginsInThought });
  }

  /** The server has said why the answer ended; only usage can follow. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  add(chunk: ChatChunk): readonly ModelEvent[] {
    if (chunk === streamDone) {
      this.#isDone = true;
      return this.#flush();
    }
    if (chunk.model) this.#servedBy = chunk.model;
    this.#usage = usageIn(chunk) ?? this.#usage;
    const choice = chunk.choices?.find((each) => each && (each.index ?? 0) === 0);
    if (!choice) return [];
    const events = this.#read(choice.delta ?? choice.message ?? {});
    return [...events, ...this.#finish(choice)];
  }

  /** The whole answer, or why there is none: a stream that only ends is cut off, however much it said. */
  end(): AnswerEnd {
    const providerState = this.#providerState();
    const message: AssistantMessage = {
      role: "assistant",
      content: this.#content,
      // Calls in the text are a way out of servers that find none: where one does, they are its text.
      toolCalls: this.#calls.count > 0 ? this.#calls.toToolCalls() : this.#textCalls,
      ...(providerState && { providerState }),
    };
    const fail = (kind: ModelFailureKind, text: string) =>
      ({ type: "failed", error: { kind, message: text, visible: this.#content !== "" } }) as const;
    const isWhole = this.#isDone && !this.#tags?.isThinking && hasSaid(message);
    const reason = this.#finishReason ?? (isWhole ? "stop" : undefined);
    if (reason === undefined) return fail("truncated", "the stream ended without a finish reason");
    const ending = endingOf(reason);
    if (typeof ending === "object") return fail(ending.failed, `the provider ended the answer with ${reason}`);
    return {
      type: "done",
      message,
      stop: stopOf(ending === "whole" && this.#refused ? "refused" : ending, message.toolCalls.length > 0),
      ...(this.#usage && { usage: toChatUsage(this.#usage) }),
      servedBy: this.#servedBy,
    };
  }

  #read(delta: ChatDelta): readonly ModelEvent[] {
    for (const part of delta.tool_calls ?? []) if (part) this.#calls.add(part);
    if (this.#calls.count > 0) this.#habits.missesCalls = true;
    if (delta.reasoning_opaque) this.#opaque += delta.reasoning_opaque;
    const { text, thought } = contentOf(delta.content);
    const thoughts = this.#think(delta) + thought;
    if (thoughts !== "") this.#tags?.noteThought();
    if (delta.refusal) this.#refused = true;
    return [...reasoning(thoughts), ...this.#say(text), ...this.#show(delta.refusal ?? "")];
  }

  /** The thoughts in a chunk; where they come under several names, those of the first. */
  #think(delta: ChatDelta): string {
    const detailed = this.#details.add(delta.reasoning_details ?? []);
    const field = thoughtFields.find((name) => typeof delta[name] === "string" && delta[name] !== "");
    if (field === undefined) {
      // DeepSeek's empty one has to come back as well.
      if (delta.reasoning_content === "") this.#thought ??= { field: "reasoning_content", text: "" };
      return detailed;
    }
    const text = delta[field] as string;
    if (this.#thought === undefined || this.#thought.text === "") this.#thought = { field, text };
    else this.#thought.text += text;
    return text;
  }

  #say(text: string): readonly ModelEvent[] {
    if (this.#tags === undefined) return this.#show(text);
    return text === "" ? [] : this.#tags.add(text).flatMap((piece) => this.#take(piece));
  }

  #take(piece: TagPiece): readonly ModelEvent[] {
    switch (piece.kind) {
      case "text":
        return this.#show(piece.text);
      case "thought":
        this.#head += piece.raw;
        return reasoning(piece.text);
      case "earlier": {
        const said = this.#content;
        this.#head = said + piece.raw;
        this.#content = "";
        if (said.trim() === "") return [];
        this.#habits.beginsInThought = true;
        return [{ type: "restart" }, ...reasoning(said)];
      }
      case "call": {
        const callId = `call_${this.#textCalls.length + 1}`;
        this.#textCalls.push({ callId, name: piece.name, arguments: piece.arguments });
        return [];
      }
      default:
        return piece satisfies never;
    }
  }

  #show(text: string): readonly ModelEvent[] {
    this.#content += text;
    return text === "" ? [] : [{ type: "delta", text }];
  }

  #finish({ finish_reason: reason }: ChatChoice): readonly ModelEvent[] {
    if (!reason) return [];
    this.#finishReason = weightier(this.#finishReason, reason);
    return this.#flush();
  }

  /** Hands out what was held back. A thought that was expected and never ended was the answer, unless it was cut. */
  #flush(): readonly ModelEvent[] {
    const ending = this.#finishReason === undefined ? "whole" : endingOf(this.#finishReason);
    const events = (this.#tags?.end(ending === "cut") ?? []).flatMap((piece) => this.#take(piece));
    const wasAnswer = this.#habits.beginsInThought && !/^\s*<think/.test(this.#head) && ending === "whole";
    if (!this.#tags?.isThinking || !wasAnswer) return events;
    const text = this.#head;
    this.#head = "";
    this.#habits.beginsInThought = false;
    return [...events, ...this.#show(text)];
  }

  #providerState() {
    const calls = this.#calls.extras();
    const data: ChatState = {
      ...(calls !== undefined && { calls }),
      ...(this.#details.items.length > 0 && { reasoningDetails: this.#details.items }),
      ...(this.#thought !== undefined && { thought: this.#thought }),
      ...(this.#opaque !== "" && { opaque: this.#opaque }),
      ...(this.#head !== "" && { head: this.#head }),
    };
    return Object.keys(data).length === 0 ? undefined : { dialect: chatDialect, model: this.#model, data };
  }
}

function reasoning(text: string): readonly ModelEvent[] {
  return text === "" ? [] : [{ type: "reasoning", text }];
}
