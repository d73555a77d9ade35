import { LoopbackServer } from "../loopback-server.ts";
import { AnswerDesk, type ModelServerOptions, type Respond, refuse } from "./answer-desk.ts";
import type { ModelRequest } from "./model-request.ts";
import { type ModelScript, say } from "./script.ts";

/** Repeats what the user said last: `echo: <text>`. */
export const echo: Respond = (request) => say(`echo: ${request.lastUserText}`);

/** One script per request, in order. Throws when there are more requests than scripts. */
export function inOrder(...scripts: readonly ModelScript[]): Respond {
  let next = 0;
  return () => {
    const script = scripts[next++];
    if (script === undefined) throw new Error(`request ${next} came, but only ${scripts.length} answers were planned`);
    return script;
  };
}

/** Starts a server that speaks the Chat Completions API on a loopback port. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const desk = new AnswerDesk({ respond: echo, ...options });
  const http = await LoopbackServer.listen((request, response) => {
    desk.serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, { message: `testkit: ${String(error)}`, type: "server_error", code: "testkit" });
    });
  }, options.port);
  return new ModelServer(http, desk);
}

/** A running model server. */
export class ModelServer implements AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** The last requests for an answer, oldest first. */
  readonly requests: readonly ModelRequest[];
  readonly #http: LoopbackServer;
  readonly #desk: AnswerDesk;

  constructor(http: LoopbackServer, desk: AnswerDesk) {
    this.baseUrl = `${http.url}/v1`;
    this.requests = desk.requests;
    this.#http = http;
    this.#desk = desk;
  }

  /** All requests for an answer so far, refused ones too. */
  requestCount(): number {
    return this.#desk.count;
  }

  /** How many answers are being written at the moment. */
  openAnswers(): number {
    return this.#desk.open;
  }

  /** Replaces `respond` from the next request on. */
  respondWith(respond: Respond): void {
    this.#desk.respond = respond;
  }

  /** The first remembered request that passes the test, now or later. Rejects after `timeoutMs`. */
  waitForRequest(test: (request: ModelRequest) => boolean = () => true, timeoutMs = 120_000): Promise<ModelRequest> {
    const present = this.requests.find(test);
    if (present) return Promise.resolve(present);
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#desk.listeners.delete(listener);
        settle();
      };
      const listener = (request: ModelRequest) => {
        if (test(request)) finish(() => resolve(request));
      };
      const timer = setTimeout(() => {
        const seen = this.requests.slice(-5).map((request) => JSON.stringify(request.lastUserText.slice(0, 200)));
        const problem = `the awaited request did not come within ${timeoutMs} ms; the last: ${seen.join(", ") || "none"}`;
        finish(() => reject(new Error(problem)));
      }, timeoutMs);
      this.#desk.listeners.add(listener);
    });
  }

  /** Cuts every connection and refuses new ones until `goOnline`. */
  goOffline(): void {
    this.#http.goOffline();
  }

  goOnline(): void {
    this.#http.goOnline();
  }

  /** Cuts open answers too. Safe to repeat. */
  async stop(): Promise<void> {
    this.#desk.stopping.abort();
    await this.#http.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
