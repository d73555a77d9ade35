import type { KeptMedia } from "./kept-media.ts";
import { fileIdOf, type MediaAccess } from "./media.ts";
import { cutEnd, cutMiddle } from "./text.ts";

/** What is behind it is gone for good. */
const mostKeptChars = 2_000_000;
const noteChars = 120;
const longestPutMs = 10_000;

export interface WholeText {
  /** At most `maxChars`, the note counted in. */
  readonly shown: string;
  /** Tells the model where the rest is. Empty: nothing is missing, or nothing could be kept. */
  readonly note: string;
  readonly kept: readonly KeptMedia[];
}

/** Shortens a text in its middle; the whole of it becomes a file that can be read piece by piece. Never rejects. */
export async function keepWhole(
  text: string,
  maxChars: number,
  media: Pick<MediaAccess, "put">,
  signal: AbortSignal,
): Promise<WholeText> {
  if (text.length <= maxChars) return { shown: text, note: "", kept: [] };
  try {
    const bytes = Buffer.from(cutEnd(text, mostKeptChars), "utf8");
    const ending = AbortSignal.any([signal, AbortSignal.timeout(longestPutMs)]);
    const { ref, mimeType, byteLength } = await Promise.race([media.put(bytes, "text/plain", ending), endOf(ending)]);
    const id = fileIdOf(ref);
    if (id !== undefined && maxChars > 2 * noteChars) {
      const note = `[whole result: file ${id}, ${byteLength} bytes; read it with read_attachment]`;
      return { shown: cutMiddle(text, maxChars - noteChars), note, kept: [{ ref, mimeType, byteLength }] };
    }
  } catch {
    // Files may be switched off, or full. The ends of the text are still worth more than an error.
  }
  return { shown: cutMiddle(text, maxChars), note: "", kept: [] };
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
