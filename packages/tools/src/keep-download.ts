import { claimedTypeOf, fileIdOf, inboxPathOf, type NamedMedia, safeFileName, type ToolContext } from "@talaria/agent";
import { GatewayError, isGatewayError } from "@talaria/protocol";

export interface Download {
  readonly file: NamedMedia;
  /** For the model: what it is, and where it lies. */
  readonly told: string;
}

/**
 * Keeps what came from the web, as it comes, as a file of the conversation: it lies in the inbox as soon as a tool works in the
 * workspace, on whatever worker that is. `name` and `type` are what a stranger says. Throws `too_large` above the limits of `media`.
 */
export async function keepDownload(
  content: AsyncIterable<Uint8Array>,
  { name, type }: { readonly name: string; readonly type?: string },
  { media, signal }: Pick<ToolContext, "media" | "signal">,
): Promise<Download> {
  const claimed = type || (claimedTypeOf(name) ?? "");
  const kept = await media.put(content, claimed, signal).catch((error: unknown) => {
    throw isGatewayError(error, "too_large") ? refusal(error) : error;
  });
  const file = { ...kept, name: safeFileName(name, kept.mimeType) };
  const place = `kept as file ${fileIdOf(kept.ref)}, ${kept.mimeType}, ${kept.byteLength} bytes`;
  return { file, told: `${place}; tools that work in a workspace find it at ${inboxPathOf(file)}` };
}

function refusal({ details, cause }: GatewayError): GatewayError {
  const limit = `${details.limit}`;
  const reasons: Readonly<Record<string, string>> = {
    bytes: `the file has more than ${limit} bytes, and no larger one is kept (media.maxBytes): fetch a part of it, or have it fetched by a command that has the network`,
    pixels: `the picture has more than ${limit} pixels, and no larger one is kept (media.maxPixels)`,
    quota: `there is no room for the file: all files together may have ${limit} bytes (media.quotaBytes)`,
  };
  const message = reasons[String(details.reason)] ?? "the file is larger than is kept here";
  return new GatewayError(message, { code: "too_large", details, cause });
}
