import type { NoteEntry, TranscriptEntry } from "@talaria/agent";
import type { Conversation } from "@talaria/protocol";
import type { StoredEntry } from "@talaria/store";
import { createToolsets } from "@talaria/tools";
import { z } from "zod";
import { placeOf } from "./tools-for.ts";

/** Calls of a turn after which how it was done may be worth keeping. */
const manyCalls = 8;

const note: NoteEntry = {
  kind: "note",
  text:
    "Your last answer took many steps. Where such work will come again, keep how it is done with the tool write_skill (find_tools shows it), " +
    "after you have answered this; else go on, and say nothing of it.",
};

const assistant = z.object({ kind: z.literal("assistant"), toolCalls: z.array(z.object({ name: z.string() })) });
const spoken = z.object({ kind: z.literal("note"), text: z.string() });

export type WorthKeeping = (
  conversation: Conversation,
  history: readonly StoredEntry[],
  journal: readonly TranscriptEntry[],
) => readonly NoteEntry[];

const toolsets = createToolsets({ workspace: false, facts: true });

/**
 * A note behind the words of a turn that follows one that has made many calls and ended well, once in what the model still reads. None where whoever
 * asks could have nothing kept, or the last turn has kept it.
 */
export const worthKeeping: WorthKeeping = (conversation, history, journal) => {
  if (callsOfLast(history) < manyCalls || history.some(isNote)) return [];
  const hasTool = toolsets(placeOf(conversation, journal)).some(({ name }) => name === "write_skill");
  return hasTool ? [note] : [];
};

function isNote(entry: StoredEntry): boolean {
  return entry.kind === "note" && spoken.safeParse(entry).data?.text === note.text;
}

/** The calls that came before the last answer and after the one before it; 0 where it has not ended with one. */
function callsOfLast(history: readonly StoredEntry[]): number {
  const [last, ...before] = history.slice(-mostLooked).toReversed();
  if (last === undefined || assistant.safeParse(last).data?.toolCalls.length !== 0) return 0;
  let count = 0;
  for (const entry of before) {
    const { data } = assistant.safeParse(entry);
    if (data === undefined) continue;
    if (data.toolCalls.length === 0) break;
    if (data.toolCalls.some(({ name }) => name === "write_skill")) return 0;
    count += data.toolCalls.length;
  }
  return count;
}

/** More entries than a turn of so many calls has. */
const mostLooked = 400;
