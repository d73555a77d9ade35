import type { MediaRef } from "@talaria/protocol";
import type { TranscriptEntry } from "./journal.ts";
import { fileIdOf, sentWith } from "./media.ts";

/** A picture of a message, or one that a tool shows. */
export interface EntryImage {
  readonly ref: MediaRef;
  readonly mimeType: string;
  readonly byteLength?: number;
}

/** What one request shows at most. Base64 and JSON make three times as much of it in memory, for each running turn. */
const limits = { images: 12, bytes: 8 * 1_024 * 1_024 };
/** Larger pictures are refused by some servers. */
const maxImageBytes = 5 * 1_024 * 1_024;
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether models are shown what is in it, and not only that it is there. */
export function isShowable({ ref, mimeType, byteLength = 0 }: EntryImage): boolean {
  return fileIdOf(ref) !== undefined && shownTypes.has(mimeType) && byteLength <= maxImageBytes;
}

/**
 * The newest pictures, as many as one request may show. When there are too many, the oldest go until half of the room is
 * free, so that what earlier requests have shown stays as it is for many requests.
 */
export function shownImages(entries: readonly TranscriptEntry[]): ReadonlySet<EntryImage> {
  const images = entries.flatMap(imagesIn);
  let first = 0;
  let bytes = 0;
  for (const [index, image] of images.entries()) {
    bytes += image.byteLength ?? 0;
    if (index - first + 1 <= limits.images && bytes <= limits.bytes) continue;
    while (first < index && (index - first + 1 > limits.images / 2 || bytes > limits.bytes / 2)) {
      bytes -= images[first]?.byteLength ?? 0;
      first += 1;
    }
  }
  return new Set(images.slice(first));
}

/** What a request shows of an entry, if there is room. */
export function imagesIn(entry: TranscriptEntry): readonly EntryImage[] {
  if (entry.kind === "user") return sentWith(entry).filter(isShowable);
  return entry.kind === "tool.result" ? (entry.shows ?? []).filter(isShowable) : [];
}
