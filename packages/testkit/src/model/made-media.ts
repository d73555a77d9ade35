import type { ServerResponse } from "node:http";
import { sendJson } from "./answer.ts";

/** What came to `/v1/images/generations` or `/v1/audio/speech`, as JSON. */
export type MediaBody = Readonly<Record<string, unknown>>;

const imageFields = new Set([
  ...["prompt", "model", "n", "size", "quality", "background", "moderation", "output_format", "output_compression"],
  ...["partial_images", "stream", "user", "safety_identifier"],
]);
const imageSizes: ReadonlySet<unknown> = new Set([undefined, "auto", "1024x1024", "1536x1024", "1024x1536"]);
const speechFields = new Set(["input", "model", "voice", "instructions", "response_format", "speed", "stream_format"]);
const speechFormats: ReadonlySet<unknown> = new Set(["mp3", "opus", "aac", "flac", "wav", "pcm", undefined]);

/**
 * Answers as a GPT image model: always with the picture in base64, and refusing `response_format`.
 * https://developers.openai.com/api/docs/guides/image-generation and the types of images in the package `openai`.
 */
export function answerImage(response: ServerResponse, body: MediaBody, draw: (body: MediaBody) => Uint8Array): void {
  const { prompt, model, n = 1, size } = body;
  const flaw =
    unknownField(body, imageFields) ??
    (typeof prompt !== "string" || prompt === "" || prompt.length > 32_000 ? "Invalid 'prompt'." : undefined) ??
    (typeof model !== "string" || !/^(chat)?gpt-image-/.test(model) ? `Invalid value: '${model}'.` : undefined) ??
    (n === 1 ? undefined : "This server draws one picture at a time.") ??
    (imageSizes.has(size) ? undefined : `Invalid value: '${size}'.`);
  if (flaw !== undefined) refuse(response, flaw);
  else answer(response, () => ({ b64_json: Buffer.from(draw(body)).toString("base64") }), sendImage);
}

/** Answers with the recording's bytes alone. https://developers.openai.com/api/docs/guides/text-to-speech */
export function answerSpeech(response: ServerResponse, body: MediaBody, say: (body: MediaBody) => Uint8Array): void {
  const { input, model, voice, response_format: format } = body;
  const flaw =
    unknownField(body, speechFields) ??
    (typeof input !== "string" || input === "" ? "Invalid 'input'." : undefined) ??
    (String(input).length > 4_096 ? "Invalid 'input': string too long." : undefined) ??
    (typeof model === "string" && model !== "" ? undefined : "you must provide a model parameter") ??
    (typeof voice === "string" && voice !== "" ? undefined : "Invalid 'voice'.") ??
    (speechFormats.has(format) ? undefined : `Invalid value: '${format}'.`);
  if (flaw !== undefined) refuse(response, flaw);
  else answer(response, () => Buffer.from(say(body)), sendSound);
}

function sendImage(response: ServerResponse, image: { readonly b64_json: string }): void {
  const usage = { input_tokens: 50, output_tokens: 4_160, total_tokens: 4_210 };
  sendJson(response, 200, { created: 1_790_000_000, data: [image], output_format: "png", usage });
}

function sendSound(response: ServerResponse, bytes: Uint8Array): void {
  response.writeHead(200, { "content-type": "audio/mpeg" }).end(bytes);
}

function answer<Made>(
  response: ServerResponse,
  make: () => Made,
  send: (response: ServerResponse, made: Made) => void,
) {
  try {
    send(response, make());
  } catch (error) {
    sendJson(response, 500, { error: { message: String(error), type: "server_error", param: null, code: null } });
  }
}

function unknownField(body: MediaBody, known: ReadonlySet<string>): string | undefined {
  const unknown = Object.keys(body).find((key) => !known.has(key));
  return unknown === undefined ? undefined : `Unknown parameter: '${unknown}'.`;
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, { error: { message, type: "invalid_request_error", param: null, code: null } });
}
