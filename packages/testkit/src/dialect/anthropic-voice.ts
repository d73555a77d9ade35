import {
  type DialectRequest,
  listOf,
  type Quirks,
  type Refusal,
  retryAfter,
  type Speaker,
  sse,
  unknownKey,
  type Voice,
} from "./voice.ts";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/** The Messages API. Wire facts: `resources/messages/messages.d.ts` of @anthropic-ai/sdk 1.11.0. */
export const anthropicVoice: Voice = {
  contentType: "text/event-stream; charset=utf-8",
  path: /\/v1\/messages$/,
  listing: {
    path: /^\/v1\/models$/,
    body: (names) => ({ data: names.map((id) => ({ type: "model", id, display_name: id })), has_more: false }),
  },
  // The package sends a bearer token since 1.x; the header of earlier clients is still taken.
  keyOf: (headers) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? [headers["x-api-key"]].flat()[0],
  findFlaw: ({ body, headers }) =>
    headers["anthropic-version"] === undefined
      ? "anthropic-version: header is required"
      : (findRequestFlaw(body) ?? findMessageFlaw(listOf(body.messages)) ?? findMarkerFlaw(body)),
  refuse,
  speaker: (request, quirks) => new AnthropicSpeaker(request, quirks),
};

/** `MessageCreateParamsBase`. */
const topKeys = `cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier speed
  stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id`;
const blockKeys: Readonly<Record<string, string>> = {
  text: "type text cache_control citations",
  image: "type source cache_control",
  tool_use: "type id name input cache_control",
  tool_result: "type tool_use_id content is_error cache_control",
  thinking: "type thinking signature",
  redacted_thinking: "type data",
};
const mostMarkers = 4;

type Block = Record<string, unknown>;

function findRequestFlaw(body: DialectRequest["body"]): string | undefined {
  if (typeof body.max_tokens !== "number" || body.max_tokens < 1) return "max_tokens: Field required";
  if (typeof body.model !== "string") return "model: Field required";
  if (body.stream !== true) return "this server only streams";
  if (listOf(body.messages).length === 0) return "messages: at least one message is required";
  for (const tool of listOf(body.tools)) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name))) return "tools.0.name: String should match pattern";
    if ((tool.input_schema as Block | undefined)?.type !== "object") return "tools.0.input_schema.type: Field required";
    const flaw = unknownKey(tool, "name description input_schema cache_control type strict", "tools.0.");
    if (flaw !== undefined) return flaw;
  }
  return unknownKey(body, topKeys, "");
}

function findMessageFlaw(messages: readonly { role?: unknown; content?: unknown }[]): string | undefined {
  let awaited = new Set<unknown>();
  const used = new Set<unknown>();
  for (const [index, { role, content, ...more }] of messages.entries()) {
    const where = `messages.${index}`;
    if (role !== (index % 2 === 0 ? "user" : "assistant"))
      return `${where}: roles must alternate between "user" and "assistant"`;
    if (Object.keys(more).length > 0) return `${where}: Extra inputs are not permitted`;
    const blocks = listOf<Block>(content);
    if (blocks.length === 0) return `${where}: content must be non-empty`;
    const flaw = blocks.map((block) => findBlockFlaw(block)).find((found) => found !== undefined);
    if (flaw !== undefined) return `${where}.${flaw}`;
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return `${where}: tool_result blocks must come first`;
    for (const { tool_use_id } of results)
      if (!awaited.delete(tool_use_id))
        return `${where}: unexpected tool_use_id found in tool_result blocks: ${tool_use_id}`;
    if (awaited.size > 0) return `${where}: tool_use ids were found without tool_result blocks immediately after`;
    awaited = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id));
    if ([...awaited].some((id) => used.has(id))) return `${where}: tool_use ids must be unique`;
    for (const id of awaited) used.add(id);
    if (blocks.at(-1)?.type === "thinking")
      return `${where}: The final block in an assistant message cannot be thinking`;
  }
  return awaited.size > 0 ? "tool_use ids were found without tool_result blocks immediately after" : undefined;
}

function findBlockFlaw(block: Block): string | undefined {
  const keys = blockKeys[String(block.type)];
  if (keys === undefined)
    return `type: Input tag '${block.type}' found using 'type' does not match any of the expected tags`;
  if (block.type === "text" && String(block.text).trim() === "")
    return "text content blocks must contain non-whitespace text";
  if (block.type === "thinking" && !/^proof/.test(String(block.signature)))
    return "Invalid `signature` in `thinking` block";
  if (block.type === "tool_use" && (typeof block.input !== "object" || block.input === null))
    return "input: Input should be a valid dictionary";
  const id = block.id ?? block.tool_use_id;
  if (id !== undefined && !/^[a-zA-Z0-9_-]+$/.test(String(id)))
    return "id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  return unknownKey(block, keys, "");
}

function findMarkerFlaw(body: DialectRequest["body"]): string | undefined {
  const count = JSON.stringify(body).split('"cache_control"').length - 1;
  return count > mostMarkers ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` : undefined;
}

const errors: Readonly<Record<Trouble, readonly [status: number, type: string, message: string]>> = {
  rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit"],
  quota: [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  auth: [401, "authentication_error", "invalid x-api-key"],
  overloaded: [529, "overloaded_error", "Overloaded"],
  context: [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  server: [500, "api_error", "Internal server error"],
  picture: [400, "invalid_request_error", "Could not process image"],
  not_found: [404, "not_found_error", "model: nobody"],
};

function refuse(why: Trouble | { readonly flaw: string }, seconds?: number): Refusal {
  const [status, type, message] =
    typeof why === "object" ? ([400, "invalid_request_error", why.flaw] as const) : errors[why];
  return { status, body: errorBody(type, message), headers: { ...retryAfter(seconds), "request-id": "req_1" } };
}

function errorBody(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

const stopReasons: Readonly<Record<WireStop, string>> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "refusal",
};

class AnthropicSpeaker implements Speaker {
  readonly #request: DialectRequest;
  readonly #quirks: Quirks;
  readonly #calls = new Map<number, number>();
  #text: number | undefined;
  #blocks = 0;

  constructor(request: DialectRequest, quirks: Quirks) {
    this.#request = request;
    this.#quirks = quirks;
  }

  begin() {
    const usage = { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: this.#request.body.model, content: [] };
    return [
      event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
      event("ping", {}),
    ];
  }

  say(step: AnswerStep): readonly string[] {
    const closing = step.kind === "text" ? [] : this.#closeText();
    switch (step.kind) {
      case "text": {
        const opening = this.#text === undefined ? [this.#start({ type: "text", text: "" })] : [];
        this.#text ??= this.#blocks - 1;
        return [...opening, this.#delta(this.#text, { type: "text_delta", text: step.text })];
      }
      case "thought": {
        const start = this.#start({ type: "thinking", thinking: "", signature: "" });
        const index = this.#blocks - 1;
        return [
          ...closing,
          start,
          this.#delta(index, { type: "thinking_delta", thinking: step.text }),
          this.#delta(index, { type: "signature_delta", signature: step.proof }),
          this.#stop(index),
        ];
      }
      case "call": {
        const ids = this.#quirks.noIds ? {} : { id: step.id };
        const start = this.#start({ type: "tool_use", ...ids, name: step.name, input: {} });
        this.#calls.set(step.call, this.#blocks - 1);
        return [...closing, start];
      }
      case "arguments":
        return [this.#delta(this.#calls.get(step.call) ?? 0, { type: "input_json_delta", partial_json: step.piece })];
      case "unknown":
        return [
          event("surprise", { a: 1 }),
          ...closing,
          this.#start({ type: "surprise", a: 1 }),
          this.#delta(this.#blocks - 1, { type: "surprise_delta", text: "?" }),
          this.#stop(this.#blocks - 1),
        ];
      default:
        return closing;
    }
  }

  end(stop: WireStop, { input, cached, written = 0, output, reasoning }: WireUsage) {
    const usage = {
      input_tokens: input - cached - written,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: output,
      output_tokens_details: { thinking_tokens: reasoning },
    };
    const delta = { stop_reason: stopReasons[stop], stop_sequence: null };
    return [
      ...this.#closeText(),
      ...[...this.#calls.values()].map((index) => this.#stop(index)),
      event("message_delta", { delta, usage }),
      event("message_stop", {}),
    ];
  }

  fail(why: Trouble) {
    const [, type, message] = errors[why];
    return [sse(errorBody(type, message), "error")];
  }

  #closeText() {
    const index = this.#text;
    this.#text = undefined;
    return index === undefined ? [] : [this.#stop(index)];
  }

  #start(content_block: object): string {
    this.#blocks += 1;
    return event("content_block_start", { ...this.#at(this.#blocks - 1), content_block });
  }

  #delta(index: number, delta: object): string {
    return event("content_block_delta", { ...this.#at(index), delta });
  }

  #stop(index: number): string {
    return event("content_block_stop", this.#at(index));
  }

  #at(index: number): object {
    return this.#quirks.noIndex ? {} : { index };
  }
}

function event(type: string, data: object): string {
  return sse({ type, ...data }, type);
}
