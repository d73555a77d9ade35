import type { ModelRequest } from "@talaria/agent";
import { isGatewayError, type MediaRef } from "@talaria/protocol";
import type { ModelDeps, OpenAiChatConfig } from "../model-config.ts";
import type { RequestImages } from "./chat-request.ts";

/** Fetches the pictures that a request names. Those that are gone are left out; other failures are thrown. */
export async function requestImages(
  request: ModelRequest,
  { images = true }: OpenAiChatConfig,
  { readMedia }: ModelDeps,
  signal: AbortSignal,
): Promise<RequestImages> {
  if (!images || readMedia === undefined) return "not taken";
  const named = request.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  const urls = new Map<MediaRef, string>();
  for (const { ref, mimeType } of named) {
    if (urls.has(ref)) continue;
    try {
      const bytes = await readMedia(ref, signal);
      urls.set(ref, `data:${mimeType};base64,${Buffer.from(bytes).toString("base64")}`);
    } catch (error) {
      if (!isGatewayError(error, "not_found")) throw error;
    }
  }
  return urls;
}

/** Not "You uploaded an unsupported image", which is about one picture. */
const takesNone =
  /image\S*( inputs?)? (is|are) (not|only) supported|not support (image|vision|multi)|endpoints found that support image|not a multi-?modal/i;

/**
 * Whether a server refused a request for its pictures: `all` when it says that it takes none, `these` when that may be the
 * reason. Few say so in the same way: OpenAI answers 400, OpenRouter 404, llama.cpp 500, proxies 413 when the body is too
 * long for them.
 */
export function imageRefusal(error: unknown): "all" | "these" | "none" {
  if (!(error instanceof Error) || !("status" in error)) return "none";
  const { status, message } = error as Error & { readonly status: unknown };
  if (takesNone.test(message)) return "all";
  return status === 400 || status === 413 || status === 415 || status === 422 ? "these" : "none";
}
