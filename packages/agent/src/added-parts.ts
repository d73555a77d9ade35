import type { OutboundAttachment } from "@talaria/protocol";
import type { TranscriptEntry } from "./journal.ts";
import type { ReplyParts } from "./reply-parts.ts";

/** Everything that the tools of a turn have added to its reply. A file that was added twice goes out once. */
export function replyPartsOf(entries: readonly TranscriptEntry[]): ReplyParts {
  const parts = entries.flatMap((entry) => (entry.kind === "tool.result" && entry.reply ? [entry.reply] : []));
  const files = new Map<string, OutboundAttachment>();
  for (const file of parts.flatMap(({ attachments = [] }) => attachments)) files.set(`${file.ref} ${file.name}`, file);
  const choices = parts.findLast((part) => part.choices !== undefined)?.choices;
  return {
    ...(files.size === 0 ? {} : { attachments: [...files.values()] }),
    ...(choices === undefined ? {} : { choices }),
  };
}

/** The reply's text with the question that its buttons answer, unless it is there already. */
export function withQuestion(markdown: string, { choices }: ReplyParts): string {
  if (choices === undefined || markdown.includes(choices.question)) return markdown;
  return markdown.trim() === "" ? choices.question : `${markdown}\n\n${choices.question}`;
}
