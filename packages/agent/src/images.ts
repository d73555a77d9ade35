import type { EntryAttachment } from "./entries-of-people.ts";
import type { TranscriptEntry } from "./journal.ts";
import { fileIdOf } from "./media.ts";

/** What one request shows at most. Base64 and JSON make three times as much of it in memory, for each running turn. */
const limits = { images: 12, bytes: 8 * 1_024 * 1_024 };
/** Larger pictures are refused by some servers. */
const maxImageBytes = 5 * 1_024 * 1_024;
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether models are shown what is in it, and not only that it is there. */
export function isShowable({ ref, mimeType, byteLength = 0 }: EntryAttachment): boolean {
  return fileIdOf(ref) !== undefined && shownTypes.has(mimeType) && byteLength <= maxImageBytes;
}

/**
 * The newest pictures, as many as one request may show. When there are too many, the oldest go until half of the room is
 * free, so that what earlier requests have shown stays as it is for many requests.
 */
export function shownImages(entries: readonly TranscriptEntry[]): ReadonlySet<EntryAttachment> {
  const images = entries.flatMap((entry) => (entry.kind === "user" ? entry.attachments.filter(isShowable) : []));
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
