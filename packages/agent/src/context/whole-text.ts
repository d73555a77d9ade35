import type { Platform } from "@talaria/protocol";
import type { OverheardEntry, UserEntry } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import { accountName, senderName } from "../names.ts";
import { wholeNote } from "../render-words.ts";

/** One entry as a text for reading, without what is not shown to the model either. */
export function textOfEntry(entry: TranscriptEntry, platform: Platform): string {
  switch (entry.kind) {
    case "user":
    case "overheard":
      return `## ${senderName(entry.sender)} (${accountName(platform, entry.sender.userId)}), ${entry.at}\n${wordsOf(entry)}\n`;
    case "assistant":
      return [
        ...(entry.content === "" ? [] : [`## you\n${entry.content}\n`]),
        ...entry.toolCalls.map(({ name, arguments: given }) => `## you called ${name}\n${given}\n`),
      ].join("\n");
    case "tool.result":
      return `## result of ${entry.name}${entry.isError ? " (an error)" : ""}\n${entry.content}\n`;
    case "note":
      return `## note\n${entry.text}\n`;
    case "call.settled":
      return `## ${entry.name} was ${entry.settlement}\n${entry.arguments}\n`;
    case "checkpoint":
      return entry.notes === undefined ? "" : `## notes\n${entry.notes}\n`;
    case "tool.started":
    case "tool.waiting":
    case "cleared":
      return "";
    default:
      return entry satisfies never;
  }
}

/** All that somebody has written, quoted and spoken in one message, as far as it is still here. */
export function wordsOf(entry: UserEntry | OverheardEntry): string {
  const whole = entry.whole === undefined ? [] : [wholeNote(entry.whole)];
  if (entry.kind === "overheard") return [entry.markdown, ...whole].join("\n");
  const { quote, markdown, attachments } = entry;
  const quoted = quote === undefined ? [] : [`### quoted from ${senderName(quote)}\n${quote.markdown}\n`];
  const spoken = attachments.flatMap(({ name, kind, transcript }) =>
    transcript === undefined ? [] : [`### said in ${name ?? kind}\n${transcript}`],
  );
  return [...quoted, markdown, ...spoken, ...whole].join("\n");
}
