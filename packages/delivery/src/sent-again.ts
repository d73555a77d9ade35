import type { Adapter } from "@talaria/adapter";
import { cooperatively } from "@talaria/markdown";
import type { OutboxPart } from "@talaria/store";
import { rulerFor } from "./parts.ts";
import type { Said } from "./row-words.ts";

/** A part that may stand there already, with words that say so; in a message of their own below it where they don't fit. */
export async function sentAgain(
  part: OutboxPart,
  said: Said,
  adapter: Adapter,
  pause: () => Promise<void>,
): Promise<readonly OutboxPart[]> {
  const { capabilities } = adapter;
  const marked = withMark(part, said);
  const hasFiles = part.attachments.length > 0;
  const limit = hasFiles ? (capabilities.send?.maxCaptionLength ?? 0) : capabilities.maxTextLength;
  if ((await cooperatively(rulerFor(adapter, limit).share(marked.markdown), pause)) <= 1) return [marked];
  return [part, { markdown: said.sentAgain, attachments: [], state: "pending", attempts: 0, unknown: 0 }];
}

/** The mark is above the text, so that nobody reads all of it once more. */
export function withMark(part: OutboxPart, said: Said): OutboxPart {
  return {
    ...part,
    markdown: [said.sentAgain, part.markdown].filter((text) => text !== "").join("\n\n"),
  };
}

/** Whether the part says already that it may stand there, or the next one does. */
export function saysSentAgain(parts: readonly OutboxPart[], index: number, said: Said): boolean {
  return Boolean(parts[index]?.markdown.startsWith(said.sentAgain)) || parts[index + 1]?.markdown === said.sentAgain;
}
