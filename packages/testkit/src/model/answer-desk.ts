import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson, sendWholeAnswer, streamAnswer } from "./answer.ts";
import { findFlaw } from "./check-request.ts";
import { answerImage, answerSpeech, type MediaBody } from "./made-media.ts";
import { type ModelRequest, toModelRequest } from "./model-request.ts";
import type { ModelErrorBody, ModelScript } from "./script.ts";
import { answerTranscription, type Recording } from "./transcription.ts";

export type Respond = (request: ModelRequest) => ModelScript | Promise<ModelScript>;

export interface ModelServerOptions {
  /** Decides each answer; `echo` unless told otherwise. */
  readonly respond?: Respond;
  /** When given, any other key is refused with 401. */
  readonly apiKey?: string;
  /** Names for `/v1/models`. */
  readonly models?: readonly string[];
  /** False: accepts requests that strict servers refuse; see `findFlaw`. */
  readonly strict?: boolean;
  /** False: refuses requests with pictures, as servers of text models do. */
  readonly images?: boolean;
  /** What is heard in a recording; `/v1/audio/transcriptions` is unknown without it. Throwing answers 500. */
  readonly transcribe?: (recording: Recording) => string | Promise<string>;
  /** A picture's bytes; `/v1/images/generations` is unknown without it. Throwing answers 500. */
  readonly draw?: (body: MediaBody) => Uint8Array;
  /** A recording's bytes; `/v1/audio/speech` is unknown without it. Throwing answers 500. */
  readonly speak?: (body: MediaBody) => Uint8Array;
  /** How many requests `requests` remembers at least; 500 unless told otherwise. */
  readonly keepRequests?: number;
  readonly now?: () => number;
  /** A fixed port, to return where an earlier server was; otherwise any free one. */
  readonly port?: number;
}

const maxBodyBytes = 32 * 1_024 * 1_024;

/** Takes requests and gives answers. */
export class AnswerDesk {
  readonly requests: ModelRequest[] = [];
  readonly listeners = new Set<(request: ModelRequest) => void>();
  readonly stopping = new AbortController();
  respond: Respond;
  count = 0;
  open = 0;
  readonly #options: ModelServerOptions;
  readonly #now: () => number;

  constructor(options: ModelServerOptions & { readonly respond: Respond }) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.respond = options.respond;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { apiKey, models = ["test-model"] } = this.#options;
    const route = `${request.method} ${request.url?.split("?", 1)[0]}`;
    const bytes = await readBody(request);
    const body = bytes.toString("utf8");
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      refuse(response, 401, {
        message: "Incorrect API key provided.",
        type: "invalid_request_error",
        code: "invalid_api_key",
      });
    } else if (route === "GET /v1/models") {
      const data = models.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "testkit" }));
      sendJson(response, 200, { object: "list", data });
    } else if (route === "POST /v1/chat/completions") {
      this.open += 1;
      await this.#answer(request, response, body).finally(() => {
        this.open -= 1;
      });
    } else if (route === "POST /v1/audio/transcriptions" && this.#options.transcribe !== undefined) {
      await answerTranscription(request, response, bytes, this.#options.transcribe);
    } else if (route === "POST /v1/images/generations" && this.#options.draw !== undefined) {
      answerImage(response, parseObject(body) ?? {}, this.#options.draw);
    } else if (route === "POST /v1/audio/speech" && this.#options.speak !== undefined) {
      answerSpeech(response, parseObject(body) ?? {}, this.#options.speak);
    } else {
      refuse(response, 404, { message: `Unknown request URL: ${route}`, type: "invalid_request_error" });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    this.count += 1;
    const number = this.count;
    const body = parseObject(text);
    if (body === undefined) {
      refuse(response, 400, {
        message: "We could not parse the JSON body of your request.",
        type: "invalid_request_error",
      });
      return;
    }
    const hungUp = this.#hangUpOf(response);
    const modelRequest = toModelRequest(body, { headers: request.headers, at: this.#now(), hungUp });
    this.#remember(modelRequest);
    const flaw = this.#options.strict === false ? undefined : findFlaw(body);
    if (this.#options.images === false && modelRequest.images.length > 0) {
      refuse(response, 400, {
        message: "Invalid content type. image_url is not supported.",
        type: "invalid_request_error",
      });
      return;
    }
    if (flaw) {
      refuse(response, 400, flaw);
      return;
    }
    const script = await this.respond(modelRequest);
    const [first] = script;
    if (first?.kind === "status") {
      sendJson(response, first.status, first.body, first.headers);
      return;
    }
    const id = `chatcmpl-${number.toString(36).padStart(8, "0")}`;
    const play = modelRequest.stream ? streamAnswer : sendWholeAnswer;
    await play(response, script, { id, request: modelRequest, signal: hungUp });
  }

  /** Aborted when the connection closes or the server stops. */
  #hangUpOf(response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    const abort = () => gone.abort();
    response.once("close", abort);
    this.stopping.signal.addEventListener("abort", abort, { once: true, signal: gone.signal });
    return gone.signal;
  }

  #remember(request: ModelRequest): void {
    const kept = this.#options.keepRequests ?? 500;
    this.requests.push(request);
    if (this.requests.length > kept * 2) this.requests.splice(0, this.requests.length - kept);
    for (const listener of this.listeners) listener(request);
  }
}

export function refuse(response: ServerResponse, status: number, error: ModelErrorBody): void {
  sendJson(response, status, { error: { param: null, code: null, ...error } });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error("request body above 32 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
