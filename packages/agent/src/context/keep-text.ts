import type { KeptMedia } from "../kept-media.ts";
import type { MediaAccess } from "../media.ts";
import { cutEnd, storable } from "../text.ts";

/** Of a longer text the newest is kept. */
const limits = { pieceChars: 1_500_000, pieces: 4, ms: 10_000 };

/** Keeps a text as files that can be read piece by piece, oldest first. None where files can't be kept. Never rejects. */
export async function keepText(
  text: string,
  media: Pick<MediaAccess, "put">,
  signal: AbortSignal,
): Promise<readonly KeptMedia[]> {
  const kept: KeptMedia[] = [];
  for (const piece of piecesOf(storable(text))) {
    try {
      kept.push(await putText(piece, media, signal));
    } catch {
      return kept;
    }
  }
  return kept;
}

/** One text as a file. Rejects where files can't be kept, and after 10 s. */
async function putText(text: string, media: Pick<MediaAccess, "put">, signal: AbortSignal): Promise<KeptMedia> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)]);
  const bytes = Buffer.from(text, "utf8");
  const { ref, mimeType, byteLength } = await Promise.race([media.put(bytes, "text/plain", ending), endOf(ending)]);
  return { ref, mimeType, byteLength };
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let left = text; left !== ""; ) {
    const piece = cutEnd(left, limits.pieceChars);
    pieces.push(piece);
    left = left.slice(piece.length);
  }
  return pieces.slice(-limits.pieces);
}
