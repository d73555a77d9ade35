import type { ModelRequest, UserMessage } from "@talaria/agent";
import { isGatewayError, type MediaRef } from "@talaria/protocol";
import type { ModelDeps } from "../model-config.ts";

/** A picture as it goes over the wire. */
export interface ShownImage {
  readonly mimeType: string;
  readonly base64: string;
}

/** The pictures of a request, or the reason why this model is shown none. */
export type RequestImages = ReadonlyMap<MediaRef, ShownImage> | "not taken";

const notTakenNote = "<note>You cannot see pictures: this model takes none.</note>";

/** Fetches the pictures that a request names. Those that are gone are left out; other failures are thrown. */
export async function requestImages(
  request: ModelRequest,
  { images = true }: { readonly images?: boolean | undefined },
  { readMedia }: ModelDeps,
  signal: AbortSignal,
): Promise<RequestImages> {
  if (!images || readMedia === undefined) return "not taken";
  const named = request.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  const shown = new Map<MediaRef, ShownImage>();
  for (const { ref, mimeType } of named) {
    if (shown.has(ref)) continue;
    try {
      const bytes = await readMedia(ref, signal);
      shown.set(ref, { mimeType, base64: Buffer.from(bytes).toString("base64") });
    } catch (error) {
      if (!isGatewayError(error, "not_found")) throw error;
    }
  }
  return shown;
}

/** What a person said: the text, with a note where its pictures cannot be shown, and the pictures that can. */
export function withImages(
  { content, images: named = [] }: UserMessage,
  images: RequestImages,
): { readonly text: string; readonly shown: readonly ShownImage[] } {
  if (named.length === 0) return { text: content, shown: [] };
  if (images === "not taken") return { text: `${content}\n\n${notTakenNote}`, shown: [] };
  return { text: content, shown: named.flatMap(({ ref }) => images.get(ref) ?? []) };
}

/** The address that holds the picture itself. */
export function dataUrl({ mimeType, base64 }: ShownImage): string {
  return `data:${mimeType};base64,${base64}`;
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
  if (!(error instanceof Error)) return "none";
  const { status, statusCode = status } = error as Error & { readonly status?: unknown; readonly statusCode?: unknown };
  if (statusCode === undefined) return "none";
  if (takesNone.test(error.message)) return "all";
  return statusCode === 400 || statusCode === 413 || statusCode === 415 || statusCode === 422 ? "these" : "none";
}
