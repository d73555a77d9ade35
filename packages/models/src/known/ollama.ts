import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { askServer, askServerWith } from "./ask-server.ts";

/** https://docs.ollama.com/faq: where it listens unless `OLLAMA_HOST` says otherwise. */
const ollamaPlace = "127.0.0.1:11434";

/** What Ollama says of one of its models (POST /api/show), and how it serves it now (GET /api/ps). */
export interface OllamaModel {
  /** Undefined in releases that name no capabilities, before 0.6.4. */
  readonly hasTools?: boolean;
  /** What it was made for. */
  readonly longestTokens?: number;
}

const showSchema = z.object({
  capabilities: z.array(z.string()).optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const loadedSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number().int().positive().optional() })),
});

/** Without `/v1` and a slash at the end. `OLLAMA_HOST` may lack scheme and port, and say `0.0.0.0` to a server. */
export function ollamaAddress(ollamaHost: string | undefined): string {
  const given = ollamaHost?.trim() || ollamaPlace;
  const url = URL.parse(/^https?:\/\//.test(given) ? given : `http://${given}`);
  if (url === null) return `http://${ollamaPlace}`;
  const isEverywhere = url.hostname === "0.0.0.0" || url.hostname === "[::]";
  const port = url.port === "" && url.protocol === "http:" && !/:80\b/.test(given) ? "11434" : url.port;
  return `${url.protocol}//${isEverywhere ? "127.0.0.1" : url.hostname}${port === "" ? "" : `:${port}`}`;
}

/** The names of the models that this Ollama has, newest first as it lists them. Throws `unavailable`. */
export async function listOllama(address: string, signal: AbortSignal): Promise<readonly string[]> {
  const { status, body } = await askServer(new URL("/api/tags", address), {}, signal);
  const { data } = z.object({ models: z.array(z.object({ name: z.string().max(200) })) }).safeParse(body);
  if (status !== 200 || data === undefined)
    throw new GatewayError(`what answers at ${address} is no Ollama`, { code: "unavailable" });
  return data.models.map(({ name }) => name);
}

export async function showOllama(address: string, model: string, signal: AbortSignal): Promise<OllamaModel> {
  const { body } = await askServerWith(new URL("/api/show", address), { model }, signal);
  const { capabilities, model_info = {} } = showSchema.safeParse(body).data ?? {};
  const longest = Object.entries(model_info).find(([key]) => key.endsWith(".context_length"))?.[1];
  return {
    ...(capabilities !== undefined && { hasTools: capabilities.includes("tools") }),
    ...(typeof longest === "number" && { longestTokens: longest }),
  };
}

/**
 * The window in which a loaded model reads, which is less than what it was made for: 4,096 tokens below 24 GiB of video memory
 * (https://docs.ollama.com/context-length). Undefined when it isn't loaded, or Ollama is too old to say.
 */
export async function ollamaWindow(address: string, model: string, signal: AbortSignal): Promise<number | undefined> {
  const { body } = await askServer(new URL("/api/ps", address), {}, signal);
  const loaded = loadedSchema.safeParse(body).data?.models ?? [];
  return loaded.find(({ name }) => name === model || name === `${model}:latest`)?.context_length;
}

/**
 * Makes a copy of a model that reads in a window of so many tokens: Chat Completions has no such setting
 * (ollama/ollama#5902), a model has. It shares the model's files. Throws `unavailable` when Ollama makes none.
 */
export async function widenOllama(
  address: string,
  { model, copy, windowTokens }: { readonly model: string; readonly copy: string; readonly windowTokens: number },
  signal: AbortSignal,
): Promise<void> {
  const wanted = { model: copy, from: model, parameters: { num_ctx: windowTokens }, stream: false };
  const { status, body } = await askServerWith(new URL("/api/create", address), wanted, signal);
  const isMade = status === 200 && (body as { readonly status?: unknown } | null)?.status === "success";
  if (!isMade) throw new GatewayError(`Ollama did not make ${copy} (status ${status})`, { code: "unavailable" });
}

/** `qwen3:8b` becomes `qwen3:8b-32k`. */
export function widenedName(model: string, windowTokens: number): string {
  const suffix = `${Math.round(windowTokens / 1_024)}k`;
  const [, name = model, tag = "latest"] = /^(.*?)(?::([^:/]+))?$/.exec(model) ?? [];
  return tag === "latest" ? `${name}:${suffix}` : `${name}:${tag}-${suffix}`;
}
