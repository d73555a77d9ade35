import type { IncomingMessage, ServerResponse } from "node:http";
import { type DialectServer, readBody, sendJson, startDialectServer } from "./dialect-server.ts";
import type { DialectRequest } from "./voice.ts";
import type { WireAnswer } from "./wire-answer.ts";

export interface OllamaServerOptions {
  /** By their names, with tags. */
  readonly models: Readonly<Record<string, OllamaServed>>;
  /** The window of models that set none: `OLLAMA_CONTEXT_LENGTH`, or 4,096 below 24 GiB of video memory. */
  readonly windowTokens?: number;
  readonly respond?: (request: DialectRequest) => WireAnswer;
}

export interface OllamaServed {
  readonly hasTools: boolean;
  /** What it was made for. */
  readonly longestTokens: number;
  /** Its own parameter. */
  readonly numCtx?: number;
}

/** An Ollama: Chat Completions behind `/v1`, and its own API beside it. `models` are those it has now. */
export interface OllamaServer extends AsyncDisposable {
  readonly url: string;
  readonly models: Map<string, OllamaServed>;
  readonly chat: DialectServer;
}

/**
 * Wire facts: docs.ollama.com/api and server/routes.go of ollama. Outside its routes it answers `404 page not found` as text; an
 * unknown model is a 404 with an error; /api/ps lists what a request has loaded.
 */
export async function startOllamaServer(options: OllamaServerOptions): Promise<OllamaServer> {
  const { windowTokens = 4_096, respond } = options;
  const models = new Map(Object.entries(options.models));
  const loaded = new Set<string>();
  const routes: Readonly<Record<string, (body: Asked) => Answer>> = {
    "GET /api/tags": () => [200, { models: [...models.keys()].map((name) => ({ name, model: name, size: 1 })) }],
    "GET /v1/models": () => [200, { object: "list", data: [...models.keys()].map((id) => ({ id, object: "model" })) }],
    "GET /api/ps": () => [
      200,
      {
        models: [...loaded].map((name) => ({
          name,
          context_length: models.get(name)?.numCtx ?? windowTokens,
        })),
      },
    ],
    "POST /api/show": ({ model }) => {
      const served = models.get(String(model));
      if (served === undefined) return [404, { error: `model '${model}' not found` }];
      return [
        200,
        {
          capabilities: ["completion", ...(served.hasTools ? ["tools"] : [])],
          parameters: served.numCtx === undefined ? "" : `num_ctx ${served.numCtx}`,
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": served.longestTokens },
        },
      ];
    },
    "POST /api/create": ({ model, from, parameters }) => {
      const origin = models.get(String(from));
      if (origin === undefined) return [404, { error: `model '${from}' not found` }];
      const numCtx = Number((parameters as { readonly num_ctx?: unknown } | undefined)?.num_ctx);
      models.set(String(model), { ...origin, ...(numCtx > 0 && { numCtx }) });
      return [200, { status: "success" }];
    },
  };
  const chat = await startDialectServer({
    dialect: "openai-chat",
    respond: (request) => {
      const name = String(request.body.model);
      if (!models.has(name)) return [{ kind: "refuse", why: "not_found" }];
      loaded.add(name);
      return respond?.(request) ?? [{ kind: "text", text: "hello" }];
    },
    beside: async (request, response) => serveBeside(routes, request, response),
  });
  return { url: chat.url, models, chat, [Symbol.asyncDispose]: () => chat.stop() };
}

type Asked = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body: object];

async function serveBeside(
  routes: Readonly<Record<string, (body: Asked) => Answer>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { method = "", url = "/" } = request;
  if (method === "POST" && url === "/v1/chat/completions") return false;
  const route = routes[`${method} ${url}`];
  if (route === undefined) {
    response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
    return true;
  }
  const text = (await readBody(request)).toString("utf8");
  const [status, body] = route(text === "" ? {} : (JSON.parse(text) as Asked));
  sendJson(response, { status, body });
  return true;
}
