import { keepText } from "./context/keep-text.ts";
import type { KeptMedia } from "./kept-media.ts";
import { fileIdOf, type MediaAccess } from "./media.ts";
import { cutMiddle } from "./text.ts";

const noteChars = 160;

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
  const [file] = maxChars > 2 * noteChars ? await keepText(text, media, signal) : [];
  const id = file && fileIdOf(file.ref);
  if (id === undefined) return { shown: cutMiddle(text, maxChars), note: "", kept: [] };
  const pieces = `in pieces of ${Math.min(16_000, maxChars)} bytes at most`;
  const note = `[whole result: file ${id}, ${file?.byteLength} bytes; read it with read_attachment, ${pieces}]`;
  return { shown: cutMiddle(text, maxChars - noteChars), note, kept: file === undefined ? [] : [file] };
}
