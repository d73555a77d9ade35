import type { OutboundAttachment } from "@talaria/protocol";
import type { MediaLimits, MediaStore } from "@talaria/store";

/** A file of some kilobytes is stored in an instant, or whoever asked for it asks again. */
const longestMs = 30_000;

/** Stores the text of a file that goes out. Rejects as the store does. */
export function fileKeeper(
  media: Pick<MediaStore, "put">,
  limits: MediaLimits,
): (text: string, mimeType: string) => Promise<Omit<OutboundAttachment, "name">> {
  return (text, mimeType) => media.put(bytesOf(text), mimeType, limits, AbortSignal.timeout(longestMs));
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, "utf8");
}
