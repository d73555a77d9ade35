import { listAsOpenAi, refuseAsOpenAi } from "./chat-voice.ts";
import { type DialectRequest, listOf, type Quirks, type Speaker, sse, unknownKey, type Voice } from "./voice.ts";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/** The Responses API. Wire facts: `resources/responses/responses.d.ts` of openai 7.55.0. */
export const responsesVoice: Voice = {
  contentType: "text/event-stream",
  path: /\/responses$/,
  listing: { path: /^\/v1\/models$/, body: listAsOpenAi },
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
  findFlaw: ({ body }) =>
    findRequestFlaw(body) ?? findInputFlaw(listOf(body.input)) ?? findToolFlaw(listOf(body.tools)),
  refuse: refuseAsOpenAi,
  speaker: (request, quirks) => new ResponsesSpeaker(request, quirks),
};

/** `ResponseCreateParamsBase`. */
const topKeys = `background context_management conversation include input instructions max_output_tokens max_tool_calls metadata
  model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice
  tools top_logprobs top_p truncation user`;

/** By `type`; a message may leave its own out. */
const itemKeys: Readonly<Record<string, string>> = {
  message: "type role content phase id status",
  function_call: "type call_id name arguments id status",
  function_call_output: "type call_id output id status",
  reasoning: "type id summary content encrypted_content status",
};

function findRequestFlaw(body: DialectRequest["body"]): string | undefined {
  if (typeof body.model !== "string") return "Missing required parameter: 'model'.";
  if (body.stream !== true) return "this server only streams";
  if (body.store !== false) return "nothing may be stored here";
  if (listOf(body.input).length === 0) return "Missing required parameter: 'input'.";
  if (body.previous_response_id !== undefined) return "Previous response not found.";
  const cannotReason = /^gpt-4/.test(body.model);
  if (cannotReason && body.include !== undefined) return "Encrypted content is not supported with this model.";
  if (cannotReason && body.reasoning !== undefined) return "Unsupported parameter: 'reasoning.effort'";
  return unknownKey(body, topKeys, "");
}

function findInputFlaw(input: readonly Record<string, unknown>[]): string | undefined {
  const awaited = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    const type = String(item.type ?? "message");
    const keys = itemKeys[type];
    if (keys === undefined) return `Invalid value: '${type}'.`;
    const where = `input[${index}].`;
    const flaw = unknownKey(item, keys, where) ?? findItemFlaw(type, item, input[index + 1]);
    if (flaw !== undefined) return where + flaw;
    if (type === "function_call") awaited.add(item.call_id);
    if (type === "function_call_output" && !awaited.delete(item.call_id))
      return `No tool call found for function call output with call_id ${item.call_id}.`;
  }
  return awaited.size === 0 ? undefined : `No tool output found for function call ${[...awaited][0]}.`;
}

function findItemFlaw(type: string, item: Record<string, unknown>, next: Record<string, unknown> | undefined) {
  switch (type) {
    case "message":
      if (!["user", "assistant", "system", "developer"].includes(String(item.role))) return "Invalid value: 'role'.";
      return typeof item.content === "string" || Array.isArray(item.content) ? undefined : "content: expected a string";
    case "function_call":
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(item.name))) return "name: string does not match pattern";
      return typeof item.arguments === "string" && item.call_id ? undefined : "arguments: expected a string";
    case "reasoning":
      if (typeof item.id !== "string" || !Array.isArray(item.summary)) return "Missing required parameter: 'id'.";
      if (typeof item.encrypted_content !== "string")
        return `Item with id '${item.id}' not found: store is set to false.`;
      return next === undefined || next.type === "function_call_output" || next.role === "user"
        ? `Item '${item.id}' of type 'reasoning' was provided without its required following item.`
        : undefined;
    default:
      return typeof item.output === "string" ? undefined : "output: expected a string";
  }
}

function findToolFlaw(tools: readonly Record<string, unknown>[]): string | undefined {
  for (const tool of tools) {
    if (tool.type !== "function" || !/^[A-Za-z0-9_-]{1,64}$/.test(String(tool.name))) return "Invalid 'tools[0].name'.";
    if (typeof tool.strict !== "boolean") return "Missing required parameter: 'tools[0].strict'.";
    const flaw = unknownKey(tool, "type name description parameters strict", "tools[0].");
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

interface OpenItem {
  readonly index: number;
  readonly item: Record<string, unknown>;
  text: string;
}

class ResponsesSpeaker implements Speaker {
  readonly #request: DialectRequest;
  readonly #quirks: Quirks;
  readonly #calls = new Map<number, OpenItem>();
  #message: OpenItem | undefined;
  #items = 0;
  #sequence = 0;

  constructor(request: DialectRequest, quirks: Quirks) {
    this.#request = request;
    this.#quirks = quirks;
  }

  begin() {
    const response = this.#response("in_progress");
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }

  say(step: AnswerStep): readonly string[] {
    const closing = step.kind === "text" ? [] : this.#closeMessage();
    switch (step.kind) {
      case "text": {
        const opening = this.#message === undefined ? this.#openMessage() : [];
        const open = this.#message;
        if (open === undefined) return [];
        open.text += step.text;
        const place = { content_index: 0, delta: step.text, logprobs: [] };
        return [...opening, this.#event("response.output_text.delta", { ...this.#at(open), ...place })];
      }
      case "thought":
        return [...closing, ...this.#think(step.text, step.proof)];
      case "call": {
        const ids = this.#quirks.noIds ? {} : { call_id: step.id };
        const item = { id: `fc_${step.call}`, type: "function_call", status: "in_progress", name: step.name, ...ids };
        const [open, event] = this.#open({ ...item, arguments: "" });
        this.#calls.set(step.call, open);
        return [...closing, event];
      }
      case "arguments": {
        const open = this.#calls.get(step.call);
        if (open === undefined) return [];
        open.text += step.piece;
        return [this.#event("response.function_call_arguments.delta", { ...this.#at(open), delta: step.piece })];
      }
      case "unknown":
        return [this.#event("response.surprise.delta", { output_index: 0, delta: "?" })];
      default:
        return closing;
    }
  }

  end(stop: WireStop, usage: WireUsage) {
    const calls = [...this.#calls.values()].flatMap((open) => this.#closeCall(open, stop));
    const reason = stop === "length" ? "max_output_tokens" : stop === "filter" ? "content_filter" : undefined;
    const status = reason === undefined ? "completed" : "incomplete";
    const response = this.#response(status, {
      incomplete_details: reason === undefined ? null : { reason },
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.input + usage.output,
      },
    });
    return [...this.#closeMessage(), ...calls, this.#event(`response.${status}`, { response })];
  }

  /** Trouble of the server ends the response; other trouble comes as an event of its own. */
  fail(why: Trouble) {
    const { error } = refuseAsOpenAi(why).body as { error: { code: string | null; type: string; message: string } };
    if (why !== "overloaded" && why !== "server")
      return [this.#event("error", { code: error.code, message: error.message, param: null })];
    const failed = { error: { code: "server_error", message: error.message } };
    return [this.#event("response.failed", { response: this.#response("failed", failed) })];
  }

  #think(text: string, proof: string) {
    const [open, event] = this.#open({ id: `rs_${this.#items}`, type: "reasoning", summary: [] });
    const wanted = listOf<string>(this.#request.body.include).includes("reasoning.encrypted_content");
    const item = {
      ...open.item,
      summary: [{ type: "summary_text", text }],
      ...(wanted && { encrypted_content: proof }),
    };
    const place = { ...this.#at(open), summary_index: 0 };
    return [
      event,
      this.#event("response.reasoning_summary_text.delta", { ...place, delta: text }),
      this.#event("response.reasoning_summary_text.done", { ...place, text }),
      this.#event("response.output_item.done", { ...this.#at(open), item }),
    ];
  }

  #openMessage() {
    const item = { id: `msg_${this.#items}`, type: "message", status: "in_progress", role: "assistant", content: [] };
    const [open, event] = this.#open(item);
    this.#message = open;
    const part = { type: "output_text", text: "", annotations: [] };
    return [event, this.#event("response.content_part.added", { ...this.#at(open), content_index: 0, part })];
  }

  #closeMessage() {
    const open = this.#message;
    this.#message = undefined;
    if (open === undefined) return [];
    const { text } = open;
    const content = [{ type: "output_text", text, annotations: [] }];
    const item = { ...open.item, status: "completed", content, phase: "final_answer" };
    return [
      this.#event("response.output_text.done", { ...this.#at(open), content_index: 0, text, logprobs: [] }),
      this.#event("response.output_item.done", { ...this.#at(open), item }),
    ];
  }

  #closeCall(open: OpenItem, stop: WireStop) {
    const status = stop === "length" ? "incomplete" : "completed";
    const item = { ...open.item, status, arguments: open.text };
    return [
      this.#event("response.function_call_arguments.done", { ...this.#at(open), arguments: open.text }),
      this.#event("response.output_item.done", { ...this.#at(open), item }),
    ];
  }

  #open(item: Record<string, unknown>): [OpenItem, string] {
    const open: OpenItem = { index: this.#items, item, text: "" };
    this.#items += 1;
    return [open, this.#event("response.output_item.added", { ...this.#at(open), item })];
  }

  #at({ index, item }: OpenItem): object {
    return this.#quirks.noIndex ? {} : { output_index: index, item_id: item.id };
  }

  #response(status: string, more: object = {}): object {
    return {
      id: "resp_1",
      object: "response",
      status,
      model: this.#request.body.model,
      output: [],
      error: null,
      ...more,
    };
  }

  #event(type: string, data: object): string {
    this.#sequence += 1;
    return sse({ type, sequence_number: this.#sequence, ...data }, type);
  }
}
