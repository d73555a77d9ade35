import {
  type DialectRequest,
  listOf,
  type Refusal,
  retryAfter,
  type Speaker,
  sse,
  unknownKey,
  type Voice,
} from "./voice.ts";
import type { AnswerStep, Trouble, WireStop, WireUsage } from "./wire-answer.ts";

/**
 * Gemini's `streamGenerateContent`. Wire facts: `google-prompt.ts`, `google-error.ts` and the chunk schema of @ai-sdk/google
 * 4.0.121; the thought signatures that Gemini 3 asks for: https://ai.google.dev/gemini-api/docs/thought-signatures.
 */
export const googleVoice: Voice = {
  contentType: "text/event-stream",
  path: /\/v1beta\/models\/[^/:]+:streamGenerateContent$/,
  listing: { path: /^\/v1beta\/models$/, body: listOfModels },
  keyOf: (headers) => [headers["x-goog-api-key"]].flat()[0],
  findFlaw: ({ body, query, path }) =>
    query.get("alt") !== "sse"
      ? "this server only streams"
      : (findRequestFlaw(body) ?? findContentFlaw(listOf<Content>(body.contents), /gemini-3/.test(path))),
  refuse,
  speaker: (request) => new GoogleSpeaker(request),
};

/** Models that cannot generate are in the list too. */
function listOfModels(names: readonly string[]): object {
  const entry = (id: string, ...supportedGenerationMethods: readonly string[]) => ({
    name: `models/${id}`,
    supportedGenerationMethods,
  });
  return {
    models: [...names.map((id) => entry(id, "generateContent", "countTokens")), entry("embedding", "embedContent")],
  };
}

const topKeys = `contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels serviceTier
  continuationToken`;
const partKeys = "text thought thoughtSignature inlineData fileData functionCall functionResponse";
/** Stands for a signature that was lost or never given. */
const sentinel = "skip_thought_signature_validator";

interface Part {
  readonly text?: string;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name?: string; readonly response?: unknown };
}

interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}

function findRequestFlaw(body: DialectRequest["body"]): string | undefined {
  if (listOf(body.contents).length === 0) return "* GenerateContentRequest.contents: contents is not specified";
  for (const { functionDeclarations } of listOf<{ functionDeclarations?: unknown }>(body.tools))
    for (const { name } of listOf<{ name?: string }>(functionDeclarations))
      if (!/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name ?? "")) return `Invalid function name: ${name}`;
  return unknownKey(body, topKeys, "Unknown name ");
}

function findContentFlaw(contents: readonly Content[], needsSignatures: boolean): string | undefined {
  if (contents[0]?.role !== "user") return "Please ensure that multiturn requests begin with a user role.";
  let awaited = 0;
  for (const [index, { role, parts }] of contents.entries()) {
    const where = `contents[${index}]`;
    if (role !== "user" && role !== "model") return `${where}.role: Please use a valid role: user, model.`;
    if (parts.length === 0) return `${where}.parts: must include at least one parts field`;
    const unknown = parts.map((part) => unknownKey(part, partKeys, `${where}.parts: Unknown name `)).find(Boolean);
    if (unknown) return unknown;
    const results = parts.filter(({ functionResponse }) => functionResponse !== undefined);
    if (results.length !== awaited)
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    if (results.some(({ functionResponse }) => typeof functionResponse?.response !== "object"))
      return `${where}: response must be a Struct`;
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    if (calls.some(({ functionCall }) => typeof functionCall?.args !== "object"))
      return `${where}: args must be a Struct`;
    const [first] = calls;
    if (needsSignatures && first !== undefined && !isSigned(first))
      return `Function call is missing a thought_signature in functionCall parts. ${where}`;
    awaited = calls.length;
  }
  return awaited > 0 ? "Please ensure that function call turn is followed by a function response turn." : undefined;
}

function isSigned({ thoughtSignature }: Part): boolean {
  return thoughtSignature === sentinel || /^proof/.test(thoughtSignature ?? "");
}

const errors: Readonly<Record<Trouble, readonly [code: number, status: string, message: string]>> = {
  rate_limit: [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  quota: [402, "FAILED_PRECONDITION", "Your prepayment credits are depleted."],
  auth: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  context: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  server: [500, "INTERNAL", "An internal error has occurred."],
  picture: [400, "INVALID_ARGUMENT", "Unable to process input image. Please retry or report."],
  not_found: [404, "NOT_FOUND", "models/nobody is not found for API version v1beta"],
};

/** An invalid key is told by its reason, and a pause by its details; the header is what proxies add. */
function refuse(why: Trouble | { readonly flaw: string }, seconds?: number): Refusal {
  const [code, status, message] =
    typeof why === "object" ? ([400, "INVALID_ARGUMENT", why.flaw] as const) : errors[why];
  const type = "type.googleapis.com/google.rpc.";
  const details = [
    ...(why === "auth" ? [{ "@type": `${type}ErrorInfo`, reason: "API_KEY_INVALID", domain: "googleapis.com" }] : []),
    ...(seconds === undefined ? [] : [{ "@type": `${type}RetryInfo`, retryDelay: `${seconds}s` }]),
  ];
  return {
    status: code,
    body: { error: { code, message, status, ...(details.length > 0 && { details }) } },
    headers: retryAfter(undefined),
  };
}

const finishReasons: Readonly<Record<WireStop, string>> = {
  end: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
};

/** Calls come whole: their pieces are kept until the answer ends. */
class GoogleSpeaker implements Speaker {
  readonly #request: DialectRequest;
  readonly #calls = new Map<number, { readonly name: string; readonly id: string; text: string }>();
  #proof: string | undefined;

  constructor(request: DialectRequest) {
    this.#request = request;
  }

  begin() {
    return [];
  }

  say(step: AnswerStep): readonly string[] {
    switch (step.kind) {
      case "text":
        return [this.#chunk([{ text: step.text }])];
      case "thought":
        this.#proof = step.proof;
        return [this.#chunk([{ text: step.text, thought: true }])];
      case "call":
        this.#calls.set(step.call, { name: step.name, id: step.id, text: "" });
        return [];
      case "arguments": {
        const call = this.#calls.get(step.call);
        if (call !== undefined) call.text += step.piece;
        return [];
      }
      case "unknown":
        return [
          sse({
            surprise: { a: 1 },
            candidates: [{ index: 0, surprise: 1, content: { role: "model", parts: [{ text: "" }] } }],
          }),
        ];
      default:
        return [];
    }
  }

  end(stop: WireStop, usage: WireUsage) {
    const parts = [...this.#calls.values()].map(({ name, id, text }, index) => ({
      functionCall: { id, name, args: JSON.parse(text) },
      ...(index === 0 && this.#proof !== undefined && { thoughtSignature: this.#proof }),
    }));
    const calls = parts.length === 0 ? [] : [this.#chunk(parts)];
    const usageMetadata = {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.input + usage.output,
    };
    return [...calls, this.#chunk([{ text: "" }], { finishReason: finishReasons[stop] }, { usageMetadata })];
  }

  fail(why: Trouble) {
    return [sse(refuse(why).body as object)];
  }

  #chunk(parts: readonly object[], more: object = {}, top: object = {}): string {
    const modelVersion = /models\/([^/:]+):/.exec(this.#request.path)?.[1];
    return sse({
      candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
      modelVersion,
      responseId: "r1",
      ...top,
    });
  }
}
