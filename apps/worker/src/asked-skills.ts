import type { NoteEntry, TranscriptEntry } from "@talaria/agent";
import { isAtLeast } from "@talaria/protocol";
import { askedNote } from "@talaria/skills";
import type { EntryMaker } from "./entries.ts";
import type { KeptSkills, SkillPlace } from "./skills.ts";

/** As in `/pdf-forms fill it in`: a name of agentskills.io behind an ASCII slash. */
const slashName = /^ *\/([\p{L}\p{N}-]{1,64})(?:\s|$)/u;

/**
 * The same entries, and after each message that begins with `/` and a skill's name a note which asks for that skill to be read first. Only
 * whoever may read skills can ask so.
 */
export function withAskedSkills(toEntries: EntryMaker, skills: Pick<KeptSkills, "named">): EntryMaker {
  return async (taken, from) => {
    const entries = await toEntries(taken, from);
    const place = taken[0]?.event.conversation;
    if (place === undefined) return entries;
    const withNotes = await Promise.all(
      entries.map(async (entry) => [entry, ...(await noteFor(entry, place, skills))]),
    );
    return withNotes.flat();
  };
}

async function noteFor(
  entry: TranscriptEntry,
  place: SkillPlace,
  skills: Pick<KeptSkills, "named">,
): Promise<readonly NoteEntry[]> {
  if (entry.kind !== "user" || entry.pressed === true || entry.values !== undefined) return [];
  if (entry.sender.assurance === "claimed" || !isAtLeast(entry.role ?? "guest", "member")) return [];
  const given = slashName.exec(entry.markdown)?.[1];
  const name = given === undefined ? undefined : await skills.named(given, place);
  if (name === undefined) return [];
  return [{ kind: "note", text: askedNote(name) }];
}
