import type { Platform } from "@talaria/protocol";
import type { EntryAttachment, OverheardEntry, UserEntry } from "../entries-of-people.ts";
import type { TranscriptEntry } from "../journal.ts";
import { idOfFile } from "../media.ts";
import { accountName, senderName } from "../names.ts";
import { wholeNote } from "../render-words.ts";
import { oneLine } from "../untrusted-text.ts";

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
  const { quote, markdown } = entry;
  const quoted =
    quote === undefined
      ? []
      : [`### quoted from ${senderName(quote)}\n${[quote.markdown, ...filesIn(quote)].join("\n")}\n`];
  return [...quoted, markdown, ...filesIn(entry), ...whole].join("\n");
}

/** What came with a text: what is said in it, else by which id it is opened. */
function filesIn({ attachments = [] }: { readonly attachments?: readonly EntryAttachment[] }): readonly string[] {
  return attachments.flatMap((file) => {
    const { name, kind, transcript } = file;
    if (transcript !== undefined) return [`### said in ${name ?? kind}\n${transcript}`];
    const id = idOfFile(file);
    return id === undefined ? [] : [`### file ${id}: ${oneLine(name ?? kind)}`];
  });
}
