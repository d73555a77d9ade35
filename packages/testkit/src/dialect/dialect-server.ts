import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "../loopback-server.ts";
import { anthropicVoice } from "./anthropic-voice.ts";
import { findSignatureFlaw, type SigningKeys } from "./aws-signature.ts";
import { bedrockVoice } from "./bedrock-voice.ts";
import { chatVoice } from "./chat-voice.ts";
import { chatGptVoice } from "./chatgpt-voice.ts";
import { googleVoice } from "./google-voice.ts";
import { mistralVoice } from "./mistral-voice.ts";
import { responsesVoice } from "./responses-voice.ts";
import { anthropicOnVertexVoice, vertexVoice } from "./vertex-voice.ts";
import type { Chunk, DialectRequest, Quirks, Refusal, Voice } from "./voice.ts";
import { type WireAnswer, type WireStop, type WireUsage, words } from "./wire-answer.ts";

const voices = {
  "openai-chat": chatVoice,
  "openai-responses": responsesVoice,
  anthropic: anthropicVoice,
  google: googleVoice,
  mistral: mistralVoice,
  bedrock: bedrockVoice,
  chatgpt: chatGptVoice,
  vertex: vertexVoice,
  "anthropic-on-vertex": anthropicOnVertexVoice,
} as const satisfies Record<string, Voice>;

export type ServedDialect = keyof typeof voices;

export interface DialectServerOptions {
  readonly dialect: ServedDialect;
  /** Keys that are taken; any other is refused. Without a list, none is needed, as of servers on somebody's own machine. */
  readonly apiKeys?: readonly string[];
  /** Requests have to be signed with these, instead of a key. */
  readonly signedWith?: SigningKeys;
  readonly quirks?: Quirks;
  /** Names for the list of models. */
  readonly models?: readonly string[];
  readonly respond?: (request: DialectRequest) => WireAnswer;
  /** What the server has beside its dialect. True for a request that it has answered. */
  readonly beside?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

const maxBodyBytes = 32 * 1_024 * 1_024;
const someUsage: WireUsage = { input: 10, cached: 4, output: 5, reasoning: 0 };

/** Starts a server on a loopback port that speaks one API as its owner does, and refuses what its owner refuses. */
export async function startDialectServer(options: DialectServerOptions): Promise<DialectServer> {
  const server = new DialectServer(options);
  await server.start();
  return server;
}

/** A running server. */
export class DialectServer implements AsyncDisposable {
  /** Requests that were well formed and had a key, oldest first. */
  readonly requests: DialectRequest[] = [];
  /** Sentences about those that were not. */
  readonly flaws: string[] = [];
  respond: (request: DialectRequest) => WireAnswer;
  readonly #options: DialectServerOptions;
  readonly #voice: Voice;
  readonly #stopping = new AbortController();
  #http: LoopbackServer | undefined;

  constructor(options: DialectServerOptions) {
    this.#options = options;
    this.#voice = voices[options.dialect];
    this.respond = options.respond ?? (() => words("Hello, dear world"));
  }

  async start(): Promise<void> {
    this.#http = await LoopbackServer.listen((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!response.headersSent) sendJson(response, { status: 500, body: { testkit: String(error) } });
        response.destroy();
      });
    });
  }

  /** Without a slash at the end. What an API calls a version belongs behind it. */
  get url(): string {
    if (this.#http === undefined) throw new Error("the server has not been started");
    return this.#http.url;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#http?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", this.url);
    const voice = this.#voice;
    if ((await this.#options.beside?.(message, response)) === true) return;
    if (message.method === "GET" && voice.listing?.path.test(url.pathname)) return this.#list(message, response);
    const hungUp = this.#hangUpOf(response);
    if (message.method !== "POST" || !voice.path.test(url.pathname)) {
      this.flaws.push(`${message.method} ${url.pathname}`);
      return sendJson(response, voice.refuse("not_found"));
    }
    const bytes = await readBody(message);
    const body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    const request = { path: url.pathname, query: url.searchParams, headers: message.headers, body, hungUp };
    if (!(this.#isSigned(message, bytes) ?? this.#hasKey(message))) return sendJson(response, voice.refuse("auth"));
    const flaw = voice.findFlaw(request);
    if (flaw !== undefined) {
      this.flaws.push(flaw);
      return sendJson(response, voice.refuse({ flaw }));
    }
    this.requests.push(request);
    await this.#answer(request, response);
  }

  #hasKey({ headers }: IncomingMessage): boolean {
    const { apiKeys } = this.#options;
    if (apiKeys === undefined) return true;
    const key = this.#voice.keyOf(headers);
    return key !== undefined && apiKeys.includes(key);
  }

  /** Undefined where requests need not be signed. */
  #isSigned({ method = "", url = "", headers }: IncomingMessage, body: Buffer): boolean | undefined {
    const { signedWith } = this.#options;
    if (signedWith === undefined) return undefined;
    const [path = "", query = ""] = url.split("?");
    const flaw = findSignatureFlaw({ method, path, query, headers, body }, signedWith);
    if (flaw !== undefined) this.flaws.push(flaw);
    return flaw === undefined;
  }

  #list(message: IncomingMessage, response: ServerResponse): void {
    const { models = ["test-model"] } = this.#options;
    const { listing } = this.#voice;
    const answer = this.#hasKey(message) ? { status: 200, body: listing?.body(models) } : this.#voice.refuse("auth");
    sendJson(response, answer);
  }

  async #answer(request: DialectRequest, response: ServerResponse): Promise<void> {
    const answer = this.respond(request);
    const [first] = answer;
    if (first?.kind === "refuse") return sendJson(response, this.#voice.refuse(first.why, first.retryAfterSeconds));
    if (first?.kind === "raw") {
      const { status = 200, contentType = this.#voice.contentType, pieces } = first;
      response.writeHead(status, { "content-type": contentType });
      for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
      return void response.end();
    }
    const speaker = this.#voice.speaker(request, this.#options.quirks ?? {});
    response.writeHead(200, { "content-type": this.#voice.contentType });
    response.flushHeaders();
    if (first?.kind === "stall") return await silence(request.hungUp);
    write(response, speaker.begin());
    let stop: WireStop | undefined;
    let usage = someUsage;
    for (const step of answer) {
      if (step.kind === "stall") return await silence(request.hungUp);
      if (step.kind === "cut") return void (step.how === "end" ? response.end() : await breakOff(response));
      if (step.kind === "error") {
        write(response, speaker.fail(step.why));
        return void response.end();
      }
      if (step.kind === "stop") stop = step.why;
      if (step.kind === "usage") usage = step.usage;
      write(response, speaker.say(step));
    }
    const hasCalls = answer.some(({ kind }) => kind === "call");
    write(response, speaker.end(stop ?? (hasCalls ? "calls" : "end"), usage));
    response.end();
  }

  /** Aborted when the connection closes or the server stops. */
  #hangUpOf(response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return AbortSignal.any([gone.signal, this.#stopping.signal]);
  }
}

function write(response: ServerResponse, chunks: readonly Chunk[]): void {
  for (const chunk of chunks) response.write(chunk);
}

/** What was written arrives before the connection breaks. */
async function breakOff(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => response.write("", () => resolve()));
  response.destroy();
}

function silence(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

export function sendJson(response: ServerResponse, { status, body, headers = {} }: Refusal): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error("request body above 32 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
