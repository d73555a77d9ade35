import type { Adapter } from "@talaria/adapter";
import { cooperatively } from "@talaria/markdown";
import type { OutboxPart } from "@talaria/store";
import { english } from "@talaria/words";
import { rulerFor } from "./parts.ts";

/** A part that may stand there already, with words that say so; in a message of their own below it where they don't fit. */
export async function sentAgain(
  part: OutboxPart,
  adapter: Adapter,
  pause: () => Promise<void>,
): Promise<readonly OutboxPart[]> {
  const { capabilities } = adapter;
  const marked = withMark(part);
  const hasFiles = part.attachments.length > 0;
  const limit = hasFiles ? (capabilities.send?.maxCaptionLength ?? 0) : capabilities.maxTextLength;
  if ((await cooperatively(rulerFor(adapter, limit).share(marked.markdown), pause)) <= 1) return [marked];
  return [
    part,
    { markdown: english.deliveryNotices.sentAgain, attachments: [], state: "pending", attempts: 0, unknown: 0 },
  ];
}

/** The mark is above the text, so that nobody reads all of it once more. */
export function withMark(part: OutboxPart): OutboxPart {
  return {
    ...part,
    markdown: [english.deliveryNotices.sentAgain, part.markdown].filter((text) => text !== "").join("\n\n"),
  };
}

/** Whether the part says already that it may stand there, or the next one does. */
export function saysSentAgain(parts: readonly OutboxPart[], index: number): boolean {
  return (
    Boolean(parts[index]?.markdown.startsWith(english.deliveryNotices.sentAgain)) ||
    parts[index + 1]?.markdown === english.deliveryNotices.sentAgain
  );
}
