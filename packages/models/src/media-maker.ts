import type { ModelUsage } from "@talaria/agent";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { OpenAI } from "openai";
import { connect } from "./connect.ts";
import { toModelFailure } from "./dialect/model-failure.ts";
import { countOf } from "./dialect/wire-text.ts";
import { reveal, type SecretText } from "./model-config.ts";

/** Asking again may help. */
const passing: ReadonlySet<string> = new Set(["network", "overloaded", "server_error", "stalled", "truncated"]);
/** Around a picture in JSON: its other fields, and what a model says of it. */
const mostAroundBytes = 1_000_000;
/** They always answer with the picture itself and reject `response_format` (`openai`, types of images). */
const alwaysInline = /^(gpt-image|chatgpt-image)/;

export interface MediaMakerConfig {
  /** Without it, OpenAI's own. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: SecretText | undefined;
  readonly model: string;
  readonly timeoutMs: number;
  /** Of what is made. A larger answer is not taken. */
  readonly maxBytes: number;
}

export interface MadeMedia {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Absent where the server counts none. */
  readonly usage?: ModelUsage;
}

/** Makes one picture. Throws `rate_limited`, `unavailable`, `invalid_request` or `aborted`; tries once, since each try costs. */
export type MakeImage = (
  request: { readonly prompt: string; readonly shape?: "square" | "landscape" | "portrait" | undefined },
  signal: AbortSignal,
) => Promise<MadeMedia>;

/** Says a text aloud. Throws as `MakeImage` does. */
export type Speak = (
  speech: { readonly text: string; readonly voice?: string | undefined },
  signal: AbortSignal,
) => Promise<MadeMedia>;

/** Any server that speaks `POST /images/generations`. */
export function createImageMaker(config: MediaMakerConfig, deps: { readonly clock: Clock }): MakeImage {
  const { model, maxBytes } = config;
  const ask = asker(config, deps);
  return async ({ prompt, shape }, signal) =>
    await ask(signal, "no picture", async (client) => {
      const asked = client.images.generate(
        {
          model,
          prompt,
          n: 1,
          ...(shape !== undefined && { size: sizeOf(shape, model) }),
          ...(!alwaysInline.test(model) && { response_format: "b64_json" as const }),
        },
        { signal },
      );
      const { body } = await asked.asResponse();
      const inBase64 = Math.ceil(maxBytes / 3) * 4;
      const answer = answerIn(await bounded(body, inBase64 + mostAroundBytes, "no picture"));
      const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? "", "base64");
      if (bytes.byteLength > maxBytes) throw tooLarge("no picture", maxBytes);
      const mimeType = imageTypeOf(bytes) ?? `image/${answer.output_format ?? "png"}`;
      return { bytes, mimeType, ...(answer.usage ? { usage: toUsage(answer.usage) } : {}) };
    });
}

/** Any server that speaks `POST /audio/speech`. */
export function createSpeaker(
  config: MediaMakerConfig & { readonly voice: string },
  deps: { readonly clock: Clock },
): Speak {
  const { model, maxBytes } = config;
  const ask = asker(config, deps);
  return async ({ text, voice = config.voice }, signal) =>
    await ask(signal, "no speech", async (client) => {
      const answer = await client.audio.speech.create(
        { model, voice, input: text, response_format: "mp3" },
        { signal },
      );
      return { bytes: await bounded(answer.body, maxBytes, "no speech"), mimeType: "audio/mpeg" };
    });
}

function asker(config: MediaMakerConfig, { clock }: { readonly clock: Clock }) {
  const secrets = [config.apiKey ?? ""].map(reveal);
  let client: Promise<OpenAI> | undefined;
  return async (signal: AbortSignal, what: string, ask: (client: OpenAI) => Promise<MadeMedia>): Promise<MadeMedia> => {
    client ??= connect(config);
    try {
      const made = await ask(await client);
      if (made.bytes.byteLength > 0) return made;
    } catch (error) {
      throw failureOf(error);
    }
    throw new GatewayError(`${what}: the answer has none in it`, { code: "unavailable" });

    function failureOf(error: unknown): GatewayError {
      if (error instanceof GatewayError) return error;
      if (signal.aborted) return new GatewayError(`${what}: stopped`, { code: "aborted", cause: error });
      const { kind, message, retryAfterMs } = toModelFailure(error, { visible: false, secrets, now: clock.now() });
      if (kind === "rate_limit") {
        return new GatewayError(`${what}: ${message}`, {
          code: "rate_limited",
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        });
      }
      const isPassing = passing.has(kind);
      return new GatewayError(`${what}: ${message}`, { code: isPassing ? "unavailable" : "invalid_request" });
    }
  };
}

type Answered = Pick<OpenAI.ImagesResponse, "data" | "output_format"> & {
  readonly usage?: Readonly<Record<string, unknown>> | null;
};

function toUsage(usage: Readonly<Record<string, unknown>>): ModelUsage {
  const [inputTokens, outputTokens] = [countOf(usage.input_tokens), countOf(usage.output_tokens)];
  return { inputTokens, cachedTokens: 0, outputTokens, reasoningTokens: 0 };
}

/** Sizes that the models take (`openai`, types of images): DALL-E 3 has wider ones than the others. */
function sizeOf(shape: "square" | "landscape" | "portrait", model: string) {
  const isDallE3 = model.startsWith("dall-e-3");
  switch (shape) {
    case "square":
      return "1024x1024" as const;
    case "landscape":
      return isDallE3 ? ("1792x1024" as const) : ("1536x1024" as const);
    case "portrait":
      return isDallE3 ? ("1024x1792" as const) : ("1024x1536" as const);
    default:
      return shape satisfies never;
  }
}

function imageTypeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 4).toString("hex") === "89504e47") return "image/png";
  if (bytes.subarray(0, 3).toString("hex") === "ffd8ff") return "image/jpeg";
  return bytes.subarray(8, 12).toString("latin1") === "WEBP" ? "image/webp" : undefined;
}

function answerIn(bytes: Uint8Array): Answered {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as Answered;
  } catch (cause) {
    throw new GatewayError("no picture: the answer can't be read", { code: "unavailable", cause });
  }
}

function tooLarge(what: string, maxBytes: number): GatewayError {
  return new GatewayError(`${what}: more than ${maxBytes} bytes`, { code: "too_large" });
}

async function bounded(body: ReadableStream<Uint8Array> | null, maxBytes: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge(what, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
